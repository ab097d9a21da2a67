"""The results of a run: measures of each trial, moments of the frequencies, summaries."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

import numpy as np
import xxhash

from ..base.arms import ARMS, UNDEFENDED, Arm
from ..base.errors import check_among
from ..base.sampling import Counts, Floats
from ..base.summary import Estimate
from . import Measures, column, join_measures, names_of

ROUNDING = 1e-12
"""Trials that spread by at most this share of their mean differ by rounding alone."""

BLOCK_TRIALS = 20
"""Trials of one block: the unit of work, and of the random streams of the counts path."""


@dataclass(frozen=True, eq=False)
class Moments:
    """The mean and the sum of squared deviations of an array over trials; sums of two are
    supported.

    mean, squares : float64[…], the shape of one trial.
    """

    trials: int
    mean: Floats
    squares: Floats

    @classmethod
    def of(cls, values: Floats) -> Moments:
        """The moments of float64[trials, …] over its first axis."""
        mean = values.mean(axis=0)
        away = values - mean
        away *= away
        return cls(len(values), mean, away.sum(axis=0))

    def __add__(self, other: Moments) -> Moments:
        """Chan, Golub, LeVeque 1983, equation 2.1."""
        trials = self.trials + other.trials
        if not trials:
            return self
        shift = other.mean - self.mean
        mean = self.mean + shift * (other.trials / trials)
        squares = self.squares + other.squares + shift**2 * (self.trials * other.trials / trials)
        return Moments(trials, mean, squares)

    def row(self, number: int) -> Moments:
        """The moments of row `number` of an array [R, …] whose moments these are."""
        return Moments(self.trials, self.mean[number], self.squares[number])

    @property
    def std(self) -> Floats | None:
        """The standard deviation over trials, n - 1 in the denominator; None for a single trial.

        It is 0 if trials differ by rounding errors only.
        """
        if self.trials < 2:
            return None
        std = np.sqrt(self.squares / (self.trials - 1))
        return np.where(std <= ROUNDING * np.abs(self.mean), 0.0, std)


Arms: TypeAlias = Mapping[Arm, Moments]
"""The moments of the estimated frequencies in each arm; empty where they are not kept."""


MOMENTS: Final = [f"{arm.name}_{part}" for arm in ARMS for part in ("mean", "squares")]
"""The columns that hold the moments of all arms."""


def columns_of(arms: Arms) -> dict[str, bytes | None]:
    """The moments of the arms as columns of bytes, by the names in MOMENTS.

    An attacked arm with the same moments as the arm before the attack has no column.
    """
    columns: dict[str, bytes | None] = {}
    for arm, moments in arms.items():
        if not (arm.attacked and moments is arms[arm.before]):
            columns[f"{arm.name}_mean"] = moments.mean.astype("<f8").tobytes()
            columns[f"{arm.name}_squares"] = moments.squares.astype("<f8").tobytes()
    return columns


def arms_of(columns: Sequence[bytes | None], trials: int, shape: tuple[int, ...]) -> Arms:
    """The moments of the arms, each of this shape, from the columns of bytes in the order of
    MOMENTS.

    Raises ValueError for another shape, and for a missing arm.
    """
    arms: dict[Arm, Moments] = {}
    for arm, mean, squares in zip(ARMS, columns[::2], columns[1::2], strict=True):
        if mean is not None and squares is not None:
            parts = (np.frombuffer(data, dtype="<f8").reshape(shape) for data in (mean, squares))
            arms[arm] = Moments(trials, *parts)
        elif arm.attacked and arm.before in arms:
            arms[arm] = arms[arm.before]
    if tuple(arms) not in ((), UNDEFENDED, ARMS):
        raise ValueError(f"it has only the arms {', '.join(arm.name for arm in arms)}")
    return arms


def add_moments(first: Arms, second: Arms) -> Arms:
    """The moments over the trials of both arguments, for the arms that both have."""
    return {arm: moments + second[arm] for arm, moments in first.items() if arm in second}


def round_of(arms: Arms, number: int) -> Arms:
    """The moments [d] of one round, from those of all rounds [R, d], by arm."""
    return {arm: moments.row(number) for arm, moments in arms.items()}


@dataclass(frozen=True, eq=False)
class Rounds:
    """The results of each round of a campaign.

    metrics : measures [trials, R].
    arms : the moments [R, d], by arm.
    """

    metrics: Measures
    arms: Arms

    def estimates(self, metric: str, theory: Sequence[float | None]) -> list[Estimate]:
        """The mean and standard error of one metric in each round, with its closed form there."""
        rounds = zip(column(self.metrics, metric).T, theory, strict=True)
        return [estimate_of(values, expected) for values, expected in rounds]

    def entries(self, r: int) -> Floats:
        """float64[trials]: the first round with all r targets in the top k, counted from 0; NaN if
        none.
        """
        inside = self.metrics["targets_in_top_k"] == r
        return np.where(inside.any(axis=1), inside.argmax(axis=1), np.nan)


class Fingerprints:
    """The xxh3_64 hash of each trial's counts, clean and attacked.

    Counts are int64[…], or float64[…] with a curator's noise. The counts of a campaign's rounds are
    hashed one after the other.
    """

    def __init__(self, trials: int) -> None:
        self._hashers = [xxhash.xxh3_64() for _ in range(trials)]

    def add(self, clean: Counts, attacked: Counts) -> None:
        """Add one collection's counts [trials, …], before and after the attack, to the
        fingerprints.
        """
        for counts in (clean, attacked):
            rows = np.ascontiguousarray(counts, counts.dtype.newbyteorder("<"))
            for hasher, row in zip(self._hashers, rows, strict=True):
                hasher.update(row.data)

    @property
    def values(self) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
        """uint64[trials], the fingerprint of each trial."""
        return np.array([hasher.intdigest() for hasher in self._hashers], dtype=np.uint64)


def estimate_of(values: Floats, theory: float | None = None) -> Estimate:
    """The estimate of a mean from float64[trials], with its closed form.

    The mean is None without trials or if a value is NaN, the standard error also for one trial.
    Values that differ by rounding have no error: 0.9 is 0.9 ± 0, and not 0.9 ± 5.1e-17.
    """
    mean, trials = mean_of(values), values.size
    if mean is None or trials == 1:
        return Estimate(mean, None, theory)
    # NumPy's own `ptp` and `std`, without what they look at first: this is done for every number.
    if np.maximum.reduce(values) - np.minimum.reduce(values) <= ROUNDING * abs(mean):
        return Estimate(float(values[trials // 2]), 0.0, theory)
    apart = values - mean
    variance = float(np.add.reduce(apart * apart)) / (trials - 1)
    return Estimate(mean, math.sqrt(variance) / math.sqrt(trials), theory)


def mean_of(values: Floats) -> float | None:
    """The mean of float64[trials]; None without trials, or if a value is NaN."""
    if not values.size:
        return None
    mean = float(np.add.reduce(values)) / values.size
    return None if math.isnan(mean) and np.isnan(values).any() else mean


@dataclass(frozen=True, eq=False)
class CellResults:
    """The results of one cell's trials, in order: the trials of one block, or all finished ones.

    metrics : measures [trials].
    fingerprints : uint64[trials], see `Fingerprints`.
    arms : the moments [d] over the trials, by arm.
    detected : int64[d], the number of trials that detect each item; None without a test, or if
    items are not stored.
    rounds : the results of each round of a campaign, whose other fields are for all rounds pooled.
    """

    metrics: Measures
    fingerprints: np.ndarray[tuple[int], np.dtype[np.uint64]]
    arms: Arms = field(default_factory=dict)
    detected: Counts | None = None
    rounds: Rounds | None = None

    @property
    def trials(self) -> int:
        return len(self.metrics)

    @property
    def bare(self) -> CellResults:
        """A copy of the results without the moments of items."""
        return self.telling(NOTHING)

    def telling(self, items: CellResults) -> CellResults:
        """A copy of the results with the moments of items from other results."""
        arms = {} if items.rounds is None else items.rounds.arms
        rounds = self.rounds and replace(self.rounds, arms=arms)
        return replace(self, arms=items.arms, detected=items.detected, rounds=rounds)

    def first(self, trials: int) -> CellResults:
        """The results of the first trials; the moments of items are still those of all trials."""
        rounds = self.rounds and replace(self.rounds, metrics=self.rounds.metrics[:trials])
        marks = self.fingerprints[:trials]
        return replace(self, metrics=self.metrics[:trials], fingerprints=marks, rounds=rounds)

    def __add__(self, other: CellResults) -> CellResults:
        """The trials of both, one after the other, with what both know of each item."""
        rounds, detected = self.rounds, self.detected
        if rounds is not None and other.rounds is not None:
            arms = add_moments(rounds.arms, other.rounds.arms)
            rounds = Rounds(join_measures([rounds.metrics, other.rounds.metrics]), arms)
        if detected is not None:
            detected = None if other.detected is None else detected + other.detected
        metrics = join_measures([self.metrics, other.metrics])
        marks = np.concatenate([self.fingerprints, other.fingerprints])
        return CellResults(metrics, marks, add_moments(self.arms, other.arms), detected, rounds)

    def estimate(self, metric: str, theory: float | None = None) -> Estimate:
        """The mean and standard error of one metric over the trials, with its closed form.

        Raises ScenarioError for a name that is not a metric of the trials.
        """
        check_among(metric, names_of(self.metrics), "metric")
        return estimate_of(self.metrics[metric], theory)


NOTHING: Final = CellResults(join_measures([]), np.empty(0, dtype=np.uint64))
"""The results of no trial."""


class Tally:
    """A collector of one cell's blocks, added in any order.

    Blocks are merged in their own order, so that sums do not depend on which block is computed
    first.
    """

    def __init__(self) -> None:
        self._merged: list[CellResults] = []
        self._waiting: dict[int, CellResults] = {}
        self._items = NOTHING
        self._shown: CellResults | None = NOTHING

    def add(self, number: int, block: CellResults) -> None:
        """Add one finished block, by its number."""
        self._waiting[number] = block
        while (ready := self._waiting.pop(len(self._merged), None)) is not None:
            items = ready.first(0)
            self._items = self._items + items if self._merged else items
            self._merged.append(ready.bare)
            self._shown = None

    @property
    def results(self) -> CellResults:
        """The results of the blocks before the first missing one."""
        if self._shown is None:
            merged = self._merged
            rounds = [block.rounds.metrics for block in merged if block.rounds is not None]
            self._shown = CellResults(
                join_measures([block.metrics for block in merged]),
                np.concatenate([block.fingerprints for block in merged]),
                rounds=Rounds(join_measures(rounds), {}) if rounds else None,
            ).telling(self._items)
        return self._shown


def digest(cells: Iterable[CellResults]) -> str:
    """The xxh3_128 hash of the fingerprints of all cells and trials: equal counts have equal
    digests.
    """
    hasher = xxhash.xxh3_128()
    for index, cell in enumerate(cells):
        for trial, mark in enumerate(cell.fingerprints.tolist()):
            hasher.update(struct.pack("<QQQ", index, trial, mark))
    return f"xxh3:{hasher.hexdigest()}"
