"""The planner: users, budget, share of fakes, frequency and power, each from the others.

An item is *detected* when its estimate exceeds the threshold βa + zσ₀ of n + m reports: more than
the gain of an item by fakes (the attack floor βa), plus what the noise of d items exceeds with
probability α. The mean of a genuine item is (1 − β)f, as fakes report something else. We derive
all of it from the closed forms of Wang et al. 2017 (theorem 2) and of the gain.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, Self

import numpy as np

from ..base.errors import ScenarioError, got
from ..base.ranges import ALPHA, DOMAIN, EPSILON, FREQUENCY, POWER, SHARE, USERS, RangeChecked
from ..law.parameter_steps import first_reached, whole_numbers
from ..law.pure import PureProtocol, Total, item_variance

LEAST_BUDGET: Final = 1e-3
"""The smallest ε that is searched for."""
COARSE: Final = 33
"""Budgets tried first, each 36 % larger than the one before."""


@dataclass(frozen=True)
class Oracle:
    """The error model of a pure protocol at one ε and d, as the planner needs it.

    variance : Var* = q(1−q)/(p−q)², n times the variance of an estimate of zero.
    slope : (1−p−q)/(p−q), the increase of that variance per unit of frequency.
    gain_factor : (s−q)/(p−q), the gain of one item per share of fakes, who support it with
        probability s; if they promote r items together, the gain of each.
    lowered : (q−s′)/(p−q), by how much the same fakes lower any other item, which they support with
        probability s′.
    noise : the variance of the noise of one count, which servers or a curator add once; 0 if users
        add their own. curator : the mechanism that adds it, whose noise has its own tails; None for
        normal noise, of sums over users.
    whole : the integer parameters of the protocol, which are chosen by ε.
    """

    epsilon: float
    variance: float
    slope: float
    gain_factor: float
    lowered: float
    noise: float = 0.0
    curator: Any = None
    whole: tuple[int, ...] = ()

    @classmethod
    def of(cls, protocol: PureProtocol, targets: int = 1) -> Self:
        """The error model if fakes promote this number of targets together."""
        p, q = protocol.p, protocol.q
        gap = p - q
        variance = float(item_variance(protocol, 1))
        crafted = protocol.find_support("crafted", targets)
        return cls(
            protocol.epsilon,
            variance,
            float(item_variance(protocol, 1, 1.0)) - variance,
            (crafted.target - q) / gap,
            (q - crafted.other) / gap,
            whole=whole_numbers(protocol),
        )

    @classmethod
    def of_verified(cls, protocol: PureProtocol, targets: int = 1) -> Self:
        """The error model if fakes have to run the protocol, each on one of the targets."""
        honest = protocol.find_support("honest", targets)
        free, gap = cls.of(protocol, targets), protocol.p - protocol.q
        lifted = (honest.target - protocol.q) / gap
        return replace(free, gain_factor=lifted, lowered=(protocol.q - honest.other) / gap)

    @classmethod
    def of_curator(cls, curator: Any, targets: int = 1) -> Self:
        """The error model of a curator: exact counts with noise added once."""
        crafted = curator.find_support("crafted", targets)
        noise = curator.total_variance(Total(1))
        return cls(curator.epsilon, 0.0, 0.0, crafted.target, -crafted.other, noise, curator)

    def quantile(self, chance: float) -> float:
        """The z that an estimate exceeds, in standard deviations above its mean, with probability
        `chance` at most.
        """
        if self.curator is None:
            from scipy.special import ndtri

            return float(-ndtri(chance))
        low, high = 0, 1
        while self._beyond(high) > chance:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._beyond(middle) > chance else (low, middle)
        return high / math.sqrt(self.noise)

    def exceeds(self, z: float) -> float:
        """The probability that an estimate is more than -z standard deviations above its mean."""
        if self.curator is None:
            from scipy.special import ndtr

            return float(ndtr(z))
        off = z * math.sqrt(self.noise)
        return 1 - self._beyond(math.ceil(off)) if off > 0 else self._beyond(math.floor(-off) + 1)

    def _beyond(self, count: int) -> float:
        """The chance that the noise of a count is at least this whole number above 0."""
        assert self.curator is not None
        return float(self.curator.tail(np.zeros(1), count - 1)[0]) / 2

    def unit_variance(self, reports: float) -> float:
        """N times the variance of an estimate of zero, from N reports."""
        return self.variance + self.noise / reports


@dataclass(frozen=True)
class Plan(RangeChecked):
    """A planned collection: n genuine users, and fakes who are a share β of all users.

    frequency : the smallest frequency that has to be detected. power : the probability of detecting
    it. alpha : the probability that any of d items without users passes the threshold, without an
    attack.
    """

    items: Annotated[int, DOMAIN]
    users: Annotated[float, USERS]
    share: Annotated[float, SHARE]
    frequency: Annotated[float, FREQUENCY]
    alpha: Annotated[float, ALPHA]
    power: Annotated[float, POWER]

    @property
    def reports(self) -> float:
        """n + m, the genuine users and the fakes."""
        return self.users / (1 - self.share)


# The lines of a plan.


def quantile(oracle: Oracle, plan: Plan) -> float:
    """z = Φ⁻¹(1 − α/d) of the noise threshold, for normal noise or a curator's."""
    return oracle.quantile(plan.alpha / plan.items)


