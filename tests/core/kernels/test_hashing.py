"""The hash family: xxHash32, its buckets, and how they are counted."""

import struct
from collections.abc import Callable

import numpy as np
import pytest
import xxhash
from numpy.typing import NDArray
from support import budget
from support.budget import Verdict

from ldptui.core.kernels.hashing import (
    bucket_counts,
    bucket_interval,
    buckets,
    sharing,
    xxhash32,
)

UInts = NDArray[np.uint32]
Hash = Callable[[NDArray[np.integer], UInts], UInts]

# XXH32 of four little-endian bytes, computed once with the reference implementation in C.
CONSTANTS = [
    (0, 0, 0x08D6D969),
    (1, 0, 0xF3BB7693),
    (2, 0, 0x1F748196),
    (0, 1, 0x77F498C8),
    (1, 1, 0xEA951E9A),
    (1023, 0, 0x89C13372),
    (1023, 12345, 0x6DED8C1E),
    (0, 4294967295, 0xB2D9F3FD),
    (4294967295, 0, 0x04079E5F),
    (4294967295, 4294967295, 0x20E3FB57),
    (123456789, 987654321, 0x58F1823C),
    (65536, 2654435761, 0x25974FD4),
]


def package(item: int, seed: int) -> int:
    return xxhash.xxh32(struct.pack("<I", item), seed=seed).intdigest()


def written_out(items: NDArray[np.integer], seeds: UInts, finalised: bool = True) -> UInts:
    """The specification of XXH32 for one 4-byte lane, in 64-bit arithmetic."""
    word = np.uint64(0xFFFFFFFF)

    def times(x: NDArray[np.uint64], prime: int) -> NDArray[np.uint64]:
        return x * np.uint64(prime) & word

    h = seeds.astype(np.uint64) + np.uint64(374761393 + 4) & word
    h = h + times(items.astype(np.uint64), 3266489917) & word
    h = times((h << np.uint64(17) | h >> np.uint64(15)) & word, 668265263)
    if finalised:
        h = times(h ^ h >> np.uint64(15), 2246822519)
        h = times(h ^ h >> np.uint64(13), 3266489917)
        h = h ^ h >> np.uint64(16)
    return h.astype(np.uint32)


def unfinished(items: NDArray[np.integer], seeds: UInts) -> UInts:
    return written_out(items, seeds, finalised=False)


def pairs(rng: np.random.Generator) -> tuple[NDArray[np.int64], UInts]:
    """20,000 (item, seed) pairs, and the corners of both ranges."""
    edges = [0, 1, 2, 255, 256, 2**16, 2**31 - 1, 2**31, 2**32 - 1]
    corners = np.array([(item, seed) for item in edges for seed in edges], dtype=np.uint64)
    drawn = rng.integers(0, 2**32, size=(20_000, 2), dtype=np.uint64)
    drawn[:10_000, 0] %= 2048
    items, seeds = np.concatenate([corners, drawn]).T
    return items.astype(np.int64), seeds.astype(np.uint32)


def equals_the_package(hashed: Hash, rng: np.random.Generator) -> bool:
    items, seeds = pairs(rng)
    expected = [package(*pair) for pair in zip(items.tolist(), seeds.tolist(), strict=True)]
    return bool(np.array_equal(hashed(items, seeds), np.array(expected)))


def test_xxhash32_equals_the_package(rng: np.random.Generator) -> None:
    assert equals_the_package(xxhash32, rng)
    assert equals_the_package(written_out, rng)
    assert not equals_the_package(unfinished, rng)
    assert not equals_the_package(lambda items, seeds: xxhash32(items, seeds + np.uint32(1)), rng)


@pytest.mark.parametrize(("item", "seed", "value"), CONSTANTS)
def test_xxhash32_equals_fixed_constants(item: int, seed: int, value: int) -> None:
    seeds = np.array([seed], dtype=np.uint32)
    assert xxhash32(np.array([item]), seeds).tolist() == [value]
    assert unfinished(np.array([item]), seeds).tolist() != [value]


RANGES = [2, 3, 4, 5, 21, 149, 1000, 2**16, 2**20 - 1, 2**20]


@pytest.mark.parametrize("g", RANGES)
def test_bucket_is_the_high_word_of_the_product(g: int, rng: np.random.Generator) -> None:
    items, seeds = pairs(rng)
    hashes = xxhash32(items, seeds)
    expected = [h * g >> 32 for h in hashes.tolist()]
    assert buckets(items, seeds, g).tolist() == expected
    assert [h % g for h in hashes.tolist()] != expected


@pytest.mark.parametrize("g", RANGES)
def test_bucket_interval_is_the_same_bucket(g: int, rng: np.random.Generator) -> None:
    """Every hash at the edge of a bucket, and one beyond it."""
    values = np.unique(np.r_[0, 1, g - 2, g - 1, rng.integers(0, g, size=200)])
    first, extent = bucket_interval(values, g)
    for value, low, more in zip(values.tolist(), first.tolist(), extent.tolist(), strict=True):
        high = low + more
        assert low * g >> 32 == high * g >> 32 == value
        assert low == 0 or (low - 1) * g >> 32 == value - 1
        assert high == 2**32 - 1 or (high + 1) * g >> 32 == value + 1


@pytest.mark.usefixtures("loops")
@pytest.mark.parametrize(
    ("users", "d", "g"),
    [(0, 3, 2), (1, 2, 2), (57, 9, 3), (300, 17, 4), (8193, 2, 21), (20, 20, 2**20)],
)
def test_bucket_counts_equal_a_plain_loop(
    users: int, d: int, g: int, rng: np.random.Generator
) -> None:
    """Over the package, in Python, one pair after the other; across the edges of the blocks."""
    seeds = rng.integers(0, 2**32, size=users, dtype=np.uint32)
    values = rng.integers(0, g, size=users, dtype=np.uint32)
    expected = [
        sum(package(v, s) * g >> 32 == a for s, a in zip(seeds.tolist(), values.tolist()))  # noqa: B905
        for v in range(d)
    ]
    assert bucket_counts(seeds, values, g, d).tolist() == expected


def spreads_evenly(hashed: Hash, g: int, rng: np.random.Generator) -> Verdict:
    """The joint law of the buckets of two neighbouring items over random seeds."""
    seeds = rng.integers(0, 2**32, size=400_000, dtype=np.uint32)
    one, two = (
        hashed(np.array([item]), seeds).astype(np.uint64) * np.uint64(g) >> np.uint64(32)
        for item in (0, 1)
    )
    seen = np.bincount((one * np.uint64(g) + two).astype(np.int64), minlength=g * g)
    return budget.law(seen, np.full(g * g, 1 / g**2))


@pytest.mark.parametrize("g", [2, 4, 21])
def test_buckets_of_two_items_are_independent(g: int, rng: np.random.Generator) -> None:
    assert spreads_evenly(xxhash32, g, rng)
    assert not spreads_evenly(unfinished, g, rng)


@pytest.mark.parametrize("g", [2, 3, 4, 2**16, 2**17])
def test_what_shares_a_bucket_is_counted_as_the_buckets_say(g: int) -> None:
    """The last step of the hash is left out where it cannot change the bucket."""
    rng = np.random.default_rng(g)
    items = rng.integers(0, 2**32, size=(300, 1, 1))
    seeds = rng.integers(0, 2**32, size=(3, 50), dtype=np.uint32)
    values = buckets(items[0], seeds, g)
    counted = sharing(items, seeds, values, g)
    assert (counted == (buckets(items, seeds, g) == values).sum(axis=0)).all()
