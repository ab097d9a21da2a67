"""The number of users who pick each item, by merging users: for many items and fewer users."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]

WIDE: Final = 24
"""Tables with as many rows or more are drawn row by row, each by one call."""


def merged_counts(picks: Counts, items: int, rng: np.random.Generator) -> Counts:
    """The number of users who pick each item, where every user picks a uniform subset.

    Parameters
    ----------
    picks : int64[users], the number of distinct items that each user picks.
    items : the number of items to pick from, at least the most picks.

    Returns
    -------
    int64[items], with exactly the joint law of picking user by user.

    Notes
    -----
    Nothing tells the items apart, so that a group of users is known by its tally: the number of
    items that 0, 1, 2, … of them pick. Which items these are is a uniform permutation. Two groups
    are merged by the table of how many items are picked by i users of the one and j of the other:
    given both tallies, each row of it is multivariate hypergeometric. Pairs, pairs of pairs, … are
    merged; a table of 2^l users has some 7·2^l entries that are not 0, so that m users cost
    7 m log m draws, whatever the number of items.
    """
    if not picks.size:
        return np.zeros(items, dtype=np.int64)
    tallies, low = np.stack([items - picks, picks], axis=1), 0
    left_over: list[tuple[int, Counts]] = []
    while len(tallies) > 1:
        pairs = len(tallies) // 2
        if len(tallies) % 2:
            left_over.append((low, tallies[-1:]))
        merged = _merged(tallies[:pairs], tallies[pairs : 2 * pairs], rng)
        low, tallies = _trimmed(2 * low, merged)
    for lower, alone in left_over:
        low, tallies = _trimmed(low + lower, _merged(alone, tallies, rng))
    picked = np.repeat(np.arange(low, low + tallies.shape[1]), tallies[0])
    return rng.permutation(picked)


def _trimmed(low: int, tallies: Counts) -> tuple[int, Counts]:
    """The tallies without the numbers at both ends that no item has; the least that is left."""
    used = np.flatnonzero(tallies.any(axis=0))
    return low + int(used[0]), tallies[:, used[0] : used[-1] + 1]


def _merged(first: Counts, second: Counts, rng: np.random.Generator) -> Counts:
    """int64[groups, a + b - 1], the tallies of pairs of groups: [groups, a] and [groups, b]."""
    groups, rows = first.shape
    merged = np.zeros((groups, rows + second.shape[1] - 1), dtype=np.int64)
    if rows >= WIDE:
        for total, row_sums, column_sums in zip(merged, first, second.copy(), strict=True):
            for row in np.flatnonzero(row_sums).tolist():
                drawn = rng.multivariate_hypergeometric(
                    column_sums, row_sums[row], method="marginals"
                )
                column_sums -= drawn
                total[row : row + drawn.size] += drawn
        return merged
    free = second.copy()
    for row in range(rows):
        wanted, rest = first[:, row].copy(), free.sum(axis=1)
        for column in range(free.shape[1]):
            rest -= free[:, column]
            drawn = rng.hypergeometric(free[:, column], rest, wanted)
            free[:, column] -= drawn
            wanted -= drawn
            merged[:, row + column] += drawn
    return merged
