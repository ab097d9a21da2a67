"""The conclusions about the distribution of numbers, and their metrics."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np

from ..base.arms import ATTACKED, CLEAN, Arm
from ..base.sampling import Floats
from ..law.pure import Items
from .conclusion import Metric


@dataclass(frozen=True, eq=False)
class DistributionConclusion:
    """The estimated distribution in several trials of a cell, beside the true one.

    estimates : float64[trials, d] by arm, from the same genuine reports; each adds up to 1.
    misfits : float64[trials] by arm, the chi-square of the reports that the estimate expects, less
        what it is on average of an honest population, in its standard deviations; NaN where the
        estimate is no fit of the reports.
    truth : float64[d]. numbers : float64[d], the middles of the parts of the range.
    attacked : whether there are fakes.
    """

    estimates: Mapping[Arm, Floats]
    misfits: Mapping[Arm, Floats]
    truth: Floats
    numbers: Floats
    attacked: bool

    @property
    def trials(self) -> int:
        return len(self.estimates[CLEAN])

    @property
    def targets(self) -> Items:
        """The distribution itself, where it is attacked."""
        return np.arange(int(self.attacked))

    @property
    def arms(self) -> Set[Arm]:
        return self.estimates.keys()

    @property
    def shift(self) -> Floats:
        """float64[trials]: by how much the fakes move the mean of the estimate."""
        return self.mean(ATTACKED) - self.mean(CLEAN)

    def mean(self, arm: Arm) -> Floats:
        """float64[trials]: the mean of the estimated distribution."""
        return np.asarray(self.estimates[arm] @ self.numbers)

    def errors(self, arm: Arm) -> Floats:
        """float64[trials]: the mean of the estimate minus the true one."""
        return np.asarray(self.mean(arm) - self.truth @ self.numbers)

    def gaps(self, arm: Arm) -> Floats:
        """float64[trials, d]: how much more than truly is up to the end of each part."""
        return np.cumsum(self.estimates[arm] - self.truth, axis=1)

    def wasserstein(self, arm: Arm) -> Floats:
        """float64[trials]: the distance by which the mass has to move, in numbers of the range."""
        step = self.numbers[1] - self.numbers[0]
        return np.asarray(np.abs(self.gaps(arm)).sum(axis=1) * step)

    def largest_gap(self, arm: Arm) -> Floats:
        """float64[trials]: the largest difference of both distribution functions."""
        return np.asarray(np.abs(self.gaps(arm)).max(axis=1))


_row = partial(Metric, of=(DistributionConclusion,))

METRICS: Final = (
    _row("wasserstein", lambda o: o.wasserstein(ATTACKED), (ATTACKED,)),
    _row("wasserstein_clean", lambda o: o.wasserstein(CLEAN), (CLEAN,)),
    _row("ks", lambda o: o.largest_gap(ATTACKED), (ATTACKED,)),
    _row("ks_clean", lambda o: o.largest_gap(CLEAN), (CLEAN,)),
    _row("misfit", lambda o: o.misfits[ATTACKED], (ATTACKED,)),
    _row("misfit_clean", lambda o: o.misfits[CLEAN], (CLEAN,)),
)
"""The metrics in the order of columns; no fit of a distribution is linear, and none is foretold."""
