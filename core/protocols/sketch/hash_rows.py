"""The hash functions of a sketch, public and the same for all users: one for each row.

Row j hashes an item by xxHash32 with seed j. Two items that share a bucket in a row collide there.
All sums below go through the buckets of every row: work in proportion to rows times items.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from ...base.sampling import Floats
from ...kernels.hashing import buckets
from ...kernels.primes import UInts
from ...law.pure import Items

BucketSharing: TypeAlias = tuple[float, float, float]
"""The buckets that some items share, on average over the rows, by their number w in a bucket.

Σ_u f_u w(u), Σ_u f_u w(u)² and Σ_buckets w², where w(u) is that of the bucket of item u.
"""

CELLS = 1 << 19
"""Cells of a few rows that are handled at once: 4 MB of doubles."""


def hash_items(items: Items, rows: Items, size: int) -> UInts:
    """uint32[rows, items]: the bucket, of `size` buckets, of each item in each row."""
    return buckets(items[None, :], rows.astype(np.uint32)[:, None], size)


def hashed_in(items: Items, rows: Items, size: int) -> UInts:
    """uint32[n]: the bucket of each item in its own row."""
    return buckets(items, rows.astype(np.uint32), size)


def each_row(items: Items, rows: int, size: int) -> Iterator[UInts]:
    """Yields uint32[rows, items], the buckets of all items, a few rows at a time."""
    step = max(1, CELLS // max(items.size, size))
    for at in range(0, rows, step):
        yield hash_items(items, np.arange(at, min(at + step, rows)), size)


def sums(placed: UInts, weights: Floats, size: int) -> Floats:
    """float64[rows, size]: the total weight in each bucket.

    placed : uint32[rows, items], the bucket of each item. weights : float64[items].
    """
    rows = np.arange(len(placed))[:, None]
    flat = (placed + rows * size).ravel()
    total = np.bincount(flat, np.tile(weights, len(placed)), len(placed) * size)
    return np.asarray(total.reshape(len(placed), size), dtype=np.float64)


def shared_weights(weights: Floats, rows: int, size: int) -> Floats:
    """float64[d]: the total weight in each item's bucket, its own included, averaged over the rows.

    weights : float64[d].
    """
    return _shared_by_bytes(weights.tobytes(), rows, size)


@lru_cache(maxsize=16)
def _shared_by_bytes(weights: bytes, rows: int, size: int) -> Floats:
    held = np.frombuffer(weights)
    total = np.zeros(held.size)
    for placed in each_row(np.arange(held.size), rows, size):
        total += np.take_along_axis(sums(placed, held, size), placed.astype(np.intp), 1).sum(axis=0)
    total /= rows
    total.flags.writeable = False
    return total


@lru_cache(maxsize=16)
def bucket_sharing(weights: bytes, counted: bytes, rows: int, size: int) -> BucketSharing:
    """The three moments of `BucketSharing`, averaged over the rows.

    weights : the bytes of float64[d], the users of each item. counted : the bytes of int64[r], the
    counted items.
    """
    held, chosen = np.frombuffer(weights), np.frombuffer(counted, dtype=np.int64)
    totals = np.zeros(3)
    for placed in each_row(np.arange(held.size), rows, size):
        together = sums(placed[:, chosen], np.ones(chosen.size), size)
        users = sums(placed, held, size)
        totals += (users * together).sum(), (users * together**2).sum(), (together**2).sum()
    first, second, squares = (totals / rows).tolist()
    return first, second, squares
