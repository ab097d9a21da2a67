"""The designer: for each kind with a dial, the setting with the least worst-case error at one ε.

A kind with a dial (`core.protocols.DIALS`) is many protocols of the same ε, which trade noise for
robustness. Each is rated by closed forms alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final

import numpy as np

from ..base.errors import ScenarioError
from ..base.ranges import DOMAIN, EPSILON, SHARE, USERS, Range, check_bounds
from ..law.pure import PureProtocol, gain_factor, item_variance
from ..protocols import DIALS, KINDS

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
    """The requirements of a design: n genuine users, d items, ε, a share β of fakes.

    targets : r, the items whose joint gain counts; ScenarioError unless r < d.
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
class RatedProtocol:
    """A protocol and its predicted errors and gains for given requirements.

    protocol : its `[protocol]` table. mechanism : bound to d. gain_factor : a, of one item.
    variance : Var*.
    noise : the RMSE of an item without users, without an attack. gain : Σ over r targets without
    users.
    worst : the RMSE of one item without users that all fakes promote. bits : of a report.
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
    bits: float


def rate_protocol(table: Mapping[str, Any], demand: Demand) -> RatedProtocol:
    """The ratings of the protocol of this `[protocol]` table.

    Raises ScenarioError if the table is not valid for the demand.
    """
    spec = KINDS[table["kind"]](**{**table, "epsilon": demand.epsilon})
    protocol: PureProtocol = spec.bind(demand.items)
    variance, a = float(item_variance(protocol, 1)), gain_factor(protocol)
    noise = math.sqrt(variance / demand.users)
    crafted = protocol.find_support("crafted", demand.targets).target
    raised = demand.share * (crafted - protocol.q) / (protocol.p - protocol.q)
    # The fakes' reports of one target are all alike: they add no variance to it.
    worst = math.hypot(demand.share * a, (1 - demand.share) * noise)
    return RatedProtocol(
        dict(table), protocol, protocol.p, protocol.q, a, variance, noise,
        demand.targets * raised, worst, protocol.report_bits,
    )  # fmt: skip


def design_protocols(demand: Demand, kinds: Iterable[str] = tuple(DIALS)) -> list[RatedProtocol]:
    """The setting of each kind with the least worst-case RMSE, the best kind first."""
    return sorted((_best(kind, demand) for kind in kinds), key=lambda each: each.worst)


def _best(kind: str, demand: Demand) -> RatedProtocol:
    """The best setting of a dial, by ever finer grids."""
    dial, grid = DIALS[kind], dict[float, RatedProtocol]()
    low, high = ENDS
    if dial.whole:
        most = demand.items - 1 if dial.below_items else dial.allowed.high
        low, high = math.log(dial.allowed.low), math.log(most)
    while True:
        size = len(grid)
        for place in np.linspace(low, high, ZOOM if grid else GRID).tolist():
            setting: float = round(math.exp(place)) if dial.whole else _round_probability(place)
            at = math.log(setting) if dial.whole else place
            if at not in grid:
                table = {"kind": kind, "epsilon": demand.epsilon, dial.name: setting}
                grid[at] = rate_protocol(table, demand)
        places = sorted(grid)
        best = min(range(len(places)), key=lambda i: grid[places[i]].worst)
        if len(grid) == size or high - low < FINEST:
            return grid[places[best]]
        low, high = places[max(0, best - 1)], places[min(len(places) - 1, best + 1)]


def _round_probability(place: float) -> float:
    """x with log(x/(1 − x)) = place, to four digits of the smaller one of x and 1 − x."""
    x = 1 / (1 + math.exp(-place))
    return round(x, 3 - math.floor(math.log10(min(x, 1 - x))))
