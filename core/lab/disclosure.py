"""The disclosures of a "de-identified" table: k-anonymity, l-diversity, t-closeness.

Rows that agree on all quasi-identifiers form a class: who knows them of somebody knows the class.
k: Sweeney, "k-anonymity", 2002. l: Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam,
"l-diversity", ICDE 2006. t: Li, Li, Venkatasubramanian, "t-closeness", ICDE 2007.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ..base.errors import ScenarioError
from ..base.numbers import as_number
from ..base.sampling import Counts, Floats
from .columns import Column

MOST_VALUES: Final = 100_000
"""Different values of a quasi-identifier."""


@dataclass(frozen=True, eq=False)
class Classes:
    """The rows, grouped.

    of_row : int64[n], each row's class.
    sizes : int64[classes], rows of each class; at least 1.
    first : int64[classes], a row of each class.
    """

    of_row: Counts
    sizes: Counts
    first: Counts

    @property
    def rows(self) -> int:
        return self.of_row.size

    @property
    def k(self) -> int:
        """The size of the smallest class: the table is k-anonymous."""
        return int(self.sizes.min())

    @property
    def unique_share(self) -> float:
        """The share of rows that are alone in their class."""
        return int((self.sizes == 1).sum()) / self.rows

    def share_below(self, k: int) -> float:
        """The share of rows in classes of fewer than k rows."""
        return int(self.sizes[self.sizes < k].sum()) / self.rows


def group(columns: Sequence[Column]) -> Classes:
    """The classes of rows that agree on all of these columns."""
    if not columns:
        raise ScenarioError("must name at least one column", key="quasi")
    rows = columns[0].codes.size
    if rows == 0:
        raise ScenarioError("must hold at least one row, got none", key="table")
    joint = np.zeros(rows, dtype=np.int64)
    kinds = 1
    for codes in (column.codes for column in columns):
        values = int(codes.max()) + 1
        if kinds * values >= 2**62:  # number the classes so far anew
            joint = np.unique(joint, return_inverse=True)[1]
            kinds = int(joint.max()) + 1
        joint = joint * values + codes
        kinds *= values
    _, first, joint, sizes = np.unique(
        joint, return_index=True, return_inverse=True, return_counts=True
    )
    return Classes(joint, sizes, first)


@dataclass(frozen=True)
class Spread:
    """A sensitive column within the classes: its variety, and its distance from the whole table.

    values : the number of different ones. l_distinct : the fewest that a class has. l_entropy :
    e^(the least entropy of a class). t_equal, t_ordered : the largest distance of the law of a
    class from the table's, in [0, 1]: half the sum of differences, and the earth mover's distance
    over equally spaced values. order : of the values, by "number" or "alphabet".
    homogeneous_share : the share of rows whose class has one value alone, and gives it away.
    """

    values: int
    l_distinct: int
    l_entropy: float
    t_equal: float
    t_ordered: float
    order: str
    homogeneous_share: float


def diversity(classes: Classes, sensitive: Column) -> Spread:
    """The sensitive column within the classes. Work and memory: the rows, whatever its values."""
    order, is_number = _order(sensitive.values)
    rank = np.empty(order.size, dtype=np.int64)
    rank[order] = np.arange(order.size)
    m = order.size
    # The (class, value) pairs that occur, by class and then by value.
    pairs, counts = np.unique(classes.of_row * m + rank[sensitive.codes], return_counts=True)
    of_class, value = pairs // m, pairs % m
    share = counts / classes.sizes[of_class]
    overall = np.bincount(rank[sensitive.codes], minlength=m) / classes.rows
    starts = np.flatnonzero(np.diff(of_class, prepend=-1))
    distinct = np.diff(np.append(starts, pairs.size))
    entropy = np.add.reduceat(-share * np.log(share), starts)
    equal = np.add.reduceat(np.maximum(share - overall[value], 0), starts)
    return Spread(
        m,
        int(distinct.min()),
        math.exp(max(float(entropy.min()), 0.0)),
        float(equal.max()),
        float(_earth_mover(starts, value, share, overall).max()),
        "number" if is_number else "alphabet",
        int(classes.sizes[distinct == 1].sum()) / classes.rows,
    )


def _order(values: tuple[str, ...]) -> tuple[Counts, bool]:
    """The values' numbers, in ascending order."""
    numbers = [as_number(value) for value in values]
    if None in numbers:
        return np.array(sorted(range(len(values)), key=values.__getitem__)), False
    return np.argsort(np.array(numbers, dtype=np.float64), kind="stable"), True


def _earth_mover(starts: Counts, value: Counts, share: Floats, overall: Floats) -> Floats:
    """1/(m-1) Σ_i |P_i - Q_i| of the cumulative laws of each class and of the table.

    P is a step function: constant between the values of a class. Q rises: where it crosses such a
    constant is a search, and sums of Q on both sides are differences of its running sums.
    """
    m = overall.size
    if m == 1:
        return np.zeros(starts.size)
    below = np.cumsum(overall)[:-1]  # Q_i, i = 0 … m-2
    running = np.concatenate([[0.0], np.cumsum(below)])
    level = np.cumsum(share)
    level -= np.repeat(level[starts] - share[starts], np.diff(np.append(starts, value.size)))
    stop = np.append(value[1:], m - 1)  # each step lasts until the next value of the class
    stop[np.append(starts[1:], value.size) - 1] = m - 1
    start = np.minimum(value, m - 1)
    cross = np.clip(np.searchsorted(below, level), start, stop)
    moved = level * (2 * cross - start - stop)
    moved += running[start] + running[stop] - 2 * running[cross]
    before = running[np.minimum(value[starts], m - 1)]  # P is 0 before the first value
    return np.asarray(np.maximum(np.add.reduceat(moved, starts) + before, 0.0) / (m - 1))
