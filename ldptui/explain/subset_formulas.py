"""Subset selection (SS): the report is a set of w items."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Final

from ldptui.core.cell import Cell
from ldptui.core.law.pure import Reports
from ldptui.core.protocols.subset import best_size, subset_bits

from ..text import format as fmt
from .attack_formulas import Supported
from .family_explanation import Story
from .formula import Entry, Formula, Plain, listed
from .formula_inputs import Setting
from .formula_table import P_AND_Q, pure_notes
from .pure_formulas import OTHER, OWN, pure
from .report_story import ReportStory, hex_of

YB: Final = "Ye, Barg 2018"


_row = partial(Formula, source=YB)

ROWS: Final = (
    _row("Items in a report that make the average error least",
         "w* = d / (e^ε + 1), up or down to an integer"),
    listed("subset_size", "w", "d/(e^ε + 1), rounded", "YB"),
    _row(OWN, "p = w e^ε / (w e^ε + {d − w})", entry=Entry("p", "p", "YB")),
    _row(OTHER, "q = [ p {(w − 1)} + (1 − p) w ] / {(d − 1)}", entry=Entry("q", "q", "YB")),
    _row("Privacy budget from p and w", "ε = ln[ p {(d − w)} / ((1 − p) w) ]"),
)  # fmt: skip

GIVEN: Final = listed("subset_size", "w", "as given", "YB")
"""w in the place of that with the least error."""

SUPPORTED: Final = {
    "random": Supported("S = r w / d"),
    "unperturbed": Supported("S = 1 + {(r − 1)}{(w − 1)} / {(d − 1)}"),
    "crafted": Supported("S = min(r, w)"),
    "avoided": Supported("S = max(0, w − {(d − r)})"),
}


def _own(setting: Setting) -> dict[str, float]:
    w, d = setting.protocol.subset_size, setting.protocol.domain_size
    known = {"w": Plain(w), "subset_size": w, "w*": best_size(d, setting.protocol.epsilon)}
    return known if setting.r is None else {**known, "r": Plain(setting.r)}


def _formulas(setting: Setting) -> Iterator[Formula]:
    protocol = setting.protocol
    best = protocol.subset_size == best_size(protocol.domain_size, protocol.epsilon)
    rows = ROWS if best else [GIVEN if row.key == "subset_size" else row for row in ROWS]
    return pure(rows, SUPPORTED, own=_own)(setting)


class SetReports(ReportStory):
    """The story of a report that is a set of w items."""

    shows_bits = True

    def describe(self, cell: Cell, report: Reports) -> tuple[str, ...]:
        bits = cell.pure.supports(report)[0]
        w = int(bits.sum())
        size = fmt.plural(math.ceil(subset_bits(bits.size, w)), "bit")
        text = f"a set of {fmt.plural(w, 'item')}"
        return text, hex_of(report), f"log₂ of the number of sets: {size}"


STORY: Final = Story(
    _formulas,
    SetReports(),
    table=("p", "q", "subset_size", *P_AND_Q[2:]),
    fields=("subset_size",),
    notes=pure_notes,
)
"""The formulas of the family, one report step by step, and its table."""
