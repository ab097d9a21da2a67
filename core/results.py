"""What a run measured: columns per trial, moments of the frequencies, and their summaries."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import xxhash

from .metrics import METRICS
from .sampling import Counts, Floats

BLOCK_TRIALS = 20
"""Trials of one block: the unit of work, and of the random streams of the counts path."""


@dataclass(frozen=True, eq=False)
class Moments:
    """Mean and summed squared deviations of a vector over trials; blocks of them add up."""

    trials: int
    mean: Floats
    squares: Floats

    @classmethod
    def of(cls, values: Floats) -> Moments:
        """Of float64[trials, d]."""
        mean = values.mean(axis=0)
        return cls(len(values), mean, ((values - mean) ** 2).sum(axis=0))

    def __add__(self, other: Moments) -> Moments:
        """Chan, Golub, LeVeque 1983, equation 2.1."""
        trials = self.trials + other.trials
        if not trials:
            return self
        shift = other.mean - self.mean
        mean = self.mean + shift * (other.trials / trials)
        squares = self.squares + other.squares + shift**2 * (self.trials * other.trials / trials)
        return Moments(trials, mean, squares)

    @property
    def std(self) -> Floats | None:
        """Standard deviation over trials (ddof 1), None for one trial."""
        return np.sqrt(self.squares / (self.trials - 1)) if self.trials > 1 else None


NOTHING = Moments(0, np.empty(0), np.empty(0))


@dataclass(frozen=True, eq=False)
class Block:
    """What one block of trials of one cell measured.

    metrics : float64[trials, len(METRICS)], NaN where undefined.
    fingerprints : uint64[trials], xxh3_64 over the clean and attacked counts.
    clean, attacked : moments of the estimated frequencies over the block's trials.
    detected : int64[d], in how many trials each item was detected; None where nothing is tested.
    """

    cell: int
    number: int
    metrics: Floats
    fingerprints: np.ndarray[tuple[int], np.dtype[np.uint64]]
    clean: Moments
    attacked: Moments
    detected: Counts | None = None


def fingerprint(clean: Counts, attacked: Counts) -> int:
    """xxh3_64 over clean, then attacked counts, little-endian.

    Counts are int64[…]; with the noise of a curator that is no whole number, float64[…].
    """
    hasher = xxhash.xxh3_64(clean.astype(clean.dtype.newbyteorder("<")).tobytes())
    hasher.update(attacked.astype(attacked.dtype.newbyteorder("<")).tobytes())
    return hasher.intdigest()


@dataclass(frozen=True)
class Estimate:
    """A mean over trials: its standard error (None for one trial), and the closed form."""

    mean: float | None
    standard_error: float | None
    theory: float | None

    @property
    def z(self) -> float | None:
        """(mean - theory) / standard error; None where one is missing or the error is 0."""
        if self.mean is None or self.theory is None or not self.standard_error:
            return None
        return (self.mean - self.theory) / self.standard_error


@dataclass(frozen=True, eq=False)
class CellResults:
    """The finished trials of one cell, in order.

    detected : int64[d], in how many of them each item was detected; None where nothing is tested
        or items are not kept.
    """

    metrics: Floats
    fingerprints: np.ndarray[tuple[int], np.dtype[np.uint64]]
    clean: Moments | None
    attacked: Moments | None
    detected: Counts | None = None

    @property
    def trials(self) -> int:
        return len(self.metrics)

    def estimate(self, metric: str, theory: float | None = None) -> Estimate:
        """Mean and standard error of one metric over the trials, beside its closed form."""
        values = self.metrics[:, METRICS.index(metric)]
        if not values.size or np.isnan(values).any():
            return Estimate(None, None, theory)
        error = float(values.std(ddof=1) / math.sqrt(values.size)) if values.size > 1 else None
        return Estimate(float(values.mean()), error, theory)


class Tally:
    """Gathers the blocks of one cell, in whatever order they come; shows those up to a gap.

    Blocks are merged in their own order, so that the sums do not depend on who finished first.
    """

    def __init__(self) -> None:
        self._merged: list[Block] = []
        self._waiting: dict[int, Block] = {}
        self._clean: Moments | None = None
        self._attacked: Moments | None = None
        self._detected: Counts | None = None
        self._shown: CellResults | None = None

    def add(self, block: Block) -> None:
        """Take in one finished block."""
        self._waiting[block.number] = block
        while (ready := self._waiting.pop(len(self._merged), None)) is not None:
            clean, attacked = ready.clean, ready.attacked
            self._clean = clean if self._clean is None else self._clean + clean
            self._attacked = attacked if self._attacked is None else self._attacked + attacked
            if ready.detected is not None:
                before = self._detected
                self._detected = ready.detected if before is None else before + ready.detected
            self._merged.append(replace(ready, clean=NOTHING, attacked=NOTHING, detected=None))
            self._shown = None

    @property
    def results(self) -> CellResults:
        """The results so far."""
        if self._shown is None:
            self._shown = CellResults(
                np.concatenate([_NO_METRICS, *(block.metrics for block in self._merged)]),
                np.concatenate([_NO_MARKS, *(block.fingerprints for block in self._merged)]),
                self._clean,
                self._attacked,
                self._detected,
            )
        return self._shown


_NO_METRICS = np.empty((0, len(METRICS)))
_NO_MARKS = np.empty(0, dtype=np.uint64)


def digest(cells: Iterable[CellResults]) -> str:
    """xxh3_128 over (cell, trial, fingerprint) in order: equal digests are equal counts."""
    hasher = xxhash.xxh3_128()
    for index, cell in enumerate(cells):
        for trial, mark in enumerate(cell.fingerprints.tolist()):
            hasher.update(struct.pack("<QQQ", index, trial, mark))
    return f"xxh3:{hasher.hexdigest()}"
