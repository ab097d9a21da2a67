"""The privacy-loss random variable: how much one report says about which of two inputs made it.

L = ln(Pr[y|v] / Pr[y|v']) for a report y of input v. A mechanism is ε-private if L never exceeds ε,
and (ε, δ)-private if E[max(0, 1 - e^(ε-L))] ≤ δ. Dwork, Roth 2014, section 3.5; Dwork, Rothblum,
"Concentrated differential privacy", 2016; Sommer, Meiser, Mohammadi, PETS 2019.

Every law here is exact: of a pair of inputs that differ as much as the mechanism lets them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from ..base.sampling import Floats

EQUAL: Final = 1e-12
"""Losses that differ by less, or by this part of them, differ by rounding."""


class Loss(Protocol):
    """The law of a privacy loss, in nats."""

    @property
    def maximum(self) -> float:
        """The largest loss that can happen: ε, or infinite."""
        ...

    @property
    def mean(self) -> float:
        """E[L], the Kullback-Leibler divergence of the two laws of reports."""
        ...

    def tail(self, threshold: float) -> float:
        """Pr[L > threshold]."""
        ...


@dataclass(frozen=True, eq=False)
class DiscreteLoss:
    """A loss with finitely many values.

    values : float64[k], ascending, each once; the last may be infinite.
    probabilities : float64[k], positive.
    """

    values: Floats
    probabilities: Floats

    @classmethod
    def of(cls, values: Floats, probabilities: Floats) -> DiscreteLoss:
        """A law from values in any order; equal ones, to rounding, are joined."""
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
        """The loss of two laws of reports, float64[k] each, when the first is the true one."""
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
        """The loss of both reports, drawn independently: a convolution."""
        return DiscreteLoss.of(
            np.add.outer(self.values, other.values).ravel(),
            np.multiply.outer(self.probabilities, other.probabilities).ravel(),
        )

    def times(self, count: int) -> DiscreteLoss:
        """The loss of `count` independent reports, at least 1."""
        total, square = None, self
        while True:
            if count & 1:
                total = square if total is None else total.then(square)
            count >>= 1
            if not count:
                assert total is not None
                return total
            square = square.then(square)


def signs(epsilon: float, up: float, down: float) -> DiscreteLoss:
    """A loss that is ε with probability `up`, -ε with `down`, else 0."""
    return DiscreteLoss.of(
        np.array([epsilon, 0.0, -epsilon]), np.array([up, max(0.0, 1 - up - down), down])
    )


def one_bit(p: float, q: float) -> DiscreteLoss:
    """The loss of one bit that is sent as 1 with probability p of one input, q of the other."""
    return DiscreteLoss.between(np.array([p, 1 - p]), np.array([q, 1 - q]))
