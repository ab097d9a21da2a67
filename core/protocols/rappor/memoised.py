"""The permanent bits that RAPPOR's users keep over several rounds, and what that costs them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..chains import Chain, KeepsBits
from ..unary import Unary
from .noise import BitNoise
from .privacy import epsilon_of_rounds


class KeptBits:
    """The kept answers of every form: `ldptui.core.law.capabilities.Memoises`, but for the draws.

    noise : of each bit. hashes : h, the bits of one item.
    """

    noise: BitNoise
    hashes: int

    @property
    def kept(self) -> tuple[float, float]:
        return self.noise.chain.p1, self.noise.chain.q1

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
class BasicRappor(KeptBits, KeepsBits, Unary):
    """RAPPOR's basic forms, one bit for each item: Wang's p is RAPPOR's q*, and his q is its p*."""

    family = "rappor"
    hashes = 1

    noise: BitNoise = field(compare=False, kw_only=True)

    def __repr__(self) -> str:
        """The unary encoding that one round is: streams of genuine users have this address."""
        return repr(Unary(self.domain_size, self.epsilon, self.p))

    ADDRESSED = {"class": "Unary"}  # noqa: RUF012
    """The name of its class in the addresses of stores."""

    @property
    def chain(self) -> Chain:
        return self.noise.chain
