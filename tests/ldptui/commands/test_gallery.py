"""The broken clients of examples/broken: each is found as its README says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.commands import Captured

from ldptui.commands import cli
from ldptui.terminal import exits

BROKEN = Path(__file__).parents[3] / "examples" / "broken"
ROWS = [
    [cell.strip(" `") for cell in line.strip("|").split("|")]
    for line in (BROKEN / "README.md").read_text("utf-8").splitlines()
    if re.match(r"\| `\w+` \|", line)
]
KEYS = {"dbitflip": ("--set", "sampled=4")}


def test_every_client_has_a_row() -> None:
    assert {row[0] for row in ROWS} == {path.stem for path in BROKEN.glob("*.py")}


@pytest.mark.every(4)
@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_the_fault_is_found(row: list[str], capsys: Captured) -> None:
    name, kind, epsilon, items, _, verdict, found, conforms = row
    code = cli.main([
        "audit", f"{BROKEN / name}.py:Client", "--as", kind, "--epsilon", epsilon,
        "--items", items, "--samples", "100000", *KEYS.get(kind, ()),
    ])  # fmt: skip
    shown = capsys.readouterr().out
    assert code == (exits.ALARM if verdict == "broken" else exits.DONE)
    assert found in shown
    assert ("agree with the protocol" in shown) is (conforms == "yes")
