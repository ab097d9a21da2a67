"""Generalised randomised response (k-RR, direct encoding): the report is an item.

Wang, Blocki, Li, Jha, USENIX Security 2017, section 4.1; attacks: Cao, Jia, Gong, USENIX Security
2021, section 3.3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..base.sampling import (
    Counts,
    binomial,
    uniform_multinomial,
)
from ..base.secure import generator
from ..law.enumeration import CELLS, ReportLaw, item_name
from ..law.exchangeable import FixedSize
from ..law.law import Ask, Lack, Law, LawName, SupportSizes
from ..law.pure import (
    BoolArray,
    Encodes,
    Items,
    OverItems,
    Reports,
    Rng,
    array_of,
    items_of,
)
from .budget import Budget


@dataclass(frozen=True)
class GRR(OverItems, Encodes, FixedSize):
    """Generalised randomised response: report the user's item with probability p, each other item
    with probability q.

    Reports are int64[n], in `range(domain_size)`. epsilon = ln(p/q), in nats.
    """

    family: ClassVar[str] = "direct"
    report_size: ClassVar[int] = 1  # type: ignore[misc]
    lists_items: ClassVar[bool] = False
    crafted: ClassVar[frozenset[LawName]] = frozenset({"crafted", "avoided"})
    lacks: ClassVar[dict[str, str]] = {
        "avoided": "GRR, whose report is one item: none is left",
        "subset": "GRR, whose report supports one item: every subset gives what mga gives",
        "columns": "GRR, whose report is one item and has no bits that could go together",
        "disguised": "GRR, whose report is one item: there is no number of ones",
    }

    @property
    def p(self) -> float:
        return math.exp(self.epsilon) * self.q

    @property
    def absence_probability(self) -> float:
        return (self.domain_size - 1) * self.q

    @property
    def q(self) -> float:
        return 1 / (self.domain_size - 1 + math.exp(self.epsilon))

    @property
    def report_bits(self) -> float:
        return math.log2(self.domain_size)

    def law_of(self, ask: Ask) -> Law | Lack:
        if ask.law == "avoided" and ask.find_items(self.domain_size) is None:
            return self.lack(ask)
        return super().law_of(ask)

    def craft_sizes(self, ask: Ask) -> SupportSizes:
        targets = int(ask.law == "crafted")
        return SupportSizes.of_one_size(targets, 1 - targets)

    def draw_crafted(self, ask: Ask, count: int, rng: Rng) -> Reports:
        return self._sent_items(ask).items(count, rng)

    def draw_crafted_counts(self, ask: Ask, count: Counts, rng: Rng) -> Counts:
        return self._sent_items(ask).histogram(self.domain_size, count, rng)

    def _sent_items(self, ask: Ask) -> Ask:
        """Users who hold the items of which a report is any: the targets, or all others."""
        items = ask.find_items(self.domain_size)
        assert items is not None
        return Ask(ask.law, items)

    def perturb(self, values: Items, rng: Rng | None = None) -> Reports:
        rng = generator(rng)
        values = items_of(values, self.domain_size)
        # Truthful with probability p - q, else any of the d items: q each, p for the own one.
        reports = rng.integers(0, self.domain_size, size=values.size)
        np.copyto(reports, values, where=rng.random(values.size) < self.p - self.q)
        return reports

    def encode_items(self, values: Items) -> Reports:
        return values.copy()

    def validate_reports(self, reports: object, count: int) -> Reports:
        if isinstance(reports, np.ndarray) and np.issubdtype(reports.dtype, np.integer):
            reports = reports.astype(np.int64)
        items = array_of(reports, (count,), np.dtype(np.int64))
        wrong = items[(items < 0) | (items >= self.domain_size)]
        if wrong.size:
            raise ValueError(f"must be items in [0, {self.domain_size}), got {wrong[0]}")
        return items

    def _uniform(self, count: int, rng: Rng) -> Reports:
        return rng.integers(0, self.domain_size, size=count)

    def _uniform_counts(self, count: Counts, rng: Rng) -> Counts:
        return uniform_multinomial(count, self.domain_size, rng)

    def supports(self, reports: Reports) -> BoolArray:
        return self.supports_of(reports, np.arange(self.domain_size))

    def supports_of(self, reports: Reports, items: Items) -> BoolArray:
        return np.asarray(reports[:, None] == items)

    def sample_background(self, values: Items, held: BoolArray, rng: Rng) -> Reports:
        others = (values + rng.integers(1, self.domain_size, size=values.size)) % self.domain_size
        return np.where(held, values, others)

    def support_counts(self, reports: Reports) -> Counts:
        items = items_of(reports, self.domain_size, "reports")
        return np.bincount(items, minlength=self.domain_size)

    def sample_counts(self, histogram: Counts, rng: Rng) -> Counts:
        truthful = binomial(histogram, self.p - self.q, rng)
        others = histogram.sum(axis=-1) - truthful.sum(axis=-1)
        return truthful + uniform_multinomial(others, self.domain_size, rng)

    def enumerate_reports(self) -> ReportLaw | None:
        """The probability of every report for every item; None if there are too many."""
        d = self.domain_size
        if d * d > CELLS:
            return None
        law = np.full((d, d), self.q)
        np.fill_diagonal(law, self.p)
        return ReportLaw(law, item_name, item_name)

    look = supports_of


@dataclass(frozen=True)
class GRRSpec(Budget, kind="grr", mechanism=GRR):
    """The `[protocol]` table of GRR, before the domain is known."""


SPECS = (GRRSpec,)
