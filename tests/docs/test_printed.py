"""The tables of numbers in the pages are what the commands beside them print."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
from support.pages import NAMES, NUMPY, examples, page

import ldptui
from ldptui.explain.citations import DERIVED, papers

DOCS = Path(__file__).parents[2] / "docs"
ROUNDED = 0.005
"""The most that two digits leave out."""
FAR = 5
"""Standard errors of a difference that two NumPy may lie apart."""


def test_what_corrections_leave_of_the_gain() -> None:
    page = (DOCS / "findings.md").read_text(encoding="utf-8")
    printed = page.partition("| no defence |")[1:]
    rows = re.findall(r"^\| .+? ((?:\| [\d.]+ )+)\|$", "".join(printed), re.MULTILINE)[:6]
    scenario = ldptui.load("cao-countermeasures").with_value("attack.kind", "mga")
    table = ldptui.run(scenario).table("gain_after", "defence.kind", "protocol.kind")
    errors = 0 if np.__version__.startswith(NUMPY) else FAR * math.sqrt(2)
    assert len(rows) == len(table.records()) == 6
    for row, record in zip(rows, table.records(), strict=True):
        values = [float(value) for value in row.split("|")[1:]]
        names = [name for name in record if name.endswith(" gain_after")]
        for value, name in zip(values, names, strict=True):
            room = ROUNDED + errors * record[f"{name}_standard_error"]
            assert abs(record[name] - value) <= room, (record["defence.0.kind"], name)


def test_every_source_of_a_printed_table_is_listed() -> None:
    """Letters in the last column of a table; docs/sources.md has the papers by them."""
    known, seen = {paper.key for paper in papers()} | {*DERIVED}, set()
    for example in (example for name in NAMES for example in examples(page(name))):
        place = 0
        for line in example.output:
            if line.startswith("quantity") and line.rstrip().endswith("source"):
                place = line.index("source")
            elif place and re.match(r"\S", line[place:]) and line[place - 2 : place].isspace():
                seen |= {*re.findall(r"^[A-Z]\w*|^[klt]$", line[place:])}
    assert len(seen) > 3
    assert seen - known == set()
    assert {f"| {key} |" in page("docs/sources.md") for key in seen} == {True}
