"""The most that one person can change a query on a column, its ℓ₁-sensitivity; and clipping.

Dwork, Roth 2014, definition 3.1. A sum or a mean of numbers that nobody bounds beforehand has no
finite sensitivity: bounds taken from the data would themselves give the extreme person away.
Clipping buys one, at the price of a bias (Amin, Kulesza, Muñoz, Vassilvitskii, ICML 2019).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np

from ..base.errors import ScenarioError, got
from ..base.ranges import BUDGET, Range, require
from ..base.sampling import Floats
from ..protocols.curators.accuracy import SENSITIVITY, Neighbours, sensitivity

Query: TypeAlias = Literal["count", "sum", "mean", "histogram"]

QUERIES: Final[tuple[Query, ...]] = ("count", "sum", "mean", "histogram")


@dataclass(frozen=True)
class Bounds:
    """The range of everybody's number, whatever the data: public, or clipped to."""

    low: float
    high: float

    def __post_init__(self) -> None:
        if not -math.inf < self.low < self.high < math.inf:
            raise ScenarioError(
                f"must be finite and ascending, got [{self.low!r}, {self.high!r}]", key="bounds"
            )

    @property
    def width(self) -> float:
        return self.high - self.low

    @property
    def reach(self) -> float:
        """The largest absolute value."""
        return max(abs(self.low), abs(self.high))


def of_query(
    query: Query, neighbours: Neighbours, bounds: Bounds | None = None, rows: int = 1
) -> float:
    """The ℓ₁-sensitivity of a query; `math.inf` where it is unbounded.

    bounds : of the numbers; None if there are none. Neither a count nor a histogram needs them.
    rows : n, taken for public with change-one neighbours, where all tables have it. With add-remove
        neighbours a mean has the sensitivity of a table of one row, (high - low) / 2, whatever n.
    """
    sensitivity(neighbours)  # refuses an unknown one
    require("rows", rows, Range(1))
    change = neighbours == "change-one"
    match query:
        case "count":
            return 0.0 if change else 1.0
        case "histogram":
            return float(SENSITIVITY[neighbours])
        case "sum":
            if bounds is None:
                return math.inf
            return bounds.width if change else bounds.reach
        case "mean":
            if bounds is None:
                return math.inf
            return bounds.width / rows if change else bounds.width / 2
    raise ScenarioError(f"must be one of {', '.join(QUERIES)}, {got(query)}", key="query")


@dataclass(frozen=True, eq=False)
class Clipping:
    """The error of a private sum over clipped numbers, for several bounds; float64[bounds] each.

    bound : C; numbers are clipped to [-C, C], or to [0, C] if they are known not to be negative.
    bias : E[released] - true sum: what clipping takes away.
    noise : standard deviation of the Laplace noise, √2 Δ/ε.
    error : √(bias² + noise²), the root of the expected squared error.
    """

    bound: Floats
    bias: Floats
    noise: Floats
    error: Floats

    @property
    def best(self) -> int:
        """The index of the least error. It is read off the data: its choice is not private."""
        return int(self.error.argmin())


def least_bound(
    values: Floats, epsilon: float, neighbours: Neighbours = "add-remove", negative: bool = True
) -> float:
    """The bound C of the least error, exactly. It is read off the data: its choice is not private.

    Between two numbers next to each other the bias is b + s C and the noise w C, so that the
    squared error is least at C = -b s / (s² + w²), or at the one of the two that is nearer to it.
    values : not all 0.
    """
    ends = np.unique(np.abs(values[values != 0]))
    ends = np.concatenate([ends[:1] / 1e9, ends])
    at = clipping(values, epsilon, ends, neighbours, negative)
    slope = np.diff(at.bias) / np.diff(ends)
    start = at.bias[:-1] - slope * ends[:-1]
    width = at.noise[0] / ends[0]
    least = np.clip(-start * slope / (slope**2 + width**2), ends[:-1], ends[1:])
    tried = clipping(values, epsilon, least, neighbours, negative)
    return float(tried.bound[tried.best])


def clipping(
    values: Floats,
    epsilon: float,
    bounds: Floats,
    neighbours: Neighbours = "add-remove",
    negative: bool = True,
) -> Clipping:
    """The bias-noise trade-off of clipping a sum, for bounds C > 0.

    negative : True if numbers may be below zero, a fact known beforehand; if not, values below are
        clipped to 0.
    """
    require("epsilon", epsilon, BUDGET)
    sensitivity(neighbours)
    if not (np.isfinite(bounds) & (bounds > 0)).all() or bounds.size == 0:
        raise ScenarioError("must be greater than 0 and finite", key="bounds")
    if values.size == 0:
        raise ScenarioError("must hold at least one number", key="values")
    # Sorted, with running sums: what lies above C, and below the other end, is a search away.
    ordered = np.sort(values)
    running = np.concatenate([[0.0], np.cumsum(ordered)])
    low = -bounds if negative else np.zeros(bounds.size)
    above = np.searchsorted(ordered, bounds, side="right")
    below = np.searchsorted(ordered, low, side="left")
    lost = (values.size - above) * bounds - (running[-1] - running[above])
    raised = below * low - running[below]
    width = bounds - low if neighbours == "change-one" else bounds
    noise = math.sqrt(2) * width / epsilon
    bias = lost + raised
    return Clipping(bounds, bias, noise, np.hypot(bias, noise))
