"""Closed bounds of the literature on shuffled reports of any ε₀-private protocol, for comparison.

FMT21: Feldman, McMillan, Talwar, FOCS 2021, theorem 3.1. FMT23: the same, SODA 2023, theorem 3.2.
VR24: Wang et al., VLDB 2024, the variation ratio of a protocol: no bound at few users, as two users
who differ may send reports that its reduction cannot tell apart.
"""

from __future__ import annotations

import math
from typing import Final

from ...law.blanket import Pair, Sides, pairs_of
from .central import rooted
from .pair import delta_at_least

COMPARED: Final = 10**6
"""The most users of whom the variation ratio is told: beyond, it is hardly below the bound."""


def closed_2021(epsilon: float, users: int, delta: float) -> float | None:
    """FMT21: ln(1 + (e − 1)/(e + 1) (8√(e ln(4/δ)/n) + 8e/n)); None for an ε₀ too large."""
    if epsilon > math.log(max(users / (16 * math.log(2 / delta)), 1e-300)):
        return None
    odds = math.exp(epsilon)
    blended = 8 * math.sqrt(odds * math.log(4 / delta) / users) + 8 * odds / users
    return math.log1p((odds - 1) / (odds + 1) * blended)


def closed_2023(epsilon: float, users: int, delta: float) -> float | None:
    """FMT23: ln(1 + (e − 1)(4√(2 ln(4/δ)/((e + 1)n)) + 4/n)); None for an ε₀ too large."""
    if epsilon > math.log(max(users / (8 * math.log(2 / delta)) - 1, 1e-300)):
        return None
    odds = math.exp(epsilon)
    blended = 4 * math.sqrt(2 * math.log(4 / delta) / ((odds + 1) * users)) + 4 / users
    return math.log1p((odds - 1) * blended)


def variation_epsilon(
    protocol: object | None, epsilon: float, users: int, delta: float
) -> float | None:
    """VR24 at this δ; None where the reports of two items are not known. Not a bound.

    protocol : a local mechanism of ε₀ = `epsilon`; None: any.
    """
    if users > COMPARED:
        return None
    odds = math.exp(epsilon)
    variation = (odds - 1) / (odds + 1)
    if protocol is not None:
        pairs = pairs_of(protocol)
        if not pairs:
            return None
        variation = pairs[0].first.up - pairs[0].second.up
    return rooted(
        lambda central: variation_delta(epsilon, variation, users, central),
        delta, epsilon, above=False,
    )  # fmt: skip


def variation_delta(epsilon: float, variation: float, users: int, central: float) -> float:
    """VR24: the δ of n users at a central ε, where two items' reports differ by `variation`.

    variation : the total variation distance of the reports of two items: of GRR
        (e − 1)/(e + d − 1). Not a bound.
    """
    odds = math.exp(epsilon)
    alike = variation / (odds - 1)
    victim = Sides(odds * alike, alike)
    pair = Pair(victim, Sides(victim.down, victim.up), Sides(alike, alike))
    return delta_at_least(pair, users, central)
