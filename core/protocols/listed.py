"""A protocol that is given by two tables: the probability of each report, and the items it
supports.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Final

import numpy as np

from ..base.errors import ScenarioError, format_number, got
from ..base.sampling import Counts, Floats, multinomial
from ..base.secure import generator
from ..law.enumeration import ReportLaw, item_name
from ..law.pure import Items, OverItems, Reports, Rng, Supports, items_of
from .few_messages import TIES, Messages
from .python_protocol import LACKS

LISTED: Final = 2**20
"""(item, report) pairs at most: 8 MiB of probabilities, drawn in about a second a block."""

ROUNDING: Final = 1e-9
"""Probabilities that differ by less are equal but for rounding."""


@dataclass(frozen=True, eq=False)
class TableProtocol(OverItems, Messages):
    """A pure protocol given by tables of its few reports, which are numbered uint32[n] in the
    tables' order.

    law : float64[items, reports], the probability of each report of a user with each item.
    table : bool[reports, items], the items that each report supports; or integers, -1 for items
        that it speaks against.
    epsilon : the stated budget, in nats.
    address : identifies the protocol in random streams: whatever its tables depend on.

    Raises ScenarioError if the tables have other shapes, if a row of `law` does not add up to 1, or
    if items are supported with different probabilities.
    """

    family: ClassVar[str] = "plugin"
    lacks: ClassVar[dict[str, str]] = LACKS

    law: Floats = field(repr=False)
    table: Supports = field(repr=False)
    address: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "law", _probabilities(self.law, self.domain_size))
        shape = (self.law.shape[1], self.domain_size)
        object.__setattr__(self, "table", _supports(self.table, shape))
        self._check_pure()
        super().__post_init__()

    def _check_pure(self) -> None:
        """Refuse tables by which some items are supported more often than others."""
        for words, rates in (
            ("its own item", np.diag(self._rates)),
            ("another item", self._rates[~np.eye(self.domain_size, dtype=bool)]),
        ):
            low, high = float(rates.min()), float(rates.max())
            if high - low > ROUNDING:
                raise ScenarioError(
                    f"must support {words} with the same probability whatever the item, got "
                    f"{low:.6g} to {high:.6g}",
                    key="table",
                )

    @cached_property
    def _rates(self) -> Floats:
        """float64[items, items]: how a report of who holds the first supports the second."""
        return np.asarray(self.law @ self._values)

    @cached_property
    def _values(self) -> Floats:
        return self.table.astype(np.float64)

    @cached_property
    def _likeliest(self) -> Floats:
        """float64[items, reports]: uniform over the likeliest reports of each item."""
        most = self.law >= self.law.max(axis=1, keepdims=True) * (1 - TIES)
        return np.asarray(most / most.sum(axis=1, keepdims=True))

    @property
    def messages(self) -> int:
        return int(self.law.shape[1])

    @property
    def p(self) -> float:
        return float(np.diag(self._rates).mean())

    @property
    def q(self) -> float:
        d = self.domain_size
        return max(float((self._rates.sum() - np.trace(self._rates)) / (d * (d - 1))), 0.0)

    @property
    def worst(self) -> float:
        """The largest privacy loss of any report, in nats: the actual ε of the tables; may be
        infinite.
        """
        low, high = self.law.min(axis=0), self.law.max(axis=0)
        if np.any((low == 0) & (high > 0)):
            return math.inf
        sent = high > 0
        return float(np.log(high[sent] / low[sent]).max())

    @property
    def warnings(self) -> tuple[str, ...]:
        """A warning if the tables' actual ε exceeds the stated ε."""
        if self.worst <= self.epsilon * (1 + ROUNDING) + ROUNDING:
            return ()
        return (
            f"its reports tell up to ε = {format_number(round(self.worst, 6))}, more than it says",
        )

    def supports(self, reports: Reports) -> Supports:
        return self.table[reports]

    def perturb(self, values: Items, rng: Rng | None = None) -> Reports:
        rng = generator(rng)
        return self._send_items(items_of(values, self.domain_size), self.law, rng)

    def _send_items(self, values: Items, law: Floats, rng: Rng) -> Reports:
        """A report of each of these items, by the laws of all items."""
        draws, reports = rng.random(values.size), np.zeros(values.size, dtype=np.uint32)
        for item in np.unique(values):
            steps, held = np.cumsum(law[item]), values == item
            last = np.flatnonzero(law[item])[-1]
            places = np.searchsorted(steps, draws[held] * steps[-1], side="right")
            reports[held] = np.minimum(places, last)
        return reports

    def sample_counts(self, histogram: Counts, rng: Rng) -> Counts:
        return np.asarray(self._heard(self._spread(histogram, self.law, rng)))

    def _spread(self, users: Counts, law: Floats, rng: Rng) -> Counts:
        """Messages int64[…, K] of int64[…, d] users, by the laws of all items."""
        sent = np.zeros((*users.shape[:-1], self.messages), dtype=np.int64)
        for item in np.flatnonzero(users.reshape(-1, self.domain_size).any(axis=0)):
            sent += multinomial(users[..., item], law[item], rng)
        return sent

    def _agreeing(self, values: Items, rng: Rng) -> Reports:
        return self._send_items(values, self._likeliest, rng)

    def _send_truthfully(self, users: Counts, rng: Rng) -> Counts:
        return self._spread(users, self._likeliest, rng)

    def _agreed_law(self, frequencies: Floats) -> Floats:
        return np.asarray(frequencies @ self._likeliest)

    def _honest_law(self, frequencies: Floats) -> Floats:
        return np.asarray(frequencies @ self.law)

    def _heard(self, messages: Any) -> Any:
        return messages @ self.table.astype(messages.dtype)

    def _heard_squares(self, law: Floats) -> Floats:
        return np.asarray(law @ self._values**2)

    def _weigh_messages(self, weights: Floats) -> Floats:
        return np.asarray(self._values @ weights)

    def enumerate_reports(self) -> ReportLaw:
        return ReportLaw(self.law, item_name, self.message_name)

    def message_name(self, message: int) -> str:
        return f"report {message}"


