"""Packed bits for each user: uniform subsets of a given size, and independent bits."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Rng = np.random.Generator
Packed = NDArray[np.uint8]
"""uint8[n, ceil(items/8)]: a bit for each item, the lowest item in the highest bit."""

ROWS = 1 << 12
"""Subsets that are completed together: of 1024 items, they fit into the processor's L2 cache."""

BITS = np.array([128 >> place for place in range(8)], dtype=np.uint8)
"""The bit of an item, by its place in a byte."""


def packed_subsets(
    count: int,
    items: int,
    size: int,
    rng: Rng,
    own: NDArray[np.int64] | None = None,
    held: NDArray[np.bool_] | None = None,
) -> Packed:
    """uint8[count, ceil(items/8)]: a uniform subset of `size` of the items, in [0, items], for each
    user.

    own, held : int64[n] and bool[n]; the subset of user i is uniform among those that contain item
        own[i] if held[i] is true, and among those that do not contain it otherwise.

    Notes
    -----
    Independent bits are a uniform subset, given their number. Their rate is a multiple of 1/256, so
    that a few random words decide 64 of them. Then ones are set at uniform places, as many as a row
    lacks, or zeros where it has too many, until each row has its number: no place is treated
    differently from the rest, which is why the subset stays uniform.
    """
    if 2 * size > items:
        spared = None if held is None else ~held
        rest = ~packed_subsets(count, items, items - size, rng, own, spared)
        return without_padding(rest, items)
    subsets = np.empty((count, -(-items // 8)), dtype=np.uint8)
    for at in range(0, count, ROWS):
        part = slice(at, at + ROWS)
        bits = without_padding(_coins(subsets[part].shape, _rate(items, size), rng), items)
        if own is None or held is None:
            _complete(bits, items, size, rng)
        else:
            _complete(bits, items, size, rng, own[part], held[part])
        subsets[part] = bits
    return subsets


def packed_picks(
    picked: NDArray[np.int64], sizes: NDArray[np.int64], items: int, rng: Rng
) -> Packed:
    """uint8[n, ceil(items/8)]: a uniform subset of sizes[i] of the items `picked`, for each user i.

    picked : int64[k]. sizes : int64[n].
    """
    mask = np.zeros(-(-items // 8), dtype=np.uint8)
    np.bitwise_or.at(mask, picked >> 3, BITS[picked & 7])
    if 2 * int(sizes.sum()) > picked.size * sizes.size:
        return mask & ~packed_picks(picked, picked.size - sizes, items, rng)
    subsets = np.zeros((sizes.size, mask.size), dtype=np.uint8)
    for at in range(0, sizes.size if sizes.any() else 0, ROWS):
        part, own_sizes = subsets[at : at + ROWS], sizes[at : at + ROWS]
        rate = _rate(picked.size, int(own_sizes.min()))
        np.bitwise_and(_coins((own_sizes.size, mask.size), rate, rng), mask, out=part)
        _complete(part, picked.size, own_sizes, rng, picked=picked)
    return subsets


def without_padding(bits: Packed, items: int) -> Packed:
    """Packed bits whose padding after the last item is set to 0."""
    if items % 8:
        bits[:, -1] &= np.uint8(0xFF << (8 - items % 8) & 0xFF)
    return bits


def _rate(items: int, size: int) -> int:
    """256 times the rate of the independent bits: as few throws as can be follow from it.

    A one that lacks takes items / (items - size) throws, one too many items / size.
    """
    share = size / items
    if not 0 < share < 1:
        return 0
    off = NormalDist().inv_cdf(1 - share) * math.sqrt(size * (1 - share))
    return max(0, math.floor((size - off) / items * 256))


def _coins(shape: tuple[int, int], rate: int, rng: Rng) -> Packed:
    """Packed bits that are each 1 with probability rate/256, exactly."""
    cells = math.prod(shape)
    bits = np.zeros(cells, dtype=np.uint8)
    for power in range((rate & -rate).bit_length() - 1, 8) if rate else ():
        fair = rng.integers(0, 2**64, size=-(-cells // 8), dtype=np.uint64).view(np.uint8)[:cells]
        # The digits of the rate, lowest first: a fair coin halves the rate, and adds 1/2 or not.
        combine = np.bitwise_or if rate >> power & 1 else np.bitwise_and
        combine(bits, fair, out=bits)
    return bits.reshape(shape)


def _complete(
    bits: Packed,
    items: int,
    size: int | NDArray[np.int64],
    rng: Rng,
    own: NDArray[np.int64] | None = None,
    held: NDArray[np.bool_] | None = None,
    picked: NDArray[np.int64] | None = None,
) -> None:
    """Throw ones, or zeros, at uniform places until each row has `size` ones.

    picked : int64[items], the places; None for the first ones.
    """
    width, flat = bits.shape[1], bits.reshape(-1)

    def lacking(rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The ones that these rows lack, when each has its own item as it must."""
        if own is not None and held is not None:
            at, bit = rows * width + (own[rows] >> 3), BITS[own[rows] & 7]
            flat[at] = np.where(held[rows], flat[at] | bit, flat[at] & ~bit)
        ones: NDArray[np.int64] = np.bitwise_count(bits[rows]).sum(axis=1, dtype=np.int64)
        return (size if isinstance(size, int) else size[rows]) - ones

    missing = lacking(np.arange(len(bits)))
    for sign in (1, -1):
        rows = np.flatnonzero(sign * missing > 0)
        left = sign * missing[rows]
        while rows.size:
            row = np.repeat(rows, left)
            place = rng.integers(0, items, size=row.size)
            place = place if picked is None else picked[place]
            at, bit = row * width + (place >> 3), BITS[place & 7]
            if sign > 0:
                np.bitwise_or.at(flat, at, bit)
            else:
                np.bitwise_and.at(flat, at, ~bit)
            left = sign * lacking(rows)
            rows, left = rows[left > 0], left[left > 0]


# Independent bits, eight at a time, packed as a report packs them.
#
# A 16-bit number names the pattern of a byte by a table. The few numbers that rounding leaves over
# draw from the rest of the law, so that each pattern has its probability to the last digits of a
# double.

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
        """uint8[rows, ceil(items/8)]: random packed bits, one for each row and item."""
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
    """The sampler of independent bits with this rate, cached."""
    return PackedBernoulli(rate)


def flip_bits(bits: Packed, absent: float, present: float, items: int, rng: Rng) -> Packed:
    """uint8[n, ceil(items/8)]: packed bits drawn anew, 1 with probability `present` if the old bit
    is 1, else with `absent`.
    """
    from_one = packed_bernoulli(present).draw(len(bits), items, rng)
    from_zero = packed_bernoulli(absent).draw(len(bits), items, rng)
    return bits & from_one | ~bits & from_zero


def set_bits(bits: Packed, items: NDArray[np.int64], ones: NDArray[np.bool_]) -> None:
    """Set one item's bit in each row to 1 if `ones` is true, else to 0.

    bits : uint8[n, ceil(items/8)], changed in place. items : int64[n]. ones : bool[n].
    """
    at, bit = (np.arange(len(bits)), items >> 3), BITS[items & 7]
    bits[at] = np.where(ones, bits[at] | bit, bits[at] & ~bit)
