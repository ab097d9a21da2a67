"""The Laplace mechanism: every count of a histogram, plus noise of scale Δ/ε.

Dwork, McSherry, Nissim, Smith, TCC 2006; Dwork, Roth 2014, section 3.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ...pure import Rng
from ...sampling import Counts, Floats
from .accuracy import laplace_accuracy
from .curator import Curator, CuratorSpec


@dataclass(frozen=True)
class Laplace(Curator):
    """A histogram with independent Laplace noise in each bin; ε-private, unbiased.

    The noise has density e^(-|x|/s) / 2s. For simulation: what is drawn in doubles should not be
    released (Mironov, CCS 2012); Geometric is whole numbers.
    """

    def noise(self, shape: tuple[int, ...], rng: Rng) -> Floats:
        return rng.laplace(0.0, self.scale, size=shape)

    def absolute_error(self, histogram: Counts) -> Floats:
        """s."""
        return np.full(histogram.shape, self.scale)

    def squared_error(self, histogram: Counts | Floats) -> Floats:
        """2s²."""
        return np.full(histogram.shape, 2 * self.scale**2)

    def tail(self, histogram: Counts, accuracy: float) -> Floats:
        """e^(-a/s)."""
        return np.full(histogram.shape, np.exp(-max(accuracy, 0.0) / self.scale))

    def accuracy(self, alpha: float, bins: int = 1) -> float:
        return laplace_accuracy(self.epsilon, alpha, bins, self.neighbours)


@dataclass(frozen=True)
class LaplaceSpec(CuratorSpec):
    """The Laplace mechanism, before the domain is known."""

    kind: Literal["laplace"]
    mechanism = Laplace
