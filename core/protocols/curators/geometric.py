"""The geometric mechanism: the Laplace mechanism of whole numbers.

Ghosh, Roughgarden, Sundararajan, "Universally utility-maximizing privacy mechanisms", STOC 2009.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ...pure import Rng
from ...sampling import Counts, Floats
from .accuracy import geometric_accuracy
from .curator import Curator, CuratorSpec


@dataclass(frozen=True)
class Geometric(Curator):
    """A histogram with independent two-sided geometric noise in each bin; ε-private, unbiased.

    Pr[Z = z] = (1-r)/(1+r) r^|z| with r = e^(-ε/Δ).
    """

    @property
    def ratio(self) -> float:
        """r = e^(-ε/Δ): each step away is so much less likely."""
        return math.exp(-1 / self.scale)

    @property
    def stop(self) -> float:
        """1 - r, without cancellation."""
        return -math.expm1(-1 / self.scale)

    def probability(self, noise: Counts) -> Floats:
        """Pr[Z = z], element by element."""
        return np.asarray(self.stop / (1 + self.ratio) * self.ratio ** np.abs(noise))

    def noise(self, shape: tuple[int, ...], rng: Rng) -> Counts:
        # The difference of two geometric variables is two-sided geometric.
        return rng.geometric(self.stop, size=shape) - rng.geometric(self.stop, size=shape)

    def absolute_error(self, histogram: Counts) -> Floats:
        """2r/(1-r²)."""
        return np.full(histogram.shape, 2 * self.ratio / (self.stop * (1 + self.ratio)))

    def squared_error(self, histogram: Counts | Floats) -> Floats:
        """2r/(1-r)²."""
        return np.full(histogram.shape, 2 * self.ratio / self.stop**2)

    def tail(self, histogram: Counts, accuracy: float) -> Floats:
        """2 r^(⌊a⌋+1) / (1+r)."""
        chance = 2 * self.ratio ** (math.floor(accuracy) + 1) / (1 + self.ratio)
        return np.full(histogram.shape, chance if accuracy >= 0 else 1.0)

    def accuracy(self, alpha: float, bins: int = 1) -> float:
        return geometric_accuracy(self.epsilon, alpha, bins, self.neighbours)


@dataclass(frozen=True)
class GeometricSpec(CuratorSpec):
    """The geometric mechanism, before the domain is known."""

    kind: Literal["geometric"]
    mechanism = Geometric
