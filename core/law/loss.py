"""The privacy-loss random variable L, which compares the probabilities of a report under two
inputs.

L = ln(Pr[y|v] / Pr[y|v']) for a report y of input v, in nats. A mechanism is ε-private if L never
exceeds ε, and (ε, δ)-private if E[max(0, 1 - e^(ε-L))] ≤ δ. Dwork, Roth 2014, section 3.5; Dwork,
Rothblum, "Concentrated differential privacy", 2016; Sommer, Meiser, Mohammadi, PETS 2019.

Every distribution here is exact, for the pair of inputs with the largest loss.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from ..base.sampling import Floats

EQUAL: Final = 1e-12
"""Losses that differ by less, or by this part of them, differ by rounding."""


@dataclass(frozen=True, eq=False)
class DiscreteLoss:
    """A distribution of the privacy loss L with finitely many values, in nats.

    values : float64[k], ascending and distinct; the last may be infinite.
    probabilities : float64[k], positive.
    """

    values: Floats
    probabilities: Floats

    @classmethod
    def of(cls, values: Floats, probabilities: Floats) -> DiscreteLoss:
        """The loss distribution with these values, float64[k], in any order, and their
        probabilities.

        Values that differ by rounding are merged.
        """
        possible = probabilities > 0
        values, probabilities = values[possible], probabilities[possible]
        order = np.argsort(values, kind="stable")
        values, probabilities = values[order], probabilities[order]
        with np.errstate(invalid="ignore"):  # ∞ - ∞ is no step
            steps = np.diff(values)
        fresh = steps > EQUAL * np.clip(np.abs(values[:-1]), 1, 1e300)
        start = np.flatnonzero(np.concatenate([[True], fresh]))
        return cls(values[start], np.add.reduceat(probabilities, start))

    @classmethod
    def between(cls, first: Floats, second: Floats) -> DiscreteLoss:
        """The privacy loss of a report drawn from the first of two distributions, against the
        second.

        first, second : float64[k], the probability of each of k reports.
        """
        seen = first > 0
        with np.errstate(divide="ignore"):
            loss = np.log(first[seen]) - np.log(second[seen])
        return cls.of(loss, first[seen])

    @property
    def maximum(self) -> float:
        return float(self.values[-1])

    @property
    def mean(self) -> float:
        return float(self.values @ self.probabilities)

    def tail(self, threshold: float) -> float:
        above = self.values > threshold + EQUAL * max(1.0, abs(threshold))
        return float(self.probabilities[above].sum())

    def delta(self, epsilon: float) -> float:
        """The least δ with which this pair is (ε, δ)-indistinguishable: E[max(0, 1 - e^(ε-L))]."""
        above = self.values > epsilon
        spare = -np.expm1(epsilon - self.values[above])
        return float(self.probabilities[above] @ spare)

    def then(self, other: DiscreteLoss) -> DiscreteLoss:
        """The privacy loss of two independent reports, the sum of both losses: a convolution."""
        return DiscreteLoss.of(
            np.add.outer(self.values, other.values).ravel(),
            np.multiply.outer(self.probabilities, other.probabilities).ravel(),
        )

    def times(self, count: int) -> DiscreteLoss:
        """The privacy loss of `count` independent reports; `count` must be at least 1."""
        total, square = None, self
        while True:
            if count & 1:
                total = square if total is None else total.then(square)
            count >>= 1
            if not count:
                assert total is not None
                return total
            square = square.then(square)


@dataclass(frozen=True)
class LaplaceLoss:
    """The privacy loss of the Laplace mechanism, for neighbours that differ by 1 in `bins` bins (1
    or 2).

    With c = ε/bins, the loss of one bin is c if the noise is below 0 (with probability 1/2), -c if
    the noise is above 1, and c - 2xc for noise x in between.
    """

    epsilon: float
    bins: int = 1

    @property
    def maximum(self) -> float:
        return self.epsilon

    @property
    def mean(self) -> float:
        """The mean privacy loss, bins · (e^(-c) - 1 + c) with c = ε/bins."""
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


Loss: TypeAlias = DiscreteLoss | LaplaceLoss
"""The law of a privacy loss, in nats: its largest value, its mean, and Pr[L > t]."""


def signs(epsilon: float, up: float, down: float) -> DiscreteLoss:
    """The distribution of a privacy loss that is ε with probability `up`, -ε with probability
    `down`, and else 0.
    """
    return DiscreteLoss.of(
        np.array([epsilon, 0.0, -epsilon]), np.array([up, max(0.0, 1 - up - down), down])
    )


def one_bit(p: float, q: float) -> DiscreteLoss:
    """The privacy loss of a bit that is 1 with probability p under one input, and q under the
    other.
    """
    return DiscreteLoss.between(np.array([p, 1 - p]), np.array([q, 1 - q]))
