"""The items of a cell cut to the prefixes of each level; the candidates of a level."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...base.sampling import Counts
from ...law.pure import Items
from .codes import Codes
from .levels import start_length


@dataclass(frozen=True, eq=False)
class Level:
    """The prefixes of one length.

    number : of the level, from 0. length : λ, the bits of a prefix.
    held : uint64[u], the prefixes of the items, ascending. order : int64[d], the items by code;
    starts : int64[u], where the items of each prefix start in that order.
    """

    number: int
    length: int
    held: Codes
    order: Items
    starts: Items

    def users(self, histogram: Counts) -> Counts:
        """int64[u], the users of each prefix that items have, from those of each item."""
        return np.add.reduceat(histogram[self.order], self.starts)

    def of(self, histogram: Counts, prefixes: Codes) -> Counts:
        """int64[len(prefixes)], the users of these prefixes; the histogram is of those held."""
        at = np.minimum(np.searchsorted(self.held, prefixes), self.held.size - 1)
        return np.where(self.held[at] == prefixes, histogram[at], 0)


@dataclass(frozen=True, eq=False)
class Prefixes:
    """The codes of all items, uint64[d] of `bits` bits, and the lengths of their prefixes."""

    codes: Codes
    bits: int
    k: int
    lengths: tuple[int, ...]

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        """The prefixes of each level."""
        order = np.argsort(self.codes, kind="stable")
        levels = []
        for number, length in enumerate(self.lengths):
            held, starts = np.unique(self.cut(self.codes[order], number), return_index=True)
            levels.append(Level(number, length, held, order, starts))
        return tuple(levels)

    def cut(self, codes: Codes, number: int) -> Codes:
        """The prefixes of codes at a level."""
        return np.asarray(codes >> np.uint64(self.bits - self.lengths[number]))

    @property
    def roots(self) -> Codes:
        """All prefixes of ⌈log2 k⌉ bits, ascending: the survivors before the first level."""
        return np.arange(2 ** start_length(self.k), dtype=np.uint64)

    def children(self, survivors: Codes, number: int) -> Codes:
        """The candidates of a level, ascending: all extensions of the survivors before it."""
        before = self.lengths[number - 1] if number else start_length(self.k)
        added = self.lengths[number] - before
        ends = np.arange(2**added, dtype=np.uint64)
        return ((survivors[:, None] << np.uint64(added)) | ends).reshape(-1)


def places(within: Codes, prefixes: Codes) -> Items:
    """int64[len(prefixes)], where prefixes stand in an ascending array; -1 where they do not."""
    if not within.size:
        return np.full(prefixes.size, -1)
    at = np.minimum(np.searchsorted(within, prefixes), within.size - 1)
    return np.where(within[at] == prefixes, at, -1)
