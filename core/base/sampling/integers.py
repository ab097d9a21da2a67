"""Discrete Laplace noise by whole numbers alone, so that its law is exact.

Canonne, Kamath, Steinke, "The discrete Gaussian for differential privacy", NeurIPS 2020, section
5.1: a coin of probability exp(-γ) from uniform whole numbers (algorithm 1), and the noise from such
coins (algorithm 2). Here they are drawn for many users at once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]
Rng = np.random.Generator


def exponential_coins(numerators: Whole, scale: int, rng: Rng) -> NDArray[np.bool_]:
    """bool[n]: true with probability exp(-numerator / scale), exactly; numerators in [0, scale]."""
    again = rng.integers(0, scale, size=numerators.size) < numerators
    heads, turn = ~again, 1
    tossed = np.flatnonzero(again)
    while tossed.size:
        turn += 1
        again = rng.integers(0, scale * turn, size=tossed.size) < numerators[tossed]
        if turn % 2:
            heads[tossed[~again]] = True
        tossed = tossed[again]
    return heads


def discrete_laplace(scale: int, count: int, rng: Rng) -> Whole:
    """int64[count]: x with probability (1 - r)/(1 + r) r^|x|, r = exp(-1/scale), exactly."""
    drawn = np.empty(count, dtype=np.int64)
    done = 0
    while done < count:
        noise = attempts(scale, 2 * (count - done), rng)[: count - done]
        drawn[done : done + noise.size] = noise
        done += noise.size
    return drawn


def attempts(scale: int, count: int, rng: Rng) -> Whole:
    """The numbers that so many attempts give, each of that law; the refused ones are left out."""
    remainder, negative = np.divmod(rng.integers(0, 2 * scale, size=count), 2)
    kept = exponential_coins(remainder, scale, rng)
    size = remainder[kept] + scale * _geometric(int(kept.sum()), rng)
    sign = 1 - 2 * negative[kept]
    fits = (sign > 0) | (size > 0)  # 0 has one sign: else it would be twice as likely
    return np.asarray((sign * size)[fits])


def _geometric(count: int, rng: Rng) -> Whole:
    """int64[count]: how many coins of probability 1/e show heads before the first tail."""
    heads = np.zeros(count, dtype=np.int64)
    tossed = np.arange(count)
    while tossed.size:
        tossed = tossed[exponential_coins(np.ones(tossed.size, dtype=np.int64), 1, rng)]
        heads[tossed] += 1
    return heads
