"""Columns of a Hadamard matrix whose entries in given rows are all -1: equations over F₂.

The entry in row h and column l is (-1)^(h·l), with h·l the sum of the products of their bits. Here
a table of hash functions gives each target a row h, another one in each row of the table; a column
l fits if h·l is odd for all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...law.pure import BoolArray, Items, Rng

UInts = NDArray[np.uint32]


def odd(numbers: UInts) -> NDArray[np.uint8]:
    """1 where the number of ones among the bits is odd, else 0."""
    return np.bitwise_count(numbers) & np.uint8(1)


@dataclass(frozen=True, eq=False)
class Equations:
    """The equations h·l = 1 of some targets, in rows of a table, solved for leading bits of l.

    pivots : uint32[width, rows], for each bit of l the equation that it leads: the bits of h, and
    above them that of the right side; 0 where the bit is free. fits : bool[rows], which have a
    solution.
    """

    pivots: UInts
    fits: BoolArray

    @classmethod
    def of(cls, buckets: UInts, width: int) -> Equations:
        """The equations of targets in these buckets uint32[rows, targets], of `width` bits."""
        pivots = np.zeros((width, len(buckets)), dtype=np.uint32)
        fits = np.ones(len(buckets), dtype=np.bool_)
        right = np.uint32(1 << width)
        for target in buckets.T:
            left = target | right
            for bit in reversed(range(width)):
                leads = (left >> np.uint32(bit) & 1).astype(np.bool_)
                fresh = leads & (pivots[bit] == 0)
                pivots[bit, fresh] = left[fresh]
                left = np.where(leads, left ^ pivots[bit], left)
                left[fresh] = 0
            fits &= left == 0
        return cls(pivots, fits)

    @property
    def width(self) -> int:
        return len(self.pivots)

    def reduced(self, buckets: UInts) -> tuple[UInts, UInts]:
        """The rest of h uint32[rows, items] after the equations, and by how much h·l differs.

        h·l is the sum of rest·l and the second number, 0 or 1, for every solution l. Where the rest
        is 0 that decides it; else h·l is 1 for half of the solutions.
        """
        rest = buckets.copy()
        for bit in reversed(range(self.width)):
            leads = (rest >> np.uint32(bit) & 1).astype(np.bool_)
            rest = np.where(leads, rest ^ self.pivots[bit][:, None], rest)
        return rest & np.uint32((1 << self.width) - 1), rest >> np.uint32(self.width)

    def solutions(self, rows: Items, rng: Rng) -> UInts:
        """uint32[n], a uniform solution l in each of these rows."""
        columns = rng.integers(0, 1 << self.width, size=rows.size, dtype=np.uint32)
        for bit, pivots in enumerate(self.pivots):
            place, equation = np.uint32(1 << bit), pivots[rows]
            # The bit that the equation leads follows from the lower ones, which are settled.
            lower = odd(equation & columns & (place - np.uint32(1)))
            right = (equation >> np.uint32(self.width)).astype(np.uint8)
            led = np.where(lower ^ right, columns | place, columns & ~place)
            columns = np.where(equation > 0, led, columns).astype(np.uint32)
        return columns
