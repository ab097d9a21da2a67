"""The ℓ₁-sensitivity of a query on a column, the largest change by one person; and clipping.

Dwork, Roth 2014, definition 3.1. A sum or a mean of numbers without a public bound has no finite
sensitivity: bounds taken from the data would themselves reveal the extreme person. Clipping bounds
it, at the price of a bias (Amin, Kulesza, Muñoz, Vassilvitskii, ICML 2019).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np

from ..base.errors import ScenarioError, got
from ..base.sampling import Floats
from ..protocols.curators.accuracy import SENSITIVITY, Neighbours

Query: TypeAlias = Literal["count", "sum", "mean", "histogram"]

QUERIES: Final[tuple[Query, ...]] = ("count", "sum", "mean", "histogram")


Bounds: TypeAlias = tuple[float, float]
"""The range of everybody's number, whatever the data: public, or clipped to."""


def of_query(
    query: Query, neighbours: Neighbours, bounds: Bounds | None = None, rows: int = 1
) -> float:
    """The ℓ₁-sensitivity of a query; `math.inf` if it is unbounded.

    bounds : of the numbers; None if there are none. Neither a count nor a histogram needs them.
    rows : n, public for change-one neighbours, whose tables all have it. For add-remove neighbours
    a mean has the sensitivity of a table of one row, (high - low) / 2, for any n.

    Raises ScenarioError unless `bounds` are finite and ascending.
    """
    if bounds is not None and not -math.inf < bounds[0] < bounds[1] < math.inf:
        raise ScenarioError(f"must be finite and ascending, {got(bounds)}", key="bounds")
    change = neighbours == "change-one"
    if query == "count":
        return 0.0 if change else 1.0
    if query == "histogram":
        return float(SENSITIVITY[neighbours])
    if bounds is None:
        return math.inf
    (low, high), width = bounds, bounds[1] - bounds[0]
    if query == "sum":
        return width if change else max(abs(low), abs(high))
    return width / rows if change else width / 2


@dataclass(frozen=True, eq=False)
class Clipping:
    """The error of a private sum over clipped numbers, for several bounds; float64[bounds] each.

    bound : C; numbers are clipped to [-C, C], or to [0, C] if they cannot be negative.
    bias : E[released] - true sum, by clipping.
    noise : the standard deviation of the Laplace noise, √2 Δ/ε.
    error : √(bias² + noise²), the root of the expected squared error.
    """

    bound: Floats
    bias: Floats
    noise: Floats
    error: Floats


def least_bound(
    values: Floats, epsilon: float, neighbours: Neighbours = "add-remove", negative: bool = True
) -> float:
    """The clipping bound C with the least error; it is computed from the data, so its choice is not
    private.

    Between two neighbouring numbers the bias is b + s C and the noise w C, so that the squared
    error is least at C = -b s / (s² + w²), or at the nearer of the two numbers.

    values : float64[n], not all 0.
    """
    ends = np.unique(np.abs(values[values != 0]))
    ends = np.concatenate([ends[:1] / 1e9, ends])
    at = clipping(values, epsilon, ends, neighbours, negative)
    slope = np.diff(at.bias) / np.diff(ends)
    start = at.bias[:-1] - slope * ends[:-1]
    width = at.noise[0] / ends[0]
    least = np.clip(-start * slope / (slope**2 + width**2), ends[:-1], ends[1:])
    tried = clipping(values, epsilon, least, neighbours, negative)
    return float(tried.bound[tried.error.argmin()])


def clipping(
    values: Floats,
    epsilon: float,
    bounds: Floats,
    neighbours: Neighbours = "add-remove",
    negative: bool = True,
) -> Clipping:
    """The bias and noise of a clipped sum, for bounds C > 0.

    values : float64[n]. bounds : float64[k]. negative : whether numbers may be below zero, which
    must be public knowledge; if not, values below 0 are clipped to 0.
    """
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
