"""Projective geometry response (PGR): the report is a point of a projective space."""

from __future__ import annotations

from functools import partial
from typing import Final, cast

import numpy as np

from ldptui.core.protocols.coded import Coded
from ldptui.core.protocols.geometry import vectors
from ldptui.core.protocols.projective import ProjectiveGeometry

from ..text.format import count
from .attack import Supported
from .closed_forms import OTHER, OWN, pure
from .coded import reports
from .formula import Entry, Formula, Plain
from .setting import Setting
from .story import Story
from .table import P_AND_Q, coded_notes

FNNT: Final = "Feldman et al. 2022"


_row = partial(Formula, source=FNNT)

ROWS: Final = (
    _row("Elements of the field", "F = the least odd prime ≥ e^ε + 1", put="prime ≥ {e^ε + 1}",
         entry=Entry("field_size", "F", "FNNT", "least odd prime ≥ e^ε + 1")),
    _row("Elements of a point", "t, the least with (Fᵗ − 1) / (F − 1) ≥ d",
         put="({F}^{t} − 1) / {F − 1} = {K} ≥ {d}"),
    _row("Messages", "K = (Fᵗ − 1) / (F − 1)", put="({F}^{t} − 1) / {F − 1}",
         entry=Entry("messages", "K", "FNNT", "(Fᵗ − 1)/(F − 1)")),
    _row("Messages that agree with an item", "k₁ = (Fᵗ⁻¹ − 1) / (F − 1)",
         put="({F}^{t − 1} − 1) / {F − 1}"),
    _row("Messages that agree with two items", "k₂ = (Fᵗ⁻² − 1) / (F − 1)",
         put="({F}^{t − 2} − 1) / {F − 1}"),
    _row(OWN, "p = e^ε k₁ / ({(e^ε − 1)} k₁ + K)", entry=Entry("p", "p", "FNNT")),
    _row(OTHER, "q = ({(e^ε − 1)} k₂ + k₁) / ({(e^ε − 1)} k₁ + K)",
         entry=Entry("q", "q", "FNNT", "p(e^ε k₂ + k₁ − k₂)/(e^ε k₁)")),
    _row("Privacy budget from the chance of a message that agrees, and of one that does not",
         "ε = ln[ {(p / k₁)} / {((1 − p) / (K − k₁))} ]"),
)  # fmt: skip

_COUNTED: Final = "counted over all {K} messages"

SUPPORTED: Final = {
    "random": Supported("S = r k₁ / K"),
    "unperturbed": Supported("S = 1 + {(r − 1)} k₂ / k₁"),
    "crafted": Supported("S = most targets in a hyperplane, ≥ min(r, t − 1)", put=_COUNTED,
                         brief="fullest hyperplane"),
    "avoided": Supported("S = fewest targets in a hyperplane", put=_COUNTED),
}  # fmt: skip


def _own(setting: Setting) -> dict[str, float]:
    protocol: ProjectiveGeometry = setting.protocol
    known: dict[str, float] = {
        "F": Plain(protocol.field_size), "t": Plain(protocol.dimension),
        "field_size": protocol.field_size, "messages": protocol.messages,
        "K": protocol.messages, "k₁": protocol.agreeing, "k₂": protocol.shared,
    }  # fmt: skip
    return known if setting.r is None else {**known, "r": Plain(setting.r)}


def _encoded(protocol: Coded, item: int) -> tuple[str, tuple[str, ...]]:
    code = cast("ProjectiveGeometry", protocol)
    point = vectors(np.array([item]), code.field_size, code.dimension)[0]
    elements = ", ".join(map(str, point.tolist()))
    field = f"of {code.dimension} elements of a field of {count(code.field_size)}"
    agree = f"messages that agree are orthogonal to it: {count(code.agreeing)}"
    return f"the point ({elements})", (field, agree)


STORY: Final = Story(
    pure(ROWS, SUPPORTED, own=_own),
    reports(_encoded),
    table=("p", "q", "field_size", "messages", *P_AND_Q[2:]),
    fields=("field_size", "messages"),
    notes=coded_notes("FNNT"),
)
"""The formulas of the family, one report step by step, and its table."""
