"""Binomial, multinomial and hypergeometric draws, the laws of the latter, and random subsets."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Counts: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]

CHUNK = 1 << 17
"""Binomials in one NumPy call, some 10 ms: an interrupt is obeyed between two calls."""


def binomial(n: Counts, p: float, rng: np.random.Generator) -> Counts:
    """Independent Binomial(n, p), element by element; same shape as `n`.

    The draws do not depend on CHUNK: NumPy draws the elements one after the other.
    """
    if n.size <= CHUNK:
        return rng.binomial(n, p)
    flat = np.ascontiguousarray(n).reshape(-1)
    drawn = [rng.binomial(flat[at : at + CHUNK], p) for at in range(0, flat.size, CHUNK)]
    return np.concatenate(drawn).reshape(n.shape)


def binomials(n: Counts, p: float, each: int, rng: np.random.Generator) -> Counts:
    """`each` independent Binomial(n, p) for every element of `n`; shape `[*n.shape, each]`.

    The draws of `binomial`, in two thirds of its time: NumPy looks at each number once.
    """
    drawn = np.empty((np.size(n), each), dtype=np.int64)
    for row, total in zip(drawn, np.ravel(n).tolist(), strict=True):
        for at in range(0, each, CHUNK):
            part = row[at : at + CHUNK]
            part[:] = rng.binomial(total, p, part.size)
    return drawn.reshape(*np.shape(n), each)


def multinomial(n: Counts, weights: Floats, rng: np.random.Generator) -> Counts:
    """Multinomial(n, weights) for each element of `n`; shape `[*n.shape, len(weights)]`."""
    flat = np.ravel(n)
    drawn = np.empty((flat.size, weights.size), dtype=np.int64)
    for row, total in enumerate(flat):
        drawn[row] = rng.multinomial(total, weights)
    return drawn.reshape(*np.shape(n), weights.size)


def uniform_multinomial(n: Counts, cells: int, rng: np.random.Generator) -> Counts:
    """Throw n balls into `cells` equal cells; shape `[*n.shape, cells]`."""
    return multinomial(n, np.full(cells, 1.0 / cells), rng)


def hypergeometric_weights(size: int, half: int, picks: int) -> tuple[int, Floats]:
    """The law of c, the number of picks that fall into the first `half` of `size` items.

    Returns the lowest c, and the weights of all c from there on, 1 for the likeliest. They are
    computed from the mode outwards by ratios of neighbours, so that nothing overflows. Outcomes
    beyond twelve standard deviations, below 1e-30 together, are left out.
    """
    rest = size - half
    low, high = max(0, picks - rest), min(picks, half)
    share = half / size
    std = (picks * share * (1 - share) * (size - picks) / max(size - 1, 1)) ** 0.5
    mode = min(max((picks + 1) * (half + 1) // (size + 2), low), high)
    reach = int(12 * std) + 20
    low, high = max(low, mode - reach), min(high, mode + reach)
    up = np.arange(mode, high, dtype=np.float64)
    down = np.arange(mode, low, -1, dtype=np.float64)
    rising = (half - up) * (picks - up) / ((up + 1) * (rest - picks + up + 1))
    falling = down * (rest - picks + down) / ((half - down + 1) * (picks - down + 1))
    return low, np.concatenate([np.cumprod(falling)[::-1], [1.0], np.cumprod(rising)])


def hypergeometric_law(size: int, marked: int, picks: int) -> tuple[Counts, Floats]:
    """The law of the number of marked items among `picks` of `size`: outcomes int64[k], float64[k].

    Outcomes below 1e-30 together are left out.
    """
    low, law = hypergeometric_weights(size, marked, picks)
    return low + np.arange(law.size), law / law.sum()


def binomial_range(n: int, p: float) -> tuple[int, int]:
    """The least and the greatest outcome of Binomial(n, p) that matter.

    They are a little over twelve standard deviations away from the mode; the outcomes beyond have a
    probability below 1e-30 together.
    """
    mode = min(n, int((n + 1) * p))
    reach = int(12 * (n * p * (1 - p)) ** 0.5) + 20 if 0 < p < 1 else 0
    return max(0, mode - reach), min(n, mode + reach)


def binomial_law(n: int, p: float) -> tuple[Counts, Floats]:
    """Binomial(n, p): the outcomes of `binomial_range` int64[k] and their law float64[k].

    Computed by ratios of neighbours, from the mode outwards.
    """
    low, high = binomial_range(n, p)
    if low == high:
        return np.array([low]), np.ones(1)
    mode = min(n, int((n + 1) * p))
    up = np.arange(mode, high, dtype=np.float64)
    down = np.arange(mode, low, -1, dtype=np.float64)
    odds = p / (1 - p)
    rising = (n - up) / (up + 1) * odds
    falling = down / ((n - down + 1) * odds)
    law = np.concatenate([np.cumprod(falling)[::-1], [1.0], np.cumprod(rising)])
    return np.arange(low, high + 1), law / law.sum()


def random_subsets(users: int, items: int, size: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """A uniform `size`-subset of `range(items)` for each user; shape `[users, size]`, unsorted."""
    if size == 0:
        return np.empty((users, 0), dtype=np.intp)
    keys = rng.integers(0, 1 << 63, size=(users, items), dtype=np.int64)
    if size == items:
        return np.broadcast_to(np.arange(items), (users, items))
    return np.argpartition(keys, size - 1, axis=1)[:, :size]
