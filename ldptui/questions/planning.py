"""The numbers of a plan: the quantity that is left out, by each protocol, and what follows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

import numpy as np

from ldptui.core.base.errors import ScenarioError, check_among, got
from ldptui.core.base.ranges import Range, check_span
from ldptui.core.bounds import means, planner
from ldptui.core.bounds.planner import Oracle, Plan
from ldptui.core.bounds.rehearsal import rehearse_plan
from ldptui.core.bounds.shuffle.central import central_at_most
from ldptui.core.lab.trust_models import TRUST_MODELS, Terms, alarms, mechanism, smallest_batch
from ldptui.core.law.pure import gain_factor

from .choices import numbers
from .mechanisms import DRAWN, LOCAL, bound, telling
from .parameters import BEST

Quantities: TypeAlias = Mapping[str, Any]
ASSUMED: Final = {"share": 0.01, "power": 0.9}
"""What is taken where more than the quantity that is solved for is left out."""
ITEMS_ALONE: Final = {
    "frequency": None, "power": None, "trust": "local", "check": False, "targets": 1
}  # fmt: skip
"""The options of a plan for an item alone, with their defaults."""


class ItemPlanner:
    """The planner of a collection that must find an item; raises ScenarioError.

    options : the options of the question `plan`.
    """

    names = ("users", "epsilon", "share", "frequency", "power")
    judged = "power"
    """What is computed where all of them are given."""

    def __init__(self, options: Any) -> None:
        self.options, self.trust = options, TRUST_MODELS[options.trust]
        if options.items is None:
            raise ScenarioError("is required", key="items")
        if options.within is not None:
            rule = "must be left out without the task mean"
            raise ScenarioError(f"{rule}, {got(options.within)}", key="within")
        if options.targets >= options.items:
            rule = f"must be {Range(1, options.items - 1)}, below the number of items"
            raise ScenarioError(f"{rule}, {got(options.targets)}", key="targets")
        if not self.trust.by_reports and options.protocol != BEST:
            rule = f"must be left out with the trust {options.trust}, to which users tell their"
            raise ScenarioError(f"{rule} items, {got(options.protocol)}", key="protocol")
        check_among(options.protocol, LOCAL, "protocol", BEST)

    @property
    def kinds(self) -> Sequence[str]:
        """The protocols to plan with; few of them if reports are shuffled, which takes long."""
        if not self.trust.by_reports:
            return DRAWN[:1]
        if not self.trust.hides:
            return LOCAL
        return DRAWN if self.options.protocol == BEST else (self.options.protocol,)

    def lift(self, kind: str) -> float:
        """The gain factor of a protocol."""
        made = bound(kind, self.options.items, self.options.epsilon or 1.0)
        return float(gain_factor(made))

    def _terms(self, epsilon: float) -> Terms:
        options = self.options
        return Terms(epsilon, options.delta, options.weight, noise=options.noise)

    def _mechanism(self, kind: str, epsilon: float, users: float | None) -> Any:
        """The mechanism by which n users of the trust model report."""
        terms = self._terms(epsilon)
        return mechanism(self.trust, kind, self.options.items, round(users or 1), terms)

    def _oracle(self, kind: str, epsilon: float, users: float | None = None) -> Oracle:
        """The evidence that the server of the trust model gets from n users."""
        return self.trust.oracle(self._mechanism(kind, epsilon, users), self.options.targets)

    def _plan(self, quantities: Quantities) -> Plan:
        return Plan(
            self.options.items,
            quantities["users"],
            quantities["share"],
            min(1.0, quantities["frequency"]),
            self.options.alpha,
            min(quantities["power"], 1 - 1e-12),
        )

    def _users(self, kind: str, plan: Plan) -> int:
        options = self.options
        if self.trust.hides:
            terms = self._terms(options.epsilon)
            return smallest_batch(self.trust, kind, plan, terms, options.targets)
        return math.ceil(
            planner.users_needed(self._oracle(kind, options.epsilon), plan) * (1 - 1e-12)
        )

    def _epsilon(self, kind: str, plan: Plan) -> float:
        """The least budget; of shuffled reports the central one of the least ε₀."""
        options = self.options
        if not self.trust.hides:
            return planner.least_epsilon(lambda e: self._oracle(kind, e, options.users), plan)
        local = planner.least_epsilon(
            lambda e: Oracle.of(bound(kind, options.items, e), options.targets), plan
        )
        made = bound(kind, options.items, local)
        return central_at_most(made, local, round(plan.users), options.delta)

    def solve(self, kind: str, name: str) -> float:
        """The missing quantity of a plan with one protocol."""
        options = self.options
        # Any value in the range stands for what is solved for.
        standing = {"users": 1, "share": 0.0, "frequency": 1.0, "power": 0.5}
        stated = {each: getattr(options, each) for each in self.names}
        plan = self._plan(
            {each: standing[each] if each == name else value for each, value in stated.items()
             if each != "epsilon"}
        )  # fmt: skip
        match name:
            case "epsilon":
                return self._epsilon(kind, plan)
            case "users":
                return self._users(kind, plan)
        oracle = self._oracle(kind, options.epsilon, options.users)
        if name == "share":
            return planner.largest_share(oracle, plan)
        if name == "power":  # of a plan of which all is given none is too small
            power = planner.largest_power if options.power is None else planner.found_power
            return power(oracle, plan)
        least = planner.least_frequency(oracle, plan)
        if least > 1:
            floor = planner.attack_floor(oracle, plan)
            if floor >= 1 - plan.share:
                raise planner.floor_above_all(floor, plan)
            rule = f"is too few: only a frequency of {least:.4g} would be found, and 1 is everybody"
            raise ScenarioError(f"{rule}, {got(plan.users)}", key="users")
        return least

    def lines(self, kind: str, quantities: Quantities, reached: float | None) -> dict[str, Any]:
        """The lines of the plan with one protocol. reached : the power, if the plan is
        only judged.
        """
        options, plan = self.options, self._plan(quantities)
        made = self._mechanism(kind, quantities["epsilon"], quantities["users"])
        oracle = self.trust.oracle(made, options.targets)
        f_min = planner.least_frequency(oracle, planner.without_fakes(plan))
        floor = planner.attack_floor(oracle, plan)
        saturation, hides = planner.saturation_users(oracle, plan), self.trust.hides
        by_chance = alarms(made, oracle, plan) if hides else math.nan
        lines = {
            "items": options.items,
            "targets": options.targets,
            "trust": options.trust,
            "variance": None if oracle.noise else oracle.unit_variance(plan.reports),
            "noise": math.sqrt(oracle.noise) or None,
            "gain_factor": oracle.gain_factor,
            "lowered": oracle.lowered,
            "reports": plan.reports,
            "quantile": planner.quantile(oracle, plan),
            "noise_threshold": planner.noise_threshold(oracle, plan),
            "f_min": f_min,
            "attack_floor": floor,
            "robust_f_min": planner.least_frequency(oracle, plan),
            "floor_and_f_min": floor + f_min,
            "saturation_users": saturation if math.isfinite(saturation) else None,
            "undetectable_floor": planner.undetectable_floor(oracle, plan),
            "verified_floor": planner.verified_floor(plan),
            "power_lowered": planner.found_power(oracle, plan, lowered=True),
            "local_epsilon": oracle.epsilon if hides else None,
            "false_alarms": None if math.isnan(by_chance) else by_chance,
        }
        if reached is not None:
            holds = reached >= quantities["power"] * (1 - 1e-12)
            lines |= {"power_reached": reached, "holds": holds}
            lines |= {"users_needed": self._users(kind, plan)}
        if options.check:
            lines["check"] = rehearse_plan(
                made, oracle, plan, options.trials, np.random.default_rng(options.seed),
                options.targets, proved=self.trust.proves, alarms_planned=lines["false_alarms"],
            )  # fmt: skip
        return lines


class MeanPlanner:
    """The planner of a collection that must estimate a mean; raises ScenarioError."""

    names = ("users", "epsilon", "share", "within")
    judged = "within"

    def __init__(self, options: Any) -> None:
        self.options, self.half = options, (options.high - options.low) / 2
        for name, default in ITEMS_ALONE.items():
            if (value := getattr(options, name)) != default:
                rule = "must be left out with the task mean, whose users trust nobody"
                raise ScenarioError(f"{rule}, {got(value)}", key=name)
        check_span(options.low, options.high)
        self.kinds = numbers()

    def lift(self, kind: str) -> float:
        """The position of a protocol in the list of kinds, as a rank."""
        return self.kinds.index(kind)

    def solve(self, kind: str, name: str) -> float:
        """The missing quantity of a plan with one protocol."""
        options, half = self.options, self.half
        users, share = options.users, options.share
        within: Any = None if options.within is None else options.within / half
        bind, alpha = partial(_mean_oracle, kind), options.alpha
        if name == "epsilon":
            return means.least_epsilon(bind, users, share, within, alpha, half)
        oracle = bind(options.epsilon)
        if name == "users":
            needed = means.users_needed(oracle, share, within, alpha, half)
            return math.ceil(needed * (1 - 1e-12))
        if name == "share":
            return means.largest_share(oracle, users, within, alpha, half)
        error: float = half * means.error(oracle, users, share, alpha)
        return error

    def lines(self, kind: str, quantities: Quantities, _: float | None) -> dict[str, Any]:
        """The lines of the plan with one protocol."""
        options, half = self.options, self.half
        oracle = _mean_oracle(kind, quantities["epsilon"])
        users, share, within = (quantities[name] for name in ("users", "share", "within"))
        plan = means.plan_of(users, share, 1.0, options.alpha)
        reached = half * means.error(oracle, users, share, options.alpha)
        return {
            "low": options.low,
            "high": options.high,
            "variance": oracle.variance,
            "reach": oracle.gain_factor - 1,
            "attack_floor": half * planner.attack_floor(oracle, plan),
            "noise": half * planner.noise_threshold(oracle, plan),
            "reached": reached,
            "holds": reached <= within * (1 + 1e-9),
            "undetectable_floor": 2 * half * planner.undetectable_floor(oracle, plan),
            "verified_floor": 2 * half * planner.verified_floor(plan),
            "share_for_within": within / half / oracle.gain_factor,
        }


def _mean_oracle(kind: str, epsilon: float) -> Oracle:
    return means.oracle_of(telling(kind, epsilon))


def make_plan(planned: ItemPlanner | MeanPlanner) -> dict[str, Any]:
    """The fields of the answer to a plan; raises ScenarioError."""
    options, assumed = planned.options, []
    quantities = {name: getattr(options, name) for name in planned.names}
    missing = [name for name, value in quantities.items() if value is None]
    for name, usual in ASSUMED.items():
        if len(missing) > 1 and name in missing:
            missing.remove(name)
            assumed.append(name)
            setattr(options, name, usual)
            quantities[name] = usual
    if len(missing) > 1:
        rule = f"is required: leave out only one of {', '.join(planned.names)}"
        raise ScenarioError(rule, key=missing[-1])
    check_among(options.protocol, planned.kinds, "protocol", BEST)
    solved = missing[0] if missing else planned.judged
    answers: dict[str, float | None] = {}
    refusals: dict[str, ScenarioError] = {}
    for kind in planned.kinds:
        try:
            answers[kind] = planned.solve(kind, solved)
        except ScenarioError as error:
            answers[kind], refusals[kind] = None, error
    wanted = planned.kinds if options.protocol == BEST else (options.protocol,)
    known = {kind: value for kind in wanted if (value := answers[kind]) is not None}
    if not known:
        raise refusals[min(wanted, key=planned.lift)]
    best = max if solved in ("share", "power") else min
    kind = best(known, key=lambda name: known[name])
    if missing:
        quantities[solved] = known[kind]
    return {
        "protocol": kind,
        "solved": missing[0] if missing else None,
        "assumed": assumed,
        "alpha": options.alpha,
        **quantities,
        "protocols": answers,
        "refusals": {name: f"{error.key} {error.rule}" for name, error in refusals.items()},
        **planned.lines(kind, quantities, None if missing else known[kind]),
    }
