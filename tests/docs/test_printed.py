"""The tables of numbers in the pages are what the commands beside them print."""

from __future__ import annotations

import re
from pathlib import Path

import ldptui

DOCS = Path(__file__).parents[2] / "docs"


def test_what_corrections_leave_of_the_gain() -> None:
    page = (DOCS / "findings.md").read_text(encoding="utf-8")
    printed = page.partition("| no defence |")[1:]
    rows = re.findall(r"^\| .+? ((?:\| [\d.]+ )+)\|$", "".join(printed), re.MULTILINE)[:6]
    scenario = ldptui.load("cao-countermeasures").with_value("attack.kind", "mga")
    table = ldptui.run(scenario).table("gain_after", "defence.kind", "protocol.kind")
    measured = [
        "".join(f"| {value:.2f} " for name, value in record.items() if name.endswith(" gain_after"))
        for record in table.records()
    ]
    assert rows == measured
