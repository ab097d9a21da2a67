"""The geometric and the Laplace mechanism: a histogram with independent noise in every bin.

Ghosh, Roughgarden, Sundararajan, "Universally utility-maximizing privacy mechanisms", STOC 2009.
Laplace: Dwork, McSherry, Nissim, Smith, TCC 2006; Dwork, Roth 2014, section 3.3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...base.sampling import Counts, Floats
from ...law.enumeration import ReportLaw
from ...law.loss import DiscreteLoss, LaplaceLoss, signs
from ...law.pure import Rng
from .accuracy import GEOMETRIC, LAPLACE, Precision, sensitivity
from .curator import Curator, CuratorSpec


@dataclass(frozen=True)
class Geometric(Curator):
    """A curator's histogram with independent two-sided geometric noise in each bin; ε-private,
    unbiased.

    Pr[Z = z] = (1-r)/(1+r) r^|z| with r = e^(-ε/Δ).
    """

    precision: ClassVar[Precision] = GEOMETRIC

    @property
    def ratio(self) -> float:
        """The ratio r = e^(-ε/Δ) of the noise's probabilities at neighbouring integers."""
        return math.exp(-1 / self.scale)

    @property
    def stop(self) -> float:
        """1 - r, where r = e^(-ε/Δ) is the ratio of the noise, computed without cancellation."""
        return -math.expm1(-1 / self.scale)

    def probability(self, noise: Counts) -> Floats:
        """The probability Pr[Z = z] of each of the noise values z; an array of the same shape."""
        return np.asarray(self.stop / (1 + self.ratio) * self.ratio ** np.abs(noise))

    def noise(self, shape: tuple[int, ...], rng: Rng) -> Counts:
        # The difference of two geometric variables is two-sided geometric.
        return rng.geometric(self.stop, size=shape) - rng.geometric(self.stop, size=shape)

    def enumerate_reports(self) -> ReportLaw:
        """The probability of each released pair of counts under neighbouring tables, with merged
        tails.

        One user is in the first of two bins or in the second; or in one bin or in no bin.
        """
        reach = 20
        noise = np.arange(-reach, reach + 1)

        def bin_of(count: int) -> Floats:
            law = self.probability(noise - count)
            # Everything beyond the ends, as geometric series.
            law[0] /= self.stop
            law[-1] /= self.stop
            return law

        if self.neighbours == "add-remove":
            law = np.array([bin_of(1), bin_of(0)])
            return ReportLaw(
                law, lambda v: ("one user", "no user")[v], lambda y: f"count {y - reach}"
            )
        law = np.array([np.outer(bin_of(a), bin_of(1 - a)).ravel() for a in (1, 0)])
        width = noise.size
        return ReportLaw(
            law,
            lambda v: ("counts 1, 0", "counts 0, 1")[v],
            lambda y: f"counts {y // width - reach}, {y % width - reach}",
        )

    def privacy_loss(self) -> DiscreteLoss:
        """The privacy loss of geometric noise between neighbouring tables: one of ±ε per bin."""
        r, bins = self.ratio, sensitivity(self.neighbours)
        below = 1 / (1 + r)
        return signs(self.epsilon / bins, below, r * below).times(bins)

    def squared_error(self, histogram: Counts | Floats) -> Floats:
        """float64[d]: the mean squared error 2r/(1-r)² of each bin, in users²; r = e^(-ε/Δ)."""
        return np.full(histogram.shape, 2 * self.ratio / self.stop**2)

    def tail(self, histogram: Counts, accuracy: float) -> Floats:
        """float64[d]: the probability 2 r^(⌊a⌋+1) / (1+r) that a bin is off by more than a; r =
        e^(-ε/Δ).
        """
        chance = 2 * self.ratio ** (math.floor(accuracy) + 1) / (1 + self.ratio)
        return np.full(histogram.shape, chance if accuracy >= 0 else 1.0)


@dataclass(frozen=True)
class GeometricSpec(CuratorSpec, kind="geometric", mechanism=Geometric):
    """The `[protocol]` table of the geometric mechanism, before the domain is known."""


# The Laplace mechanism: every count of a histogram, plus noise of scale Δ/ε.
#
# Dwork, McSherry, Nissim, Smith, TCC 2006; Dwork, Roth 2014, section 3.3.


@dataclass(frozen=True)
class Laplace(Curator):
    """A curator's histogram with independent Laplace noise in each bin; ε-private, unbiased.

    The noise has density e^(-|x|/s) / 2s. For simulation only: noise drawn in doubles should not be
    released (Mironov, CCS 2012); `Geometric` is safe, with integers.
    """

    precision: ClassVar[Precision] = LAPLACE

    def noise(self, shape: tuple[int, ...], rng: Rng) -> Floats:
        return rng.laplace(0.0, self.scale, size=shape)

    def privacy_loss(self) -> LaplaceLoss:
        """The privacy loss between two neighbouring tables."""
        return LaplaceLoss(self.epsilon, sensitivity(self.neighbours))

    def squared_error(self, histogram: Counts | Floats) -> Floats:
        """float64[d]: the mean squared error 2s² of each bin, in users²; s is the noise's scale."""
        return np.full(histogram.shape, 2 * self.scale**2)

    def tail(self, histogram: Counts, accuracy: float) -> Floats:
        """float64[d]: the probability e^(-a/s) that a bin is off by more than a; s is the noise's
        scale.
        """
        return np.full(histogram.shape, np.exp(-max(accuracy, 0.0) / self.scale))


@dataclass(frozen=True)
class LaplaceSpec(CuratorSpec, kind="laplace", mechanism=Laplace):
    """The `[protocol]` table of the Laplace mechanism, before the domain is known."""
