"""The geometric mechanism: the Laplace mechanism of whole numbers.

Ghosh, Roughgarden, Sundararajan, "Universally utility-maximizing privacy mechanisms", STOC 2009.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from ..bounds import check_bounds
from ..pure import DOMAIN, Rng
from ..sampling import Counts, Floats
from .accuracy import BUDGET, Neighbours, geometric_accuracy, scale, sensitivity


@dataclass(frozen=True)
class Geometric:
    """A histogram with independent two-sided geometric noise in each bin; ε-private, unbiased.

    Pr[Z = z] = (1-r)/(1+r) r^|z| with r = e^(-ε/Δ).
    """

    domain_size: Annotated[int, DOMAIN]
    epsilon: Annotated[float, BUDGET]
    neighbours: Neighbours = "change-one"

    def __post_init__(self) -> None:
        check_bounds(self)
        sensitivity(self.neighbours)

    @property
    def delta(self) -> float:
        return 0.0

    @property
    def ratio(self) -> float:
        """r = e^(-ε/Δ): each step away is so much less likely."""
        return math.exp(-1 / scale(self.epsilon, self.neighbours))

    @property
    def stop(self) -> float:
        """1 - r, without cancellation."""
        return -math.expm1(-1 / scale(self.epsilon, self.neighbours))

    def probability(self, noise: Counts) -> Floats:
        """Pr[Z = z], element by element."""
        return np.asarray(self.stop / (1 + self.ratio) * self.ratio ** np.abs(noise))

    def sample(self, histogram: Counts, rng: Rng) -> Floats:
        """float64[trials, d], whole numbers: released counts of int64[trials, d] users per item."""
        # The difference of two geometric variables is two-sided geometric.
        up = rng.geometric(self.stop, size=histogram.shape)
        down = rng.geometric(self.stop, size=histogram.shape)
        return (histogram + up - down).astype(np.float64)

    def frequencies(self, counts: Floats, users: int) -> Floats:
        """Estimated frequencies of released counts of so many users; the same shape."""
        return np.asarray(counts / users)

    def bias(self, histogram: Counts) -> Floats:
        """E[released - true], for each bin."""
        return np.zeros(histogram.shape)

    def absolute_error(self, histogram: Counts) -> Floats:
        """E|released - true| = 2r/(1-r²), for each bin."""
        return np.full(histogram.shape, 2 * self.ratio / (self.stop * (1 + self.ratio)))

    def squared_error(self, histogram: Counts) -> Floats:
        """E(released - true)² = 2r/(1-r)², for each bin."""
        return np.full(histogram.shape, 2 * self.ratio / self.stop**2)

    def tail(self, histogram: Counts, accuracy: float) -> Floats:
        """Pr[|released - true| > a] = 2 r^(⌊a⌋+1) / (1+r), for each bin."""
        chance = 2 * self.ratio ** (math.floor(accuracy) + 1) / (1 + self.ratio)
        return np.full(histogram.shape, chance if accuracy >= 0 else 1.0)

    def accuracy(self, alpha: float, bins: int = 1) -> float:
        """What each of `bins` bins is off by at most, with probability 1 - α together."""
        return geometric_accuracy(self.epsilon, alpha, bins, self.neighbours)
