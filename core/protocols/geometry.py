"""Points of a projective space over a prime field, and which are orthogonal to which.

A point of PG(t - 1, F) is a vector of t elements, not all 0, up to a factor: the first element that
is not 0 is 1. Points have numbers: the vector (0, …, 0, 1) is 0, and a point of the first t - 1
elements with number k, followed by a, is 1 + k q + a, where q is the size of F. Two points are
orthogonal if Σ xᵢ y_(t+1-i) = 0: one of them is read backwards, which makes the numbers fit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from ..base.sampling import Counts, binomial

Vectors = NDArray[np.int64]


def points(q: int, t: int) -> int:
    """The number of points of t elements of a field of size q; 0 for t = 0."""
    return int((q**t - 1) // (q - 1))


def vectors(numbers: NDArray[Any], q: int, t: int) -> Vectors:
    """int64[n, t], the points of these numbers int[n]."""
    rest = numbers.astype(np.int64)
    points = np.zeros((rest.size, t), dtype=np.int64)
    for at in range(t - 1, -1, -1):
        # -1 stands for the zero vector, whose next element is 0.
        points[:, at] = np.where(rest < 0, 0, np.where(rest == 0, 1, (rest - 1) % q))
        rest = np.where(rest > 0, (rest - 1) // q, -1)
    return points


def numbers(points: Vectors, q: int) -> NDArray[np.uint32]:
    """uint32[n], the numbers of the points that the vectors int64[n, t], not 0, stand for."""
    lead = points[np.arange(len(points)), (points != 0).argmax(axis=1)]
    scaled = points * _inverse(lead, q)[:, None] % q
    number = np.full(len(points), -1, dtype=np.int64)
    for element in scaled.T:
        number = np.where(number >= 0, 1 + number * q + element, element - 1)
    return number.astype(np.uint32)


def _inverse(elements: NDArray[np.int64], q: int) -> NDArray[np.int64]:
    """a^(q-2), the inverse of each element, by squaring."""
    power, square = np.ones_like(elements), elements
    for bit in bin(q - 2)[:1:-1]:
        if bit == "1":
            power = power * square % q
        square = square * square % q
    return power


def random_orthogonal(numbers_: Counts, q: int, t: int, rng: np.random.Generator) -> Vectors:
    """int64[n, t], for each of these points a uniform vector, not 0, that is orthogonal to it."""
    against = vectors(numbers_, q, t)[:, ::-1]
    rows = np.arange(len(against))
    pivot = t - 1 - (against[:, ::-1] != 0).argmax(axis=1)  # an element that is 1
    drawn = np.zeros_like(against)
    while rows.size:
        fresh = rng.integers(0, q, size=(rows.size, t))
        place = np.arange(rows.size), pivot[rows]
        fresh[place] = 0
        fresh[place] = -(fresh * against[rows] % q).sum(axis=1) % q
        drawn[rows] = fresh
        rows = rows[~fresh.any(axis=1)]
    return drawn


class Ways(Protocol):
    """The fate of what stands at a point of the walk where it can go several ways."""

    def split(self, values: Any, ways: int) -> Iterator[Any]:
        """The parts of `values` that go each of these equally likely ways, one after the other."""
        ...

    def spread(self, values: Any, ways: int) -> Any:
        """The parts of `values` for all ways at once: [..., ways], or what broadcasts to it."""
        ...

    def fork(self, values: Any, chance: float) -> tuple[Any, Any]:
        """The part that goes the first way, which has this chance, and the part that does not."""
        ...


@dataclass(frozen=True)
class Known:
    """A walk without chance.

    shared : everything is shared by the chances, and the walk gives expectations; else everything
    goes every way, and the walk adds up.
    """

    shared: bool

    def split(self, values: Any, ways: int) -> Iterator[Any]:
        return iter([values / ways if self.shared else values] * ways)

    def spread(self, values: Any, ways: int) -> Any:
        return next(self.split(values[..., None], ways))

    def fork(self, values: Any, chance: float) -> tuple[Any, Any]:
        first = values * chance if self.shared else values
        return first, values - first if self.shared else values


AVERAGE: Final = Known(shared=True)
EVERY: Final = Known(shared=False)


@dataclass(frozen=True)
class Drawn:
    """A walk that draws: each user goes one way, at random."""

    rng: np.random.Generator

    def split(self, values: Any, ways: int) -> Iterator[Any]:
        for left in range(ways, 1, -1):
            part = binomial(values, 1 / left, self.rng)
            values = values - part
            yield part
        yield values

    def spread(self, values: Any, ways: int) -> Any:
        return self.rng.multinomial(values, np.full(ways, 1 / ways))

    def fork(self, values: Any, chance: float) -> tuple[Any, Any]:
        first = binomial(values, chance, self.rng)
        return first, values - first


def orthogonal(values: Any, q: int, t: int, ways: Ways) -> Any:
    """[…, K]: what stands at each point walks to the points that are orthogonal to it.

    values : [..., K], int64 or float64, K = points(q, t).

    Notes
    -----
    Element by element: after j of them, a walker that started at x and is bound for y is known by
    the first j elements of y, the last t - j of x, and the sum of the products so far, as that is
    all that its way depends on; walkers who share these walk on together. So the work is about q K
    at each of t steps, where there are q^(t-2) K pairs of orthogonal points.
    """
    shape = values.shape[:-1]
    # By whether y, and what is left of x, is 0 so far: x alone, neither, y alone, both.
    start, ended = values, np.zeros((*shape, 1), dtype=values.dtype)
    open_ = np.zeros((*shape, 0, points(q, t), q), dtype=values.dtype)
    closed = np.zeros((*shape, 0), dtype=values.dtype)
    for rest in range(t - 1, -1, -1):
        start, ended, open_, closed = _step(start, ended, open_, closed, q, rest, ways)
    return closed


def _step(
    start: Any, ended: Any, open_: Any, closed: Any, q: int, rest: int, ways: Ways
) -> tuple[Any, Any, Any, Any]:
    """One more element of y is chosen; `rest` are left after it.

    start : [..., X], y is 0 so far. ended : [..., 1], and nothing is left of x.
    open_ : [..., Y, X, s], s the sum so far. closed : [..., Y], s = 0 and nothing is left of x.
    """
    shape, before, after = start.shape[:-1], closed.shape[-1], points(q, rest)
    new_open = np.zeros((*shape, 1 + before * q, after, q), dtype=start.dtype)
    new_closed = np.zeros((*shape, 1 + before * q), dtype=start.dtype)
    # The element of x at hand is its last one; where that is all of x, it is 1.
    stays, goes = ways.fork(ended, after / (after + q**rest))
    new_ended = start[..., :1] + stays
    new_closed[..., 0] = goes[..., 0]
    new_start = np.zeros((*shape, after), dtype=start.dtype)
    if after:
        fewer = points(q, rest - 1)
        waiting = start[..., 1:].reshape(*shape, after, q)
        stays, goes = ways.fork(waiting, fewer / (fewer + q ** (rest - 1)))
        new_start = stays.sum(axis=-1)
        new_open[..., 0, :, :] = goes
    if before:
        each = new_closed[..., 1:].reshape(*shape, before, q)
        each += open_[..., 0, -np.arange(q) % q]
        each += ways.spread(closed, q)
        if after:
            _go_on(open_, new_open, ways)
    return new_start, new_ended, new_open, new_closed


def _go_on(open_: Any, new_open: Any, ways: Ways) -> None:
    """The walks with more of x left choose an element of y, and add its product with x."""
    *shape, before, _, q = open_.shape
    after = new_open.shape[-2]
    walkers = open_[..., 1:, :].reshape(*shape, before, after, q, q)  # [..., Y, X, x, s]
    each = new_open[..., 1:, :, :].reshape(*shape, before, q, after, q)
    x, s = np.arange(q)[:, None], np.arange(q)
    for a, part in enumerate(ways.split(walkers, q)):
        each[..., a, :, :] = part[..., x, (s - a * x) % q].sum(axis=-2)
