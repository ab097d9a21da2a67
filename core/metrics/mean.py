"""The conclusions about the mean of numbers, and their metrics."""

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
from .distribution import DistributionConclusion


@dataclass(frozen=True, eq=False)
class MeanConclusion:
    """The estimated mean in several trials of a cell, beside the true one.

    estimates : float64[trials] by arm, from the same genuine reports.
    truth : the mean of the genuine users' numbers. attacked : whether there are fakes.
    """

    estimates: Mapping[Arm, Floats]
    truth: float
    attacked: bool

    @property
    def trials(self) -> int:
        return self.estimates[CLEAN].size

    @property
    def targets(self) -> Items:
        """The number itself, where it is attacked."""
        return np.arange(int(self.attacked))

    @property
    def arms(self) -> Set[Arm]:
        return self.estimates.keys()

    @property
    def shift(self) -> Floats:
        """float64[trials]: by how much the fakes move the estimate."""
        return np.asarray(self.estimates[ATTACKED] - self.estimates[CLEAN])

    def mean(self, arm: Arm) -> Floats:
        """float64[trials]: the estimate."""
        return self.estimates[arm]

    def errors(self, arm: Arm) -> Floats:
        """float64[trials]: estimate minus truth."""
        return np.asarray(self.estimates[arm] - self.truth)


_row = partial(Metric, of=(MeanConclusion, DistributionConclusion))

METRICS: Final = (
    _row("mean_estimate", lambda o: o.mean(ATTACKED), (ATTACKED,)),
    _row("mean_estimate_clean", lambda o: o.mean(CLEAN), (CLEAN,)),
    _row("mean_shift", lambda o: o.shift, (CLEAN, ATTACKED), targets=True),
    _row("mean_error", lambda o: o.errors(ATTACKED), (ATTACKED,)),
    _row("mean_error_clean", lambda o: o.errors(CLEAN), (CLEAN,)),
    _row("mean_squared_error", lambda o: o.errors(ATTACKED) ** 2, (ATTACKED,)),
    _row("mean_squared_error_clean", lambda o: o.errors(CLEAN) ** 2, (CLEAN,)),
)
"""The metrics in the order of columns; their closed forms are in `core.task.mean`."""