def power_quantile(oracle: Oracle, plan: Plan) -> float:
    """z_b = Φ⁻¹(power), for normal noise or a curator's."""
    return oracle.quantile(1 - plan.power)


def attack_floor(oracle: Oracle, plan: Plan) -> float:
    """The gain βa of an item by fakes, with β their share and a the protocol's gain factor:
    frequencies below it prove nothing.
    """
    return plan.share * oracle.gain_factor


def undetectable_floor(oracle: Oracle, plan: Plan) -> float:
    """The gain βe^ε/(e^ε − 1) that fakes (share β of all users) reach undetected under any ε-LDP
    protocol.
    """
    return plan.share / -math.expm1(-oracle.epsilon)


def verified_floor(plan: Plan) -> float:
    """The gain β of fakes (share β of all users) who have to run the protocol and only choose their
    item.
    """
    return plan.share


def noise_threshold(oracle: Oracle, plan: Plan) -> float:
    """The threshold zσ₀, from n + m reports, that any of d items without users exceeds with
    probability α.
    """
    return quantile(oracle, plan) * math.sqrt(oracle.unit_variance(plan.reports) / plan.reports)


def saturation_users(oracle: Oracle, plan: Plan) -> float:
    """The number of reports n* = z²Var*/(βa)² at which the noise threshold equals the attack floor
    βa.

    Beyond it more users help less and less. Infinite without fakes.
    """
    floor = attack_floor(oracle, plan)
    if floor <= 0:
        return math.inf
    ratio = quantile(oracle, plan) / floor
    return ratio**2 * oracle.variance + ratio * math.sqrt(oracle.noise)


def least_frequency(oracle: Oracle, plan: Plan) -> float:
    """The smallest frequency that is detected with the plan's power; it may exceed 1.

    The root of (F − A)² = z_b²(Var* + F·slope)/N with the threshold A; F = (1 − β)f.
    """
    threshold = attack_floor(oracle, plan) + noise_threshold(oracle, plan)
    spread = power_quantile(oracle, plan) ** 2 / plan.reports
    half = threshold + spread * oracle.slope / 2
    # half² − threshold² + spread·Var*, without cancellation.
    unit = oracle.unit_variance(plan.reports)
    under = spread * (threshold * oracle.slope + spread * oracle.slope**2 / 4 + unit)
    return (half + math.sqrt(max(0.0, under))) / (1 - plan.share)


def without_fakes(plan: Plan) -> Plan:
    """The plan without fakes, its genuine users unchanged."""
    return replace(plan, share=0.0)


def found_power(oracle: Oracle, plan: Plan, lowered: bool = False) -> float:
    """The probability that an item of the plan's frequency is detected.

    lowered : whether the fakes who promote another item also lower this one, by not supporting it.
    """
    mean = (1 - plan.share) * plan.frequency - attack_floor(oracle, plan)
    if lowered:
        mean -= plan.share * oracle.lowered
    return oracle.exceeds((mean - noise_threshold(oracle, plan)) / _spread(oracle, plan))


def _spread(oracle: Oracle, plan: Plan) -> float:
    shown = (1 - plan.share) * plan.frequency
    unit = oracle.unit_variance(plan.reports)
    return math.sqrt((unit + shown * oracle.slope) / plan.reports)


# Each quantity from the others.


