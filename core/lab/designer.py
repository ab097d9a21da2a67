"""The designer: the protocol of one ε that minimises what matters, of all that a dial makes.

A kind with a dial (`core.protocols.DIALS`) is many protocols of the same ε, which trade noise for
robustness. Each is rated by closed forms alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

import numpy as np

from ..base.errors import ScenarioError
from ..base.named import fields_of
from ..base.ranges import DOMAIN, EPSILON, SHARE, USERS, Range, check_bounds
from ..law.pure import PlacedItems, PureProtocol, gain_factor, item_variance
from ..protocols import DIALS, KINDS, Dial
from .guessing import Prior, averaged

WEIGHT: Final = Range(0)
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


@dataclass(frozen=True)
class Weights:
    """The weight of each thing that matters, beside the least that any rated protocol has of it."""

    mse: Annotated[float, WEIGHT] = 0.0
    gain: Annotated[float, WEIGHT] = 0.0
    guessed: Annotated[float, WEIGHT] = 0.0
    bits: Annotated[float, WEIGHT] = 0.0

    def __post_init__(self) -> None:
        check_bounds(self)
        if not self.mse + self.gain + self.guessed + self.bits > 0:
            raise ScenarioError("must have a weight above 0", key="weights")


@dataclass(frozen=True, eq=False)
class Rated:
    """A protocol and its closed forms on a demand.

    table : its `[protocol]` table. variance : Var*. gain_factor : a, of one item.
    mse : of an item of nobody, without an attack. gain : Σ over r targets of nobody.
    guessed : how often a report gives its item away; None where there is no formula.
    worst : the RMSE of one item of nobody that all fakes aim at.
    """

    table: Mapping[str, Any]
    protocol: PureProtocol
    variance: float
    gain_factor: float
    mse: float
    gain: float
    guessed: float | None
    bits: float
    worst: float


def rated(table: Mapping[str, Any], demand: Demand, prior: Prior = ()) -> Rated:
    """The ratings of the protocol of this table; raises ScenarioError.

    prior : what an observer knows beforehand; without it every item is as likely.
    """
    spec = KINDS[table["kind"]](**{**table, "epsilon": demand.epsilon})
    protocol: PureProtocol = spec.bind(demand.items)
    variance = float(item_variance(protocol, 1))
    noise = variance / demand.users
    lifted = demand.share * gain_factor(protocol)
    crafted = protocol.find_support("crafted", demand.targets).target
    raised = demand.share * (crafted - protocol.q) / (protocol.p - protocol.q)
    return Rated(
        dict(table),
        protocol,
        variance,
        gain_factor(protocol),
        noise,
        demand.targets * raised,
        guessed(protocol, prior),
        protocol.report_bits,
        # The fakes' reports of one target are all alike: they add no variance to it.
        math.hypot(lifted, (1 - demand.share) * math.sqrt(noise)),
    )


def guessed(protocol: PureProtocol, prior: Prior = ()) -> float | None:
    """The chance that one report gives away its item: a uniform guess among the items it supports.

    With a prior it is the guess of Bayes (`guessing`). Without one items are equally likely, and a
    report that supports none is guessed at random. p/w where every report supports w items;
    p E[1/(1 + B)] + (1 − p)(1 − q)^(d−1)/d with B ~ Bin(d − 1, q) where items are supported by
    themselves. None where it matters which items they are.
    """
    if prior:
        try:
            return averaged(protocol, prior).after
        except ScenarioError:
            return None
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
    """The best setting of each kind, the best of all first, and each whole dial.

    rated : settings over the dial of each kind, in order. cost : what was minimised.
    weights : those of its sum; None: it is the worst RMSE. prior : what an observer knows.
    """

    best: tuple[Rated, ...]
    rated: Mapping[str, tuple[Rated, ...]]
    cost: Callable[[Rated], float]
    weights: Weights | None
    prior: Prior = ()

    @property
    def found(self) -> Rated:
        return self.best[0]


def designed(
    demand: Demand, weights: Weights | None = None, kinds: Iterable[str] = tuple(DIALS),
    prior: Prior = (),
) -> Design:  # fmt: skip
    """The protocol that minimises the worst RMSE, or this weighted sum; raises ScenarioError."""
    grids = {kind: _grid(kind, demand, prior) for kind in kinds}
    cost = _cost(weights, [each for grid in grids.values() for each in grid.values()])
    best = [_zoomed(kind, demand, grid, cost, prior) for kind, grid in grids.items()]
    rows = {kind: tuple(grid[at] for at in sorted(grid)) for kind, grid in grids.items()}
    return Design(tuple(sorted(best, key=cost)), rows, cost, weights, prior)


def _cost(weights: Weights | None, candidates: Iterable[Rated]) -> Callable[[Rated], float]:
    if weights is None:
        return lambda each: each.worst
    least = {
        name: min(fields_of(each)[name] for each in candidates)
        for name, weight in vars(weights).items()
        if weight
    }
    parts = {name: vars(weights)[name] / value for name, value in least.items() if value > 0}
    return lambda each: sum(part * fields_of(each)[name] for name, part in parts.items())


def _grid(kind: str, demand: Demand, prior: Prior) -> dict[float, Rated]:
    """Ratings over the whole dial of a kind, by a coordinate that rises with it."""
    dial = DIALS[kind]
    low, high = _ends(dial, demand)
    places = np.linspace(low, high, GRID).tolist()
    if dial.whole and dial.below_items:  # a subset that leaves out few items is as special
        left = demand.items - np.exp(places)
        places += np.log(left[left >= 1]).tolist()
    return _rated_at(kind, dial, demand, places, prior)


def _ends(dial: Dial, demand: Demand) -> tuple[float, float]:
    if not dial.whole:
        return ENDS
    most = demand.items - 1 if dial.below_items else dial.allowed.high
    return math.log(dial.allowed.low), math.log(most)


def _rated_at(
    kind: str, dial: Dial, demand: Demand, places: Iterable[float], prior: Prior
) -> dict[float, Rated]:
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
            rates[at] = rated(table, demand, prior)
    return rates


def _rounded(place: float) -> float:
    """x with log(x/(1 − x)) = place, to four digits of the smaller one of x and 1 − x."""
    x = 1 / (1 + math.exp(-place))
    return round(x, 3 - math.floor(math.log10(min(x, 1 - x))))


def _zoomed(
    kind: str, demand: Demand, grid: dict[float, Rated], cost: Callable[[Rated], float],
    prior: Prior,
) -> Rated:  # fmt: skip
    """The best setting of a dial: of a grid, then of finer ones around each valley of it."""
    places = sorted(grid)
    costs = [math.inf, *(cost(grid[place]) for place in places), math.inf]
    valleys = [
        {place: grid[place] for place in places[max(0, at - 1) : at + 2]}
        for at in range(len(places))
        if costs[at] >= costs[at + 1] <= costs[at + 2]
    ]
    found = [_lowest(DIALS[kind], valley, kind, demand, cost, prior) for valley in valleys]
    return min(found, key=cost)


def _lowest(
    dial: Dial, grid: dict[float, Rated], kind: str, demand: Demand,
    cost: Callable[[Rated], float], prior: Prior,
) -> Rated:  # fmt: skip
    """The best setting of one valley, by ever finer grids."""
    while True:
        places = sorted(grid)
        at = min(range(len(places)), key=lambda i: cost(grid[places[i]]))
        low, high = places[max(0, at - 1)], places[min(len(places) - 1, at + 1)]
        new = _rated_at(kind, dial, demand, np.linspace(low, high, ZOOM).tolist(), prior)
        if new.keys() <= grid.keys() or high - low < FINEST:
            return grid[places[at]]
        grid = {place: grid[place] for place in (low, places[at], high)} | new
