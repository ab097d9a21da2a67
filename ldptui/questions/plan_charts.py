"""The charts of a plan: the smallest frequency that is found, over the users and over ε."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.ranges import USERS
from ldptui.core.bounds import planner
from ldptui.core.lab.rungs import RUNGS

from ..charts.series import TONES, Axis, Plot, Series, Tone
from ..text import format as text
from .mechanisms import DRAWN
from .plan_lines import LOCALLY, PlanLines, PlanRequest
from .planning import oracle_of, plan_of_answer

POINTS: Final = 65
"""Points of a curve."""


SOLVED_POINTS: Final = 7
"""Points of a curve that solves for the ε₀ of a report at each."""


def frequency_chart(values: PlanLines, options: PlanRequest) -> Plot:
    """The smallest frequency that is found over the users, with and without the attack."""
    plan, hides = plan_of_answer(values), RUNGS[options.trust].hides
    low = max(USERS.low, min(plan.users, 1e5) / 1e2)
    points = SOLVED_POINTS if hides else POINTS
    users = np.geomspace(low, min(USERS.high, plan.users * 1e2), points)
    users = np.union1d(users.round(), plan.users)  # the plan is a place of the cursor
    own = oracle_of(values.protocol, options, values.epsilon, values.users)
    oracles = [
        oracle_of(values.protocol, options, values.epsilon, float(n)) if hides else own
        for n in users
    ]

    def least(share: float) -> list[float]:
        return [
            planner.least_frequency(oracle, replace(plan, users=float(n), share=share))
            for n, oracle in zip(users, oracles, strict=True)
        ]

    series = [Series("without an attack", users, _possible(least(0.0)), "clean")]
    levels: list[tuple[float, str]] = []
    if plan.share:
        series.append(Series("robust", users, _possible(least(plan.share)), "attacked"))
        levels = [(values.attack_floor, "attack floor")]
        if options.trust == LOCALLY:
            levels += [
                (values.undetectable_floor, "undetectable"),
                (values.verified_floor, "verified"),
            ]
    series.append(Series("the plan", (plan.users,), (values.frequency,), "target", "points"))
    return Plot(
        "Smallest frequency that is found",
        Axis("genuine users n", log=True),
        Axis("frequency", log=True),
        tuple(series),
        tuple(levels),
        note=f"{values.protocol.upper()}, ε = {text.short(values.epsilon, 3)}, "
        f"power {text.short(values.power, 3)}",
    )


def _possible(frequencies: Sequence[float]) -> list[float]:
    return [frequency if frequency <= 1 else math.nan for frequency in frequencies]


def budget_chart(values: PlanLines, options: PlanRequest) -> Plot:
    """The same over ε for every protocol that a chart has room for, robust where fakes are.

    Where users trust somebody: for the plan's rung, beside the same protocol without trust.
    """
    plan, hides = plan_of_answer(values), RUNGS[options.trust].hides
    budgets = np.union1d(np.geomspace(0.1, 10, SOLVED_POINTS if hides else POINTS), values.epsilon)
    lines = [(kind.upper(), kind, options) for kind in DRAWN]
    if options.trust != LOCALLY:
        kind, alone = values.protocol, replace(options, trust=LOCALLY)
        lines = [(options.trust, kind, options), (f"local {kind.upper()}", kind, alone)]
    series = []
    tones: Sequence[Tone] = TONES
    for (label, kind, asked), tone in zip(lines, tones, strict=False):
        least = [_least(kind, plan, float(epsilon), asked) for epsilon in budgets]
        series.append(Series(label, budgets, _possible(least), tone))
    mark = (values.epsilon,), (values.frequency,)
    return Plot(
        "The same over ε" + (f", β = {text.chosen_value(plan.share, 3)}" if plan.share else ""),
        Axis("privacy budget ε", log=True),
        Axis("frequency", log=True),
        (*series, Series("the plan", *mark, "target", "points")),
        note=f"closed forms, n = {text.count(round(plan.users))}, d = {text.count(plan.items)}",
    )


def _least(kind: str, plan: planner.Plan, epsilon: float, options: PlanRequest) -> float:
    try:
        return planner.least_frequency(oracle_of(kind, options, epsilon, plan.users), plan)
    except ScenarioError:
        return math.inf
