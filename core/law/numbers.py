"""The capability of protocols whose users hold numbers, and the mean that their reports tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np

from ..base.capability import Capability
from ..base.sampling import Counts, Floats
from .law import Law
from .pure import Items, LocalMechanism, Reports, Rng


@dataclass(frozen=True, eq=False)
class Sums:
    """The counts that reports of n users add up to, [trials, …]."""

    counts: Floats | Counts
    users: Floats | Counts | int


class TellsNumbers(LocalMechanism, Protocol):
    """Its users hold numbers of [-1, 1], and each report says a number, right on average.

    The estimate of the mean is the mean of what reports say: it is linear in the counts, and so is
    what fakes do to it. A law of reports is known by its rates, as its support has them.

    low, high : the numbers that -1 and 1 stand for.
    """

    epsilon: Any
    low: Any
    high: Any

    @property
    def values(self) -> Floats:
        """float64[d], the number of each item."""
        ...

    @property
    def factor(self) -> float:
        """The largest value of a report's estimate: fakes move the mean by β (factor - μ)."""
        ...

    @property
    def reach(self) -> float:
        """The largest number that one report says, also one that gives its user away as a fake."""
        ...

    @property
    def spread(self) -> Floats:
        """float64[d], the variance of what an honest report of each item says."""
        ...

    def spread_at(self, numbers: Floats) -> Floats:
        """float64[k], the variance of what an honest report of each number of [-1, 1] says."""
        ...

    @property
    def worst(self) -> float:
        """The largest variance of what a report says, whatever number its user holds."""
        ...

    def said_by(self, rates: Floats) -> tuple[float, float]:
        """The mean and the variance of what reports of a law say."""
        ...

    @property
    def said(self) -> Floats:
        """float64[K], the number that each report says; on average it is the user's own."""
        ...

    @property
    def squares(self) -> Floats:
        """float64[K], what each report says of the square of the number; NaN where it tells none.

        On average it is the square of the user's own number, but for the width of a bin.
        """
        ...

    def tallied(self, sums: Sums) -> Floats:
        """float64[trials, K], the number of reports of each kind."""
        ...

    def tell(self, numbers: Floats, rng: Rng) -> Reports:
        """Honest reports of numbers of [-1, 1], which need not be those of items."""
        ...

    def told(self, number: float) -> float:
        """A number of the task's range as one of [-1, 1]."""
        ...

    def end(self, targets: Items) -> float:
        """The end of [-1, 1] that is nearer to what these items stand for."""
        ...

    def steered(
        self, goal: float, genuine: Floats, share: float, square: float | None = None
    ) -> Law:
        """The law of fakes, this share of all users, who bring the mean to a goal of [-1, 1].

        genuine : float64[d], what the genuine users hold. square : the goal of the mean of squares;
        None where any will do. Where a goal is out of reach, they say what is nearest, and the
        mean goes first.
        """
        ...

    def hidden(self, end: float, genuine: Floats, share: float) -> Law:
        """The law of fakes who move the mean towards an end by as much as no defence can see."""
        ...


tells_numbers: Final[Capability[TellsNumbers]] = Capability("said_by")
"""True where users hold numbers, of which reports tell the mean."""


def heard_mean(protocol: TellsNumbers, tallies: Floats) -> tuple[Floats, Floats]:
    """What reports say on average, and the variance of what one says, float64[trials] each.

    tallies : float64[trials, K], the number of reports of each kind. The mean is the estimate of
    that of the users' numbers, in [-1, 1] or beyond.
    """
    reports = tallies.sum(axis=1)
    mean = np.asarray(tallies @ protocol.said / reports)
    return mean, np.asarray(tallies @ protocol.said**2 / reports - mean**2)


def heard_squares(protocol: TellsNumbers, tallies: Floats) -> Floats:
    """float64[trials], what reports say of the mean of squares of the users' numbers.

    NaN of a protocol whose reports tell none, as those of SR.
    """
    return np.asarray(tallies @ protocol.squares / tallies.sum(axis=1))
