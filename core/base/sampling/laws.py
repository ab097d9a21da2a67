"""Binomial, multinomial and hypergeometric draws and distributions, and random subsets.

Also the counts of messages with a distribution for each item: users of item v send message k with
the probability table[k, v]. Drawing each item's messages costs items × messages binomials; here
neighbouring messages with equal probability are drawn together, and split afterwards, which costs
some 2 log₂(messages) for each item and gives the same distribution.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Counts: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]

CHUNK = 1 << 17
"""Binomials in one NumPy call, some 10 ms: an interrupt is obeyed between two calls."""


def binomial(n: Counts, p: float, rng: np.random.Generator) -> Counts:
    """int64[…]: independent Binomial(n, p) for each element of `n`; the same shape.

    The draws do not depend on CHUNK: NumPy draws the elements one after the other.
    """
    if n.size <= CHUNK:
        return rng.binomial(n, p)
    flat = np.ascontiguousarray(n).reshape(-1)
    drawn = [rng.binomial(flat[at : at + CHUNK], p) for at in range(0, flat.size, CHUNK)]
    return np.concatenate(drawn).reshape(n.shape)


def binomials(n: Counts, p: float, each: int, rng: np.random.Generator) -> Counts:
    """int64[*n.shape, each]: `each` independent Binomial(n, p) for every element of `n`.

    The draws of `binomial`, in two thirds of its time.
    """
    drawn = np.empty((np.size(n), each), dtype=np.int64)
    for row, total in zip(drawn, np.ravel(n).tolist(), strict=True):
        for at in range(0, each, CHUNK):
            part = row[at : at + CHUNK]
            part[:] = rng.binomial(total, p, part.size)
    return drawn.reshape(*np.shape(n), each)


def multinomial(n: Counts, weights: Floats, rng: np.random.Generator) -> Counts:
    """int64[*n.shape, k]: Multinomial(n, weights) for each element of `n`, weights float64[k]."""
    flat = np.ravel(n)
    drawn = np.empty((flat.size, weights.size), dtype=np.int64)
    for row, total in enumerate(flat):
        drawn[row] = rng.multinomial(total, weights)
    return drawn.reshape(*np.shape(n), weights.size)


def uniform_multinomial(n: Counts, cells: int, rng: np.random.Generator) -> Counts:
    """int64[*n.shape, cells]: n balls in `cells` equally likely cells, for each element of `n`."""
    return multinomial(n, np.full(cells, 1.0 / cells), rng)


def hypergeometric_weights(size: int, half: int, picks: int) -> tuple[int, Floats]:
    """The distribution of the number c of picks that fall into the first `half` of `size` items:
    the lowest c, and float64[k] weights of all c from there on.

    The likeliest c has weight 1. Computed from the mode outwards by ratios of neighbours, so that
    nothing overflows. Outcomes beyond twelve standard deviations, below 1e-30 together, are left
    out.

    Raises ValueError if half or picks is not in [0, size].
    """
    if not (0 <= half <= size and 0 <= picks <= size):
        raise ValueError(f"must pick 0 to {size}, and mark as many, got {picks} and {half}")
    rest = size - half
    low, high = max(0, picks - rest), min(picks, half)
    share = half / size
    std = (picks * share * (1 - share) * (size - picks) / max(size - 1, 1)) ** 0.5
    mode = min(max((picks + 1) * (half + 1) // (size + 2), low), high)
    reach = int(12 * std) + 20
    low, high = max(low, mode - reach), min(high, mode + reach)
    up = np.arange(mode, high, dtype=np.float64)
    down = np.arange(mode, low, -1, dtype=np.float64)
    rising = (half - up) * (picks - up) / ((up + 1) * (rest - picks + up + 1))
    falling = down * (rest - picks + down) / ((half - down + 1) * (picks - down + 1))
    return low, np.concatenate([np.cumprod(falling)[::-1], [1.0], np.cumprod(rising)])


def hypergeometric_law(size: int, marked: int, picks: int) -> tuple[Counts, Floats]:
    """The distribution of the number of marked items among `picks` of `size`: outcomes int64[k],
    probabilities float64[k].

    Outcomes below 1e-30 together are left out.
    """
    low, law = hypergeometric_weights(size, marked, picks)
    return low + np.arange(law.size), law / law.sum()


def binomial_range(n: int, p: float) -> tuple[int, int]:
    """The smallest and the largest outcome of Binomial(n, p) with non-negligible probability.

    They are a little over twelve standard deviations from the mode; the outcomes beyond have a
    probability below 1e-30 together.
    """
    mode = min(n, int((n + 1) * p))
    reach = int(12 * (n * p * (1 - p)) ** 0.5) + 20 if 0 < p < 1 else 0
    return max(0, mode - reach), min(n, mode + reach)


def binomial_law(n: int, p: float) -> tuple[Counts, Floats]:
    """Binomial(n, p): the outcomes of `binomial_range`, int64[k], and their probabilities,
    float64[k].

    Computed by ratios of neighbours, from the mode outwards.
    """
    low, high = binomial_range(n, p)
    if low == high:
        return np.array([low]), np.ones(1)
    mode = min(n, int((n + 1) * p))
    up = np.arange(mode, high, dtype=np.float64)
    down = np.arange(mode, low, -1, dtype=np.float64)
    odds = p / (1 - p)
    rising = (n - up) / (up + 1) * odds
    falling = down / ((n - down + 1) * odds)
    law = np.concatenate([np.cumprod(falling)[::-1], [1.0], np.cumprod(rising)])
    return np.arange(low, high + 1), law / law.sum()


def random_subsets(users: int, items: int, size: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """intp[users, size]: a uniform `size`-subset of `range(items)` for each user, unsorted."""
    if size == 0:
        return np.empty((users, 0), dtype=np.intp)
    keys = rng.integers(0, 1 << 63, size=(users, items), dtype=np.int64)
    if size == items:
        return np.broadcast_to(np.arange(items), (users, items))
    return np.argpartition(keys, size - 1, axis=1)[:, :size]


# Counts of messages by a table of laws.

ALIKE: Final = 1e-9
"""Probabilities that differ by this part of the largest one differ by rounding."""


@dataclass(frozen=True, eq=False)
class Split:
    """A sampler of the messages of each item's users, by halving blocks of messages.

    A block is a node of a binary tree over the messages, numbered as a heap: 1 is the root, 2i and
    2i + 1 are the halves of i. Within a block, all messages of an item are equally likely.

    common : the probability that a message follows the distribution that all items share. shared :
        that distribution, float64[messages]. nodes, chances : int64[items, blocks], float64[items,
        blocks], the distribution of the other messages; the last block of an item has a positive
        probability.
    """

    common: float
    shared: Floats
    nodes: Counts
    chances: Floats


@dataclass(frozen=True, eq=False)
class ColumnCounts:
    """A sampler of the number of users who send each message.

    table : float64[messages, items], the probability of each message for each item's users.
    """

    table: Floats

    @cached_property
    def split(self) -> Split:
        least = self.table.min(axis=1)
        common = min(float(least.sum()), 1.0)
        rest = self.table - least[:, None]
        rest[rest <= ALIKE * self.table.max()] = 0.0
        blocks = [_blocks(column, self._leaves) for column in rest.T]
        width = max(1, *(nodes.size for nodes, _ in blocks))
        nodes = np.ones((len(blocks), width), dtype=np.int64)
        chances = np.zeros(nodes.shape)
        for item, (found, weights) in enumerate(blocks):
            # In front: what rounding leaves over goes to the last block, which has to be one.
            if found.size:
                nodes[item, -found.size :] = found
                chances[item, -found.size :] = weights / weights.sum()
        if not any(found.size for found, _ in blocks):
            common = 1.0
        return Split(common, least / max(least.sum(), 1e-300), nodes, chances)

    @property
    def _leaves(self) -> int:
        """The messages, and more, so that they are a power of two."""
        return 1 << max(len(self.table) - 1, 0).bit_length()

    def draw_counts(self, histogram: Counts, rng: np.random.Generator) -> Counts:
        """int64[trials, messages]: random counts of messages, from the users of each item,
        int64[trials, items].
        """
        if len(self.table) == 2:
            second = rng.binomial(histogram, self.table[1]).sum(axis=1)
            return np.stack([histogram.sum(axis=1) - second, second], axis=1)
        return np.array([self._one(held, rng) for held in histogram])

    def _one(self, held: Counts, rng: np.random.Generator) -> Counts:
        split, messages = self.split, len(self.table)
        alike = rng.binomial(held, split.common)
        counts: Counts = rng.multinomial(alike.sum(), split.shared)
        some = np.flatnonzero(held > alike)
        if not some.size:
            return counts
        drawn = rng.multinomial((held - alike)[some], split.chances[some])
        tree = np.zeros(2 * self._leaves, dtype=np.int64)
        np.add.at(tree, split.nodes[some].ravel(), drawn.ravel())
        start = 1
        while start < self._leaves:
            whole = tree[start : 2 * start]
            left = rng.binomial(whole, 0.5)
            tree[2 * start : 4 * start : 2] += left
            tree[2 * start + 1 : 4 * start : 2] += whole - left
            start *= 2
        return counts + tree[self._leaves : self._leaves + messages]


def _blocks(column: Floats, leaves: int) -> tuple[Counts, Floats]:
    """The blocks of one item, and how likely each is: its longest run of equal ones, and single."""
    inside = np.flatnonzero(column)
    if not inside.size:
        return np.empty(0, dtype=np.int64), np.empty(0)
    first, last = _longest_run(column)
    single = inside[(inside < first) | (inside >= last)]
    together = [(node, size) for node, size in _tree_nodes(first + leaves, last + leaves)]
    nodes = np.array([*(single + leaves).tolist(), *(node for node, _ in together)])
    each = column[first:last].sum() / (last - first)
    return nodes, np.concatenate([column[single], [size * each for _, size in together]])


def _longest_run(column: Floats) -> tuple[int, int]:
    """The longest run of equal positive entries, as a range [first, last)."""
    same = np.abs(np.diff(column)) <= ALIKE * column.max()
    breaks = np.flatnonzero(~(same & (column[1:] > 0))) + 1
    edges = np.concatenate([[0], breaks, [column.size]])
    lengths = np.where(column[edges[:-1]] > 0, np.diff(edges), 0)
    longest = int(np.argmax(lengths))
    return int(edges[longest]), int(edges[longest + 1])


def _tree_nodes(first: int, last: int) -> list[tuple[int, int]]:
    """The fewest nodes that make up the leaves [first, last), each with its number of leaves."""
    nodes, size = [], 1
    while first < last:
        if first & 1:
            nodes.append((first, size))
            first += 1
        if last & 1:
            last -= 1
            nodes.append((last, size))
        first, last, size = first >> 1, last >> 1, size * 2
    return nodes
