"""Plan for a mean: users, ε, share of fakes and error, one from the others, by each protocol."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

import numpy as np

from ldptui.core.base.errors import ScenarioError, check_among, got
from ldptui.core.base.ranges import USERS, check_span
from ldptui.core.bounds import means, planner
from ldptui.core.bounds.planner import Oracle

from ..charts.series import TONES, Axis, Plot, Series
from ..text import format as text
from .choices import numbers
from .mechanisms import telling
from .parameters import BEST
from .plan_lines import LOCALLY, MEAN_SOLVED, MeanPlanLines, PlanRequest
from .planning import find_missing, solve_each

FOREIGN: Final = ("frequency", "power", "shift", "estimates", "rank")
"""The options of a plan for items."""
POINTS: Final = 33
"""Points of a curve."""


def make_mean_plan(options: PlanRequest) -> MeanPlanLines:
    """The plan of the options; raises ScenarioError."""
    for name in FOREIGN:
        if getattr(options, name) is not None:
            rule = "must be left out with the task mean: it is of a plan for items"
            raise ScenarioError(f"{rule}, {got(getattr(options, name))}", key=name)
    for name, starts in (("trust", LOCALLY), ("check", False), ("targets", 1)):
        if getattr(options, name) != starts:
            rule = "must be left out with the task mean: its users trust nobody"
            raise ScenarioError(f"{rule}, {got(getattr(options, name))}", key=name)
    check_span(options.low, options.high)
    missing = find_missing(options, MEAN_SOLVED)
    check_among(options.protocol, numbers(), "protocol", BEST)
    solved, half = (missing or ["within"])[0], (options.high - options.low) / 2
    kinds = numbers() if options.protocol == BEST else (options.protocol,)
    answers, refusals = solve_each(kinds, lambda kind: _solve(kind, solved, options, half))
    known = {kind: each for kind, each in answers.items() if each is not None}
    if not known:
        raise refusals[kinds[0]]
    kind = (max if solved == "share" else min)(known, key=lambda name: known[name])
    quantities: dict[str, Any] = {name: getattr(options, name) for name in MEAN_SOLVED}
    if missing:
        quantities[solved] = known[kind]
    return _lines(kind, missing[0] if missing else None, options, quantities, answers)


def _solve(kind: str, solved: str, options: PlanRequest, half: float) -> float:
    """The quantity that is left out, for one protocol; raises ScenarioError."""
    users: Any = options.users
    share: Any = options.share
    within: Any = None if options.within is None else options.within / half
    bind, alpha = partial(_oracle, kind), options.alpha
    match solved:
        case "epsilon":
            return means.least_epsilon(bind, users, share, within, alpha, half)
        case "users":
            needed = means.users_needed(bind(options.epsilon), share, within, alpha, half)
            return math.ceil(needed * (1 - 1e-12))
        case "share":
            return means.largest_share(bind(options.epsilon), users, within, alpha, half)
    return half * means.error(bind(options.epsilon), users, share, alpha)


def _oracle(kind: str, epsilon: Any) -> Oracle:
    return means.oracle_of(telling(kind, epsilon))


def _lines(
    kind: str,
    solved: str | None,
    options: PlanRequest,
    quantities: Mapping[str, Any],
    answers: Mapping[str, float | None],
) -> MeanPlanLines:
    """Every line of the plan of one protocol."""
    oracle, half = _oracle(kind, quantities["epsilon"]), (options.high - options.low) / 2
    users, share, within = (quantities[name] for name in ("users", "share", "within"))
    plan = means.plan_of(users, share, 1.0, options.alpha)
    reached = half * means.error(oracle, users, share, options.alpha)
    return MeanPlanLines(
        protocol=kind,
        solved=solved,
        low=options.low,
        high=options.high,
        alpha=options.alpha,
        **quantities,
        variance=oracle.variance,
        reach=oracle.gain_factor - 1,
        attack_floor=half * planner.attack_floor(oracle, plan),
        noise=half * planner.noise_threshold(oracle, plan),
        reached=reached,
        holds=reached <= within * (1 + 1e-9),
        undetectable_floor=2 * half * planner.undetectable_floor(oracle, plan),
        verified_floor=2 * half * planner.verified_floor(plan),
        share_for_within=within / half / oracle.gain_factor,
        protocols=answers,
    )


# Charts.


def mean_over_users(values: MeanPlanLines) -> Plot:
    """The error over the users, with the attack and without, of the planned protocol."""
    low = max(USERS.low, min(values.users, 1e5) / 1e2)
    users = np.geomspace(low, min(USERS.high, values.users * 1e2), POINTS)
    users = np.union1d(users.round(), values.users)  # the plan is a place of the cursor
    oracle = _oracle(values.protocol, values.epsilon)

    def errors(share: float) -> list[float]:
        return [_error(oracle, values, float(n), share) for n in users]

    series = [Series("without an attack", users, errors(0.0), "clean")]
    levels: list[tuple[float, str]] = []
    if values.share:
        series.append(Series("with the fakes", users, errors(values.share), "attacked"))
        levels = [(values.attack_floor, "attack floor"),
                  (values.undetectable_floor, "undetectable")]  # fmt: skip
    return _plot("Error of the mean, at most", "genuine users n", values, series, levels,
                 (values.users, values.within))  # fmt: skip


def mean_over_budgets(values: MeanPlanLines) -> Plot:
    """The same over ε, of each protocol."""
    budgets = np.union1d(np.geomspace(0.1, 10, POINTS), values.epsilon)
    series = []
    for kind, tone in zip(numbers(), TONES, strict=False):
        least = [_error_at(kind, values, float(epsilon)) for epsilon in budgets]
        series.append(Series(kind.upper(), budgets, least, tone))
    return _plot("The same over ε", "privacy budget ε", values, series, [],
                 (values.epsilon, values.within))  # fmt: skip


def _error(oracle: Oracle, values: MeanPlanLines, users: float, share: float) -> float:
    return (values.high - values.low) / 2 * means.error(oracle, users, share, values.alpha)


def _error_at(kind: str, values: MeanPlanLines, epsilon: float) -> float:
    try:
        return _error(_oracle(kind, epsilon), values, values.users, values.share)
    except ScenarioError:
        return math.nan  # a window of less than two bins


def _plot(
    title: str,
    x: str,
    values: MeanPlanLines,
    series: list[Series],
    levels: list[tuple[float, str]],
    mark: tuple[float, float],
) -> Plot:
    plan = Series("the plan", (mark[0],), (mark[1],), "target", "points")
    return Plot(
        title,
        Axis(x, log=True),
        Axis("± x", log=True),
        (*series, plan),
        tuple(levels),
        note=f"closed forms, β = {text.chosen_value(values.share, 3)}, "
        f"α = {text.short(values.alpha, 3)}",
    )
