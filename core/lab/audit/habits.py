"""Habits of a client that no law of a single report shows: coins that come again.

Each test returns the probability that an honest client shows as much, at most: a p-value.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ...base.sampling import Floats
from ...law.pure import Items
from .conformity import homogeneous
from .evidence import Series
from .monte_carlo import clopper_pearson

FAR: Final = 997
"""Reports between two that have nothing to do with each other, even for a client of bad habits."""
GROUPS: Final = 48
"""Groups of items, and of reports, whose dependence is looked at."""


@dataclass(frozen=True)
class Habit:
    """A habit, with the probability that an honest client shows it. told : it, in words."""

    kind: str
    p_value: float
    told: str


HABITS: Final = 5
"""The tests that share an allowed error: one of starts, four of a series."""


def starts_alike(
    starts: list[NDArray[np.uint64]], items: Items, series: Series, error: float
) -> Habit:
    """Whether fresh starts with the same items send the same reports.

    starts : the marks of each. series : reports of one start, of which it is known how often two
    reports of one item are equal by chance; that bound fails with half of the allowed error.
    """
    equal = max(int((first == second).sum()) for first, second in itertools.pairwise(starts))
    alike, of = _alike(series, items)
    high = float(clopper_pearson(alike, of, error / 2)[1]) if of else 1.0
    p_value = 2 * (len(starts) - 1) * _tail(equal, len(items), high)
    told = (
        f"two fresh starts send the same reports ({equal} of {len(items)}): its coins are "
        "those of a fixed seed, or of the clock"
    )
    return Habit("fixed seed", min(1.0, p_value), told)


def _alike(series: Series, items: Items) -> tuple[int, int]:
    """How many of disjoint pairs of reports of one item are equal, of how many."""
    wanted = np.flatnonzero(np.isin(series.items, items))
    order = wanted[np.argsort(series.items[wanted], kind="stable")]
    first, second = order[:-1:2], order[1::2]
    first = first[: second.size]
    same = series.items[first] == series.items[second]
    equal = same & (series.marks[first] == series.marks[second])
    return int(equal.sum()), int(same.sum())


def series_habits(series: Series) -> Iterator[Habit]:
    """The habits that the order of one start's reports shows."""
    count = len(series.items)
    if count < 2 * FAR:
        return
    yield _cycle(series)
    yield _table(
        series.codes[:-1], series.codes[1:], "earlier reports",
        "a report depends on the one before it: its coins are not drawn afresh",
    )  # fmt: skip
    yield _table(
        series.items[:-1], series.codes[1:], "earlier items",
        "a report depends on the item of the report before it, which it gives away as well",
    )  # fmt: skip
    if series.supports is not None:
        yield _left_over(series)


def _cycle(series: Series) -> Habit:
    """Coins that come again after some reports: the largest autocorrelation of all lags."""
    count = len(series.items)
    if series.supports is not None:
        seen = series.supports[np.arange(count), series.items].astype(np.float64)
    else:
        seen = (series.codes == _commonest(series)).astype(np.float64)
    means = np.bincount(series.items, seen) / np.maximum(np.bincount(series.items), 1)
    centred = seen - means[series.items]
    power = float(centred @ centred)
    if power <= 0:
        return Habit("cycle", 1.0, "")
    wide = 1 << (2 * count - 1).bit_length()
    spectrum = np.fft.rfft(centred, wide)
    lags = np.arange(1, count // 2)
    products = np.fft.irfft(spectrum * spectrum.conj(), wide)[lags]
    variance = power / count
    z = np.abs(products) / (variance * np.sqrt(count - lags))
    at = int(z.argmax())
    p_value = lags.size * math.erfc(float(z[at]) / math.sqrt(2))
    told = f"its coins come again after {lags[at]} reports: a counter, or a table of coins"
    return Habit("cycle", min(1.0, p_value), told)


def _commonest(series: Series) -> NDArray[np.intp]:
    """intp[n]: the code that most reports of the same item have."""
    rows, at = np.unique(series.items, return_inverse=True)
    columns, code = np.unique(series.codes, return_inverse=True)
    table = np.bincount(at * columns.size + code, minlength=rows.size * columns.size)
    return np.asarray(columns[table.reshape(rows.size, -1).argmax(axis=1)][at])


def _table(before: NDArray[np.intp], after: NDArray[np.intp], kind: str, told: str) -> Habit:
    """Dependence of two series that are independent where all reports are: Pearson's chi-square."""
    rows, columns = _grouped(before), _grouped(after)
    counts = np.zeros((GROUPS, GROUPS))
    np.add.at(counts, (rows, columns), 1.0)
    return Habit(kind, independent(counts), told)


def _grouped(values: NDArray[np.intp]) -> NDArray[np.intp]:
    """The rank of each value among the frequent ones; all others share the last."""
    kinds, at, numbers = np.unique(values, return_inverse=True, return_counts=True)
    rank = np.empty(kinds.size, dtype=np.intp)
    rank[np.argsort(-numbers, kind="stable")] = np.arange(kinds.size)
    return np.asarray(np.minimum(rank[at], GROUPS - 1))


def independent(counts: Floats) -> float:
    """The p-value of Pearson's chi-square of independence; rare rows and columns are joined."""
    from scipy.special import chdtrc

    total = counts.sum()
    for axis in (0, 1):
        sums = counts.sum(axis=1 - axis)
        rare = sums * sums.max(initial=0) < 25 * total
        joined = counts.compress(~rare, axis=axis)
        left = counts.compress(rare, axis=axis).sum(axis=axis, keepdims=True)
        counts = np.concatenate([joined, left], axis=axis) if rare.any() else joined
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / max(total, 1.0)
    # Cells of small expectation would decide alone.
    large = expected >= 5
    freedom = (counts.shape[0] - 1) * (counts.shape[1] - 1)
    if freedom < 1 or not large.any():
        return 1.0
    statistic = float(((counts - expected)[large] ** 2 / expected[large]).sum())
    return float(chdtrc(freedom, statistic))


def _left_over(series: Series) -> Habit:
    """Whether a report supports the item of the one before more often than that of a far one."""
    assert series.supports is not None
    rows = np.arange(FAR, len(series.items))
    near = series.supports[rows, series.items[rows - 1]]
    far = series.supports[rows, series.items[rows - FAR]]
    table = np.array([[near.sum(), (~near).sum()], [far.sum(), (~far).sum()]], dtype=np.float64)
    told = "a report supports the item of the report before it: something of it is left over"
    return Habit("left over", homogeneous(table[:1], table[1:]), told)


def _tail(hits: int, of: int, chance: float) -> float:
    """Pr[Bin(of, chance) ≥ hits]."""
    from scipy.special import bdtrc

    return float(bdtrc(hits - 1, of, chance)) if hits else 1.0
