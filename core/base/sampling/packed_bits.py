"""Independent bits, eight at a time, packed as a report packs them.

A 16-bit number names the pattern of a byte by a table. The few numbers that rounding leaves over
draw from the rest of the law, so that each pattern has its probability to the last digits of a
double.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .subsets import BITS, Packed, without_padding

Rng = np.random.Generator

BLOCK = 1 << 15
"""Bytes that are drawn at once: with the table they fit into the processor's L2 cache."""

NUMBERS = 1 << 16
"""The numbers that name patterns."""


class PackedBernoulli:
    """Bits that are 1 with probability `rate` each, independently."""

    def __init__(self, rate: float) -> None:
        self.rate = rate
        ones = np.bitwise_count(np.arange(256, dtype=np.uint8)).astype(np.float64)
        expected = rate**ones * (1 - rate) ** (8 - ones) * NUMBERS
        numbers = np.floor(expected).astype(np.int64)
        self._whole = int(numbers.sum())
        self._patterns = np.zeros(NUMBERS, dtype=np.uint8)
        self._patterns[: self._whole] = np.repeat(np.arange(256, dtype=np.uint8), numbers)
        self._rest = np.cumsum(expected - numbers)

    def draw(self, rows: int, items: int, rng: Rng) -> Packed:
        """uint8[rows, ceil(items/8)], a bit for each item."""
        bits = np.empty((rows, -(-items // 8)), dtype=np.uint8)
        if self.rate in (0, 1):
            bits[:] = 255 * int(self.rate)
        else:
            self._fill(bits.reshape(-1), rng)
        return without_padding(bits, items)

    def _fill(self, cells: NDArray[np.uint8], rng: Rng) -> None:
        for at in range(0, cells.size, BLOCK):
            part = cells[at : at + BLOCK]
            words = rng.integers(0, 2**64, size=-(-part.size // 4), dtype=np.uint64)
            numbers = words.view(np.uint16)[: part.size]
            self._patterns.take(numbers, out=part, mode="clip")
            left = np.flatnonzero(numbers >= self._whole)
            places = rng.random(left.size) * self._rest[-1]
            part[left] = np.minimum(np.searchsorted(self._rest, places, side="right"), 255)


@lru_cache(maxsize=64)
def packed_bernoulli(rate: float) -> PackedBernoulli:
    """The sampler of bits of this rate."""
    return PackedBernoulli(rate)


def flip_bits(bits: Packed, absent: float, present: float, items: int, rng: Rng) -> Packed:
    """A bit for each of these, 1 with probability `present` where it is 1, else with `absent`."""
    from_one = packed_bernoulli(present).draw(len(bits), items, rng)
    from_zero = packed_bernoulli(absent).draw(len(bits), items, rng)
    return bits & from_one | ~bits & from_zero


def set_bits(bits: Packed, items: NDArray[np.int64], ones: NDArray[np.bool_]) -> None:
    """Set one item's bit in each row to 1 where `ones` is true, else to 0."""
    at, bit = (np.arange(len(bits)), items >> 3), BITS[items & 7]
    bits[at] = np.where(ones, bits[at] | bit, bits[at] & ~bit)
