"""The stability-based histogram: for domains that nobody knows beforehand.

Noise goes only to the bins that somebody is in, and what is not above a threshold is withheld, so
that a lone user does not show that their item exists. (ε, δ)-private. Bun, Nissim, Stemmer, ITCS
2016; Vadhan, "The Complexity of Differential Privacy", 2017, theorem 3.5.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from ..bounds import check_bounds
from ..pure import DOMAIN, Rng
from ..sampling import Counts, Floats
from .accuracy import (
    BUDGET,
    Neighbours,
    require_delta,
    scale,
    sensitivity,
    stability_accuracy,
    stability_threshold,
)


@dataclass(frozen=True)
class Stability:
    """Laplace noise on the bins that are not empty; released above the threshold, else 0."""

    domain_size: Annotated[int, DOMAIN]
    epsilon: Annotated[float, BUDGET]
    delta: float
    neighbours: Neighbours = "change-one"

    def __post_init__(self) -> None:
        check_bounds(self)
        sensitivity(self.neighbours)
        require_delta(self.delta)

    @property
    def scale(self) -> float:
        """s = Δ/ε: the noise has density e^(-|x|/s) / 2s."""
        return scale(self.epsilon, self.neighbours)

    @property
    def threshold(self) -> float:
        """t = s ln(2/δ) + 1."""
        return stability_threshold(self.epsilon, self.delta, self.neighbours)

    @property
    def lone_release(self) -> float:
        """Pr[an item that one user holds is released] = e^(-(t-1)/s) / 2 = δ/4."""
        return math.exp(-(self.threshold - 1) / self.scale) / 2

    def sample(self, histogram: Counts, rng: Rng) -> Floats:
        """float64[trials, d]: released counts of int64[trials, d] users per item, 0 if withheld."""
        noisy = histogram + rng.laplace(0.0, self.scale, size=histogram.shape)
        return np.where((histogram > 0) & (noisy > self.threshold), noisy, 0.0)

    def frequencies(self, counts: Floats, users: int) -> Floats:
        """Estimated frequencies of released counts of so many users; the same shape."""
        return np.asarray(counts / users)

    def released(self, histogram: Counts) -> Floats:
        """Pr[a bin is released] = Pr[Lap(s) > t - c], for each bin."""
        gap = self.threshold - histogram
        below = np.exp(-np.abs(gap) / self.scale) / 2
        return np.where(histogram > 0, np.where(gap > 0, below, 1 - below), 0.0)

    def bias(self, histogram: Counts) -> Floats:
        """E[released - true], for each bin: released noise is mostly positive, the rest is lost."""
        size = np.abs(self.threshold - histogram)
        noise = np.exp(-size / self.scale) * (size + self.scale) / 2
        lost = histogram * (1 - self.released(histogram))
        return np.where(histogram > 0, noise - lost, 0.0)

    def absolute_error(self, histogram: Counts) -> Floats:
        """E|released - true|, for each bin."""
        gap = self.threshold - histogram
        part = np.exp(-np.abs(gap) / self.scale) * (np.abs(gap) + self.scale) / 2
        noise = np.where(gap > 0, part, self.scale - part)
        lost = histogram * (1 - self.released(histogram))
        return np.where(histogram > 0, noise + lost, 0.0)

    def squared_error(self, histogram: Counts) -> Floats:
        """E(released - true)², for each bin."""
        gap, s = self.threshold - histogram, self.scale
        size = np.abs(gap)
        part = np.exp(-size / s) * (size**2 + 2 * s * size + 2 * s**2) / 2
        noise = np.where(gap > 0, part, 2 * s**2 - part)
        lost = histogram.astype(np.float64) ** 2 * (1 - self.released(histogram))
        return np.where(histogram > 0, noise + lost, 0.0)

    def tail(self, histogram: Counts, accuracy: float) -> Floats:
        """Pr[|released - true| > a], for each bin: far off and released, or large and withheld."""
        a, s = max(accuracy, 0.0), self.scale
        start = np.maximum(self.threshold - histogram, a)  # noise above this is too much
        above = np.exp(-start / s) / 2
        gap = self.threshold - histogram
        # Noise below -a, yet released: between t - c and -a, where t - c < -a.
        below = np.where(gap < -a, (math.exp(-a / s) - np.exp(np.minimum(gap, 0) / s)) / 2, 0.0)
        withheld = np.where(histogram > a, 1 - self.released(histogram), 0.0)
        return np.where(histogram > 0, above + below + withheld, 0.0)

    def accuracy(self, alpha: float, bins: int = 1) -> float:
        """What each of `bins` bins is off by at most, with probability 1 - α together. A bound."""
        return stability_accuracy(self.epsilon, alpha, self.delta, bins, self.neighbours)
