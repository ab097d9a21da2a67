"""Exact samplers of counts: the same laws as counting users one by one, without the users."""

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


def subset_counts(pickers: Counts, items: int, rng: np.random.Generator) -> Counts:
    """How often each of `items` is picked when users pick uniform subsets.

    Parameters
    ----------
    pickers : int64[trials, most + 1]; `pickers[t, j]` users of trial t pick j distinct items.
    items : number of items to pick from, at least `most`.

    Returns
    -------
    int64[trials, items], with exactly the joint law of picking user by user: the sum of each row
    is Σ j·pickers[t, j], to the last unit.

    Notes
    -----
    Walks over the items. A user with j picks left and k items to come takes the next item with
    probability j/k, so `Binomial(left[j], j/k)` of them move from j to j - 1. O(items · most),
    whatever the number of users; only the band of j that still holds users is drawn.
    """
    trials, width = pickers.shape
    if width - 1 > items:
        raise ValueError(f"cannot pick {width - 1} distinct items of {items}")
    left = np.array(pickers, dtype=np.int64)
    picked = np.zeros((trials, items), dtype=np.int64)
    chance = np.arange(width, dtype=np.float64)
    for item in range(items):
        occupied = np.flatnonzero(left[:, 1:].any(axis=0))
        if not occupied.size:
            break
        low, high = int(occupied[0]) + 1, int(occupied[-1]) + 2
        moved = rng.binomial(left[:, low:high], chance[low:high] / (items - item))
        left[:, low:high] -= moved
        left[:, low - 1 : high - 1] += moved
        picked[:, item] = moved.sum(axis=1)
    return picked


def random_subsets(users: int, items: int, size: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """A uniform `size`-subset of `range(items)` for each user; shape `[users, size]`, unsorted."""
    if size == 0:
        return np.empty((users, 0), dtype=np.intp)
    keys = rng.integers(0, 1 << 63, size=(users, items), dtype=np.int64)
    if size == items:
        return np.broadcast_to(np.arange(items), (users, items))
    return np.argpartition(keys, size - 1, axis=1)[:, :size]
