"""The Laplace mechanism: every count of a histogram, plus noise of scale Δ/ε.

Dwork, McSherry, Nissim, Smith, TCC 2006; Dwork, Roth 2014, section 3.3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...base.sampling import Counts, Floats
from ...law.pure import Rng
from .accuracy import LAPLACE, Precision, sensitivity
from .curator import Curator, CuratorSpec


@dataclass(frozen=True)
class LaplaceLoss:
    """The loss of the Laplace mechanism, for neighbours that differ by 1 in `bins` bins (1 or 2).

    With c = ε/bins, one bin has the loss c where the noise is below 0 (half of the time), -c where
    it is above 1, and c - 2xc in between.
    """

    epsilon: float
    bins: int = 1

    @property
    def maximum(self) -> float:
        return self.epsilon

    @property
    def mean(self) -> float:
        """bins · (e^(-c) - 1 + c)."""
        c = self.epsilon / self.bins
        return self.bins * (math.expm1(-c) + c)

    def tail(self, threshold: float) -> float:
        c = self.epsilon / self.bins
        return self._one(threshold, c) if self.bins == 1 else self._two(threshold, c)

    @staticmethod
    def _one(t: float, c: float) -> float:
        if t < -c:
            return 1.0
        return 1 - math.exp((t - c) / 2) / 2 if t < c else 0.0

    def _two(self, t: float, c: float) -> float:
        """Σ over the first bin's loss l of its law times Pr[the second's exceeds t - l]."""
        if t < -2 * c:
            return 1.0
        if t >= 2 * c:
            return 0.0
        # The loss l of one bin is c with probability 1/2, -c with e^-c/2, else has the density
        # e^((l-c)/2)/4. Below t - c even the largest second loss is too small, above t + c any is
        # enough.
        ends = self._one(t - c, c) / 2 + math.exp(-c) / 2 * self._one(t + c, c)
        low, high = max(-c, t - c), min(c, t + c)
        middle = (math.exp((high - c) / 2) - math.exp((low - c) / 2)) / 2
        middle -= math.exp(t / 2 - c) * (high - low) / 8
        sure = (1 - math.exp(t / 2)) / 2 if t < 0 else 0.0
        return ends + middle + sure


@dataclass(frozen=True)
class Laplace(Curator):
    """A histogram with independent Laplace noise in each bin; ε-private, unbiased.

    The noise has density e^(-|x|/s) / 2s. For simulation: what is drawn in doubles should not be
    released (Mironov, CCS 2012); Geometric is whole numbers.
    """

    precision: ClassVar[Precision] = LAPLACE

    def noise(self, shape: tuple[int, ...], rng: Rng) -> Floats:
        return rng.laplace(0.0, self.scale, size=shape)

    def privacy_loss(self) -> LaplaceLoss:
        """The privacy loss between two neighbouring tables."""
        return LaplaceLoss(self.epsilon, sensitivity(self.neighbours))

    def squared_error(self, histogram: Counts | Floats) -> Floats:
        """2s²."""
        return np.full(histogram.shape, 2 * self.scale**2)

    def tail(self, histogram: Counts, accuracy: float) -> Floats:
        """e^(-a/s)."""
        return np.full(histogram.shape, np.exp(-max(accuracy, 0.0) / self.scale))


@dataclass(frozen=True)
class LaplaceSpec(CuratorSpec, kind="laplace", mechanism=Laplace):
    """The Laplace mechanism, before the domain is known."""
