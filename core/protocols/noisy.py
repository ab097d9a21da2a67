"""Laplace noise on each user's number, in whole steps of a grid, heard within the range.

The Laplace mechanism is Dwork, McSherry, Nissim, Smith, TCC 2006; its discrete noise is Ghosh,
Roughgarden, Sundararajan, STOC 2009. A number is rounded to a point of the grid, up or down by
chance so that it stays right on average, and two-sided geometric noise is added. A report beyond an
end of the range is heard as that end. How far beyond it is does not depend on the number, so that
the end says the mean of it and nothing is lost (we derive it): 1 + 2/ε, where the grid is fine. A
server that hears reports of any size would let one fake say any number.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np

from ..base.sampling import Floats
from ..law.law import Rng
from ..law.pure import Reports
from .line import Binned, Line


@dataclass(frozen=True)
class LocalLaplace(Line):
    """Round to a grid, add geometric noise of ratio a = e^(-ε h / 2), and cut off at the ends."""

    family: ClassVar[str] = "noisy"

    @property
    def step(self) -> float:
        """h, from a point of the grid to the next one."""
        return 2 / (self.bins - 1)

    @property
    def rest(self) -> float:
        """1 - a."""
        return -math.expm1(-self.epsilon * self.step / 2)

    @property
    def p(self) -> float:
        """Probability of the upper end, of who holds 1."""
        return 1 / (2 - self.rest)

    @property
    def q(self) -> float:
        """The same of who holds -1."""
        return math.exp(-self.epsilon) * self.p

    @property
    def beyond(self) -> float:
        """How far beyond an end a report is on average, where it is not short of it."""
        return self.step * (1 - self.rest) / self.rest

    @cached_property
    def said(self) -> Floats:
        says = self._grid.copy()
        says[0], says[-1] = says[0] - self.beyond, says[-1] + self.beyond
        return says

    @cached_property
    def squares(self) -> Floats:
        says = self._grid**2 - 2 * self.beyond * self.step / self.rest  # less the noise's variance
        says[[0, -1]] = 1 + (2 - self.step) * self.beyond
        return np.asarray(says)

    @cached_property
    def _grid(self) -> Floats:
        """float64[K], the points of the grid."""
        return np.linspace(-1, 1, self.bins)

    @property
    def sizes(self) -> Floats:
        return np.full(self.bins, 1 / self.bins)

    @cached_property
    def upper(self) -> Floats:
        return np.bincount([self.bins - 1]).astype(np.float64)

    @cached_property
    def _noise(self) -> Floats:
        """float64[K, K], the law of a report of each point of the grid."""
        places = np.arange(self.bins)
        powers = np.exp(-self.epsilon * self.step / 2 * np.abs(places[:, None] - places))
        powers[1:-1] *= self.rest
        return np.asarray(powers / (2 - self.rest))

    def chances(self, first: Floats, last: Floats) -> Floats:
        low, high = first - self._grid[:, None], last - self._grid[:, None]
        if np.array_equal(first, last):
            rounded = np.maximum(1 - np.abs(low) / self.step, 0)
        else:
            rounded = (self._summed(high) - self._summed(low)) / (last - first)
        return np.asarray(self._noise @ rounded)

    def _summed(self, length: Floats) -> Floats:
        """The integral of max(0, 1 - |x|/h) up to x."""
        part = np.clip(length / self.step, -1, 1)
        return np.asarray(
            self.step * np.where(part < 0, (1 + part) ** 2 / 2, 0.5 + part - part**2 / 2)
        )

    def tell(self, numbers: Floats, rng: Rng) -> Reports:
        place = np.clip((numbers + 1) / self.step, 0, self.bins - 1)
        point = np.floor(place + rng.random(numbers.size)).astype(np.int64)
        noise = rng.geometric(self.rest, numbers.size) - rng.geometric(self.rest, numbers.size)
        heard = np.clip(np.minimum(point, self.bins - 1) + noise, 0, self.bins - 1)
        return np.asarray(heard, dtype=np.uint32)

    def plainly(self, numbers: Floats) -> Reports:
        place = np.rint((numbers + 1) / self.step)
        return np.asarray(np.clip(place, 0, self.bins - 1), dtype=np.uint32)


@dataclass(frozen=True)
class LocalLaplaceSpec(Binned):
    """Laplace noise on the value, before the numbers are known."""

    kind: Literal["laplace-ldp"]
    mechanism = LocalLaplace


SPECS = (LocalLaplaceSpec,)
