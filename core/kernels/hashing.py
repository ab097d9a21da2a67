"""The hash family of local hashing: xxHash32 of an item as a little-endian uint32, with a seed.

Equal bit for bit to `xxhash.xxh32(struct.pack("<I", item), seed).intdigest()`. Everything works in
place on blocks that fit into the processor's L2 cache, long axis contiguous.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..base.sampling import Counts
from .bits import BitColumns, no_columns
from .loops import LOOPS
from .primes import PRIME_2, PRIME_3, PRIME_4, START, UInts

USERS_PER_BLOCK: Final = 8192
ITEMS_PER_BLOCK: Final = 8
"""8192 x 8 uint32 and one scratch copy are 512 KB, the fastest of the sizes tried."""


PAIR_S: Final = 1e-9
"""Seconds that NumPy takes for the hash of a pair of a user and an item."""


def _mix(state: UInts, scratch: UInts, low: bool = True) -> None:
    """Finish xxHash32 in place: `state` holds seed + START + item * PRIME_3 on entry.

    low : False leaves the low 16 bits as they are before the last step, which is about them alone.
    """
    np.left_shift(state, 17, out=scratch)
    np.right_shift(state, 15, out=state)
    np.bitwise_or(state, scratch, out=state)
    np.multiply(state, PRIME_4, out=state)
    np.right_shift(state, 15, out=scratch)
    np.bitwise_xor(state, scratch, out=state)
    np.multiply(state, PRIME_2, out=state)
    np.right_shift(state, 13, out=scratch)
    np.bitwise_xor(state, scratch, out=state)
    np.multiply(state, PRIME_3, out=state)
    if low:
        np.right_shift(state, 16, out=scratch)
        np.bitwise_xor(state, scratch, out=state)


def xxhash32(items: NDArray[np.integer], seeds: UInts) -> UInts:
    """uint32[…]: xxHash32 of items under seeds, which broadcast against each other."""
    keys = items.astype(np.uint32) * PRIME_3
    state = np.asarray(np.add(seeds + START, keys))
    _mix(state, np.empty_like(state))
    return state


def buckets(items: NDArray[np.integer], seeds: UInts, hash_range: int) -> UInts:
    """uint32[…] in [0, g): the bucket (h * g) >> 32 of each (item, seed) pair, which broadcast."""
    wide = xxhash32(items, seeds).astype(np.uint64)
    wide *= np.uint64(hash_range)
    wide >>= np.uint64(32)
    return wide.astype(np.uint32)


def bucket_interval(values: NDArray[np.integer], hash_range: int) -> tuple[UInts, UInts]:
    """The first hash of each bucket, and the number of its hashes less one: uint32[n] each.

    A hash h is in a bucket if and only if (h - first) mod 2^32 ≤ extent: one subtraction and one
    comparison instead of a product, a shift and a comparison in 64 bits.
    """
    wide = values.astype(np.uint64)
    g, top = np.uint64(hash_range), np.uint64(2**32)
    first = (wide * top + g - np.uint64(1)) // g
    end = ((wide + np.uint64(1)) * top + g - np.uint64(1)) // g
    return first.astype(np.uint32), (end - first - np.uint64(1)).astype(np.uint32)


def _low_bits_matter(hash_range: int) -> bool:
    """True unless the high 16 bits of a hash tell its bucket: they do for small powers of two."""
    return hash_range > 2**16 or hash_range & (hash_range - 1) != 0


def sharing(
    items: NDArray[np.integer], seeds: UInts, values: UInts, hash_range: int
) -> NDArray[np.unsignedinteger]:
    """The number of items in the bucket of each (seed, value) pair, an array of the seeds' shape.

    items : int64[r, …], those of each pair. items[i], seeds and values broadcast against each
    other.
    """
    first, extent = bucket_interval(values, hash_range)
    started, low = seeds + START, _low_bits_matter(hash_range)
    state, scratch = np.empty_like(seeds), np.empty_like(seeds)
    shared = np.zeros(seeds.shape, dtype=np.min_scalar_type(len(items)))
    hit = np.empty(seeds.shape, dtype=np.bool_)
    for keys in items.astype(np.uint32) * PRIME_3:
        np.add(started, keys, out=state)
        _mix(state, scratch, low)
        np.subtract(state, first, out=state)
        np.less_equal(state, extent, out=hit)
        np.add(shared, hit.view(np.uint8), out=shared)
    return shared


def bucket_counts(seeds: UInts, values: UInts, hash_range: int, domain_size: int) -> Counts:
    """int64[d]: the number of (seed, value) pairs, of N, that each item of the domain hashes to."""
    listed = np.arange(domain_size, dtype=np.uint32)
    counts = np.zeros(listed.size, dtype=np.int64)
    if (compiled := LOOPS.after(PAIR_S * seeds.size * listed.size)) is not None:
        interval = bucket_interval(values, hash_range)
        compiled.hit_counts(listed * PRIME_3, seeds + START, *interval, counts)
        return counts
    for items, _, hits in _hits(seeds, values, hash_range, listed):
        # Row by row: with an axis NumPy would sum, not count.
        counts[items] += [np.count_nonzero(row) for row in hits]
    return counts


def bucket_columns(seeds: UInts, values: UInts, hash_range: int, domain_size: int) -> BitColumns:
    """uint64[d, ceil(N/64)]: for each item the (seed, value) pairs that it hashes to, a bit for
    each pair.

    seeds, values : uint32[N].
    """
    columns = no_columns(domain_size, seeds.size)
    listed = np.arange(domain_size, dtype=np.uint32)
    if (compiled := LOOPS.after(PAIR_S * seeds.size * listed.size)) is not None:
        interval = bucket_interval(values, hash_range)
        compiled.hit_columns(listed * PRIME_3, seeds + START, *interval, columns)
        return columns.view(np.uint64)
    for items, users, hits in _hits(seeds, values, hash_range, listed):
        packed = np.packbits(hits, axis=1)
        first = users.start // 8
        columns[items, first : first + packed.shape[1]] = packed
    return columns.view(np.uint64)


def _hits(
    seeds: UInts, values: UInts, hash_range: int, listed: UInts
) -> Iterator[tuple[slice, slice, NDArray[np.bool_]]]:
    """Blocks of items and of pairs, and bool[items, pairs]: which pairs each item hashes to."""
    keys = listed * PRIME_3
    first, extent = bucket_interval(values, hash_range)
    started, low = seeds + START, _low_bits_matter(hash_range)
    shape = (ITEMS_PER_BLOCK, USERS_PER_BLOCK)
    block, spare = np.empty(shape, np.uint32), np.empty(shape, np.uint32)
    for user in range(0, seeds.size, USERS_PER_BLOCK):
        users = slice(user, min(user + USERS_PER_BLOCK, seeds.size))
        width = users.stop - users.start
        for item in range(0, listed.size, ITEMS_PER_BLOCK):
            items = slice(item, min(item + ITEMS_PER_BLOCK, listed.size))
            state = block[: items.stop - items.start, :width]
            scratch = spare[: items.stop - items.start, :width]
            np.add(keys[items, None], started[None, users], out=state)
            _mix(state, scratch, low)
            np.subtract(state, first[users], out=state)
            yield items, users, state <= extent[users]
