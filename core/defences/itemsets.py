"""Frequent item sets of reports that are bits, mined level by level on bit-packed columns.

Agrawal, Srikant, "Fast Algorithms for Mining Association Rules", VLDB 1994: a set is frequent only
if all its subsets are. Of each size, only the sets that are supported together most beyond chance
are kept and extended, so that the work stays bounded if nearly every set is frequent; a domain with
no more sets than are kept is mined completely.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import singledispatch
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..base.sampling import Counts, Floats
from ..base.work import Tell, no_words
from ..kernels.bits import BitColumns, columns_of, no_columns
from ..kernels.hashing import bucket_columns
from ..law.pure import BoolArray, Items, PureProtocol, Reports
from ..protocols.hashing import LocalHashing
from ..protocols.unary import IndependentBits

KEPT: Final = 2048
"""Sets of each size that are kept: all pairs of 64 items. Of the pairs of 1,024 items it is those
beyond 2.7 standard deviations where all are independent."""

USERS_AT_ONCE: Final = 1 << 14
"""Users whose pairs are counted at once: their columns stay near the processor."""

COUNTED_AT_ONCE: Final = 64
"""Sets counted at once."""


@dataclass(frozen=True, eq=False)
class ItemsetLevel:
    """The frequent item sets of one size, the most correlated sets first.

    sets : int64[k, size], items in rising order. support : int64[k], the users with all of a set.
    """

    sets: Items
    support: Counts

    @property
    def size(self) -> int:
        return int(self.sets.shape[1])


@singledispatch
def report_columns(protocol: PureProtocol, reports: Reports) -> BitColumns:
    """Packed columns of bits, one column for each item: 1 if the report supports it; uint64[d,
    ceil(N/64)].
    """
    packed = no_columns(protocol.domain_size, len(reports))
    rows = 8 * max(1, math.ceil(2**22 / 8 / protocol.domain_size))
    for at in range(0, len(reports), rows):
        bits = np.packbits(protocol.supports(reports[at : at + rows]).T, axis=1)
        packed[:, at // 8 : at // 8 + bits.shape[1]] = bits
    return packed.view(np.uint64)


@report_columns.register
def _(protocol: IndependentBits, reports: Reports) -> BitColumns:
    return columns_of(reports, protocol.domain_size)


@report_columns.register
def _(protocol: LocalHashing, reports: Reports) -> BitColumns:
    seeds, values = np.ascontiguousarray(reports["seed"]), reports["value"].copy()
    return bucket_columns(seeds, values, protocol.hash_range, protocol.domain_size)


def support_of(columns: BitColumns, items: Items) -> NDArray[np.uint64]:
    """uint64[ceil(N/64)]: the users who support all of the items (at least one item), as packed
    bits.
    """
    return np.asarray(np.bitwise_and.reduce(columns[items], axis=0))


def users_in(bits: NDArray[np.uint64]) -> int:
    """The number of users in packed bits."""
    return int(np.bitwise_count(bits).sum(dtype=np.uint64))


def unpack_bits(bits: NDArray[np.uint64], users: int) -> BoolArray:
    """bool[N]: the unpacked bits of `users` = N users."""
    return np.unpackbits(bits.view(np.uint8), count=users).view(np.bool_)


def sizes_of(columns: BitColumns, users: int) -> NDArray[np.int32]:
    """int32[N]: the number of columns in which each user has a 1."""
    packed = columns.view(np.uint8)
    sizes = np.zeros((packed.shape[1], 8), dtype=np.int32)
    for column in packed:
        sizes += np.unpackbits(column).reshape(-1, 8)
    return sizes.reshape(-1)[:users]


def mine_itemsets(
    columns: BitColumns,
    users: int,
    least: float,
    most: int,
    tell: Tell = no_words,
) -> Iterator[ItemsetLevel]:
    """Yields the frequent item sets of sizes 1, 2, …, `most`, which at least `least` users support.

    Ends with the first size without a frequent set. Beyond chance: the number of standard
    deviations by which the support exceeds that of an item independent of the other items of the
    set; the least over the ways in which a set consists of a kept set and an item.

    columns : uint64[d, ceil(N/64)]. tell : called with a progress message.
    """
    single = np.array([users_in(column) for column in columns])
    items = np.flatnonzero(single >= least)
    yield ItemsetLevel(items[:, None], single[items])
    if most < 2 or items.size < 2:
        return
    tell("pairs of items")
    level, joined = _pairs(columns, single, items, users, least)
    while level.support.size:
        yield level
        if level.size == most:
            return
        level = _extend_level(columns, single, level, joined, users, least, tell)


def _pairs(
    columns: BitColumns,
    single: Counts,
    items: Items,
    users: int,
    least: float,
) -> tuple[ItemsetLevel, BoolArray]:
    """The kept pairs, and bool[d, d]: which items are in one."""
    together = pair_counts(columns, items)
    first, second = np.nonzero(np.triu(together >= least, 1))
    support = together[first, second]
    expected = single[items[first]] * (single[items[second]] / users)
    best = _most(_deviations(support, expected))
    sets = np.stack([items[first[best]], items[second[best]]], axis=1)
    joined = np.zeros((len(columns), len(columns)), dtype=np.bool_)
    joined[sets[:, 0], sets[:, 1]] = joined[sets[:, 1], sets[:, 0]] = True
    return ItemsetLevel(sets, support[best]), joined


def pair_counts(columns: BitColumns, items: Items) -> NDArray[np.int64]:
    """int64[k, k], above the diagonal: the users who support each pair of the items."""
    together = np.zeros((items.size, items.size), dtype=np.int64)
    words = USERS_AT_ONCE // 64
    for at in range(0, columns.shape[1], words):
        some = np.ascontiguousarray(columns[items, at : at + words])
        for first in range(len(some) - 1):
            both = np.bitwise_count(some[first] & some[first + 1 :])
            together[first, first + 1 :] += both.sum(axis=1, dtype=np.int64)
    return together


def _extend_level(
    columns: BitColumns,
    single: Counts,
    level: ItemsetLevel,
    joined: BoolArray,
    users: int,
    least: float,
    tell: Tell,
) -> ItemsetLevel:
    """The kept sets of one item more: any two items of a set are a kept pair."""
    done = 0
    room = joined[level.sets].all(axis=1)  # bool[k, d]; no item is joined with itself
    parent, item = np.nonzero(room)
    grown = np.sort(np.concatenate([level.sets[parent], item[:, None]], axis=1), axis=1)
    sets, made, which = _different(grown, len(columns))
    support = np.empty(len(sets), dtype=np.int64)
    order = np.argsort(made, kind="stable")  # the children of one parent follow each other
    starts = np.flatnonzero(np.diff(parent[made[order]], prepend=-1))
    for children in np.split(order, starts[1:]) if order.size else ():
        held = support_of(columns, level.sets[parent[made[children[0]]]])
        for at in range(0, children.size, COUNTED_AT_ONCE):
            some = children[at : at + COUNTED_AT_ONCE]
            support[some] = _counts_within(held, columns, item[made[some]])
            done += some.size
            tell(f"sets of {level.size + 1} items, {100 * done // len(sets)} %")
    expected = level.support[parent] * (single[item] / users)
    beyond = np.full(len(sets), np.inf)
    np.minimum.at(beyond, which.ravel(), _deviations(support[which.ravel()], expected))
    beyond[support < least] = -np.inf
    best = _most(beyond)
    best = best[np.isfinite(beyond[best])]
    return ItemsetLevel(sets[best], support[best])


def _different(grown: Items, d: int) -> tuple[Items, Items, Items]:
    """The rows without repetitions, in rising order; where each is first, and which each row is.

    Rows of items below d are numbers in base d, where these fit into 63 bits: sorted much faster.
    """
    size = grown.shape[1]
    if size * math.log2(d) > 62:
        return np.unique(grown, axis=0, return_index=True, return_inverse=True)
    numbers = grown @ d ** np.arange(size - 1, -1, -1, dtype=np.int64)
    _, made, which = np.unique(numbers, return_index=True, return_inverse=True)
    return grown[made], made, which


def _counts_within(held: NDArray[np.uint64], columns: BitColumns, items: Items) -> Counts:
    """int64[k]: the users of a set, packed bits, who support each of the items."""
    return np.asarray(np.bitwise_count(held & columns[items]).sum(axis=1, dtype=np.int64))


def _deviations(support: Counts, expected: Floats) -> Floats:
    """The support beyond what is expected, in standard deviations of a rare event's count."""
    return np.asarray((support - expected) / np.sqrt(np.maximum(expected, 1.0)))


def _most(beyond: Floats) -> Items:
    """The indices of the KEPT largest, largest first; of equal ones the first."""
    if beyond.size > KEPT:
        level = np.partition(beyond, beyond.size - KEPT)[beyond.size - KEPT]
        likely = np.flatnonzero(beyond >= level)
    else:
        likely = np.arange(beyond.size)
    return likely[np.argsort(-beyond[likely], kind="stable")][:KEPT]


def memory_of(items: int, users: int) -> int:
    """An approximate upper bound on the bytes that item set mining needs: columns, pairs and
    counts.
    """
    words = -(-users // 64)
    return items * (8 * words + 40 * items + 6 * USERS_AT_ONCE) + 80 * words
