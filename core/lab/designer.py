"""The designer: the protocol of one ε that minimises what matters, of all that a dial makes.

A kind with a dial (`core.protocols.DIALS`) is many protocols of the same ε, which trade noise for
robustness. Each is rated by closed forms alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Final, TypeAlias

import numpy as np

from ..base.errors import ScenarioError, got
from ..base.ranges import DOMAIN, EPSILON, SHARE, USERS, Range, check_bounds
from ..law.pure import PlacedItems, PureProtocol, gain_factor, item_variance
from ..protocols import DIALS, KINDS, Dial

Cost: TypeAlias = Callable[["Rated"], float]
TARGETS: Final = Range(1)
GRID: Final = 33
"""Settings of a dial that are rated first."""
ZOOM: Final = 9
"""Settings between the neighbours of the best one, again and again."""
ENDS: Final = (-12.0, 20.0)
"""The ends of a dial between 0 and 1, as the logarithm of x/(1 − x)."""
FINEST: Final = 1e-4


@dataclass(frozen=True)
class Demand:
    """A collection that a protocol is designed for: n genuine users, a share β of fakes.

    targets : r, the items whose joint gain counts.
    """

    items: Annotated[int, DOMAIN]
    epsilon: Annotated[float, EPSILON]
    users: Annotated[float, USERS]
    share: Annotated[float, SHARE]
    targets: Annotated[int, TARGETS] = 1

    def __post_init__(self) -> None:
        check_bounds(self)
        if self.targets >= self.items:
            rule = f"must be {Range(1, self.items - 1)}, below the number of items"
            raise ScenarioError(f"{rule}, got {self.targets}", key="targets")


@dataclass(frozen=True, eq=False)
class Rated:
    """A protocol and its closed forms on a demand.

    protocol : its `[protocol]` table, mechanism : bound to the demand. variance : Var*.
    gain_factor : a, of one item. noise : the RMSE of an item of nobody, without an attack. gain :
    Σ over r targets of nobody. worst : the RMSE of one item of nobody that all fakes aim at.
    guessed : how often a report gives its item away; None where there is no formula. cost : what
    is minimised; NaN where it weighs what has no formula.
    """

    protocol: Mapping[str, Any]
    mechanism: PureProtocol = field(metadata={"hidden": True})
    p: float
    q: float
    gain_factor: float
    variance: float
    noise: float
    gain: float
    worst: float
    guessed: float | None
    bits: float
    cost: float = math.nan


def rated(table: Mapping[str, Any], demand: Demand) -> Rated:
    """The ratings of the protocol of this table; raises ScenarioError."""
    spec = KINDS[table["kind"]](**{**table, "epsilon": demand.epsilon})
    protocol: PureProtocol = spec.bind(demand.items)
    variance, a = float(item_variance(protocol, 1)), gain_factor(protocol)
    noise = math.sqrt(variance / demand.users)
    crafted = protocol.find_support("crafted", demand.targets).target
    raised = demand.share * (crafted - protocol.q) / (protocol.p - protocol.q)
    # The fakes' reports of one target are all alike: they add no variance to it.
    worst = math.hypot(demand.share * a, (1 - demand.share) * noise)
    return Rated(
        dict(table), protocol, protocol.p, protocol.q, a, variance, noise,
        demand.targets * raised, worst, guessed(protocol), protocol.report_bits,
    )  # fmt: skip


def guessed(protocol: PureProtocol) -> float | None:
    """The chance that one report gives away its item: a uniform guess among the items it supports.

    Items are equally likely, and a report that supports none is guessed at random. p/w where every
    report supports w items; p E[1/(1 + B)] + (1 − p)(1 − q)^(d−1)/d with B ~ Bin(d − 1, q) where
    items are supported by themselves. None where it matters which items they are.
    """
    if isinstance(protocol, PlacedItems):
        return None
    d, p, q = protocol.domain_size, protocol.p, protocol.q
    law = protocol.find_support("honest", 1)
    if law.variance + law.other_variance + 2 * law.covariance < 1e-9 * d:
        return float(p / (p + (d - 1) * q))
    none = math.exp((d - 1) * math.log1p(-q))
    # E[1/(1 + Bin(N, q))] = (1 − (1 − q)^(N + 1))/((N + 1) q).
    shared = -math.expm1(d * math.log1p(-q)) / (d * q)
    return float(p * shared + (1 - p) * none / d)


@dataclass(frozen=True, eq=False)
class Design:
    """The best setting of each kind, the best of all first; cost : what was minimised."""

    best: tuple[Rated, ...]
    cost: Cost

    def priced(self, each: Rated) -> Rated:
        """A protocol with its cost."""
        return replace(each, cost=self.cost(each))


def designed(
    demand: Demand, weights: Sequence[float] | None = None, kinds: Iterable[str] = tuple(DIALS)
) -> Design:
    """The protocol that minimises the worst RMSE, or a weighted sum; raises ScenarioError.

    weights : of the squared error, the gain, the attacker's success and the bits, each beside the
    least that any rated protocol has of it.
    """
    if weights is not None and not (min(weights) >= 0 and sum(weights) > 0):
        rule = "must be at least 0" if min(weights) < 0 else "must have a weight above 0"
        raise ScenarioError(f"{rule}, {got(weights)}", key="weights")
    grids = {kind: _grid(kind, demand) for kind in kinds}
    cost = _cost(weights, [each for grid in grids.values() for each in grid.values()])
    best = [_zoomed(kind, demand, grid, cost) for kind, grid in grids.items()]
    return Design(tuple(sorted(best, key=cost)), cost)


def _cost(weights: Sequence[float] | None, candidates: Iterable[Rated]) -> Cost:
    if weights is None:
        return lambda each: each.worst
    least = [min(column) for column in zip(*map(_parts, candidates), strict=True)]
    return lambda each: sum(
        weight * value / low
        for weight, value, low in zip(weights, _parts(each), least, strict=True)
        if weight and low > 0
    )


def _parts(each: Rated) -> tuple[float, ...]:
    """What is weighed."""
    guess = math.nan if each.guessed is None else each.guessed
    return each.noise**2, each.gain, guess, each.bits


def _grid(kind: str, demand: Demand) -> dict[float, Rated]:
    """Ratings over the whole dial of a kind, by a coordinate that rises with it."""
    dial = DIALS[kind]
    low, high = _ends(dial, demand)
    places = np.linspace(low, high, GRID).tolist()
    if dial.whole and dial.below_items:  # a subset that leaves out few items is as special
        left = demand.items - np.exp(places)
        places += np.log(left[left >= 1]).tolist()
    return _rated_at(kind, dial, demand, places)


def _ends(dial: Dial, demand: Demand) -> tuple[float, float]:
    if not dial.whole:
        return ENDS
    most = demand.items - 1 if dial.below_items else dial.allowed.high
    return math.log(dial.allowed.low), math.log(most)


def _rated_at(kind: str, dial: Dial, demand: Demand, places: Iterable[float]) -> dict[float, Rated]:
    """The ratings at these coordinates, by the coordinate that each setting really has."""
    rates = {}
    for place in places:
        setting: float
        if dial.whole:
            setting = round(math.exp(place))
            at = math.log(setting)
        else:
            setting, at = _rounded(place), place
        if at not in rates:
            table = {"kind": kind, "epsilon": demand.epsilon, dial.name: setting}
            rates[at] = rated(table, demand)
    return rates


def _rounded(place: float) -> float:
    """x with log(x/(1 − x)) = place, to four digits of the smaller one of x and 1 − x."""
    x = 1 / (1 + math.exp(-place))
    return round(x, 3 - math.floor(math.log10(min(x, 1 - x))))


def _zoomed(kind: str, demand: Demand, grid: dict[float, Rated], cost: Cost) -> Rated:
    """The best setting of a dial: of a grid, then of finer ones around each valley of it."""
    places = sorted(grid)
    costs = [math.inf, *(cost(grid[place]) for place in places), math.inf]
    valleys = [
        {place: grid[place] for place in places[max(0, at - 1) : at + 2]}
        for at in range(len(places))
        if costs[at] >= costs[at + 1] <= costs[at + 2]
    ]
    found = [_lowest(DIALS[kind], valley, kind, demand, cost) for valley in valleys]
    return min(found, key=cost)


def _lowest(dial: Dial, grid: dict[float, Rated], kind: str, demand: Demand, cost: Cost) -> Rated:
    """The best setting of one valley, by ever finer grids."""
    while True:
        places = sorted(grid)
        at = min(range(len(places)), key=lambda i: cost(grid[places[i]]))
        low, high = places[max(0, at - 1)], places[min(len(places) - 1, at + 1)]
        new = _rated_at(kind, dial, demand, np.linspace(low, high, ZOOM).tolist())
        if new.keys() <= grid.keys() or high - low < FINEST:
            return grid[places[at]]
        grid = {place: grid[place] for place in (low, places[at], high)} | new
