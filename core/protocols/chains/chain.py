"""A chain of two randomisers as one item sees it, and its ε over any number of reports."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from ...base.errors import ScenarioError, got, spelled
from ...base.ranges import EPSILON, Range
from ...base.sampling import flip_bits
from ...law.pure import Reports, Rng
from ..budget import Budget


@dataclass(frozen=True)
class Chain:
    """The probabilities of a kept answer, and of a report given the kept answer.

    p1, q1 : the kept answer supports the user's own item, any other given item.
    p2, q2 : a report supports an item that the kept answer supports, one that it does not.
    """

    p1: float
    q1: float
    p2: float
    q2: float

    @property
    def p(self) -> float:
        """Probability that one report supports the own item."""
        return self.p1 * self.p2 + (1 - self.p1) * self.q2

    @property
    def q(self) -> float:
        """Probability that one report supports a given other item."""
        return self.q1 * self.p2 + (1 - self.q1) * self.q2

    def keep(self, bits: Reports, size: int, rng: Rng) -> Reports:
        """The kept bits of `size` true bits, packed, each on its own."""
        return flip_bits(bits, self.q1, self.p1, size, rng)

    def send(self, kept: Reports, size: int, rng: Rng) -> Reports:
        """The bits of one report of kept bits, drawn afresh each time."""
        return flip_bits(kept, self.q2, self.p2, size, rng)


def bit_epsilon_of_rounds(chain: Chain, rounds: int) -> float:
    """ε of `rounds` reports of one item, in nats, where every bit is a chain of its own: exact.

    The reports of one bit are drawn from one kept bit, so that only their number of ones counts; t
    reports favour a true bit 1 most if all of them are ones, a true bit 0 if none is:
    ε = ln L(t ones) - ln L(no ones), L = Pr[reports | true bit 1] / Pr[reports | true bit 0].
    Two items differ in two bits, one in each direction. With no end of reports the kept bits are
    known: ε∞ = ln[p1 (1-q1) / ((1-p1) q1)].
    """
    p1, q1 = chain.p1, chain.q1

    def likelihood(one: float, zero: float) -> float:
        """ln L of t equal bits, sent with these probabilities from a kept 1, a kept 0."""
        high, low = rounds * log(one), rounds * log(zero)
        held = np.logaddexp(log(p1) + high, log(1 - p1) + low)
        absent = np.logaddexp(log(q1) + high, log(1 - q1) + low)
        return float(held - absent)

    return likelihood(chain.p2, chain.q2) - likelihood(1 - chain.p2, 1 - chain.q2)


def log(probability: float) -> float:
    """The natural logarithm, minus infinity at 0."""
    return math.log(probability) if probability > 0 else -math.inf


KEPT_EPSILON = Range(0, 2 * EPSILON.high, "(]")
"""ε∞, of which ε₁ is a part."""


@dataclass(frozen=True)
class TwoBudgets(Budget):
    """The table of a kind that keeps an answer: `epsilon` is ε₁ of one report.

    epsilon_infinity : ε∞ of all reports of one item; twice ε₁ where it is left out.
    """

    epsilon_infinity: Annotated[float, KEPT_EPSILON] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.epsilon_infinity is not None and self.epsilon >= self.epsilon_infinity:
            raise ScenarioError(
                f"must be below epsilon_infinity = {spelled(self.epsilon_infinity)}, as one report "
                f"tells less than all reports together, {got(self.epsilon)}",
                key="epsilon",
            )

    @property
    def limit(self) -> float:
        """ε∞, in nats."""
        return 2 * self.epsilon if self.epsilon_infinity is None else self.epsilon_infinity
