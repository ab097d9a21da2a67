"""Crafted reports of local hashing: the best of the hash functions that a fake user tries.

Cao, Jia, Gong, USENIX Security 2021, section 3.5; the distributions of the number of targets in one
bucket are for ideal hash functions. Functions that choose a seed take seeds : uint32[rows, K], the
seeds that each fake user tries, and return for each row the index of the chosen seed and its
bucket.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ...base.sampling import Floats, binomial_law
from ...kernels.hashing import PAIR_S, buckets, sharing
from ...kernels.loops import LOOPS
from ...kernels.primes import PRIME_3, UInts
from ...law.pure import BoolArray, Items, Rng, SeedSearch


@lru_cache(maxsize=256)
def matched_law(r: int, hash_range: int, search: SeedSearch) -> Floats:
    """float64[r + 1], read-only: Pr[M = j], with M the number of targets in one bucket under the
    best of `search.seeds` ideal hash functions.

    r : the number of targets. hash_range : g. With F the distribution function of one seed's score,
    Pr[M ≤ x] = F(x)^K. Scoring "anchor": M is 1 + Binomial(r - 1, 1/g). "bucket": the fullest of g
    buckets that r balls fall into.
    """
    if search.scoring == "anchor":
        score = np.zeros(r + 1)
        score[1:] = binomial_chances(r - 1, 1 / hash_range)
        cumulative = np.cumsum(score)
    else:
        cumulative = _fullest_bucket_law(r, hash_range)
    cumulative = np.clip(cumulative, 0.0, 1.0)
    cumulative[-1] = 1.0
    law = np.maximum(np.diff(cumulative**search.seeds, prepend=0.0), 0.0)
    law /= law.sum()
    law.setflags(write=False)
    return law


MANY_TERMS = 1 << 12
"""A binomial law of more is not added up term by term."""

MANY_BALLS = 256
"""Loads of bins by more are not convolved: that takes seconds."""

SURE = 1e-17
"""A less likely event leaves its complement a probability of 1, as a double."""


def binomial_chances(n: int, p: float) -> Floats:
    """float64[n + 1]: the distribution Binomial(n, p), p < 1."""
    law = np.zeros(n + 1)
    if n > MANY_TERMS:
        outcomes, likely = binomial_law(n, p)
        law[outcomes] = likely
        return law
    law[0] = 1.0
    for _ in range(n):  # sums of positive terms
        before = law[:-1] * p
        law *= 1 - p
        law[1:] += before
    return law


def _binomial_laws(most: int, p: float) -> Floats:
    """Row n is the law of Binomial(n, p); float64[most + 1, most + 1]. Sums of positive terms."""
    laws = np.zeros((most + 1, most + 1))
    laws[0, 0] = 1.0
    for n in range(1, most + 1):
        laws[n] = laws[n - 1] * (1 - p)
        laws[n, 1:] += laws[n - 1, :-1] * p
    return laws


@lru_cache(maxsize=256)
def fewest_law(r: int, hash_range: int, seeds: int) -> Floats:
    """float64[r + 1], read-only: Pr[M = j], with M the number of targets in the emptiest bucket
    under the best of `seeds` ideal hash functions.

    With G(x) = Pr[every bucket of one hash function has at least x targets], Pr[M ≥ x] = G(x)^K;
    with r < g some bucket is empty.
    """
    at_least = np.zeros(r + 2)
    below = hash_range * np.cumsum(binomial_chances(r, 1 / hash_range))
    sure = int(np.searchsorted(below, SURE)) + 1
    at_least[:sure] = 1.0
    for x in range(sure, r // hash_range + 1):
        at_least[x] = _all_bins(r, hash_range, np.arange(r + 1) >= x)
    law = np.maximum(-np.diff(np.clip(at_least, 0.0, 1.0) ** seeds), 0.0)
    law /= law.sum()
    law.setflags(write=False)
    return law


def _fullest_bucket_law(balls: int, bins: int) -> Floats:
    """Pr[no bin holds more than x balls], x = 0..balls, when balls fall into equal bins."""
    cumulative = np.ones(balls + 1)
    least = -(-balls // bins)
    cumulative[:least] = 0.0
    at_least = bins * np.cumsum(binomial_chances(balls, 1 / bins)[::-1])
    sure = balls - int(np.searchsorted(at_least, SURE))
    for x in range(least, sure + 1):
        cumulative[x] = _all_bins(balls, bins, np.arange(balls + 1) <= x)
    return cumulative


def _all_bins(balls: int, bins: int, allowed: BoolArray) -> float:
    """Pr[every bin holds an allowed number of balls]; allowed is bool[balls + 1]."""
    if balls > MANY_BALLS:
        return _total(balls, bins, allowed) / _total(balls, bins, np.ones_like(allowed))
    one = grouped = allowed.astype(np.float64)
    # For 0..balls balls: first in one bin, then in ever larger groups of bins.
    for law, doubled in _splits(balls, bins):
        grouped = _combine(law, grouped, grouped if doubled else one)
    return float(grouped[balls])


def _total(balls: int, bins: int, allowed: BoolArray) -> float:
    """Pr[all bins together hold `balls`, each an allowed number], of independent Poisson bins.

    Up to a factor, and as a Fourier sum: off by some 1e-16 for each bin.
    """
    mean = balls / bins
    mode = int(mean)
    up, down = np.arange(mode + 1, balls + 1), np.arange(mode, 0, -1)
    law = np.concatenate([np.cumprod(down / mean)[::-1], [1.0], np.cumprod(mean / up)])
    # Long enough that totals which it takes for `balls` are thrice as large, or none.
    size = 2 * (balls + 1)
    bin_law = np.fft.rfft(law / law.sum() * allowed, size)
    terms = (bin_law**bins * np.exp(2j * np.pi * balls * np.fft.rfftfreq(size))).real
    return float(2 * terms.sum() - terms[0] - terms[-1])


@lru_cache(maxsize=16)
def _splits(balls: int, bins: int) -> list[tuple[Floats, bool]]:
    """The steps from one bin to `bins`: double the group, or add one, with the split's law."""
    size, steps = 1, []
    for digit in f"{bins:b}"[1:]:
        steps.append((_binomial_laws(balls, 0.5), True))
        size *= 2
        if digit == "1":
            steps.append((_binomial_laws(balls, size / (size + 1)), False))
            size += 1
    return steps


def _combine(law: Floats, left: Floats, right: Floats) -> Floats:
    """Pr[all bins allowed] of n balls over two groups: Σ_k law[n, k]·left[k]·right[n - k]."""
    n = np.arange(left.size)
    other = np.where(n[:, None] >= n, n[:, None] - n, 0)  # the law is 0 where k > n
    return np.asarray((law * left * right[other]).sum(axis=1))


def find_anchored_seeds(
    aims: Items, seeds: UInts, hash_range: int, rng: Rng
) -> tuple[Items, UInts]:
    """For each row, the index of the seed with most targets in the bucket of a random target, and
    that bucket.

    aims : int64[r, rows], the targets of each row. seeds : uint32[rows, K].
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
    """For each row, the index of the seed, and the bucket, with the most targets.

    aims : int64[r, rows], the targets of each row. seeds : uint32[rows, K]. The targets in a bucket
    are counted pair by pair, so that the work does not grow with g.
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
    """For each row, the index of the seed, and the bucket, with the fewest targets.

    targets : int64[r]. seeds : uint32[rows, K].
    """
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
