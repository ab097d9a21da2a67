"""The numbers of a plan: one quantity from the others, and every line that follows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ldptui.core.base.errors import ScenarioError, check_among, got
from ldptui.core.base.ranges import Range
from ldptui.core.bounds import planner
from ldptui.core.bounds.planner import Oracle
from ldptui.core.bounds.rehearsal import rehearse_plan
from ldptui.core.bounds.shuffle.central import central_at_most
from ldptui.core.lab.rungs import RUNGS, Terms, alarms, mechanism, smallest_batch
from ldptui.core.law.pure import gain_factor

from .inputs import named_columns
from .mechanisms import DRAWN, LOCAL, bound
from .parameters import BEST
from .plan_lines import SOLVED, PlanLines, PlanRequest, TrustedTable


def make_plan(options: PlanRequest) -> PlanLines:
    """The plan of the options; raises ScenarioError."""
    if options.within is not None:
        raise ScenarioError(f"must be left out without the task mean, {got(options.within)}",
                            key="within")  # fmt: skip
    missing = find_missing(options, SOLVED)
    if options.targets >= options.size:
        rule = f"must be {Range(1, options.size - 1)}, below the number of items"
        raise ScenarioError(f"{rule}, {got(options.targets)}", key="targets")
    # Where all are given, the power is what is judged.
    solved = missing[0] if missing else "power"
    kinds = _kinds(options)
    answers, refusals = solve_each(kinds, lambda kind: _solve(kind, solved, options))
    known = {kind: answer for kind, answer in answers.items() if answer is not None}
    gain = partial(_gain_factor, items=options.size, epsilon=options.epsilon or 1.0)
    if not known:
        raise refusals[min(kinds, key=gain)]
    most = solved in ("share", "power")
    kind = (max if most else min)(known, key=lambda name: known[name])
    quantities = {name: getattr(options, name) for name in SOLVED}
    if missing:
        quantities[solved] = known[kind]
    values = _lines(kind, missing[0] if missing else None, options, quantities, answers)
    if refusals:  # the reason of the one that fakes lift least
        least = min(refusals, key=gain)
        names, found = ", ".join(map(str.upper, refusals)), refusals[least]
        why = f"of {least.upper()}, which fakes lift least of them, {found}"
        values = replace(values, refused=f"none by {names}: {why}")
    return values if missing else _judged(values, options, known[kind], quantities["power"])


def find_missing(options: PlanRequest, quantities: Sequence[str]) -> list[str]:
    """The quantity that is left out, if any; raises ScenarioError for more than one."""
    missing = [name for name in quantities if getattr(options, name) is None]
    if len(missing) > 1:
        rule = f"is required: leave out only one of {', '.join(quantities)}"
        raise ScenarioError(rule, key=missing[-1])
    return missing


def solve_each(
    kinds: Iterable[str], solve: Callable[[str], float]
) -> tuple[dict[str, float | None], dict[str, ScenarioError]]:
    """The need of each protocol, None where it has no answer; and why it has none."""
    answers: dict[str, float | None] = {}
    refusals: dict[str, ScenarioError] = {}
    for kind in kinds:
        try:
            answers[kind] = solve(kind)
        except ScenarioError as error:
            answers[kind], refusals[kind] = None, error
    return answers, refusals


def _kinds(options: PlanRequest) -> Sequence[str]:
    """The protocols that the plan goes through; raises ScenarioError."""
    check_among(options.trust, RUNGS, "trust")
    row = RUNGS[options.trust]
    if not row.by_reports and options.protocol != BEST:
        rule = f"must be left out with the trust {options.trust}, to which users tell their items"
        raise ScenarioError(f"{rule}, {got(options.protocol)}", key="protocol")
    if options.protocol == BEST:
        return LOCAL if row.by_reports and not row.hides else DRAWN if row.hides else DRAWN[:1]
    check_among(options.protocol, LOCAL, "protocol", BEST)
    return (options.protocol,)


def oracle_of(kind: str, options: PlanRequest, epsilon: float, users: float | None) -> Oracle:
    """What the server of the rung gets of n users; raises ScenarioError."""
    made = _asked_by(kind, options, epsilon, users)
    return RUNGS[options.trust].oracle(made, options.targets)


def _asked_by(kind: str, options: PlanRequest, epsilon: float, users: float | None) -> Any:
    """The mechanism of the rung, with n users."""
    row, terms = RUNGS[options.trust], _terms(options, epsilon)
    return mechanism(row, kind, options.size, round(users or 1), terms)


def _terms(options: PlanRequest, epsilon: float) -> Terms:
    return Terms(epsilon, options.delta, options.weight, noise=options.noise)


@dataclass(frozen=True)
class Rival:
    """The needs of one protocol for a plan.

    answer : the quantity that is solved for; None where this protocol has none. key, why : the
    quantity that is at fault then, and the rule that it breaks. floor : βa, at the plan's ε and
    share.
    """

    kind: str
    answer: float | None
    key: str
    why: str
    floor: float


def rank_rivals(values: PlanLines, options: PlanRequest) -> tuple[Rival, ...]:
    """Every protocol with what it needs for the same plan, the best one first."""
    solved = values.solved or "power"
    found = [_rival(kind, solved, options, values) for kind in LOCAL]
    sign = -1 if solved in ("share", "power") else 1
    return tuple(
        sorted(found, key=lambda one: (one.answer is None, sign * (one.answer or 0), one.floor))
    )


def _rival(kind: str, solved: str, options: PlanRequest, values: PlanLines) -> Rival:
    answer, key, why = None, "", ""
    try:
        answer = values.oracles.get(kind) or _solve(kind, solved, options)
    except ScenarioError as error:
        key, why = error.key, error.rule
    at = values.epsilon if solved != "epsilon" or answer is None else answer
    try:
        oracle = Oracle.of(bound(kind, options.size, at), options.targets)
    except ScenarioError as error:
        return Rival(kind, None, error.key, error.rule, math.nan)
    floor = planner.attack_floor(oracle, replace(plan_of_answer(values), share=values.share))
    return Rival(kind, answer, key, why, floor)


def _gain_factor(kind: str, items: int, epsilon: float) -> float:
    return float(gain_factor(bound(kind, items, epsilon)))


def _judged(values: PlanLines, options: PlanRequest, reached: float, wanted: float) -> PlanLines:
    """A plan of which all is given, judged by the power that it reaches."""
    needed = _users(values.protocol, options, plan_of_answer(values))
    holds = reached >= wanted * (1 - 1e-12)
    return replace(values, power_reached=reached, holds=holds, users_needed=needed)


def _users(kind: str, options: PlanRequest, plan: planner.Plan) -> int:
    """The users whom a plan takes; raises ScenarioError."""
    assert options.epsilon is not None
    row = RUNGS[options.trust]
    if row.hides:
        return smallest_batch(row, kind, plan, _terms(options, options.epsilon), options.targets)
    oracle = oracle_of(kind, options, options.epsilon, None)
    return math.ceil(planner.users_needed(oracle, plan) * (1 - 1e-12))


def _solve(kind: str, solved: str, options: PlanRequest) -> float:
    """The quantity that is left out, for one protocol; raises ScenarioError."""
    # Any value in the range stands for what is solved for.
    standing = {"users": 1, "share": 0.0, "frequency": 1.0, "power": 0.5}
    stated = {
        name: anything if name == solved else getattr(options, name)
        for name, anything in standing.items()
    }
    plan = planner.Plan(options.size, alpha=options.alpha, **stated)
    if solved == "epsilon":
        return _epsilon(kind, options, plan)
    assert options.epsilon is not None  # nothing else is left out
    if solved == "users":
        return _users(kind, options, plan)
    oracle = oracle_of(kind, options, options.epsilon, options.users)
    if solved == "frequency":
        least = planner.least_frequency(oracle, plan)
        if least > 1:
            floor = planner.attack_floor(oracle, plan)
            rule = f"is too few: only a frequency of {least:.4g} would be found, and 1 is everybody"
            if floor >= 1 - plan.share:
                raise planner.floor_above_all(floor, plan)
            raise ScenarioError(f"{rule}, {got(plan.users)}", key="users")
        return least
    if solved == "share":
        return planner.largest_share(oracle, plan)
    # A plan of which all is given is judged: no power is too small to be told.
    return (planner.largest_power if options.power is None else planner.found_power)(oracle, plan)


def _epsilon(kind: str, options: PlanRequest, plan: planner.Plan) -> float:
    """The least budget of a plan; of shuffled reports the central one of the least ε₀."""
    if not RUNGS[options.trust].hides:
        return planner.least_epsilon(lambda e: oracle_of(kind, options, e, options.users), plan)
    local = planner.least_epsilon(
        lambda e: Oracle.of(bound(kind, options.size, e), options.targets), plan
    )
    return central_at_most(
        bound(kind, options.size, local), local, round(plan.users), options.delta
    )


def _lines(
    kind: str,
    solved: str | None,
    options: PlanRequest,
    quantities: Mapping[str, Any],
    oracles: Mapping[str, float | None],
) -> PlanLines:
    """Every line of the plan of one protocol."""
    oracle = oracle_of(kind, options, quantities["epsilon"], quantities["users"])
    plan = plan_of(options.size, options.alpha, quantities)
    f_min = planner.least_frequency(oracle, planner.without_fakes(plan))
    floor = planner.attack_floor(oracle, plan)
    lifted = None if options.shift is None else planner.fakes_for_shift(oracle, 0.0, options.shift)
    return PlanLines(
        protocol=kind,
        solved=solved,
        items=options.size,
        targets=options.targets,
        alpha=options.alpha,
        **quantities,
        variance=oracle.unit_variance(plan.reports),
        gain_factor=oracle.gain_factor,
        lowered=oracle.lowered,
        reports=plan.reports,
        quantile=planner.quantile(oracle, plan),
        noise_threshold=planner.noise_threshold(oracle, plan),
        f_min=f_min,
        attack_floor=floor,
        robust_f_min=planner.least_frequency(oracle, plan),
        floor_and_f_min=floor + f_min,
        saturation_users=planner.saturation_users(oracle, plan),
        undetectable_floor=planner.undetectable_floor(oracle, plan),
        verified_floor=planner.verified_floor(plan),
        power_lowered=planner.found_power(oracle, plan, lowered=True),
        shift=options.shift,
        share_for_shift=lifted,
        oracles=oracles,
        trust=options.trust,
        local_epsilon=oracle.epsilon if RUNGS[options.trust].hides else None,
        false_alarms=_alarms(kind, options, oracle, plan, quantities),
        noise=math.sqrt(oracle.noise) or None,
        request=options,
    )


def _alarms(
    kind: str,
    options: PlanRequest,
    oracle: Oracle,
    plan: planner.Plan,
    quantities: Mapping[str, Any],
) -> float | None:
    """How often noise alone passes the threshold, of shuffled reports; None where that is α."""
    if not RUNGS[options.trust].hides:
        return None
    made = _asked_by(kind, options, quantities["epsilon"], quantities["users"])
    chance = alarms(made, oracle, plan)
    return None if math.isnan(chance) else chance


def plan_of_answer(values: PlanLines) -> planner.Plan:
    """The plan of the lines of an answer."""
    return plan_of(values.items, values.alpha, vars(values))


def plan_of(items: int, alpha: float, quantities: Mapping[str, Any]) -> planner.Plan:
    """The plan of these quantities."""
    return planner.Plan(
        items,
        quantities["users"],
        quantities["share"],
        min(1.0, quantities["frequency"]),
        alpha,
        min(quantities["power"], 1 - 1e-12),
    )


# What is asked for besides.


def add_checks(values: PlanLines, options: PlanRequest) -> PlanLines:
    """The plan with a published table that is judged by it, and simulated, as the options ask."""
    if options.estimates is not None:
        values = replace(values, estimates=_trusted(options.estimates, options, values))
    elif options.rank is not None:
        raise ScenarioError("needs --estimates, which rank the items", key="rank")
    if options.check:
        made = _asked_by(values.protocol, options, values.epsilon, values.users)
        seen = rehearse_plan(
            made, oracle_of(values.protocol, options, values.epsilon, values.users),
            plan_of_answer(values), options.trials,
            np.random.default_rng(options.seed), options.targets,
            proved=RUNGS[options.trust].proves, alarms_planned=values.false_alarms,
        )  # fmt: skip
        values = replace(values, check=seen)
    return values


def _trusted(file: str, options: PlanRequest, values: PlanLines) -> TrustedTable:
    """The items of a published table whose estimates no fake item reaches."""
    path, rank = Path(file), options.rank
    oracle = oracle_of(values.protocol, options, values.epsilon, values.users)
    (items,) = named_columns(path, [options.label], "label")
    (numbers,) = named_columns(path, [options.column], "column")
    if len(items.values) != items.codes.size:
        raise ScenarioError(f"must name each item once in {options.label!r}", key="label")
    held = numbers.numbers()
    counted = bool(np.abs(held).sum() > 2)
    frequencies = held / values.reports if counted else held
    above = planner.is_above_floor(frequencies, oracle, plan_of_answer(values))
    names = np.array(items.values)[items.codes]
    order = np.argsort(-frequencies, kind="stable")
    share = None
    if rank is not None:
        if rank > held.size:
            rule = f"must be in [1, {held.size}], the items of the table, {got(rank)}"
            raise ScenarioError(rule, key="rank")
        share = planner.fakes_for_rank(oracle, 0.0, float(frequencies[order[rank - 1]]))
    trusted = [str(names[at]) for at in order if above[at]]
    return TrustedTable(file, int(held.size), counted, trusted, rank, share)
