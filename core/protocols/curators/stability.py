"""The stability-based histogram: for domains that are not known beforehand.

Noise is added to non-empty bins only, and counts up to a threshold are withheld, so that a lone
user does not reveal that an item exists. (ε, δ)-private. Bun, Nissim, Stemmer, ITCS
2016; Vadhan, "The Complexity of Differential Privacy", 2017, theorem 3.5.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import starmap
from typing import Annotated, ClassVar

import numpy as np

from ...base.ranges import EPSILON, check_bounds
from ...base.sampling import Counts, Floats, binomial_law, binomial_range
from ...law.loss import DiscreteLoss
from ...law.pure import Rng
from ..budget import ProtocolSpec
from .accuracy import (
    DELTA,
    Neighbours,
    require_delta,
    stability_accuracy,
    stability_epsilon,
    stability_threshold,
)
from .curator import Curator

MOST_TERMS = 1 << 22
"""(count of a bin, number of fakes in it) pairs that a sum over the fakes may have."""

SURE = 40
"""The scales above the threshold at which a bin is withheld once in e^40 times."""


@dataclass(frozen=True)
class Stability(Curator):
    """A curator's stability-based histogram: Laplace noise on non-empty bins; counts below the
    threshold become 0.

    Raises ScenarioError if δ is not in (0, 1).
    """

    withholds: ClassVar[bool] = True

    delta: float = field(kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        require_delta(self.delta)

    @property
    def threshold(self) -> float:
        """The threshold t = s ln(2/δ) + 1, in users, that a noisy count must exceed; s is the
        noise's scale.
        """
        return stability_threshold(self.epsilon, self.delta, self.neighbours)

    @property
    def lone_release(self) -> float:
        """Pr[an item that one user holds is released] = e^(-(t-1)/s) / 2 = δ/4."""
        return math.exp(-(self.threshold - 1) / self.scale) / 2

    def privacy_loss(self) -> DiscreteLoss:
        """The privacy loss of an item with a single user: its release reveals the item."""
        shown = self.lone_release
        # Withheld, it says what nothing says too.
        nothing = 0.0 if self.neighbours == "change-one" else math.log1p(-shown)
        return DiscreteLoss.of(np.array([math.inf, nothing]), np.array([shown, 1 - shown]))

    def noise(self, shape: tuple[int, ...], rng: Rng) -> Floats:
        return rng.laplace(0.0, self.scale, size=shape)

    def release(self, histogram: Counts, noise: Counts | Floats) -> Floats:
        """float64[…, d]: the noisy count of each bin; 0 if it is below the threshold."""
        noisy = histogram + noise
        return np.where((histogram > 0) & (noisy > self.threshold), noisy, 0.0)

    def release_chances(self, histogram: Counts | Floats) -> Floats:
        """float64[d]: the probability Pr[Lap(s) > t - c] that a bin with c users is released."""
        gap = self.threshold - histogram
        below = np.exp(-np.abs(gap) / self.scale) / 2
        return np.where(histogram > 0, np.where(gap > 0, below, 1 - below), 0.0)

    def bias(self, histogram: Counts) -> Floats:
        """float64[d]: the bias E[released - true] of each bin, in users."""
        size = np.abs(self.threshold - histogram)
        noise = np.exp(-size / self.scale) * (size + self.scale) / 2
        lost = histogram * (1 - self.release_chances(histogram))
        return np.where(histogram > 0, noise - lost, 0.0)

    def squared_error(self, histogram: Counts | Floats) -> Floats:
        """float64[d]: the mean squared error E(released - true)² of each bin, in users²."""
        gap, s = self.threshold - histogram, self.scale
        size = np.abs(gap)
        part = np.exp(-size / s) * (size**2 + 2 * s * size + 2 * s**2) / 2
        noise = np.where(gap > 0, part, 2 * s**2 - part)
        lost = histogram.astype(np.float64) ** 2 * (1 - self.release_chances(histogram))
        return np.where(histogram > 0, noise + lost, 0.0)

    def error_spread(self, histogram: Counts) -> Floats:
        """float64[d]: the variance of the squared error (released - true)² of each bin, in users⁴.

        From the fourth power of the error: for noise above a gap g ≥ 0 its expectation is e^(-g/s)
        (g⁴ + 4sg³ + 12s²g² + 24s³g + 24s⁴) / 2 (our derivation).
        """
        gap, s = self.threshold - histogram, self.scale
        g = np.abs(gap)
        part = np.exp(-g / s) * (g**4 + 4 * s * g**3 + 12 * (s * g) ** 2 + 24 * s**3 * (g + s)) / 2
        noise = np.where(gap > 0, part, 24 * s**4 - part)
        lost = histogram.astype(np.float64) ** 4 * (1 - self.release_chances(histogram))
        fourth = np.where(histogram > 0, noise + lost, 0.0)
        return np.asarray(np.maximum(fourth - self.squared_error(histogram) ** 2, 0.0))

    def tail(self, histogram: Counts, accuracy: float) -> Floats:
        """float64[d]: the probability Pr[|released - true| > a] for each bin."""
        a, s = max(accuracy, 0.0), self.scale
        start = np.maximum(self.threshold - histogram, a)  # noise above this is too much
        above = np.exp(-start / s) / 2
        gap = self.threshold - histogram
        # Noise below -a, yet released: between t - c and -a, where t - c < -a.
        below = np.where(gap < -a, (math.exp(-a / s) - np.exp(np.minimum(gap, 0) / s)) / 2, 0.0)
        withheld = np.where(histogram > a, 1 - self.release_chances(histogram), 0.0)
        return np.where(histogram > 0, above + below + withheld, 0.0)

    def accuracy(self, alpha: float, bins: int = 1) -> float:
        """An upper bound on the error of `bins` bins of any count, with probability 1 - α."""
        return stability_accuracy(self.epsilon, alpha, self.delta, bins, self.neighbours)

    @classmethod
    def epsilon_within(
        cls,
        accuracy: float,
        alpha: float,
        delta: float,
        bins: int,
        neighbours: Neighbours,
    ) -> float:
        return stability_epsilon(accuracy, alpha, delta, bins, neighbours)

    def moments(
        self, histogram: Counts, fakes: Sequence[tuple[int, Floats]] = ()
    ) -> tuple[Floats, Floats] | None:
        """Mean and variance of each released count, float64[d] each; None if the sum over the fakes
        is too long.

        With fakes, averaged over how many of them report each item. If all likely counts are far
        above the threshold, nothing is withheld, and the noise is that of the Laplace mechanism.
        """
        added, variance = np.zeros(histogram.shape), np.full(histogram.shape, 2 * self.scale**2)
        for count, rates in fakes:
            added = added + count * rates
            variance = variance + count * rates * (1 - rates)
        mean = histogram + added
        # One sum for all the items that every kind of fakes tells alike.
        alike = np.array([rates for _, rates in fakes]).reshape(len(fakes), histogram.size)
        laws, which = np.unique(alike, axis=1, return_inverse=True)
        for at, law in enumerate(laws.T.tolist()):
            kinds = [(count, rate) for (count, _), rate in zip(fakes, law, strict=True)]
            low, high = map(sum, zip((0, 0), *starmap(binomial_range, kinds), strict=True))
            near = (which == at) & (histogram + low < self.threshold + SURE * self.scale)
            held, where = np.unique(histogram[near], return_inverse=True)
            if held.size * (high - low + 1) > MOST_TERMS:
                return None
            if held.size:
                chance = reduce(np.convolve, [binomial_law(*kind)[1] for kind in kinds], np.ones(1))
                number = np.arange(low, high + 1)
                reached, off = held[:, None] + number, number - added[near][0]
                bias = self.bias(reached)
                first = (off + bias) @ chance
                second = (off**2 + 2 * off * bias + self.squared_error(reached)) @ chance
                mean[near] += first[where]
                variance[near] = (second - first**2)[where]
        return mean, variance


@dataclass(frozen=True)
class StabilitySpec(ProtocolSpec, kind="stability", mechanism=Stability):
    """The `[protocol]` table of the stability-based histogram, before the domain is known."""

    epsilon: Annotated[float, EPSILON]
    delta: Annotated[float, DELTA] = 1e-6
    neighbours: Neighbours = "change-one"

    def __post_init__(self) -> None:
        require_delta(self.delta)
        check_bounds(self)

    def bind(self, domain_size: int) -> Stability:
        return Stability(domain_size, self.epsilon, self.neighbours, delta=self.delta)
