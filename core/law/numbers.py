"""Protocols whose users hold numbers: the mean that their reports tell, and the distribution.

The distribution is the one that makes the reports likeliest: expectation maximisation, smoothed or
not. Li, Wang, Lopuhaä-Zwakenberg, Škorić, Li, "Estimating Numerical Distributions under Local
Differential Privacy", SIGMOD 2020, section 5, with its rules of when to stop: where a step changes
the log-likelihood by less than 10⁻³ e^ε (EM) or 10⁻³ (EMS); of more than a million reports, by less
than that for each million. A report's law over bins is flat but for the ends of a window, so that a
step costs the bins and the items, and not their product.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar, Final

import numpy as np

from ..base.pulse import Pulse
from ..base.sampling import Counts, Floats
from .law import Ask, Law, holding, no_answer
from .mechanism import LocalMechanism
from .pure import Items, Reports, Rng
from .support import ItemSupport


@dataclass(frozen=True, eq=False)
class Sums:
    """The counts that reports of n users add up to, [trials, …]."""

    counts: Floats | Counts
    users: Floats | Counts | int


class NumericProtocol(LocalMechanism):
    """A protocol whose users hold numbers of [-1, 1]: each report says one, right on average.

    Users hold items, each of which stands for a number. The estimate of the mean is the mean of
    what reports say: it is linear in the counts, and so is what fakes do to it. A law of reports is
    known by its rates, as its support has them.

    has_distribution : whether reports tell the distribution of the numbers as well.
    low, high : the numbers that -1 and 1 stand for; reports are the same whatever they are.
    values : float64[d], the number of each item.
    report_values : float64[K], the number that each report says; on average it is the user's own.
    squares : float64[K], what each report says of the square of the number; NaN where it tells
        none. On average it is the square of the user's own number, but for the width of a bin.
    factor : the largest value of a report's estimate: fakes move the mean by β (factor - μ).
    reach : the largest number that one report says, also one that gives its user away as a fake.
    worst : the largest variance of what a report says, whatever number its user holds.
    """

    has_distribution: ClassVar[bool] = False
    low: Any
    high: Any
    values: Any
    report_values: Any
    squares: Any
    factor: Any
    reach: Any
    worst: Any

    @property
    def spread(self) -> Floats:
        """float64[d], the variance of what an honest report of each item says."""
        return self.spread_at(self.values)

    @abstractmethod
    def spread_at(self, numbers: Floats) -> Floats:
        """float64[k], the variance of what an honest report of each number of [-1, 1] says."""

    @abstractmethod
    def said_by(self, rates: Floats) -> tuple[float, float]:
        """The mean and the variance of what reports of a law say."""

    @abstractmethod
    def count_reports(self, sums: Sums) -> Floats:
        """float64[trials, K], the number of reports of each kind."""

    @abstractmethod
    def tell(self, numbers: Floats, rng: Rng) -> Reports:
        """Honest reports of numbers of [-1, 1], which need not be those of items."""

    @abstractmethod
    def steer_mean(
        self, goal: float, genuine: Floats, share: float, square: float | None = None
    ) -> Law:
        """The law of fakes, this share of all users, who bring the mean to a goal of [-1, 1].

        genuine : float64[d], what the genuine users hold. square : the goal of the mean of squares;
        None where any will do. Where a goal is out of reach, they say what is nearest, and the
        mean goes first.
        """

    @abstractmethod
    def hidden(self, end: float, genuine: Floats, share: float) -> Law:
        """The law of fakes who move the mean towards an end by as much as no defence can see."""

    def end(self, targets: Items) -> float:
        """The end of [-1, 1] that is nearer to what these items stand for."""
        return 1.0 if self.values[targets].mean() >= 0 else -1.0

    def scale_to_unit(self, number: float) -> float:
        """A number of [low, high] as one of [-1, 1]."""
        return float((2 * number - self.low - self.high) / (self.high - self.low))

    def number_name(self, item: int) -> str:
        """The number of an item, as reports are named."""
        return f"number {self.values[item]:g}"

    def of_holders(self, ask: Ask, support: ItemSupport) -> Law:
        """Users who hold targets: of the reports, and of no item, the support is known."""
        return replace(holding(self, ask, no_answer), support=lambda _: support)


def heard_mean(protocol: NumericProtocol, tallies: Floats) -> tuple[Floats, Floats]:
    """What reports say on average, and the variance of what one says, float64[trials] each.

    tallies : float64[trials, K], the number of reports of each kind. The mean is the estimate of
    that of the users' numbers, in [-1, 1] or beyond.
    """
    reports = tallies.sum(axis=1)
    mean = np.asarray(tallies @ protocol.report_values / reports)
    return mean, np.asarray(tallies @ protocol.report_values**2 / reports - mean**2)


def heard_squares(protocol: NumericProtocol, tallies: Floats) -> Floats:
    """float64[trials], what reports say of the mean of squares of the users' numbers.

    NaN of a protocol whose reports tell none, as those of SR.
    """
    return np.asarray(tallies @ protocol.squares / tallies.sum(axis=1))


# The distribution.

STEPS: Final = 10_000
"""Steps of a fit at most."""
CHANGE: Final = 1e-3
"""The change of the log-likelihood below which a smoothed fit stops, of a million reports."""
MILLION: Final = 1e6
BETWEEN: Final = 50
"""Steps between two looks at whether somebody wants to stop."""


@dataclass(frozen=True, eq=False)
class Table:
    """A table of laws of reports, whose columns change at few places.

    forward : the law of all reports, float64[K, trials], of distributions float64[d, trials].
    backward : the transpose, float64[d, trials] from float64[K, trials].
    """

    forward: Callable[[Floats], Floats]
    backward: Callable[[Floats], Floats]


@lru_cache(maxsize=4)
def table_of(protocol: Any) -> Table:
    """The table of a protocol of numbers."""
    from scipy.sparse import csr_array

    least = protocol.table.min(axis=1)
    rest = protocol.table - least[:, None]
    changes = np.diff(rest, axis=0, prepend=0.0)
    changes[np.abs(changes) <= 1e-9 * rest.max()] = 0.0
    if np.count_nonzero(changes) > changes.size / 8:
        table = protocol.table
        return Table(
            lambda given: np.asarray(table @ given), lambda found: np.asarray(table.T @ found)
        )
    few, turned = csr_array(changes), csr_array(changes.T)

    column = least[:, None]

    def forward(given: Floats) -> Floats:
        law = (few @ given).cumsum(axis=0)
        law += column * given.sum(axis=0)
        np.maximum(law, 1e-300, out=law)
        return np.asarray(law)

    def backward(found: Floats) -> Floats:
        above = found[::-1].cumsum(axis=0)[::-1]
        return np.asarray(turned @ above + least @ found)

    return Table(forward, backward)


def fit_distribution(protocol: Any, counts: Floats | Counts, smooth: bool, pulse: Pulse) -> Floats:
    """float64[trials, d]: the fits of counts [trials, K], whole or not.

    smooth : by EMS, else by EM.
    """
    table, seen = table_of(protocol), np.ascontiguousarray(counts.T, dtype=np.float64)
    d, trials = protocol.domain_size, len(counts)
    change = CHANGE if smooth else CHANGE * math.exp(protocol.epsilon)
    changes = change * np.maximum(counts.sum(axis=1) / MILLION, 1.0)
    made = np.full((d, trials), 1 / d)
    # Of the trials that have not stopped: their places, fits, and last log-likelihoods.
    going, fits, before = np.arange(trials), made.copy(), np.full(trials, -np.inf)
    law = table.forward(fits)
    for step in range(STEPS):
        if step % BETWEEN == 0:
            pulse()
        fits *= table.backward(seen / law)
        fits = _smooth_fits(fits) if smooth else fits
        fits /= fits.sum(axis=0)
        law = table.forward(fits)
        likely = np.einsum("kt,kt->t", seen, np.log(law))
        left = np.abs(likely - before) >= changes
        before = likely
        if left.all():
            continue
        made[:, going] = fits
        if not left.any():
            return made.T
        going, before, changes = going[left], before[left], changes[left]
        fits, seen, law = fits[:, left], seen[:, left], law[:, left]
    made[:, going] = fits
    return made.T


def fitted_with_poison(protocol: Any, counts: Floats, poisoned: Any, pulse: Pulse) -> Floats:
    """float64[trials, K]: the part of the reports of each kind that a fit takes for honest ones.

    The likeliest mixture of honest users and of any law of reports of some kinds, by EM from half
    and half. counts : float64[trials, K]. poisoned : bool[K], the kinds that fakes may send.
    """
    table, seen = table_of(protocol), counts.T
    trials, d = len(counts), protocol.domain_size
    changes = CHANGE * math.exp(protocol.epsilon) * np.maximum(seen.sum(axis=0) / MILLION, 1.0)
    fits = np.full((d, trials), 0.5 / d)
    poison = np.repeat(np.where(poisoned, 0.5 / poisoned.sum(), 0.0)[:, None], trials, axis=1)
    before = np.full(trials, -np.inf)
    honest = table.forward(fits)
    for step in range(STEPS):
        if step % BETWEEN == 0:
            pulse()
        ratio = seen / (honest + poison)
        fits = fits * table.backward(ratio)
        poison = poison * ratio
        total = fits.sum(axis=0) + poison.sum(axis=0)
        fits, poison = fits / total, poison / total
        honest = table.forward(fits)
        likely = (seen * np.log(honest + poison)).sum(axis=0)
        if (np.abs(likely - before) < changes).all():
            break
        before = likely
    return np.asarray((honest / (honest + poison)).T)


def _smooth_fits(fits: Floats) -> Floats:
    """Each entry with half its weight, a quarter for both neighbours; [d, trials].

    They do not add up to 1.
    """
    made, quarter = fits / 2, fits / 4
    made[1:] += quarter[:-1]
    made[:-1] += quarter[1:]
    made[:: len(made) - 1] *= 4 / 3  # an end has one neighbour
    return np.asarray(made)


def chi_square(protocol: Any, counts: Floats | Counts, fits: Floats) -> tuple[Floats, Floats]:
    """The chi-square of the counts that a fit expects, and its degrees of freedom, float64[trials].

    Bins that expect less than 5 reports are one. The law of the honest reports of a population that
    is known has K − 1 degrees of freedom; a fit of them by EM follows their noise, so that its
    chi-square is smaller.
    """
    expected = table_of(protocol).forward(fits.T) * counts.sum(axis=1)
    parts = np.where(expected >= 5, (counts.T - expected) ** 2 / expected, 0.0).sum(axis=0)
    rare = expected < 5
    over = np.where(rare, counts.T - expected, 0.0).sum(axis=0) ** 2
    parts += over / np.maximum(np.where(rare, expected, 0.0).sum(axis=0), 1.0)
    return parts, np.maximum((~rare).sum(axis=0) - 1, 1)


def misfit(protocol: Any, counts: Floats | Counts, fits: Floats) -> Floats:
    """float64[trials]: the chi-square of a fit less its mean, in its standard deviations.

    Of a fit of honest reports it is 0 or less on average, but for a smoothed fit of very many.
    """
    parts, free = chi_square(protocol, counts, fits)
    return np.asarray((parts - free) / np.sqrt(2 * free))
