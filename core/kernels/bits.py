"""Reports as a bit for each item: packed columns of users, and thresholds on item sets.

CJG: Cao, Jia, Gong, USENIX Security 2021, section 6.2.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

BitColumns: TypeAlias = NDArray[np.uint64]
"""uint64[d, ceil(N/64)]: for each item the users who support it, a bit each, zeros behind.

User u is bit 7 - u % 8 of byte u // 8, as np.packbits packs them.
"""

USERS_AT_ONCE = 1 << 13
"""Users handled at once, a multiple of 64: their reports of 1,024 bits are 1 MB."""


def no_columns(items: int, users: int) -> NDArray[np.uint8]:
    """uint8[d, 8·ceil(N/64)] of zeros: columns to fill byte by byte, and to view as uint64."""
    return np.zeros((items, -(-users // 64) * 8), dtype=np.uint8)


def columns_of(packed: NDArray[np.uint8], items: int) -> BitColumns:
    """uint64[d, ceil(N/64)]: the columns of packed rows uint8[N, ceil(d/8)], lowest item in the
    highest bit.
    """
    columns = no_columns(items, len(packed))
    for at in range(0, len(packed), USERS_AT_ONCE):
        rows = np.ascontiguousarray(packed[at : at + USERS_AT_ONCE].T)
        for bit in range(min(8, items)):
            mine = np.packbits(rows & np.uint8(128 >> bit), axis=1)
            place = columns[bit::8, at // 8 : at // 8 + mine.shape[1]]
            place[:] = mine[: len(place)]
    return columns.view(np.uint64)


def chebyshev_threshold(users: int, rate: float, eta: float) -> int:
    """The smallest τ > N·a such that Chebyshev's bound on P(count ≥ τ) is at most η. CJG section
    6.2.

    N·a·(1-a) / (τ - N·a)² ≤ η, for a count of N users with probability a each.

    users : N. rate : a. eta : η.
    """
    mean = users * rate
    return max(math.floor(mean) + 1, math.ceil(mean + math.sqrt(mean * (1 - rate) / eta)))


def binomial_threshold(users: int, rate: float, eta: float) -> int:
    """The smallest τ with P(Bin(N, a) ≥ τ) ≤ η; N + 1 if there is none. CJG section 6.2.

    users : N. rate : a. eta : η.
    """
    from scipy.special import betainc  # P(Bin(N, a) ≥ τ) = I_a(τ, N - τ + 1)

    low, high = 0, users + 1  # P(… ≥ low) > η, P(… ≥ high) = 0
    while high - low > 1:
        middle = (low + high) // 2
        if float(betainc(middle, users - middle + 1, rate)) <= eta:
            high = middle
        else:
            low = middle
    return high
