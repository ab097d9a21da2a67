"""HST: one sign of a vector of fair coins, which the server draws or the user."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np

from ldptui.core.attacks import Strategy
from ldptui.core.cell import Cell
from ldptui.core.law.pure import Rng
from ldptui.core.protocols.hashing import matched_law
from ldptui.core.protocols.hst import ASSIGNED, UserCoins

from ..text.format import short
from . import hashing, unary
from .attack import Laws, attacked
from .closed_forms import OTHER, OWN, PROTOCOL, choice, estimates
from .formula import DIGITS, Entry, Formula, numeric
from .report import Life
from .setting import Setting
from .story import Reporting, Story, Supported
from .table import P_AND_Q, pure_notes


def _own(protocol: object) -> bool:
    """True where users draw the coins."""
    return isinstance(protocol, UserCoins)


def _formulas(setting: Setting) -> Iterator[Formula]:
    protocol = setting.protocol
    yield from _probabilities(protocol.epsilon, protocol.p)
    yield from choice(protocol)
    yield from estimates(setting)
    own = _own(protocol)
    yield from attacked(setting, OWN_COINS if own else PUBLIC, _padding if own else None)


def _probabilities(epsilon: float, p: float) -> Iterator[Formula]:
    e_ = short(math.exp(epsilon))
    live = partial(numeric, PROTOCOL, source="Bassily, Smith 2015")
    yield live(OWN, "p = e^ε / (e^ε + 1)", f"{e_} / ({e_} + 1)", p, entry=Entry("p", "p", "BS"))
    yield live(OTHER, "q = 1/2", "1/2: a fair coin", 0.5, entry=Entry("q", "q", "BS"))
    yield live(
        "Privacy budget from p", "ε = ln[ p / (1 − p) ]", f"ln[ {short(p)} / (1 − {short(p)}) ]",
        math.log(p / (1 - p)),
    )  # fmt: skip


def _padding(attack: Any, protocol: UserCoins, r: int, part: str) -> Iterator[Formula]:  # noqa: ARG001
    """The ones of a crafted vector besides those of the targets."""
    d = protocol.domain_size
    yield numeric(
        part, "Padding of a crafted vector: half of all coins are 1", "l = ⌊d/2⌋ − r, at least 0",
        f"⌊{d}/2⌋ − {r}", min(protocol.padding(r), d - r), "Li, Li, Wang, Sun 2025",
    )  # fmt: skip


def _one_side(protocol: Any, r: int, _: object) -> Supported:  # noqa: ARG001
    mean = float(matched_law(r, 2, ASSIGNED) @ np.arange(r + 1))
    formula = "S = E[max(M, r − M)],  M ~ Bin(r, 1/2)"
    return Supported(formula, short(mean, DIGITS), brief="E[max(M, r − M)]")


PUBLIC: Final[Laws] = hashing.SUPPORTED | {
    "random": lambda _, r, __: Supported("S = r / 2", f"{r} / 2"),
    "crafted": _one_side,
    "avoided": lambda protocol, r, _: Supported(
        "S = E[min(M, r − M)],  M ~ Bin(r, 1/2)",
        short(r * protocol.avoided_support(r, ASSIGNED).target, DIGITS),
    ),
}
"""S with public coins."""

OWN_COINS: Final[Laws] = unary.SUPPORTED | {
    "unperturbed": lambda _, r, __: Supported("S = 1 + (r − 1) / 2", f"1 + {r - 1} / 2"),
}
"""S where users draw the coins."""


@dataclass(frozen=True)
class _Reports:
    """The reports: those of hashing to one bit, or those of unary encoding."""

    public: Reporting
    own: Reporting

    def _of(self, cell: Cell) -> Reporting:
        return self.own if _own(cell.protocol) else self.public

    def refusal(self, cell: Cell) -> str:
        return self._of(cell).refusal(cell)

    def genuine(self, cell: Cell, item: int, kept: Rng, fresh: Rng) -> Life:
        return self._of(cell).genuine(cell, item, kept, fresh)

    def fake(self, cell: Cell, attack: Strategy, title: str, rng: Rng) -> Life:
        return self._of(cell).fake(cell, attack, title, rng)


STORY: Final = Story(
    _formulas,
    _Reports(hashing.REPORTS, unary.REPORTS),
    table=P_AND_Q,
    notes=pure_notes,
)
"""The formulas of HST and its reports, whoever draws the coins."""
