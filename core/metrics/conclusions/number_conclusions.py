"""The conclusions about numbers, their mean or their distribution, and the metrics of both."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from ...base.arms import ATTACKED, ATTACKED_DEFENDED, CLEAN, CLEAN_DEFENDED, Arm
from ...base.flags import Flags
from ...base.sampling import Floats
from ...bounds.robust import Interval
from ...law.pure import BoolArray, Items
from ..conclusion import Metric, Robust


@dataclass(frozen=True, eq=False)
class MeanConclusion(Robust):
    """The estimated mean in several trials of a cell, by arm, with the true mean.

    means : float64[trials] by arm, from the same genuine reports.
    truth : the mean of the genuine users' numbers.
    attacked : whether there are fakes.
    robust : the ends of the interval that holds for the actual share of fakes, float64[trials]
    each; None if reports are not numbers.
    flagged : the detections of defences, by arm; empty without any.
    squares : float64[trials] by arm, the estimated means of squared numbers; NaN if reports do not
    reveal them.
    """

    means: Mapping[Arm, Floats]
    truth: float
    attacked: bool
    robust: Interval | None = None
    flagged: Mapping[Arm, Flags] = field(default_factory=dict)
    squares: Mapping[Arm, Floats] = field(default_factory=dict)

    @property
    def trials(self) -> int:
        return self.means[CLEAN].size

    @property
    def targets(self) -> Items:
        """The mean as the only target, int64[1]; empty without an attack."""
        return np.arange(int(self.attacked))

    @property
    def arms(self) -> Set[Arm]:
        return self.means.keys()

    @property
    def has_support(self) -> bool:
        return self.robust is not None

    @property
    def robust_ends(self) -> Interval:
        assert self.robust is not None
        low, high = self.robust
        return low[:, None], high[:, None]

    @property
    def covers_truth(self) -> BoolArray:
        low, high = self.robust_ends
        return (low <= self.truth) & (self.truth <= high)

    def claims_fakes(self, arm: Arm) -> bool:
        return arm in self.flagged

    def flags(self, arm: Arm) -> Flags:
        return self.flagged[arm]

    def vectors(self, arm: Arm) -> Floats:
        """float64[trials, k]: the estimates in one arm whose moments over trials are stored."""
        return self.means[arm][:, None]

    def mean(self, arm: Arm) -> Floats:
        """float64[trials]: the estimated mean in one arm."""
        return self.means[arm]

    def shift(self, before: Arm, after: Arm) -> Floats:
        """float64[trials]: the change of the estimated mean from arm `before` to arm `after`."""
        return np.asarray(self.means[after] - self.means[before])

    def errors(self, arm: Arm) -> Floats:
        """float64[trials]: the estimated mean minus the true mean in one arm."""
        return np.asarray(self.means[arm] - self.truth)


@dataclass(frozen=True, eq=False)
class DistributionConclusion(MeanConclusion):
    """The estimated distribution of numbers in several trials of a cell, by arm, with the true one.

    fits : float64[trials, d] by arm, the estimated distributions over d parts of the range, from
    the same genuine reports; each adds up to 1.
    misfits : float64[trials] by arm, the chi-square distance of reports from the estimate, less its
    mean for honest users, in its standard deviations; NaN if the estimate is not fitted to reports.
    held : float64[d], the true distribution.
    step : the distance between the middles of two neighbouring parts.
    """

    fits: Mapping[Arm, Floats] = field(default_factory=dict)
    misfits: Mapping[Arm, Floats] = field(default_factory=dict)
    held: Floats = field(default_factory=lambda: np.ones(1))
    step: float = 1.0

    def vectors(self, arm: Arm) -> Floats:
        return self.fits[arm]

    def gaps(self, arm: Arm) -> Floats:
        """float64[trials, d]: the estimated minus the true cumulative distribution at the end of
        each part.
        """
        return np.cumsum(self.fits[arm] - self.held, axis=1)

    def wasserstein(self, arm: Arm) -> Floats:
        """float64[trials]: the Wasserstein-1 distance of the estimated from the true distribution,
        in units of `step`.
        """
        return np.asarray(np.abs(self.gaps(arm)).sum(axis=1) * self.step)

    def largest_gap(self, arm: Arm) -> Floats:
        """float64[trials]: the Kolmogorov distance, the largest gap between both distribution
        functions.
        """
        return np.asarray(np.abs(self.gaps(arm)).max(axis=1))


def _both(
    name: str,
    function: Callable[[Any, Arm], Floats],
    end: str = "",
    of: type[MeanConclusion] = DistributionConclusion,
) -> Iterator[Metric]:
    """The metric with the attack and without; end : "_after" in the defended arms."""
    arms = (ATTACKED_DEFENDED, CLEAN_DEFENDED) if end else (ATTACKED, CLEAN)
    for middle, arm in zip(("", "_clean"), arms, strict=True):
        yield Metric.in_arm(f"{name}{middle}{end}", function, arm, of=(of,))


def _mean(clean: Arm, attacked: Arm, end: str = "") -> tuple[Metric, ...]:
    return (
        *_both("mean_estimate", MeanConclusion.mean, end, MeanConclusion),
        Metric(f"mean_shift{end}", lambda o: o.shift(clean, attacked), (clean, attacked),
               targets=True, rises=not end, of=(MeanConclusion,)),
        *_both("mean_error", MeanConclusion.errors, end, MeanConclusion),
        *_both("mean_squared_error", lambda o, arm: o.errors(arm) ** 2, end, MeanConclusion),
    )  # fmt: skip


MEAN: Final = _mean(CLEAN, ATTACKED)
"""The metrics of the mean, also of a distribution."""

MORE: Final = (
    *_both("wasserstein", DistributionConclusion.wasserstein),
    *_both("ks", DistributionConclusion.largest_gap),
    *_both("misfit", lambda o, arm: o.misfits[arm]),
    *_mean(CLEAN_DEFENDED, ATTACKED_DEFENDED, "_after"),
    *_both("wasserstein", DistributionConclusion.wasserstein, "_after"),
    *_both("ks", DistributionConclusion.largest_gap, "_after"),
    *_both("second_moment", lambda o, arm: o.squares[arm], of=MeanConclusion),
)
"""The other metrics in the order of columns; no fit of a distribution is linear, and none of its
distances is foretold."""

COLUMNS = ((3, MEAN), (5, MORE))
