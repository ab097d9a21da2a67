"""The inner loops of local hashing, compiled by numba. Loaded only where they are worth it.

The same integers as those of NumPy in `core.hashing`, hence the same counts and digests. The result
of every operation is cast to uint32, which numba would widen: only so does the compiler use the
whole width of the processor.
"""

from __future__ import annotations

from typing import Any, Final

from numba import njit, uint32
from numpy.typing import NDArray

from .hashing import PRIME_2, PRIME_3, PRIME_4, UInts
from .sampling import Counts

USERS_PER_BLOCK: Final = 16_384
"""Three arrays of them, 192 KiB, stay in the processor's L2 cache while all items pass."""

_A, _B, _C = int(PRIME_4), int(PRIME_2), int(PRIME_3)


@njit(inline="always")
def _mixed(state: Any) -> Any:
    """Finish xxHash32, as `core.hashing` does."""
    state = uint32(uint32(state << uint32(17)) | uint32(state >> uint32(15)))
    state = uint32(state * uint32(_A))
    state = uint32(state ^ uint32(state >> uint32(15)))
    state = uint32(state * uint32(_B))
    state = uint32(state ^ uint32(state >> uint32(13)))
    state = uint32(state * uint32(_C))
    return uint32(state ^ uint32(state >> uint32(16)))


@njit(cache=True, nogil=True)
def hit_counts(keys: UInts, started: UInts, first: UInts, extent: UInts, counts: Counts) -> None:
    """Add to int64[items] the number of users whose bucket each item falls into.

    keys : uint32[items], items × PRIME_3. started : uint32[users], seeds + START. first, extent :
    uint32[users], as `core.hashing.bucket_interval` has them.
    """
    for begin in range(0, started.size, USERS_PER_BLOCK):
        end = min(begin + USERS_PER_BLOCK, started.size)
        seeds, low, wide = started[begin:end], first[begin:end], extent[begin:end]
        for item in range(keys.size):
            key, hits = keys[item], uint32(0)
            for user in range(seeds.size):
                offset = uint32(_mixed(uint32(seeds[user] + key)) - low[user])
                hits = uint32(hits + uint32(offset <= wide[user]))
            counts[item] += hits


@njit(cache=True, nogil=True)
def shared_counts(
    keys: UInts, started: UInts, first: UInts, extent: UInts, shared: NDArray[Any]
) -> None:
    """Write to [rows, K] the number of a row's items in the bucket of each of its K seeds.

    keys : uint32[r, rows], items × PRIME_3. started, first, extent : uint32[rows, K].
    """
    for row in range(started.shape[0]):
        seeds, low, wide = started[row], first[row], extent[row]
        hits = shared[row]
        hits[:] = 0
        for item in range(keys.shape[0]):
            key = keys[item, row]
            for place in range(seeds.size):
                offset = uint32(_mixed(uint32(seeds[place] + key)) - low[place])
                hits[place] += offset <= wide[place]
