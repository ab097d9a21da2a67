"""The estimates of single trials: each is what one server would see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class TrialEstimates:
    """The estimates of a cell's targets and most frequent items in each of its first trials.

    items : their indices, the first `targets` of them targets. labels, true : their names and
    true frequencies. arms : by an arm's name, a row for each item with a number for each trial.
    expected : the closed forms of one trial's estimate, mean and standard deviation, a row for each
    item; only of the arms that have one.
    """

    items: tuple[int, ...]
    labels: tuple[str, ...]
    targets: int
    true: tuple[float, ...]
    arms: Mapping[str, tuple[tuple[float, ...], ...]]
    expected: Mapping[str, tuple[tuple[float, float], ...]]

    @property
    def trials(self) -> int:
        """The number of trials."""
        return len(next(iter(self.arms.values()))[0])
