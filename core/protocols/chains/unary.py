"""Unary chains: L-SUE, L-OSUE and L-OUE, which keep d perturbed bits and perturb them again.

Erlingsson, Pihur, Korolova, CCS 2014 (L-SUE is its basic form with the noise given by ε∞ and ε₁);
Arcolezi, Couchot, Al Bouna, Xiao, "Improving the utility of locally differentially private
protocols for longitudinal and multidimensional frequency estimates", Digital Communications and
Networks 2022.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from ...base.errors import ScenarioError, got, spelled
from ..unary import Unary
from .bits import KeepsBits
from .chain import Chain, TwoBudgets, bit_epsilon_of_rounds


@dataclass(frozen=True)
class UnaryChain(KeepsBits, Unary):
    """A unary encoding whose bits pass through two noises, the first of which is kept.

    One collection is the unary encoding of both noises at once: p and q are those of the chain, and
    epsilon is ε₁. Over rounds it is `core.law.capabilities.Memoises`.
    """

    called: ClassVar[str] = "longitudinal unary encoding"
    family: ClassVar[str] = "chains"
    at_one_time: ClassVar[str] = Unary.family

    epsilon_infinity: float
    chain: Chain

    @property
    def epsilon_lifetime(self) -> float:
        """ε of a user who comes to hold every item: its bits are kept for each, d ε∞."""
        return self.domain_size * self.epsilon_infinity

    def epsilon_of_rounds(self, rounds: int) -> float:
        return self.epsilon if rounds == 1 else bit_epsilon_of_rounds(self.chain, rounds)


def l_sue(epsilon: float, limit: float) -> Chain:
    """SUE and SUE again: at one time SUE. 2p - 1 = tanh(ε/4) of each, and they multiply."""
    kept, both = math.tanh(limit / 4), math.tanh(epsilon / 4)
    return Chain(*_symmetric(kept), *_symmetric(both / kept))


def l_osue(epsilon: float, limit: float) -> Chain:
    """OUE, then SUE: at one time OUE. 1 - 2q = tanh(ε/2) of each, and they multiply."""
    kept, both = math.tanh(limit / 2), math.tanh(epsilon / 2)
    return Chain(0.5, 1 / (math.exp(limit) + 1), *_symmetric(both / kept))


def l_oue(epsilon: float, limit: float) -> Chain:
    """OUE, then OUE: p₁ = p₂ = 1/2, and q₂ so that one report costs ε₁.

    With q₁ = 1/2 - w and u = e^ε₁ - 1 the ratio p(1-q) / ((1-p)q) of the chain is e^ε₁ where
    u(1-q₁) q₂² / 2 - (w + u(1/4 + w)) q₂ + (4w - 3u q₁)/8 = 0, of which the smaller root is meant.
    """
    other, gap, raised = 1 / (math.exp(limit) + 1), math.tanh(limit / 2) / 2, math.expm1(epsilon)
    square, linear = raised * (1 - other) / 2, gap + raised * (0.25 + gap)
    constant = (4 * gap - 3 * raised * other) / 8
    root = math.sqrt(linear**2 - 4 * square * constant)
    return Chain(0.5, other, 0.5, 2 * constant / (linear + root))


def _symmetric(gap: float) -> tuple[float, float]:
    """p and q with p + q = 1 and p - q as given."""
    return (1 + gap) / 2, (1 - gap) / 2


class _UnarySpec(TwoBudgets, mechanism=UnaryChain):
    """A unary chain before the domain is known."""

    solved: ClassVar[Callable[[float, float], Chain]]

    def bind(self, domain_size: int) -> UnaryChain:
        chain = type(self).solved(self.epsilon, self.limit)
        return UnaryChain(domain_size, self.epsilon, chain.p, self.limit, chain)


@dataclass(frozen=True)
class LSUESpec(_UnarySpec, kind="l-sue", solved=l_sue):
    """L-SUE, before the domain is known."""


@dataclass(frozen=True)
class LOSUESpec(_UnarySpec, kind="l-osue", solved=l_osue):
    """L-OSUE, before the domain is known."""


@dataclass(frozen=True)
class LOUESpec(_UnarySpec, kind="l-oue", solved=l_oue):
    """L-OUE, before the domain is known."""

    def __post_init__(self) -> None:
        super().__post_init__()
        # Without fresh noise on the zeros, q₂ = 0, one report costs this.
        most = math.log1p(2 * math.expm1(self.limit) / 3)
        if self.epsilon >= most:
            raise ScenarioError(
                f"must be below ln((2 e^ε∞ + 1) / 3) = {spelled(most, 6)} where epsilon_infinity = "
                f"{spelled(self.limit)}, as half of the kept ones are lost anyhow, "
                f"{got(self.epsilon)}",
                key="epsilon",
            )
