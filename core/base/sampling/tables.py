"""Counts of messages, where each item has a law of messages of its own: exact, without the users.

Users of item v send message k with the probability table[k, v]. Drawing each item's messages costs
items × messages binomials; neighbouring messages that are as likely are drawn together here, and
split afterwards, which costs some 2 log₂(messages) for each item and gives the same law.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from .laws import Counts, Floats

ALIKE: Final = 1e-9
"""Probabilities that differ by this part of the largest one differ by rounding."""


@dataclass(frozen=True, eq=False)
class Split:
    """Each item's law of messages as a law of blocks, halved until they are messages.

    A block is a node of a binary tree over the messages, numbered as a heap: 1 is the root, 2i and
    2i + 1 are the halves of i. Within a block an item's messages are all as likely.

    common : the probability of a message by a law that all items share; shared : that law,
        float64[messages]. nodes, chances : int64[items, blocks], float64[items, blocks], the law
        of the other messages; the last block of an item has a positive chance.
    """

    common: float
    shared: Floats
    nodes: Counts
    chances: Floats


@dataclass(frozen=True, eq=False)
class ColumnCounts:
    """A sampler of the counts of messages.

    table : float64[messages, items], how likely each item's users send each message.
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

    def drawn(self, histogram: Counts, rng: np.random.Generator) -> Counts:
        """int64[trials, messages], from the users of each item, int64[trials, items]."""
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
