"""Stochastic rounding (SR): the report of a number is one of the two ends of its range.

Duchi, Jordan, Wainwright, "Minimax Optimal Procedures for Locally Private Estimation", JASA 2018,
in one dimension. A number t in [-1, 1] is rounded to 1 with probability (1 + t) / 2, else to -1,
and the end is told by randomised response.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np

from ..base.sampling import Counts, Floats, binomial
from ..base.secure import secure
from ..law.enumeration import ReportLaw
from ..law.law import Ask, Lack, Law
from ..law.loss import DiscreteLoss, one_bit
from ..law.numbers import NumericProtocol, Sums
from ..law.pure import BoolArray, Items, OverItems, Reports, Rng, array_of, items_of
from ..law.support import ItemSupport
from .budget import Budget


@dataclass(frozen=True)
class SR(OverItems, NumericProtocol):
    """Tell an end of the range; a report of 1 says c, a report of 0 says -c.

    Users hold items, each of which stands for a number. Reports are uint8[n], 1 or 0, and the
    server counts those of 1: int64[1]. c = (e^ε + 1) / (e^ε - 1).

    domain_size : the number of items: numbers as far apart, from -1 to 1.
    low, high : the numbers that -1 and 1 stand for; reports are the same whatever they are.
    """

    family: ClassVar[str] = "numbers"
    report_bits: ClassVar[float] = 1.0
    lacks: ClassVar[dict[str, str]] = {
        "estimates": 'SR, which tells the mean of numbers (task.kind = "mean") and no frequencies',
        "disguised": "SR, whose report is one bit and has no number of ones",
        "subset": "SR, whose report is one bit for all targets",
        "columns": "SR, whose report is one bit and has no others that could go with it",
        "widest": "SR, whose only reports are the ends of the range",
        "pointed": "SR, whose only reports are the ends of the range",
    }

    low: float = field(default=-1.0, repr=False)
    high: float = field(default=1.0, repr=False)

    @property
    def p(self) -> float:
        """Probability of the report 1 for the number 1."""
        return 1 / (1 + math.exp(-self.epsilon))

    @property
    def q(self) -> float:
        """Probability of the report 1 for the number -1."""
        return 1 / (1 + math.exp(self.epsilon))

    @property
    def size(self) -> float:
        """c, what a report of 1 says."""
        return 1 / math.tanh(self.epsilon / 2)

    @cached_property
    def values(self) -> Floats:
        """float64[d], the number of each item."""
        return np.linspace(-1, 1, self.domain_size)

    @property
    def report_values(self) -> Floats:
        """float64[2], what a report of either end says."""
        return np.array([-self.size, self.size])

    @property
    def factor(self) -> float:
        return self.size

    @property
    def reach(self) -> float:
        return self.size

    def spread_at(self, numbers: Floats) -> Floats:
        return np.asarray(self.size**2 - numbers**2)

    @property
    def worst(self) -> float:
        """c², of the number 0."""
        return self.size**2

    @property
    def squares(self) -> Floats:
        """float64[2], NaN: both ends have one square."""
        return np.full(2, np.nan)

    def said_by(self, rates: Floats) -> tuple[float, float]:
        """The mean and the variance of what a report says that is 1 at this rate, float64[1]."""
        up = float(rates[0])
        return self.size * (2 * up - 1), self.size**2 * 4 * up * (1 - up)

    def rates(self, numbers: Floats) -> Floats:
        """The probability of a report of 1, for users who hold these numbers."""
        return np.asarray(self.q + (self.p - self.q) * (1 + numbers) / 2)

    def count_reports(self, sums: Sums) -> Floats:
        """float64[trials, 2], the number of reports of either end."""
        up = np.asarray(sums.counts, dtype=np.float64)[:, 0]
        return np.stack([sums.users - up, up], axis=1)

    def law_of(self, ask: Ask) -> Law | Lack:
        if ask.law in ("honest", "unperturbed"):
            return self._of_holders(ask)
        match ask.law:
            case "random":
                return _told_up(0.5)
            case "crafted":
                return _told_up(float(self.end(ask.targets) > 0))
            case "avoided":
                return _told_up(float(self.end(ask.targets) < 0))
        return self.lack(ask)

    def steer_mean(
        self, goal: float, genuine: Floats, share: float, square: float | None = None
    ) -> Law:
        """The law of fakes who bring the mean of what all reports say to a goal, or near it."""
        assert square is None, "both ends have one square"
        says = (goal - (1 - share) * float(genuine @ self.values)) / share
        return _told_up(min(max((1 + says / self.size) / 2, 0.0), 1.0))

    def hidden(self, end: float, genuine: Floats, share: float) -> Law:
        """Two reports look honest in any mixture, as long as their mean is in the range."""
        return self.steer_mean(end, genuine, share)

    def _of_holders(self, ask: Ask) -> Law:
        """Users who hold targets, with the coin or without."""
        plain = ask.law == "unperturbed"
        number = ask.frequencies(self.domain_size) @ self.values
        rate = float((1 + number) / 2 if plain else self.rates(number))
        return self.of_holders(ask, _one(rate))

    # Reports.

    def perturb(self, values: Items, rng: Rng | None = None) -> Reports:
        return self.tell(self.values[items_of(values, self.domain_size)], rng or secure())

    def tell(self, numbers: Floats, rng: Rng) -> Reports:
        """uint8[n], honest reports of numbers of [-1, 1]."""
        draws = rng.random(numbers.size)
        return np.asarray(draws < self.rates(numbers), dtype=np.uint8)

    def unperturbed(self, values: Items, rng: Rng) -> Reports:
        draws = rng.random(values.size)
        return np.asarray(draws < (1 + self.values[values]) / 2, dtype=np.uint8)

    def support_counts(self, reports: Reports) -> Counts:
        return np.array([np.count_nonzero(reports)], dtype=np.int64)

    def received(self, reports: object, count: int) -> Reports:
        ends = array_of(reports, (count,), np.dtype(np.uint8))
        if ends.size and ends.max() > 1:
            raise ValueError(f"must be 1 or 0, got {ends.max()}")
        return ends

    # Counts of the same reports.

    def sample_counts(self, histogram: Counts, rng: Rng) -> Counts:
        return _round_counts(histogram, self.rates(self.values), rng)

    def unperturbed_counts(self, histogram: Counts, rng: Rng) -> Counts:
        return _round_counts(histogram, (1 + self.values) / 2, rng)

    # Privacy.

    def enumerate_reports(self) -> ReportLaw:
        """The law of both reports."""
        up = self.rates(self.values)
        down = self.rates(-self.values)
        return ReportLaw(np.stack([up, down], axis=1), self.number_name, _report_name)

    def privacy_loss(self) -> DiscreteLoss:
        """The privacy loss between both ends of the range."""
        return one_bit(self.p, self.q)

    def look(self, reports: Reports, items: Items) -> BoolArray:
        """bool[n, len(items)]: whether a report is that of the end nearest to each item."""
        return np.asarray((reports[:, None] == 1) == (self.values[items] >= 0))


def _round_counts(histogram: Counts, rates: Floats, rng: Rng) -> Counts:
    """int64[trials, 1]: the reports of 1, where each item's users send it with this probability."""
    return np.array([[rng.binomial(held, rates).sum()] for held in histogram])


def _told_up(rate: float) -> Law:
    """The law of a report that is 1 with this probability, whatever its user holds."""

    def reports(count: int, rng: Rng) -> Reports:
        return np.asarray(rng.random(count) < rate, dtype=np.uint8)

    def counts(count: Counts, rng: Rng) -> Counts:
        return binomial(count, rate, rng)[:, None]

    return Law(reports, counts, lambda _: _one(rate))


def _one(rate: float) -> ItemSupport:
    """The support of a report that says 1 with this probability."""
    return ItemSupport(np.array([rate]), rate * (1 - rate))


def _report_name(report: int) -> str:
    return "the upper end" if report == 0 else "the lower end"


@dataclass(frozen=True)
class SRSpec(Budget, kind="sr", mechanism=SR):
    """SR, before the numbers are known."""


SPECS = (SRSpec,)
