"""Crafted reports of local hashing: of the hash functions tried, the one that serves best.

Attacks: Cao, Jia, Gong, USENIX Security 2021, section 3.5. seeds : uint32[rows, K], those that each
fake user tries. Every function returns the place of the chosen seed and its bucket, per row.
"""

from __future__ import annotations

import numpy as np

from ...kernels.hashing import PAIR_S, buckets, sharing
from ...kernels.loops import LOOPS
from ...kernels.primes import PRIME_3, UInts
from ...law.pure import Items, Rng


def anchored(aims: Items, seeds: UInts, hash_range: int, rng: Rng) -> tuple[Items, UInts]:
    """The seed under which most targets share the bucket of one random target, per row.

    aims : int64[r, rows], the targets of each row.
    """
    rows = np.arange(len(seeds))
    anchor = aims[rng.integers(0, len(aims), size=rows.size), rows]
    if (compiled := LOOPS.after(PAIR_S * len(aims) * seeds.size)) is not None:
        best, value = np.empty_like(rows), np.empty(rows.size, dtype=np.uint32)
        compiled.anchored_seeds(_keys(aims), _keys(anchor), seeds, hash_range, best, value)
        return best, value
    shared = buckets(anchor[:, None], seeds, hash_range)
    hits = sharing(aims[:, :, None], seeds, shared, hash_range)
    best = hits.argmax(axis=1)
    return best, shared[rows, best]


def fullest(aims: Items, seeds: UInts, hash_range: int) -> tuple[Items, UInts]:
    """The seed with the fullest bucket of all, and that bucket, per row.

    The load of a bucket is counted from the targets in it: the work does not grow with g.
    """
    rows = np.arange(len(seeds))
    if (compiled := LOOPS.after(PAIR_S * len(aims) ** 2 * seeds.size)) is not None:
        best, value = np.empty_like(rows), np.empty(rows.size, dtype=np.uint32)
        compiled.fullest_seeds(_keys(aims), seeds, hash_range, best, value)
        return best, value
    placed = buckets(aims[:, :, None], seeds, hash_range)
    load = np.ones(placed.shape, dtype=np.uint16)
    for target in range(len(aims)):
        for other in range(target):
            same = placed[target] == placed[other]
            load[target] += same
            load[other] += same
    best = load.max(axis=0).argmax(axis=1)
    # Ties go to the lowest bucket: a rule on the targets would favour some of them.
    where, held = placed[:, rows, best], load[:, rows, best]
    return best, np.where(held == held.max(axis=0), where, hash_range).min(axis=0)


def _keys(items: Items) -> UInts:
    """The items as the compiled loops hash them."""
    return np.ascontiguousarray(items, dtype=np.uint32) * PRIME_3


def emptiest(targets: Items, seeds: UInts, hash_range: int) -> tuple[Items, UInts]:
    """The seed with the emptiest bucket of all, and that bucket, per row."""
    r, rows = targets.size, np.arange(len(seeds))
    placed = np.sort(buckets(targets[:, None, None], seeds, hash_range), axis=0)
    if r < hash_range:
        value = np.zeros(seeds.shape, dtype=np.uint32)  # the lowest that no target is in
        for bucket in placed:
            value += bucket == value
        best = np.zeros(rows.size, dtype=np.intp)
    else:
        fewest = np.full(seeds.shape, r, dtype=np.int64)
        value = np.zeros(seeds.shape, dtype=np.uint32)
        for bucket in range(hash_range):
            load = (placed == bucket).sum(axis=0)
            value[load < fewest] = bucket
            np.minimum(fewest, load, out=fewest)
        best = fewest.argmin(axis=1)
    return best, value[rows, best]
