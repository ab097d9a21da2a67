"""Protocols whose coin has probabilities that are multiples of 1/L, as cryptography can draw it."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import singledispatch
from typing import Any, Final

from ...base.errors import ScenarioError, got
from ...law.pure import LEAST_EPSILON
from ..grr import GRR
from ..hashing import LocalHashing
from ..subset import SubsetSelection
from ..unary import Unary

COIN_KINDS: Final = (GRR, LocalHashing, SubsetSelection, Unary)
"""The protocols that one coin draws, or two."""


@singledispatch
def quantise(protocol: Any, levels: int) -> Any:
    """Return the protocol whose coins are multiples of 1/levels, rounded to spend no more than ε.

    Raises ScenarioError at the key `levels` where nothing is told then.
    """
    raise TypeError(f"{protocol!r} is not drawn by one coin: no multiples of 1/{levels}")


@quantise.register
def _(protocol: GRR, levels: int) -> Any:
    p = _round_down(protocol.p, levels)
    return _with_odds(protocol, levels, (protocol.domain_size - 1) * p / (1 - p))


@quantise.register
def _(protocol: LocalHashing, levels: int) -> Any:
    p = _round_down(protocol.p, levels)
    return _with_odds(protocol, levels, (protocol.hash_range - 1) * p / (1 - p))


@quantise.register
def _(protocol: SubsetSelection, levels: int) -> Any:
    p, w = _round_down(protocol.p, levels), protocol.subset_size
    return _with_odds(protocol, levels, (protocol.domain_size - w) / w * p / (1 - p))


@quantise.register
def _(protocol: Unary, levels: int) -> Any:
    p, absent = _round_down(protocol.p, levels), _round_down(1 - protocol.q, levels)
    odds = p / (1 - p) * absent / (1 - absent)
    return replace(_with_odds(protocol, levels, odds), p=p)


def _round_down(probability: float, levels: int) -> float:
    """The largest multiple of 1/levels up to a probability, but for rounding; below 1."""
    return min(math.floor(probability * levels + 1e-9), levels - 1) / levels


def _with_odds(protocol: Any, levels: int, odds: float) -> Any:
    """The protocol with ε = ln(odds); raises ScenarioError where p is no more than q."""
    epsilon = math.log(odds) if odds > 1 else 0.0
    if epsilon < LEAST_EPSILON:
        raise ScenarioError(f"must be more for p to exceed q, {got(levels)}", key="levels")
    return replace(protocol, epsilon=epsilon)
