"""Equal reports, or equal seeds of hash functions, that occur too often: fakes who repeat
a report.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..law.exchangeable import Exchangeable
from ..law.pure import Reports
from ..protocols.hashing import LocalHashing

SEEDS: Final = 2**32
"""The seeds that an honest user draws from, each as likely."""

MOST: Final = 10_000
"""Reports beyond so many that are alike are looked for no further."""


def marks(protocol: Exchangeable, reports: Reports) -> NDArray[np.unsignedinteger]:
    """uint[n]: a hash of each report, equal for equal reports; of hashing protocols, of the seed
    alone.
    """
    if isinstance(protocol, LocalHashing):
        return np.ascontiguousarray(protocol.seeds(reports))
    return marks_of(reports)


def marks_of(reports: Reports) -> NDArray[np.uint64]:
    """uint64[n]: a hash of each report, equal for equal reports."""
    raw = np.ascontiguousarray(reports).view(np.uint8).reshape(len(reports), -1)
    width = -(-raw.shape[1] // 8) * 8
    padded = np.zeros((len(raw), width), dtype=np.uint8)
    padded[:, : raw.shape[1]] = raw
    mixed = np.zeros(len(raw), dtype=np.uint64)
    for word in padded.view(np.uint64).T:
        mixed = (mixed ^ word) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return mixed


def likeliest(protocol: Exchangeable) -> float:
    """ln of the largest probability of any `marks` value of an honest report, over all items.

    Given the number of other items that a report supports, every set of them is equally likely.
    """
    if isinstance(protocol, LocalHashing):
        return -math.log(SEEDS)
    others, best = protocol.domain_size - 1, -math.inf
    for own, chance in ((True, protocol.p), (False, 1 - protocol.p)):
        number, law = protocol.support_size(others, own)
        for k, likely in zip(number.tolist(), law.tolist(), strict=True):
            if chance and likely:
                sets = math.lgamma(others + 1) - math.lgamma(k + 1) - math.lgamma(others - k + 1)
                best = max(best, math.log(chance) + math.log(likely) - sets)
    return best


def too_many(users: int, mark: float, chance: float) -> int:
    """The smallest k such that k identical reports among N honest ones have probability `chance` at
    most; N + 1 if none.

    C(N, k) e^(mark (k - 1)): given the first of k reports, each other one is equal with probability
    e^mark at most (our proof).

    users : N. mark : the result of `likeliest`.
    """
    for k in range(2, min(users, MOST) + 1):
        choices = math.lgamma(users + 1) - math.lgamma(k + 1) - math.lgamma(users - k + 1)
        if choices + (k - 1) * mark <= math.log(chance):
            return k
    return users + 1


def find_frequent_values(
    values: NDArray[np.unsignedinteger], least: int
) -> NDArray[np.unsignedinteger]:
    """The values that occur at least `least` times, ascending, each once."""
    rising = np.sort(values)
    last = rising[least - 1 :]
    return np.unique(last[last == rising[: last.size]])


def largest(values: NDArray[np.unsignedinteger]) -> int:
    """The largest number of identical values."""
    return int(np.unique(values, return_counts=True)[1].max(initial=0))
