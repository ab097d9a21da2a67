"""The permanent bits that RAPPOR's users keep over several rounds, and what that costs them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ...law.longitudinal import Chain, Memoising
from ..chains import MemoisedBits
from ..unary import Unary
from .noise import BitNoise


def epsilon_of_rounds(noise: BitNoise, hashes: int, rounds: int) -> float:
    """ε of `rounds` reports of one value, in nats: exact, between ε₁ and ε∞.

    Two values differ in 2h bits at most, half of them in each direction, of a chain each.
    """
    return hashes * noise.chain.epsilon_of_rounds(rounds)


def naive_epsilon_of_rounds(noise: BitNoise, hashes: int, rounds: int) -> float:
    """ε of `rounds` reports by composition, as if each drew fresh permanent bits: t ε₁."""
    return rounds * noise.epsilon_one(hashes)


def false_attribution(noise: BitNoise, hashes: int, frequency: float) -> float:
    """Pr[a user does not hold v | all h bits of v are 1 in one report], v of this frequency.

    (1-f_v) p*^h / (f_v q*^h + (1-f_v) p*^h). RAP section 5.3, "attacker of a single report".
    """
    wrong = (1 - frequency) * noise.p_star**hashes
    return wrong / (frequency * noise.q_star**hashes + wrong)


class KeptBits(Memoising):
    """The kept answers of every form, but for the draws.

    noise : of each bit. hashes : h, the bits of one item.
    """

    noise: BitNoise
    hashes: int

    @property
    def chain(self) -> Chain:
        return self.noise.chain

    @property
    def epsilon_infinity(self) -> float:
        return self.noise.epsilon_infinity(self.hashes)

    def epsilon_of_rounds(self, rounds: int) -> float:
        return epsilon_of_rounds(self.noise, self.hashes, rounds)

    @property
    def most_epsilon(self) -> float:
        return self.noise.most_epsilon(self.hashes)

    @property
    def addressed(self) -> dict[str, Any]:
        return {"noise": self.noise}

    def facts(self) -> dict[str, Any]:
        """The noise as views show it: p and q are reversed, so that the common keys would mislead.

        epsilon_infinity : None where nothing bounds it.
        """
        return {
            "f": self.noise.f,
            "p_star": self.noise.p_star,
            "q_star": self.noise.q_star,
            "epsilon_one": self.noise.epsilon_one(self.hashes),
            "epsilon_infinity": self.epsilon_infinity if self.noise.memoised else None,
        }


@dataclass(frozen=True, repr=False)
class BasicRappor(KeptBits, MemoisedBits, Unary):
    """RAPPOR's basic forms, one bit for each item: Wang's p is RAPPOR's q*, and his q is its p*."""

    family = "rappor"
    hashes = 1

    noise: BitNoise = field(compare=False, kw_only=True)

    def __repr__(self) -> str:
        """The unary encoding that one round is: streams of genuine users have this address."""
        return repr(Unary(self.domain_size, self.epsilon, self.p))
