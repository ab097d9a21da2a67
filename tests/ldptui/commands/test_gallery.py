"""The broken clients of examples/broken: each is found as its README says, with as many reports."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from support.commands import Captured

from ldptui.commands import cli

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
def test_the_fault_is_found_with_these_reports(row: list[str], capsys: Captured) -> None:
    name, kind, epsilon, items, _, verdict, found, reports = row
    samples = "200000" if verdict == "broken" else "20000"
    code = cli.main([
        "audit", f"{BROKEN / name}.py:Client", "--as", kind, "--epsilon", epsilon,
        "--items", items, "--samples", samples, *KEYS.get(kind, ()), "--format", "json",
    ])  # fmt: skip
    (client,) = json.loads(capsys.readouterr().out)["clients"]
    assert code == (verdict == "broken")
    assert client["verdict"] == verdict
    assert any(found in text for text in client["findings"]), client["findings"]
    assert client["conforms"] is (name in ("grr_fixed_seed", "olh_pcg64"))
    if np.__version__ == "2.4.6" or verdict != "broken":  # others draw other numbers
        assert client["samples"] == int(reports.replace(" ", ""))
