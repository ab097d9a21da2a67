"""The error of a private histogram, from its budget; and the budget, from the error allowed.

A histogram is accurate to within a at level α if each bin is off by more than a with probability
at most α. `bins` asks for that many bins at once: the noise of different bins is independent, so
that each may fail with 1 - (1-α)^(1/bins).

DR: Dwork, Roth, "The Algorithmic Foundations of Differential Privacy", 2014. PSI: the histogram
statistic of the PSI library (Harvard). V: Vadhan, "The Complexity of Differential Privacy", 2017,
theorem 3.5. PSI's ε from an accuracy of the stability method forgets the + 1; here it is kept.
Every function raises ScenarioError for a parameter outside its range.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from ...base.errors import ScenarioError, got
from ...base.ranges import ALPHA, BUDGET, Range, require

Neighbours: TypeAlias = Literal["change-one", "add-remove"]
"""The two tables that must look alike: one person's row is changed, or is added or removed."""

SENSITIVITY: Final[dict[Neighbours, int]] = {"change-one": 2, "add-remove": 1}
"""ℓ₁-sensitivity of a histogram: a changed row leaves one bin and enters another. DR section 3.3"""

DELTA: Final = Range(0, 1, "()")
BINS: Final = Range(1, 2**53)


def sensitivity(neighbours: Neighbours) -> int:
    """The ℓ₁-sensitivity of a histogram; raises ScenarioError for an unknown kind of neighbours."""
    if neighbours not in SENSITIVITY:
        raise ScenarioError(
            f'must be "change-one" or "add-remove", {got(neighbours)}', key="neighbours"
        )
    return SENSITIVITY[neighbours]


def require_delta(delta: float) -> None:
    """Raise ScenarioError for a δ of the stability method outside (0, 1)."""
    if delta == 0:
        raise ScenarioError(
            "must be greater than 0 for the stability mechanism, got 0: that an item occurs at all "
            "is hidden only up to δ; with a known domain use laplace or geometric",
            key="delta",
        )
    require("delta", delta, DELTA)


def per_bin(alpha: float, bins: int) -> float:
    """1-(1-α)^(1/B): the failure probability of each of B independent bins, so that any of them
    fails with probability α.
    """
    require("alpha", alpha, ALPHA)
    require("bins", bins, BINS)
    each = alpha if bins == 1 else -math.expm1(math.log1p(-alpha) / bins)
    return max(each, math.ulp(0.0))  # whose logarithm is taken


def scale(epsilon: float, neighbours: Neighbours) -> float:
    """Δ/ε, the scale of the noise of one bin, in users. DR definition 3.3."""
    require("epsilon", epsilon, BUDGET)
    return sensitivity(neighbours) / epsilon


# Accuracy from the budget.


def laplace_accuracy(
    epsilon: float, alpha: float, bins: int = 1, neighbours: Neighbours = "change-one"
) -> float:
    """The error a = (Δ/ε) ln(1/α) in users that Laplace noise exceeds with probability α, exact.
    PSI getAccuracy.
    """
    return -scale(epsilon, neighbours) * math.log(per_bin(alpha, bins))


def geometric_accuracy(
    epsilon: float, alpha: float, bins: int = 1, neighbours: Neighbours = "change-one"
) -> int:
    """The error a, in users, that geometric noise exceeds with probability α at most."""
    width = scale(epsilon, neighbours)
    allowed = per_bin(alpha, bins)
    log = math.log(allowed) + math.log1p(math.exp(-1 / width)) - math.log(2)
    exact = -width * log - 1
    # A number that is whole but for rounding stays; it is off by one part in 10^12 at most.
    return max(0, math.ceil(exact - 1e-12 * max(1.0, abs(exact))))


def stability_threshold(
    epsilon: float, delta: float, neighbours: Neighbours = "change-one"
) -> float:
    """The threshold (Δ/ε) ln(2/δ) + 1, in users, that a noisy count must exceed to be released.

    V theorem 3.5.
    """
    require_delta(delta)
    return scale(epsilon, neighbours) * (math.log(2) - math.log(delta)) + 1


def stability_accuracy(
    epsilon: float,
    alpha: float,
    delta: float,
    bins: int = 1,
    neighbours: Neighbours = "change-one",
) -> float:
    """The error a = (Δ/ε) ln(1/α) + (Δ/ε) ln(2/δ) + 1, in users, of the stability method.

    PSI getAccuracy.
    """
    threshold = stability_threshold(epsilon, delta, neighbours)
    return laplace_accuracy(epsilon, alpha, bins, neighbours) + threshold


# The budget from the accuracy.


def laplace_epsilon(
    accuracy: float, alpha: float, bins: int = 1, neighbours: Neighbours = "change-one"
) -> float:
    """The ε = (Δ/a) ln(1/α) at which Laplace noise exceeds the error a with probability α.

    accuracy : a, in users. PSI getEpsilon.
    """
    require("accuracy", accuracy, Range(0, math.inf, "()"))
    return -sensitivity(neighbours) / accuracy * math.log(per_bin(alpha, bins))


def geometric_epsilon(
    accuracy: float, alpha: float, bins: int = 1, neighbours: Neighbours = "change-one"
) -> float:
    """The smallest ε at which geometric noise exceeds a = ⌊accuracy⌋ users with probability α at
    most.
    """
    require("accuracy", accuracy, Range(0))
    steps, allowed = math.floor(accuracy) + 1, math.log(per_bin(alpha, bins))
    # With x = -ln r: ln 2 - x steps ≤ ln α + ln(1 + e^-x), true from one x on, and the logarithm
    # on the right is between 0 and ln 2.
    low, high = 0.0, (math.log(2) - allowed) / steps
    for _ in range(100):
        middle = (low + high) / 2
        enough = math.log(2) - middle * steps <= allowed + math.log1p(math.exp(-middle))
        low, high = (low, middle) if enough else (middle, high)
    return sensitivity(neighbours) * high


def stability_epsilon(
    accuracy: float,
    alpha: float,
    delta: float,
    bins: int = 1,
    neighbours: Neighbours = "change-one",
) -> float:
    """The ε = Δ [ln(1/α) + ln(2/δ)] / (a - 1) of the stability method, the exact inverse of
    `stability_accuracy`.

    accuracy : a, in users. Raises ScenarioError if a ≤ 1, since a lone user is never released.
    """
    require_delta(delta)
    if not accuracy > 1:
        raise ScenarioError(
            f"must be greater than 1 for the stability mechanism, {got(accuracy)}: a lone user is "
            "never released",
            key="accuracy",
        )
    require("accuracy", accuracy, Range(1, math.inf, "()"))
    logs = math.log(2) - math.log(delta) - math.log(per_bin(alpha, bins))
    return sensitivity(neighbours) * logs / (accuracy - 1)


@dataclass(frozen=True)
class Precision:
    """The conversions between a privacy budget and the error of its noise, both ways.

    accuracy : the error in users, from ε, α, the bins and the neighbours. epsilon : ε, from the
    error.
    """

    accuracy: Callable[[float, float, int, Neighbours], float]
    epsilon: Callable[[float, float, int, Neighbours], float]


LAPLACE: Final = Precision(laplace_accuracy, laplace_epsilon)
GEOMETRIC: Final = Precision(geometric_accuracy, geometric_epsilon)
