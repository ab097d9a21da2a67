"""The table of faults in other people's code: what it says here is what is shown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.commands import Captured, succeed

ROOT = Path(__file__).parents[2]
ROWS = [
    [cell.strip(" `") for cell in line.strip("|").split("|")]
    for line in (ROOT / "docs" / "faults.md").read_text("utf-8").splitlines()
    if re.match(r"\| \[.+ #\d+\]\(https://", line)
]
KNOWN = {
    cells[0]: cells
    for line in (ROOT / "examples" / "broken" / "README.md").read_text("utf-8").splitlines()
    if len(cells := [cell.strip(" `") for cell in line.strip("|").split("|")]) == 8
}


def test_there_are_ten_of_which_seven_are_clients() -> None:
    assert len(ROWS) == 10
    assert sum(row[2] in KNOWN for row in ROWS) == 7


@pytest.mark.parametrize("row", [row for row in ROWS if row[2] in KNOWN], ids=lambda row: row[2])
def test_a_client_is_found_as_the_gallery_has_it(row: list[str]) -> None:
    """Whose verdicts `test_gallery.py` runs."""
    _, _, name, says = row
    verdict, found = KNOWN[name][5:7]
    assert says.startswith("broken") == (verdict == "broken")
    least = re.search(r"ε is at least ([\d.]+)", found)
    bound = re.search(r"ε is at least ([\d.]+)", says)
    if least and bound:
        assert float(bound[1]) >= float(least[1])


@pytest.mark.parametrize(
    ("command", "number"),
    [("theory grr --epsilon 14 --items 165", "0.99986"),
     ("theory laplace --epsilon 10 --items 8 --users 1000", "0.2"),
     ("ledger daily=0.1x30 --delta 1e-6", "2.3459")],
)  # fmt: skip
def test_the_others_are_numbers_of_commands(command: str, number: str, capsys: Captured) -> None:
    (row,) = (row for row in ROWS if row[2] == f"ldptui {command}")
    assert number in row[3]
    assert number in succeed(capsys, *command.split())
