"""The inner loops that numba compiles. `.loops` loads them if they save time.

They compute the same integers as NumPy in `.hashing`, `core.protocols` and `core.defences`, hence
the same counts and digests. The result of every operation is cast to its width, which numba would
widen: only so does the compiler use the whole width of the processor.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any, Final

import numpy as np
from numba import njit, uint8, uint32, uint64
from numpy.typing import NDArray

from ..base.sampling import Counts
from ..base.work import whole
from .primes import PRIME_2, PRIME_3, PRIME_4, START, UInts

USERS_PER_BLOCK: Final = 16_384
"""Three arrays of them, 192 KiB, stay in the processor's L2 cache while all items pass."""

_A, _B, _C, _START = int(PRIME_4), int(PRIME_2), int(PRIME_3), int(START)


def _loop(function: Callable[..., None]) -> Callable[..., None]:
    """A loop as numba compiles it, in whole, at its first call with arguments of their types."""
    compiled, known = njit(cache=True, nogil=True)(function), set()

    @wraps(function)
    def call(*arguments: Any) -> None:
        types = tuple(
            (each.dtype, each.ndim, each.flags.num) if isinstance(each, np.ndarray) else type(each)
            for each in arguments
        )
        if types in known:
            compiled(*arguments)
        else:
            whole(partial(compiled, *arguments))
            known.add(types)

    return call


@njit(inline="always")
def _mix_state(state: Any) -> Any:
    """Finish xxHash32, as `core.kernels.hashing` does."""
    state = uint32(uint32(state << uint32(17)) | uint32(state >> uint32(15)))
    state = uint32(state * uint32(_A))
    state = uint32(state ^ uint32(state >> uint32(15)))
    state = uint32(state * uint32(_B))
    state = uint32(state ^ uint32(state >> uint32(13)))
    state = uint32(state * uint32(_C))
    return uint32(state ^ uint32(state >> uint32(16)))


@njit(inline="always")
def _place(seeds: UInts, key: Any, hash_range: Any, placed: UInts) -> None:
    """Write the bucket of one item under each of the seeds. key : item × PRIME_3."""
    start = uint32(key + uint32(_START))
    for place in range(seeds.size):
        wide = uint64(uint64(_mix_state(uint32(seeds[place] + start))) * uint64(hash_range))
        placed[place] = uint32(wide >> uint64(32))


@_loop
def hit_counts(keys: UInts, started: UInts, first: UInts, extent: UInts, counts: Counts) -> None:
    """Add to `counts`, int64[items], the number of users whose bucket each item falls into.

    keys : uint32[items], items × PRIME_3. started : uint32[users], seeds + START. first, extent :
    uint32[users], as `core.kernels.hashing.bucket_interval` returns them.
    """
    for begin in range(0, started.size, USERS_PER_BLOCK):
        end = min(begin + USERS_PER_BLOCK, started.size)
        seeds, low, wide = started[begin:end], first[begin:end], extent[begin:end]
        for item in range(keys.size):
            key, hits = keys[item], uint32(0)
            for user in range(seeds.size):
                offset = uint32(_mix_state(uint32(seeds[user] + key)) - low[user])
                hits = uint32(hits + uint32(offset <= wide[user]))
            counts[item] += hits


@_loop
def hit_columns(
    keys: UInts, started: UInts, first: UInts, extent: UInts, columns: NDArray[np.uint8]
) -> None:
    """Write for each item the users whose bucket it falls into: a bit each, the first user in the
    highest bit.

    Arguments as for `hit_counts`. columns : uint8[items, at least ceil(users/8)], zeros before.
    """
    hits = np.zeros(USERS_PER_BLOCK, dtype=np.uint8)
    eights = hits.view(np.uint64)
    for begin in range(0, started.size, USERS_PER_BLOCK):
        end = min(begin + USERS_PER_BLOCK, started.size)
        seeds, low, wide = started[begin:end], first[begin:end], extent[begin:end]
        hits[:] = 0
        for item in range(keys.size):
            key = keys[item]
            for user in range(seeds.size):
                offset = uint32(_mix_state(uint32(seeds[user] + key)) - low[user])
                hits[user] = uint8(offset <= wide[user])
            for place in range((seeds.size + 7) // 8):
                # Byte k of eight, 0 or 1, becomes bit 7 - k of the highest byte of the product.
                eight = uint64(eights[place] * uint64(0x8040201008040201))
                columns[item, begin // 8 + place] = uint8(eight >> uint64(56))


@_loop
def anchored_seeds(
    keys: UInts, anchors: UInts, seeds: UInts, hash_range: int, best: Counts, value: UInts
) -> None:
    """Write for each row the index of the seed with most items in its anchor's bucket, and that
    bucket.

    keys : uint32[r, rows], items × PRIME_3. anchors : uint32[rows], the same of one item of each
    row. seeds : uint32[rows, K]. best : int64[rows], the indices. value : uint32[rows], the
    buckets.
    """
    shared, placed, hits = np.empty((3, seeds.shape[1]), dtype=np.uint32)
    for row in range(len(seeds)):
        _place(seeds[row], anchors[row], hash_range, shared)
        hits[:] = 0
        for item in range(len(keys)):
            _place(seeds[row], keys[item, row], hash_range, placed)
            for place in range(hits.size):
                hits[place] += uint32(placed[place] == shared[place])
        best[row] = hits.argmax()
        value[row] = shared[best[row]]


@_loop
def fullest_seeds(keys: UInts, seeds: UInts, hash_range: int, best: Counts, value: UInts) -> None:
    """Write for each row the index of the seed with the fullest bucket, and the lowest such bucket.

    Arguments as for `anchored_seeds`.
    """
    placed = np.empty((len(keys), seeds.shape[1]), dtype=np.uint32)
    load, fullest = np.empty_like(placed), np.empty_like(placed[0])
    for row in range(len(seeds)):
        load[:] = 1
        for item in range(len(keys)):
            mine, more = placed[item], load[item]
            _place(seeds[row], keys[item, row], hash_range, mine)
            for other in range(item):
                others, less = placed[other], load[other]
                for place in range(mine.size):
                    same = uint32(mine[place] == others[place])
                    more[place] += same
                    less[place] += same
        fullest[:] = 0
        for item in range(len(keys)):
            for place in range(fullest.size):
                fullest[place] = max(fullest[place], load[item, place])
        best[row] = fullest.argmax()
        value[row] = hash_range
        for item in range(len(keys)):
            if load[item, best[row]] == fullest[best[row]]:
                value[row] = min(value[row], placed[item, best[row]])


@_loop
def bit_counts(reports: NDArray[np.uint8], counts: Counts) -> None:
    """Add to `counts`, int64[d], the number of reports with each bit. reports : uint8[n,
    ceil(d/8)], packed.
    """
    users, width = reports.shape
    few = np.empty((8, width), dtype=np.uint8)
    for begin in range(0, users, 255):  # which a byte counts
        few[:] = 0
        for user in range(begin, min(begin + 255, users)):
            for place in range(width):
                for bit in range(8):
                    there = uint8(uint8(reports[user, place] >> uint8(7 - bit)) & uint8(1))
                    few[bit, place] = uint8(few[bit, place] + there)
        for item in range(counts.size):
            counts[item] += few[item & 7, item >> 3]
