"""Two computations of one run that drew other numbers: whether their means agree."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ..base.summary import Estimate
from ..metrics import column, names_of
from ..metrics.results import CellResults, estimate_of
from ..theory import normal_score

FALSE_ALARM: Final = 0.01
"""The chance that some mean of two computations of one law is beyond the bound."""

ROUNDING: Final = 1e-9
"""Means that differ by less than this share of their size are equal."""


@dataclass(frozen=True)
class Agreement:
    """The means of two computations, compared one by one.

    compared, within : the number of means, and of those that differ by at most the bound.
    bound : in standard errors of a difference, paid for all comparisons (Bonferroni): in all of
        them together two computations of one law pass it with FALSE_ALARM at most, by the normal
        law of means, and Student's t for few trials.
    largest : the largest difference in these units.
    """

    compared: int
    within: int
    bound: float
    largest: float

    @property
    def same(self) -> bool:
        """Whether every mean is within the bound, and there is one."""
        return 0 < self.compared == self.within


def agreement(kept: Sequence[CellResults], again: Sequence[CellResults]) -> Agreement:
    """Compare the means of every metric in every cell of two computations of a run.

    A metric that is undefined in both, or known from one trial, is not compared.
    """
    from scipy.special import ndtri

    scores = [
        score
        for before, after in zip(kept, again, strict=True)
        for metric in names_of(before.metrics)
        if (score := _score(_mean(before, metric), _mean(after, metric), before.trials)) is not None
    ]
    bound = float(-ndtri(FALSE_ALARM / (2 * max(1, len(scores)))))
    within = sum(score <= bound for score in scores)
    return Agreement(len(scores), within, bound, max(scores, default=0.0))


def _mean(results: CellResults, metric: str) -> Estimate:
    return estimate_of(column(results.metrics, metric))


def _score(before: Estimate, after: Estimate, trials: int) -> float | None:
    """The difference of two means as a normal score; None where it cannot be told."""
    if before.mean is None or after.mean is None:
        return None if before.mean is after.mean else math.inf
    if before.standard_error is None or after.standard_error is None:
        return None
    gap, size = abs(before.mean - after.mean), max(abs(before.mean), abs(after.mean))
    error = math.hypot(before.standard_error, after.standard_error)
    if gap <= ROUNDING * size:
        return 0.0
    return normal_score(gap / error, trials) if error else math.inf
