"""Thresholding with histogram encoding (THE): the report is one bit for each item."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Final

from ldptui.core.protocols.the import Thresholding, best_theta

from . import unary_formulas
from .family_explanation import Story
from .formula import W17, Entry, Formula, listed
from .formula_inputs import Setting
from .formula_table import P_AND_Q, pure_notes
from .pure_formulas import OTHER, OWN, pure

_row = partial(Formula, source=W17)

ROWS: Final = (
    _row(
        "Threshold with the least variance",
        "θ* = (2/ε) · ln( [ 1 + c + √((1 + c)² − 3c) ] / (3c) ),  c = e^(−ε/2)",
        put="2 / {ε} · ln( [ 1 + {c:5} + √((1 + {c:5})² − 3 · {c:5}) ] / (3 · {c:5}) )",
    ),
    listed("theta", "θ", "the least variance", "W17 4.3"),
    _row(OWN, "p = 1 − e^(ε(θ − 1)/2) / 2", entry=Entry("p", "p", "W17 4.3")),
    _row(OTHER, "q = e^(−εθ/2) / 2", entry=Entry("q", "q", "W17 4.3")),
    _row("Privacy budget from the scale s = 2/ε of the noise", "ε = 2 / s"),
    _row("Privacy that the bits really cost: less than the ε of the noise",
         "ε′ = ln[ p(1 − q) / ((1 − p) q) ]",
         entry=Entry("real_epsilon", "ε′, real loss", "W17 4.2")),
)  # fmt: skip

GIVEN: Final = listed("theta", "θ", "as given", "W17 4.3")
"""θ in the place of the least variance's."""


def _own(setting: Setting) -> dict[str, float]:
    protocol: Thresholding = setting.protocol
    return {
        **unary_formulas.padded(setting),
        "θ": protocol.theta,
        "θ*": best_theta(protocol.epsilon),
        "theta": protocol.theta,
        "c": math.exp(-protocol.epsilon / 2),
        "s": 2 / protocol.epsilon,
        "real_epsilon": protocol.real_epsilon,
    }


def _formulas(setting: Setting) -> Iterator[Formula]:
    chosen = setting.protocol.theta == best_theta(setting.protocol.epsilon)
    rows = ROWS if chosen else [GIVEN if row.key == "theta" else row for row in ROWS]
    return pure(rows, unary_formulas.SUPPORTED, crafting=(unary_formulas.PADDING,), own=_own)(
        setting
    )


STORY: Final = Story(
    _formulas,
    unary_formulas.REPORTS,
    table=("p", "q", "theta", "real_epsilon", *P_AND_Q[2:]),
    fields=("theta", "real_epsilon"),
    notes=pure_notes,
)
"""The formulas of THE; its reports are those of unary encoding, with other chances."""
