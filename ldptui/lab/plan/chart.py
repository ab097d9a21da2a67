"""The charts of a plan: the smallest frequency that is found, over users and over ε."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.ranges import USERS
from ldptui.core.bounds import planner
from ldptui.core.bounds.planner import Oracle

from ...charts.series import TONES, Axis, Plot, Series, Tone
from ...text import format as text
from ..mechanisms import DRAWN, bound
from .planned import Planned

POINTS: Final = 65
"""Points of a curve."""


def frequency_chart(values: Planned) -> Plot:
    """The smallest frequency that is found over the users, with and without the attack."""
    oracle, plan = values.oracle, values.plan
    low = max(USERS.low, min(plan.users, 1e5) / 1e2)
    users = np.geomspace(low, min(USERS.high, plan.users * 1e2), POINTS)
    users = np.union1d(users.round(), plan.users)  # the plan is a place of the cursor

    def least(share: float) -> list[float]:
        return [planner.least_frequency(oracle, replace(plan, users=float(n), share=share))
                for n in users]  # fmt: skip

    series = [Series("without an attack", users, _possible(least(0.0)), "clean")]
    levels: list[tuple[float, str]] = []
    if plan.share:
        series.append(Series("robust", users, _possible(least(plan.share)), "attacked"))
        levels = [
            (values.attack_floor, "attack floor"),
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


def budget_chart(values: Planned) -> Plot:
    """The same over ε for every protocol that a chart has room for, robust where fakes are."""
    plan = values.plan
    budgets = np.union1d(np.geomspace(0.1, 10, POINTS), values.epsilon)
    series = []
    tones: Sequence[Tone] = TONES
    for kind, tone in zip(DRAWN, tones, strict=False):
        least = [_least(kind, plan, float(epsilon), values.targets) for epsilon in budgets]
        series.append(Series(kind.upper(), budgets, _possible(least), tone))
    mark = (values.epsilon,), (values.frequency,)
    return Plot(
        "The same over ε" + (f", β = {text.short(plan.share, 3)}" if plan.share else ""),
        Axis("privacy budget ε", log=True),
        Axis("frequency", log=True),
        (*series, Series("the plan", *mark, "target", "points")),
        note=f"closed forms, n = {text.count(round(plan.users))}, d = {text.count(plan.items)}",
    )


def _least(kind: str, plan: planner.Plan, epsilon: float, targets: int) -> float:
    try:
        oracle = Oracle.of(bound(kind, plan.items, epsilon), targets)
        return planner.least_frequency(oracle, plan)
    except ScenarioError:
        return math.inf
