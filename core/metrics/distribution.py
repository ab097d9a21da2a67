"""The conclusions about the distribution of numbers, and their metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from ..base.arms import ATTACKED, ATTACKED_DEFENDED, CLEAN, CLEAN_DEFENDED, Arm
from ..base.sampling import Floats
from .conclusion import Metric
from .mean import MeanConclusion, rows_of, squares_of


@dataclass(frozen=True, eq=False)
class DistributionConclusion(MeanConclusion):
    """The estimated distribution in several trials of a cell, beside the true one, and its mean.

    fits : float64[trials, d] by arm, the estimates from the same genuine reports; each adds up to
        1.
    misfits : float64[trials] by arm, the chi-square of the reports that the estimate expects, less
        what it is on average of an honest population, in its standard deviations; NaN where the
        estimate is no fit of the reports.
    held : float64[d], the true distribution. step : from the middle of a part to that of the next.
    """

    fits: Mapping[Arm, Floats] = field(default_factory=dict)
    misfits: Mapping[Arm, Floats] = field(default_factory=dict)
    held: Floats = field(default_factory=lambda: np.ones(1))
    step: float = 1.0

    def vectors(self, arm: Arm) -> Floats:
        return self.fits[arm]

    def gaps(self, arm: Arm) -> Floats:
        """float64[trials, d]: how much more than truly is up to the end of each part."""
        return np.cumsum(self.fits[arm] - self.held, axis=1)

    def wasserstein(self, arm: Arm) -> Floats:
        """float64[trials]: the distance by which the mass has to move, in numbers of the range."""
        return np.asarray(np.abs(self.gaps(arm)).sum(axis=1) * self.step)

    def largest_gap(self, arm: Arm) -> Floats:
        """float64[trials]: the largest difference of both distribution functions."""
        return np.asarray(np.abs(self.gaps(arm)).max(axis=1))


_OF: Final = (DistributionConclusion,)


def _both(name: str, function: Callable[[Any, Arm], Floats], end: str = "") -> Iterator[Metric]:
    """The metric with the attack and without; end : "_after" in the defended arms."""
    arms = (ATTACKED_DEFENDED, CLEAN_DEFENDED) if end else (ATTACKED, CLEAN)
    for middle, arm in zip(("", "_clean"), arms, strict=True):
        yield Metric.in_arm(f"{name}{middle}{end}", function, arm, of=_OF)


METRICS: Final = (
    *_both("wasserstein", DistributionConclusion.wasserstein),
    *_both("ks", DistributionConclusion.largest_gap),
    *_both("misfit", lambda o, arm: o.misfits[arm]),
)
"""The metrics in the order of columns; no fit of a distribution is linear, and none is foretold."""

NUMBERS: Final = (MeanConclusion, DistributionConclusion)
"""The conclusions about numbers, which have a mean."""

MEAN, MEAN_AFTER = rows_of(NUMBERS)
"""The metrics of the mean, also of a distribution, without a defence and with one."""

SQUARES: Final = squares_of(NUMBERS)
"""The metrics of the mean of squares; their columns stand after all others."""

METRICS_AFTER: Final = (
    *MEAN_AFTER,
    *_both("wasserstein", DistributionConclusion.wasserstein, "_after"),
    *_both("ks", DistributionConclusion.largest_gap, "_after"),
)
"""The metrics of the defended arms."""
