"""Unary encodings (SUE, OUE, UE): the report is one bit for each item."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from ldptui.core.cell import Cell
from ldptui.core.law.pure import Reports

from ..text import format as fmt
from .attack_formulas import HONEST, Supported
from .family_explanation import Story
from .formula import CJG, W17, Entry, Formula, Plain
from .formula_inputs import Setting
from .formula_table import P_AND_Q, pure_notes
from .pure_formulas import OTHER, OWN, VARIANCE, pure
from .report_story import ReportStory, hex_of

BUDGET: Final = Formula("Privacy budget from p and q", "ε = ln[ p(1 − q) / ((1 − p) q) ]", W17, 14)

_P: Final = partial(Formula, OWN, source=W17, entry=Entry("p", "p", "W17 4.2"))
_Q: Final = partial(Formula, OTHER, source=W17, entry=Entry("q", "q", "W17 4.2"))

OUE: Final = (_P("p = 1/2", number=12), _Q("q = 1 / (e^ε + 1)", number=12), BUDGET)
SUE: Final = (
    _P("p = e^(ε/2) / (e^(ε/2) + 1)"), _Q("q = 1 / (e^(ε/2) + 1)"), BUDGET
)  # fmt: skip
UE: Final = (
    _P("p = as given", entry=Entry("p", "p", "as given", "as given"), put="{p}"),
    _Q("q = p / (p + (1 − p) e^ε)"),
    BUDGET,
)

OUE_VARIANCE: Final = replace(VARIANCE, text="Var*[c~ᵥ] / n = 4 e^ε / {(e^ε − 1)}²", number=13)
SUE_VARIANCE: Final = replace(
    VARIANCE, text="Var*[c~ᵥ] / n = e^(ε/2) / {(e^(ε/2) − 1)}²", number=None
)

PADDING: Final = Formula(
    "Padding of a crafted report", "l = ⌊p + (d − 1) q − r⌋, at least 0", f"{CJG}, section 3.4",
    put="⌊{p} + {d − 1} · {q} − {r}⌋",
)  # fmt: skip
"""The ones of a crafted report besides those of the targets."""

SUPPORTED: Final = {
    "random": Supported("S = r / 2", 26),
    "honest": replace(HONEST, number=27),
    "unperturbed": Supported("S = 1: the report is a target"),
    "crafted": Supported("S = r", 26, 28),
    "subset": Supported("S = r′ + {(r − r′)} l′ / (d − r′)"),
    "disguised": Supported("S = E[min(k, r)],  k ~ Bern(p) + Bin(d − 1, q)", put="{S:5}"),
    "avoided": Supported("S = 0: no target is supported"),
}


def told_of(setting: Setting, rows: Sequence[Formula] | None = None) -> Iterator[Formula]:
    """The formulas of unary encodings; rows : in the place of those of p and q."""
    protocol = setting.protocol
    if protocol.p == 0.5:
        own, unit = OUE, OUE_VARIANCE
    elif math.isclose(protocol.p + protocol.q, 1):
        own, unit = SUE, SUE_VARIANCE
    else:
        own, unit = UE, VARIANCE
    return pure(own if rows is None else rows, SUPPORTED, unit, (PADDING,), padded)(setting)


def padded(setting: Setting) -> dict[str, float]:
    """The numbers of crafted reports: r, l, and those of a report that aims at some targets."""
    protocol, d, r = setting.protocol, setting.protocol.domain_size, setting.r
    if r is None:
        return {}
    known = {"r": Plain(r), "l": min(protocol.padding(r), d - r)}
    attack = None if setting.cell is None else setting.cell.attack
    size = getattr(attack, "subset", None)
    if size is None:
        return known
    return known | {"r′": Plain(size), "l′": Plain(min(protocol.padding(size), d - size))}


class BitReports(ReportStory):
    """The story of a report that has a bit for each item."""

    shows_bits = True

    def encode(self, cell: Cell, report: Reports, item: int) -> tuple[str, ...]:  # noqa: ARG002
        return (f"one of {fmt.plural(cell.pure.domain_size, 'bit')} is 1",)

    def describe(self, cell: Cell, report: Reports) -> tuple[str, ...]:
        p, q, d = cell.pure.p, cell.pure.q, cell.pure.domain_size
        ones = int(cell.pure.supports(report).sum())
        text = f"{fmt.plural(d, 'bit')}, {fmt.plural(ones, 'one')}"
        honest = f"honest reports: {fmt.short(p + (d - 1) * q)} on average"
        return text, hex_of(report), honest


REPORTS: Final = BitReports()

STORY: Final = Story(told_of, REPORTS, table=P_AND_Q, notes=pure_notes)
