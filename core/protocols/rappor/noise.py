"""The noise on RAPPOR's bits: permanent and instantaneous randomised response, and its ε.

Erlingsson, Pihur, Korolova, "RAPPOR", CCS 2014 (RAP below); its p and q are the reverse of
Wang's, and here q > p.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import Annotated

from ...base.errors import ScenarioError, format_number, got
from ...base.ranges import Range, check_bounds
from ...law.longitudinal import Chain

PROBABILITY = Range(0, 1)


@dataclass(frozen=True)
class BitNoise:
    """The two randomised responses of each bit of a Bloom filter: permanent and instantaneous.

    f : the permanent bit is 1 or 0 with probability f/2 each, whatever the true bit.
    p, q : the sent bit is 1 with probability p if the permanent bit is 0, q if it is 1.

    RAP section 2. Raises ScenarioError if a sent bit reveals all of the true bit, or nothing.
    """

    f: Annotated[float, PROBABILITY]
    p: Annotated[float, PROBABILITY]
    q: Annotated[float, PROBABILITY]

    def __post_init__(self) -> None:
        check_bounds(self)
        if self.f == 1:
            raise ScenarioError(
                "must be less than 1, got 1: a permanent bit would say nothing of the true one",
                key="f",
            )
        if not self.q > self.p:
            raise ScenarioError(
                f"must exceed p = {format_number(self.p)}, {got(self.q)}: "
                "a sent bit would say nothing "
                "of the permanent one (RAPPOR's p and q are the reverse of Wang's)",
                key="q",
            )
        if self.f == 0 and (self.p == 0 or self.q == 1):
            one = "p = 0" if self.p == 0 else "q = 1"
            raise ScenarioError(
                f"must be greater than 0 where {one}, got 0: a sent bit would give the true one "
                "away, there is no privacy",
                key="f",
            )
        if self.p_star == 0 or self.q_star == 1:
            raise ScenarioError(
                f"must be 1e-15 or more where p = 0 or q = 1, {got(self.f)}: a sent bit would give "
                "the true one away, to rounding",
                key="f",
            )
        if not self.q_star > self.p_star:
            raise ScenarioError(
                f"must be less than 1 by more than {format_number(1 - self.f, 6)}", key="f"
            )

    @property
    def q_star(self) -> float:
        """q*, the probability that a bit is sent as 1 if the true bit is 1. RAP lemma 1."""
        return self.f * (self.p + self.q) / 2 + (1 - self.f) * self.q

    def most_epsilon(self, hashes: int) -> float:
        """The largest ε₁, in nats, without permanent noise (f = 0); infinite without fresh
        noise.
        """
        if self.p == 0 or self.q == 1:
            return math.inf
        return BitNoise(0, self.p, self.q).epsilon_one(hashes)

    @property
    def p_star(self) -> float:
        """p*, the probability that a bit is sent as 1 if the true bit is 0. RAP lemma 1."""
        return self.f * (self.p + self.q) / 2 + (1 - self.f) * self.p

    @property
    def gap(self) -> float:
        """The gap q* - p*: by how much a true bit of 1 raises the probability of sending a 1."""
        return (1 - self.f) * (self.q - self.p)

    @property
    def is_memoised(self) -> bool:
        """Whether the permanent bit is noisy (f > 0), so that ε∞ is finite."""
        return self.f > 0

    def epsilon_one(self, hashes: int) -> float:
        """ε₁ of one report, in nats: h ln(q*(1-p*) / (p*(1-q*))). RAP section 3.2."""
        p, q = self.p_star, self.q_star
        rare = p * (1 - q)
        if rare < sys.float_info.min:  # too small for a quotient
            return hashes * (math.log(q) - math.log(p) + math.log1p(-p) - math.log1p(-q))
        return hashes * math.log(q * (1 - p) / rare)

    def epsilon_infinity(self, hashes: int) -> float:
        """ε∞ of any number of reports of one value, in nats: 2h ln((1-f/2) / (f/2)); infinite if f
        = 0.

        RAP theorem 1.
        """
        return 2 * hashes * math.log((2 - self.f) / self.f) if self.f else math.inf

    @property
    def chain(self) -> Chain:
        """The noise as a chain of two randomised responses: p1, q1 of the memoised bit; then p2 =
        q, q2 = p.
        """
        return Chain(1 - self.f / 2, self.f / 2, self.q, self.p)


def solved_f(epsilon: float, hashes: int, p: float, q: float) -> float:
    """The f at which one report has ε₁ = `epsilon`; raises ScenarioError if no f in [0, 1) does.

    With q* = s + x and p* = s - x, where s = (p+q)/2 and x = (1-f)(q-p)/2, and R = e^(ε₁/h): x is
    the smaller root of (R-1) x² - (R+1) x + (R-1) s(1-s) = 0.
    """
    ratio = math.exp(-epsilon / hashes)  # of 1 and R, so that nothing overflows
    centre = (p + q) / 2
    product = centre * (1 - centre)
    root = math.sqrt(max((1 + ratio) ** 2 - 4 * (1 - ratio) ** 2 * product, 0.0))
    half = 2 * (1 - ratio) * product / (1 + ratio + root)
    f = 1 - 2 * half / (q - p)
    if f < 0 and (f < -1e-12 or p == 0 or q == 1):
        most = BitNoise(0, p, q).epsilon_one(hashes) if p > 0 and q < 1 else math.inf
        raise ScenarioError(
            f"must be at most {format_number(most, 6)}, "
            f"which f = 0 gives with p = {format_number(p)}, "
            f"q = {format_number(q)} and {hashes} hash{'es' if hashes > 1 else ''}, {got(epsilon)}",
            key="epsilon",
        )
    if f >= 1:
        raise ScenarioError(f"must be large enough for f < 1, {got(epsilon)}", key="epsilon")
    return max(f, 0.0)
