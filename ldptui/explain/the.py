"""Thresholding with histogram encoding (THE): the report is one bit for each item."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Final

from ldptui.core.protocols.the import Thresholding, best_theta

from ..text.format import short
from . import unary
from .attack import attacked
from .closed_forms import OTHER, OWN, PROTOCOL, choice, estimates
from .formula import DIGITS, W17, Entry, Formula, listed, numeric
from .setting import Setting
from .story import Story
from .table import P_AND_Q, pure_notes


def _formulas(setting: Setting) -> Iterator[Formula]:
    yield from _probabilities(setting.protocol)
    yield from choice(setting.protocol)
    yield from estimates(setting)
    yield from attacked(setting, unary.SUPPORTED, unary.padding)


def _probabilities(protocol: Thresholding) -> Iterator[Formula]:
    p, q, theta, epsilon = protocol.p, protocol.q, protocol.theta, protocol.epsilon
    live = partial(numeric, PROTOCOL, source=W17)
    best, c = best_theta(epsilon), math.exp(-epsilon / 2)
    c_ = short(c, DIGITS)
    put = f"[ 1 + {c_} + √((1 + {c_})² − 3 · {c_}) ] / (3 · {c_})"
    yield live(
        "Threshold with the least variance",
        "θ* = (2/ε) · ln( [ 1 + c + √((1 + c)² − 3c) ] / (3c) ),  c = e^(−ε/2)",
        f"2 / {short(epsilon)} · ln( {put} )", best,
    )  # fmt: skip
    chosen = "the least variance" if theta == best else "as given"
    yield listed("theta", "θ", theta, chosen, "W17 4.3")
    above, noise = (short(math.exp(x / 2)) for x in (epsilon * (theta - 1), -epsilon * theta))
    own, other = Entry("p", "p", "W17 4.3"), Entry("q", "q", "W17 4.3")
    yield live(OWN, "p = 1 − e^(ε(θ − 1)/2) / 2", f"1 − {above} / 2", p, entry=own)
    yield live(OTHER, "q = e^(−εθ/2) / 2", f"{noise} / 2", q, entry=other)
    yield live(
        "Privacy budget from the scale s = 2/ε of the noise", "ε = 2 / s",
        f"2 / {short(2 / epsilon)}", 2 / (2 / epsilon),
    )  # fmt: skip
    p_, q_ = short(p), short(q)
    yield live(
        "Privacy that the bits really cost: less than the ε of the noise",
        "ε′ = ln[ p(1 − q) / ((1 − p) q) ]", f"ln[ {p_} · (1 − {q_}) / ((1 − {p_}) · {q_}) ]",
        protocol.real_epsilon, entry=Entry("real_epsilon", "ε′, real loss", "W17 4.2"),
    )  # fmt: skip


STORY: Final = Story(
    _formulas,
    unary.REPORTS,
    table=("p", "q", "theta", "real_epsilon", *P_AND_Q[2:]),
    fields=("theta", "real_epsilon"),
    notes=pure_notes,
)
"""The formulas of THE; its reports are those of unary encoding, with other chances."""
