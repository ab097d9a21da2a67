"""The planner of a mean: users, budget, share of fakes and error, each from the others.

Of N reports a share β is fake, with any value from −C to C, while the honest mean
is from −1 to 1: the estimate is off by β(C + 1) at most, and by noise of standard deviation √(V/N),
V the largest variance of a report's value. So it is within x of the honest mean, with probability
1 − α, if β(C + 1) + z√(V/N) ≤ x, z = Φ⁻¹(1 − α/2). That is the planner's threshold βa + zσ₀ of two
items, with a gain factor a = C + 1. Our derivation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ..base.errors import ScenarioError, got
from ..base.ranges import EPSILON
from ..law.numeric_protocol import NumericProtocol
from ..law.parameter_steps import whole_numbers
from . import planner
from .planner import Oracle, Plan

SIDES: Final = 2
"""The sides on which an estimate can be off: α is shared between them."""


def oracle_of(protocol: NumericProtocol) -> Oracle:
    """The planner's error model of a protocol for numbers in [-1, 1]."""
    whole = whole_numbers(protocol)
    return Oracle(protocol.epsilon, protocol.worst, 0.0, protocol.reach + 1, 0.0, whole=whole)


def plan_of(users: float, share: float, within: float, alpha: float) -> Plan:
    """The planner's equivalent of a mean's error: a frequency plan whose threshold is the error x =
    `within`.
    """
    return Plan(SIDES, users, share, min(within / (1 - share), 1.0), alpha, 0.5)


def error(oracle: Oracle, users: float, share: float, alpha: float) -> float:
    """The error of the estimated mean that holds whatever the fakes report: β(C + 1) + z√(V/N)."""
    plan = plan_of(users, share, 1.0, alpha)
    return planner.attack_floor(oracle, plan) + planner.noise_threshold(oracle, plan)


def users_needed(
    oracle: Oracle, share: float, within: float, alpha: float, half: float = 1.0
) -> float:
    """The number of genuine users with whom the mean's error is at most x = `within`.

    half : half the range, the unit of messages. Raises ScenarioError if no number of users
    suffices.
    """
    plan = plan_of(1, share, within, alpha)
    _above_floor(planner.attack_floor(oracle, plan), within, half)
    try:
        return planner.users_needed(oracle, plan)
    except ScenarioError as refused:
        raise ScenarioError(refused.rule, key="within") from refused


def largest_share(
    oracle: Oracle, users: float, within: float, alpha: float, half: float = 1.0
) -> float:
    """The largest share of fakes with which the mean's error is at most x = `within`.

    Raises ScenarioError if noise alone exceeds x.
    """
    from scipy.optimize import brentq

    def room(share: float) -> float:
        return within - error(oracle, users, share, alpha)

    if room(0.0) < 0:
        _above_floor(error(oracle, users, 0.0, alpha), within, half, "noise")
    return float(brentq(room, 0.0, 1 - 1e-9, xtol=1e-15))


def least_epsilon(
    bind: Callable[[float], Oracle],
    users: float,
    share: float,
    within: float,
    alpha: float,
    half: float = 1.0,
) -> float:
    """The smallest ε with which the mean's error is at most x = `within`.

    bind : the error model of the protocol at an ε. Raises ScenarioError if no ε suffices.
    """
    try:
        return planner.least_epsilon(bind, plan_of(users, share, within, alpha))
    except ScenarioError as refused:
        if refused.key != "frequency":
            raise
        most = half * error(bind(EPSILON.high), users, share, alpha)
        rule = f"must be above {most:.4g}, the least with any ε"
        raise ScenarioError(f"{rule}, {got(half * within)}", key="within") from refused


def _above_floor(floor: float, within: float, half: float, whose: str = "fakes") -> None:
    if within <= floor:
        rule = f"must be above {half * floor:.4g}, by which {whose} alone can move the mean"
        raise ScenarioError(f"{rule}, {got(half * within)}", key="within")
