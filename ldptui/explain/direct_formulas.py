"""Direct encoding (GRR, also kRR): the report is an item."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ldptui.core.cell import Cell
from ldptui.core.law.pure import Reports

from .attack_formulas import HONEST, Supported
from .family_explanation import Story
from .formula import W17, Entry, Formula
from .formula_table import P_AND_Q, pure_notes
from .pure_formulas import OTHER, OWN, VARIANCE, pure
from .report_story import ReportStory, bits_needed, named

ROWS: Final = (
    Formula(OWN, "p = e^ε / (e^ε + d − 1)", W17, 9, Entry("p", "p", "W17 4.1")),
    Formula(OTHER, "q = 1 / (e^ε + d − 1)", W17, 9, Entry("q", "q", "W17 4.1")),
    Formula("Privacy budget from p and q", "ε = ln(p / q)", W17, 14),
)

UNIT: Final = replace(VARIANCE, text="Var*[c~ᵥ] / n = (d − 2 + e^ε) / {(e^ε − 1)}²", number=11)

SUPPORTED: Final = {
    "random": Supported("S = r / d", 24, 23),
    "honest": replace(HONEST, number=24),
    "unperturbed": Supported("S = 1: the report is a target"),
    "crafted": Supported("S = 1: the report is a target", 24, 25),
    "avoided": Supported("S = 0: no target is supported"),
}


class ItemReports(ReportStory):
    """The story of a report that is an item."""

    def describe(self, cell: Cell, report: Reports) -> tuple[str, ...]:
        return named(cell, int(report[0])), bits_needed(cell.pure.domain_size)


STORY: Final = Story(
    pure(ROWS, SUPPORTED, UNIT),
    ItemReports(),
    table=P_AND_Q,
    notes=pure_notes,
)