def users_needed(oracle: Oracle, plan: Plan) -> float:
    """The number of genuine users at which the plan's frequency is detected.

    Raises ScenarioError if it is below the attack floor, or if more than USERS.high are needed.
    """
    shown = (1 - plan.share) * plan.frequency
    room = shown - attack_floor(oracle, plan)
    if room <= 0:
        raise _below_floor(oracle, plan)
    noise = quantile(oracle, plan) * math.sqrt(oracle.variance)
    margin = power_quantile(oracle, plan) * math.sqrt(oracle.variance + shown * oracle.slope)
    users = (1 - plan.share) * ((noise + margin) / room) ** 2
    if oracle.noise:  # added once: one of the two variances is 0
        users = (1 - plan.share) * math.sqrt(oracle.noise) / room
        users *= quantile(oracle, plan) + power_quantile(oracle, plan)
    if users > USERS.high:
        rule = f"is found with {users:.3g} users alone; at most {USERS.high:g} are planned for"
        raise ScenarioError(f"{rule}, {got(plan.frequency)}", key="frequency")
    return max(1.0, users)


def largest_share(oracle: Oracle, plan: Plan) -> float:
    """The largest share of fakes at which the plan's frequency is detected.

    Raises ScenarioError if it is not detected without fakes.
    """

    def room(share: float) -> float:
        return plan.frequency - least_frequency(oracle, replace(plan, share=share))

    if room(0.0) < 0:
        least = least_frequency(oracle, without_fakes(plan))
        rule = f"must be at least {least:.4g}, which is found without any fake"
        raise ScenarioError(f"{rule}, {got(plan.frequency)}", key="frequency")
    from scipy.optimize import brentq

    return float(brentq(room, 0.0, 1 - 1e-9, xtol=1e-15))


def largest_power(oracle: Oracle, plan: Plan) -> float:
    """The power with which the plan's frequency is detected; raises ScenarioError if it is below
    0.5.
    """
    power = found_power(oracle, plan)
    if power < POWER.low:
        if (1 - plan.share) * plan.frequency <= attack_floor(oracle, plan):
            raise _below_floor(oracle, plan)
        rule = f"is found with a power of {power:.3g} only, and a plan takes at least {POWER.low:g}"
        raise ScenarioError(f"{rule}, {got(plan.frequency)}", key="frequency")
    return power


def least_epsilon(bind: Callable[[float], Oracle], plan: Plan) -> float:
    """The smallest ε at which the plan's frequency is detected.

    bind : the error model of the protocol at an ε. Its integer parameters make steps, so that a
        budget may suffice where a slightly larger one does not: every piece between two steps is
        searched.

    Raises ScenarioError if no ε suffices.
    """

    def is_found(log_epsilon: float) -> bool:
        return least_frequency(bind(math.exp(log_epsilon)), plan) <= plan.frequency

    grid = np.linspace(math.log(LEAST_BUDGET), math.log(EPSILON.high), COARSE).tolist()
    edge = first_reached(is_found, lambda at: bind(math.exp(at)).whole, grid)
    if edge is not None:
        return math.exp(edge[1])
    most = bind(EPSILON.high)
    if (1 - plan.share) * plan.frequency <= attack_floor(most, plan):
        raise _below_floor(most, plan)
    least = least_frequency(most, plan)
    rule = f"must be at least {least:.4g}, the least that is found with ε = {EPSILON.high:g}"
    raise ScenarioError(f"{rule}, {got(plan.frequency)}", key="frequency")


def _below_floor(oracle: Oracle, plan: Plan) -> ScenarioError:
    floor = attack_floor(oracle, plan)
    if floor >= 1 - plan.share:
        return floor_above_all(floor, plan)
    rule = f"must be above {floor / (1 - plan.share):.4g}, as the attack floor alone is {floor:.4g}"
    return ScenarioError(f"{rule}, {got(plan.frequency)}", key="frequency")


def floor_above_all(floor: float, plan: Plan) -> ScenarioError:
    """The error that no frequency up to 1 is detected, as the attack floor is too high."""
    most = plan.share / (floor + plan.share)  # the floor is βa, and has to be below 1 − β
    rule = f"is too large: the attack floor alone is {floor:.4g}; it must be below {most:.4g}"
    return ScenarioError(f"{rule}, {got(plan.share)}", key="share")
