"""The Laplace mechanism: every count of a histogram, plus noise of scale Δ/ε.

Dwork, McSherry, Nissim, Smith, TCC 2006; Dwork, Roth 2014, section 3.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from ..bounds import check_bounds
from ..pure import DOMAIN, Rng
from ..sampling import Counts, Floats
from .accuracy import BUDGET, Neighbours, laplace_accuracy, scale, sensitivity


@dataclass(frozen=True)
class Laplace:
    """A histogram with independent Laplace noise in each bin; ε-private, unbiased.

    For simulation: what is drawn in doubles should not be released (Mironov, CCS 2012); Geometric
    is whole numbers.
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
    def scale(self) -> float:
        """s = Δ/ε: the noise has density e^(-|x|/s) / 2s."""
        return scale(self.epsilon, self.neighbours)

    def sample(self, histogram: Counts, rng: Rng) -> Floats:
        """float64[trials, d]: released counts of int64[trials, d] users per item."""
        return np.asarray(histogram + rng.laplace(0.0, self.scale, size=histogram.shape))

    def frequencies(self, counts: Floats, users: int) -> Floats:
        """Estimated frequencies of released counts of so many users; the same shape."""
        return np.asarray(counts / users)

    def bias(self, histogram: Counts) -> Floats:
        """E[released - true], for each bin."""
        return np.zeros(histogram.shape)

    def absolute_error(self, histogram: Counts) -> Floats:
        """E|released - true| = s, for each bin."""
        return np.full(histogram.shape, self.scale)

    def squared_error(self, histogram: Counts) -> Floats:
        """E(released - true)² = 2s², for each bin."""
        return np.full(histogram.shape, 2 * self.scale**2)

    def tail(self, histogram: Counts, accuracy: float) -> Floats:
        """Pr[|released - true| > a] = e^(-a/s), for each bin."""
        return np.full(histogram.shape, np.exp(-max(accuracy, 0.0) / self.scale))

    def accuracy(self, alpha: float, bins: int = 1) -> float:
        """What each of `bins` bins is off by at most, with probability 1 - α together."""
        return laplace_accuracy(self.epsilon, alpha, bins, self.neighbours)
