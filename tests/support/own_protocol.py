"""A protocol whose report is a pair of items: the law of every report is a table."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ldptui.core.law.enumeration import ReportLaw, item_name
from ldptui.core.law.pure import Estimates, Items, Reports, array_of, estimate, items_of

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Pairs:
    """Report a pair of items, e^epsilon times as likely where it holds the own item.

    Reports are int64[n], numbers of pairs in the order of `itertools.combinations`. Everything is
    made of two tables, so that another protocol with few reports is this one with other tables.
    """

    domain_size: int
    epsilon: float

    def __post_init__(self) -> None:
        if self.domain_size < 3:
            raise ValueError(f"domain_size must be at least 3, got {self.domain_size}")

    @cached_property
    def table(self) -> NDArray[np.bool_]:
        """bool[reports, items]: the items that each report supports."""
        pairs = list(itertools.combinations(range(self.domain_size), 2))
        held = np.zeros((len(pairs), self.domain_size), dtype=bool)
        held[np.arange(len(pairs))[:, None], pairs] = True
        return held

    @cached_property
    def law(self) -> NDArray[np.float64]:
        """float64[items, reports]: the probability of each report of who holds an item."""
        weights = np.where(self.table.T, math.exp(self.epsilon), 1.0)
        return weights / weights.sum(axis=1, keepdims=True)

    @property
    def p(self) -> float:
        """Probability that a report supports its owner's item."""
        return float(self.law[0] @ self.table[:, 0])

    @property
    def q(self) -> float:
        """Probability that a report supports a given other item."""
        return float(self.law[0] @ self.table[:, 1])

    def perturb(self, values: Items, rng: np.random.Generator) -> Reports:
        """Honest reports of these items: the inverse of each law's cumulative sum."""
        values = items_of(values, self.domain_size)
        steps, reports = self.law.cumsum(axis=1), np.zeros(values.size, dtype=np.int64)
        draws = rng.random(values.size)
        for item in range(self.domain_size):
            found = np.searchsorted(steps[item], draws[values == item], side="right")
            reports[values == item] = np.minimum(found, len(self.table) - 1)
        return reports

    def supports(self, reports: Reports) -> NDArray[np.bool_]:
        """bool[n, items]: the items that reports support."""
        return self.table[reports]

    def support_counts(self, reports: Reports) -> Counts:
        """int64[items]: the number of reports that support each item."""
        return np.bincount(reports, minlength=len(self.table)) @ self.table

    def sample_counts(self, histogram: Counts, rng: np.random.Generator) -> Counts:
        """Support counts of honest users, int64[trials, items], drawn without their reports."""
        reports = [rng.multinomial(histogram[:, at], law) for at, law in enumerate(self.law)]
        return np.sum(reports, axis=0) @ self.table

    def estimates(self, counts: Counts, users: int) -> Estimates:
        """The frequencies of all items, from support counts."""
        return Estimates(estimate(counts, users, self))

    def validate_reports(self, reports: object, count: int) -> Reports:
        """Reports from elsewhere, checked; raises ValueError."""
        numbers = array_of(reports, (count,), np.dtype(np.int64))
        if numbers.size and not 0 <= numbers.min() <= numbers.max() < len(self.table):
            raise ValueError(f"must be pairs in [0, {len(self.table)})")
        return numbers

    def enumerate_reports(self) -> ReportLaw:
        """The law of every report, which proves the ε."""
        return ReportLaw(self.law, item_name, lambda pair: f"pair {pair}")
