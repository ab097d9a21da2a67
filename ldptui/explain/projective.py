"""Projective geometry response (PGR): the report is a point of a projective space."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any, Final, cast

import numpy as np

from ldptui.core.protocols.coded import Coded
from ldptui.core.protocols.geometry import vectors
from ldptui.core.protocols.projective import ProjectiveGeometry

from ..text.format import count, short
from .attack import attacked, honest
from .closed_forms import OTHER, OWN, PROTOCOL, choice, estimates
from .coded import reports
from .formula import Entry, Formula, numeric
from .setting import Setting
from .story import Story, Supported
from .table import P_AND_Q, coded_notes

FNNT: Final = "Feldman et al. 2022"


def _formulas(setting: Setting) -> Iterator[Formula]:
    protocol: ProjectiveGeometry = setting.protocol
    yield from _space(protocol)
    yield from _probabilities(protocol)
    yield from choice(protocol)
    yield from estimates(setting)
    yield from attacked(setting, SUPPORTED)


def _space(protocol: ProjectiveGeometry) -> Iterator[Formula]:
    size, t, d = protocol.field_size, protocol.dimension, protocol.domain_size
    live = partial(numeric, PROTOCOL, source=FNNT)
    yield live(
        "Elements of the field", "F = the least odd prime ≥ e^ε + 1",
        f"prime ≥ {short(math.exp(protocol.epsilon) + 1)}", size,
        entry=Entry("field_size", "F", "FNNT", "least odd prime ≥ e^ε + 1"),
    )  # fmt: skip
    yield live(
        "Elements of a point", "t, the least with (Fᵗ − 1) / (F − 1) ≥ d",
        f"({size}^{t} − 1) / {size - 1} = {count(protocol.messages)} ≥ {count(d)}", t,
    )  # fmt: skip
    yield live(
        "Messages", "K = (Fᵗ − 1) / (F − 1)", f"({size}^{t} − 1) / {size - 1}", protocol.messages,
        entry=Entry("messages", "K", "FNNT", "(Fᵗ − 1)/(F − 1)"),
    )  # fmt: skip
    yield live(
        "Messages that agree with an item", "k₁ = (Fᵗ⁻¹ − 1) / (F − 1)",
        f"({size}^{t - 1} − 1) / {size - 1}", protocol.agreeing,
    )  # fmt: skip
    yield live(
        "Messages that agree with two items", "k₂ = (Fᵗ⁻² − 1) / (F − 1)",
        f"({size}^{t - 2} − 1) / {size - 1}", protocol.shared,
    )  # fmt: skip


def _probabilities(protocol: ProjectiveGeometry) -> Iterator[Formula]:
    e, k, one, two = (
        math.exp(protocol.epsilon), protocol.messages, protocol.agreeing, protocol.shared
    )  # fmt: skip
    live = partial(numeric, PROTOCOL, source=FNNT)
    below = f"({short(e - 1)} · {count(one)} + {count(k)})"
    yield live(
        OWN, "p = e^ε k₁ / ((e^ε − 1) k₁ + K)", f"{short(e)} · {count(one)} / {below}", protocol.p,
        entry=Entry("p", "p", "FNNT"),
    )  # fmt: skip
    yield live(
        OTHER, "q = ((e^ε − 1) k₂ + k₁) / ((e^ε − 1) k₁ + K)",
        f"({short(e - 1)} · {count(two)} + {count(one)}) / {below}", protocol.q,
        entry=Entry("q", "q", "FNNT", "p(e^ε k₂ + k₁ − k₂)/(e^ε k₁)"),
    )  # fmt: skip
    own = protocol.p / one
    other = (1 - protocol.p) / (k - one)
    yield live(
        "Privacy budget from the chance of a message that agrees, and of one that does not",
        "ε = ln[ (p / k₁) / ((1 − p) / (K − k₁)) ]", f"ln[ {short(own)} / {short(other)} ]",
        math.log(own / other),
    )  # fmt: skip


def _mean(protocol: Any, attack: Any) -> str:
    return "" if attack is None else f"counted over all {count(protocol.messages)} messages"


SUPPORTED: Final = {
    "random": lambda protocol, r, _: Supported(
        "S = r k₁ / K", f"{r} · {count(protocol.agreeing)} / {count(protocol.messages)}"
    ),
    "honest": lambda protocol, r, _: honest(protocol, r),
    "unperturbed": lambda protocol, r, _: Supported(
        "S = 1 + (r − 1) k₂ / k₁",
        f"1 + {r - 1} · {count(protocol.shared)} / {count(protocol.agreeing)}",
    ),
    "crafted": lambda protocol, _, attack: Supported(
        "S = most targets in a hyperplane, ≥ min(r, t − 1)",
        _mean(protocol, attack),
        brief="fullest hyperplane",
    ),
    "avoided": lambda protocol, _, attack: Supported(
        "S = fewest targets in a hyperplane", _mean(protocol, attack)
    ),
}


def _encoded(protocol: Coded, item: int) -> tuple[str, tuple[str, ...]]:
    code = cast("ProjectiveGeometry", protocol)
    point = vectors(np.array([item]), code.field_size, code.dimension)[0]
    elements = ", ".join(map(str, point.tolist()))
    field = f"of {code.dimension} elements of a field of {count(code.field_size)}"
    agree = f"messages that agree are orthogonal to it: {count(code.agreeing)}"
    return f"the point ({elements})", (field, agree)


STORY: Final = Story(
    _formulas,
    reports(_encoded),
    table=("p", "q", "field_size", "messages", *P_AND_Q[2:]),
    fields=("field_size", "messages"),
    notes=coded_notes("FNNT"),
)
"""The formulas of the family, one report step by step, and its table."""
