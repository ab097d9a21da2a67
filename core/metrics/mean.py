"""The conclusions about the mean of numbers, and their metrics."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import numpy as np

from ..base.arms import ATTACKED, ATTACKED_DEFENDED, CLEAN, CLEAN_DEFENDED, Arm
from ..base.flags import Flags
from ..base.sampling import Floats
from ..bounds.robust import Interval
from ..law.pure import Items
from .conclusion import Conclusion, Metric


@dataclass(frozen=True, eq=False)
class MeanConclusion:
    """The estimated mean in several trials of a cell, beside the true one.

    means : float64[trials] by arm, from the same genuine reports.
    truth : the mean of the genuine users' numbers. attacked : whether there are fakes.
    robust : the ends of the interval that holds if as many reports are fake as are, float64[trials]
        each; None where no report says a number.
    flags : what defences claim, by arm; empty without one that claims anything.
    squares : float64[trials] by arm, the estimated means of the squares of numbers; NaN where
        reports tell none.
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
        """The number itself, where it is attacked."""
        return np.arange(int(self.attacked))

    @property
    def arms(self) -> Set[Arm]:
        return self.means.keys()

    @property
    def supported(self) -> bool:
        """True where it is known what one report can say."""
        return self.robust is not None

    @property
    def robust_ends(self) -> Interval:
        """The robust interval of the mean, float64[trials, 1] each."""
        assert self.robust is not None
        low, high = self.robust
        return low[:, None], high[:, None]

    def claims_fakes(self, arm: Arm) -> bool:
        return arm in self.flagged

    def flags(self, arm: Arm) -> Flags:
        """The claims of a defence that looks for fakes."""
        return self.flagged[arm]

    def vectors(self, arm: Arm) -> Floats:
        """float64[trials, k]: what is kept of an arm."""
        return self.means[arm][:, None]

    def mean(self, arm: Arm) -> Floats:
        """float64[trials]: the estimate."""
        return self.means[arm]

    def shift(self, before: Arm, after: Arm) -> Floats:
        """float64[trials]: by how much the fakes move the estimate."""
        return np.asarray(self.means[after] - self.means[before])

    def errors(self, arm: Arm) -> Floats:
        """float64[trials]: estimate minus truth."""
        return np.asarray(self.means[arm] - self.truth)


def rows_of(of: tuple[type[Conclusion], ...]) -> tuple[tuple[Metric, ...], tuple[Metric, ...]]:
    """The metrics of a mean, of these classes of conclusions: without a defence, and with one."""
    row = partial(Metric, of=of)
    defended = (CLEAN_DEFENDED, ATTACKED_DEFENDED)

    def pair(name: str, clean: Arm, attacked: Arm, end: str) -> tuple[Metric, ...]:
        """The metric of either arm, by `name` and `name_clean`."""
        function = FUNCTIONS[name]
        return (
            row(f"{name}{end}", lambda o: function(o, attacked), (attacked,)),
            row(f"{name}_clean{end}", lambda o: function(o, clean), (clean,)),
        )

    def all_of(clean: Arm, attacked: Arm, end: str) -> tuple[Metric, ...]:
        return (
            *pair("mean_estimate", clean, attacked, end),
            row(
                f"mean_shift{end}",
                lambda o: o.shift(clean, attacked), (clean, attacked), targets=True,
            ),
            *pair("mean_error", clean, attacked, end),
            *pair("mean_squared_error", clean, attacked, end),
        )  # fmt: skip

    return all_of(CLEAN, ATTACKED, ""), all_of(*defended, "_after")


def squares_of(of: tuple[type[Conclusion], ...]) -> tuple[Metric, ...]:
    """The metrics of the mean of squares, of these classes of conclusions."""
    return (
        Metric("second_moment", lambda o: o.squares[ATTACKED], (ATTACKED,), of=of),
        Metric("second_moment_clean", lambda o: o.squares[CLEAN], (CLEAN,), of=of),
    )


FUNCTIONS: Final[dict[str, Callable[[MeanConclusion, Arm], Floats]]] = {
    "mean_estimate": MeanConclusion.mean,
    "mean_error": MeanConclusion.errors,
    "mean_squared_error": lambda made, arm: made.errors(arm) ** 2,
}
"""The numbers of one arm, by metric."""
