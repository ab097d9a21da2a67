"""The central ε of shuffled reports, from both sides, and the ε₀ and the users that reach one.

Upper bounds ("at most") come from the privacy blanket, lower bounds ("at least") from two explicit
data sets. Users whose reports hide nothing, such as fakes, do not count as users here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, TypeAlias

from ...base.errors import ScenarioError, got
from ...base.ranges import EPSILON, Range
from ...law.blanket import Blanket, Pair, Sides, any_blanket, any_pairs, blankets_of, pairs_of
from .shuffled_delta import both_ways, delta_at_least, delta_at_most, divergence

DELTA: Final = Range(1e-30, 0.5)
SHUFFLED: Final = Range(1, 10**9)
"""The users among whom reports are shuffled."""

NEVER: Final = 40.0
"""√(−ln δ) where δ is 0."""
CLOSE: Final = 1e-7
"""What a root may be off, as a part of it; it is added on the safe side."""
FLOOR: Final = 1e-12
"""Where a search for an ε begins."""

Local: TypeAlias = Callable[[float], object | None]
"""The protocol of an ε₀; None stands for any protocol of it."""


def central_at_most(protocol: object | None, epsilon: float, users: int, delta: float) -> float:
    """An upper bound on the central ε of n users' shuffled reports at this δ; at most the local ε₀.

    protocol : a local mechanism of ε₀ = `epsilon`; None for any.
    """
    blankets = (any_blanket(epsilon),) if protocol is None else blankets_of(protocol)
    return find_root(lambda e: _at_most(blankets, users, e), delta, epsilon, above=True)


def central_at_least(
    protocol: object | None, epsilon: float, users: int, delta: float, most: float | None = None
) -> float:
    """A lower bound on the central ε of n users' shuffled reports at this δ; 0 if no bound is
    known.

    protocol : a local mechanism of ε₀ = `epsilon`; None for any, of which the worst of two is
    taken. most : a known upper bound.
    """
    least = 0.0
    for pair in any_pairs(epsilon) if protocol is None else pairs_of(protocol):
        for way in both_ways(pair):
            if divergence(way, users, max(least, FLOOR)) > delta:
                least = find_root(
                    partial(divergence, way, users),
                    delta,
                    most or epsilon,
                    above=False,
                    least=least,
                )
    return least


def _at_most(blankets: Sequence[Blanket], users: int, epsilon: float) -> float:
    return max(delta_at_most(blanket, users, epsilon) for blanket in blankets)


def _depth(delta: float) -> float:
    """√(−ln δ), nearly linear in ε."""
    return NEVER if delta <= 0 else min(NEVER, math.sqrt(max(0.0, -math.log(delta))))


def find_root(
    delta_at: Callable[[float], float],
    delta: float,
    most: float,
    *,
    above: bool,
    least: float = 0.0,
) -> float:
    """The ε in [`least`, `most`] at which a falling δ(ε) reaches δ.

    above : whether to round up, for an upper bound; else down. `most` if δ is not reached.
    """
    goal = _depth(delta)

    def room(epsilon: float) -> float:
        return _depth(delta_at(epsilon)) - goal

    if room(most) < 0:
        return most
    start = max(least, FLOOR)
    low = high = most
    while low > start and room(low) >= 0:  # roots lie anywhere between n^(-1/2) and ε₀
        low, high = max(start, low / 4), low
    if room(low) >= 0:
        return start if above else least
    from scipy.optimize import brentq

    root = float(brentq(room, low, high, rtol=CLOSE))
    return min(most, root * (1 + 4 * CLOSE)) if above else root * (1 - 4 * CLOSE)


def local_for(bind: Local, users: int, delta: float, central: float) -> float:
    """The largest local ε₀ whose shuffled reports are (`central`, δ)-private; at least `central`.

    bind : the protocol of an ε₀, or None for any; raises ScenarioError if there is none.
    """
    goal = _depth(delta)

    def room(local: float) -> float:
        try:
            protocol = bind(local)
        except ScenarioError:  # no such protocol has so large an ε₀
            return -goal
        blankets = (any_blanket(local),) if protocol is None else blankets_of(protocol)
        return _depth(_at_most(blankets, users, central)) - goal

    if central >= EPSILON.high or room(EPSILON.high) >= 0:
        return EPSILON.high
    from scipy.optimize import brentq

    root = float(brentq(room, central, EPSILON.high, rtol=CLOSE)) * (1 - 4 * CLOSE)
    while root > central and room(root) < 0:  # a whole parameter of the protocol makes steps
        root = max(central, root * (1 - 1e-4))
    return max(root, central)


def least_users(protocol: object | None, epsilon: float, delta: float, central: float) -> int:
    """The smallest number of users whose shuffled reports are (central, δ)-private.

    protocol : as in `central_at_most`. At most one part in 10^6 too large. Raises ScenarioError if
    it exceeds 10^9.
    """
    blankets = (any_blanket(epsilon),) if protocol is None else blankets_of(protocol)

    def enough(users: int) -> bool:
        return _at_most(blankets, users, central) <= delta

    low, high = 0, 1
    while not enough(high):
        low, high = high, 2 * high
        if low > SHUFFLED.high:
            rule = f"must be larger: {SHUFFLED.high:g} shuffled users do not bring ε to it"
            raise ScenarioError(f"{rule}, {got(central)}", key="central")
    while high - low > max(1, low // 10**6):
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


COMPARED: Final = 10**6
"""The most users of whom the variation ratio is told: beyond, it is hardly below the bound."""


def closed_2021(epsilon: float, users: int, delta: float) -> float | None:
    """The central ε of shuffling by Feldman, McMillan and Talwar 2021 in closed form; None if ε₀ is
    too large for the theorem.
    """
    if epsilon > math.log(max(users / (16 * math.log(2 / delta)), 1e-300)):
        return None
    odds = math.exp(epsilon)
    blended = 8 * math.sqrt(odds * math.log(4 / delta) / users) + 8 * odds / users
    return math.log1p((odds - 1) / (odds + 1) * blended)


def closed_2023(epsilon: float, users: int, delta: float) -> float | None:
    """The central ε of shuffling by Feldman, McMillan and Talwar 2023 in closed form; None if ε₀ is
    too large for the theorem.
    """
    if epsilon > math.log(max(users / (8 * math.log(2 / delta)) - 1, 1e-300)):
        return None
    odds = math.exp(epsilon)
    blended = 4 * math.sqrt(2 * math.log(4 / delta) / ((odds + 1) * users)) + 4 / users
    return math.log1p((odds - 1) * blended)


def variation_epsilon(
    protocol: object | None, epsilon: float, users: int, delta: float
) -> float | None:
    """The variation-ratio approximation (VR24) of the central ε at this δ, which is no bound.

    None if two items' report distributions are unknown, or for more than 10^6 users. protocol : a
    local mechanism of ε₀ = `epsilon`; None for any.
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
    return find_root(
        lambda central: variation_delta(epsilon, variation, users, central),
        delta, epsilon, above=False,
    )  # fmt: skip


def variation_delta(epsilon: float, variation: float, users: int, central: float) -> float:
    """The δ of n users' shuffled reports at a central ε by VR24; not a bound.

    variation : the total variation distance between the reports of two items: for GRR
        (e^ε₀ − 1)/(e^ε₀ + d − 1).
    """
    odds = math.exp(epsilon)
    alike = variation / (odds - 1)
    victim = Sides(odds * alike, alike)
    pair = Pair(victim, Sides(victim.down, victim.up), Sides(alike, alike))
    return delta_at_least(pair, users, central)