def _probabilities(given: object, items: int) -> Floats:
    """A law as it has to be, its rows exactly one; raises ScenarioError."""
    try:
        law = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise ScenarioError(f"must be numbers, got {type(given).__name__}", key="law") from None
    if law.ndim != 2 or law.shape[0] != items or law.shape[1] < 2:
        rule = f"must be float64[{items}, reports], a row for each item and at least 2 reports"
        raise ScenarioError(f"{rule}, got {list(law.shape)}", key="law")
    if law.size > LISTED:
        rule = "must have at most 2^20 probabilities"
        raise ScenarioError(f"{rule}, {got(law.size)}: leave the tables out", key="law")
    if not np.isfinite(law).all() or law.min() < 0:
        raise ScenarioError(f"must be probabilities, got {float(law.min())!r}", key="law")
    totals = law.sum(axis=1, keepdims=True)
    worst = int(np.abs(totals - 1).argmax())
    if abs(float(totals[worst, 0]) - 1) > ROUNDING:
        rule = f"must add up to 1 for each item, got {float(totals[worst, 0]):.9g} for item {worst}"
        raise ScenarioError(rule, key="law")
    law /= totals
    law.setflags(write=False)
    return law


def _supports(given: object, shape: tuple[int, int]) -> Supports:
    """A table of supports as it has to be: bool, or int8; raises ScenarioError."""
    table = np.array(given)
    if table.shape != shape:
        rule = f"must be bool[{shape[0]}, {shape[1]}], a row for each report"
        raise ScenarioError(f"{rule}, got {list(table.shape)}", key="table")
    if table.dtype != np.bool_ and not (
        table.dtype.kind in "iu" and np.isin(table, (-1, 0, 1)).all()
    ):
        raise ScenarioError("must be true or false, or -1, 0 and 1", key="table")
    made = table if table.dtype == np.bool_ else table.astype(np.int8)
    made.setflags(write=False)
    return made
