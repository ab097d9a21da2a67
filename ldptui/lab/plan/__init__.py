"""Plan: users, ε, share of fakes, frequency and power, one from the others, with all floors."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.ranges import USERS
from ldptui.core.bounds import planner
from ldptui.core.lab.rungs import RUNGS

from ...charts.series import TONES, Axis, Plot, Series, Tone
from ...text import format as text
from ..answer import curves
from ..asking import Ask, Steps, answer_of
from ..mechanisms import DRAWN
from ..questions.planning import LOCALLY, MEAN, PlanOptions
from . import mean
from .planned import Planned, oracle_of, planned, rivals, with_more
from .table import VERDICTS, name, notes, rival_rows, rows, title, write_page

POINTS: Final = 65
"""Points of a curve."""


SOLVED_POINTS: Final = 7
"""Points of a curve that solves for the ε₀ of a report at each."""


def frequency_chart(values: Planned, options: PlanOptions) -> Plot:
    """The smallest frequency that is found over the users, with and without the attack."""
    plan, hides = values.plan, RUNGS[options.trust].hides
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


def budget_chart(values: Planned, options: PlanOptions) -> Plot:
    """The same over ε for every protocol that a chart has room for, robust where fakes are.

    Where users trust somebody: for the plan's rung, beside the same protocol without trust.
    """
    plan, hides = values.plan, RUNGS[options.trust].hides
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
        "The same over ε" + (f", β = {text.chosen(plan.share, 3)}" if plan.share else ""),
        Axis("privacy budget ε", log=True),
        Axis("frequency", log=True),
        (*series, Series("the plan", *mark, "target", "points")),
        note=f"closed forms, n = {text.count(round(plan.users))}, d = {text.count(plan.items)}",
    )


def _least(kind: str, plan: planner.Plan, epsilon: float, options: PlanOptions) -> float:
    try:
        return planner.least_frequency(oracle_of(kind, options, epsilon, plan.users), plan)
    except ScenarioError:
        return math.inf


def answer(options: PlanOptions, ask: Ask) -> Steps:
    """The plan; its page is written where a path is given."""
    if options.task == MEAN:
        yield "planning for a mean"
        return mean.answer(options, ask.path or options.out)
    yield f"planning for {text.count(options.size)} items"
    values = with_more(planned(options), options)
    lines, said, written = [*rows(values)], [*notes(values)], ask.path or options.out
    others = rivals(values, options) if ask.tab and options.trust == LOCALLY else ()
    verdict = [_verdict(values)]
    if written:
        write_page(written, title(values), lines, said)
        values = replace(values, out=written)
        verdict.insert(0, f"Wrote {written}.")
        said.append(f"wrote {written}")
    return answer_of(
        title(values),
        [*rival_rows(values, others), *lines],
        values=values,
        verdict=verdict,
        notes=said,
        figures=(
            curve
            for chart, over in ((frequency_chart, "n"), (budget_chart, "ε"))
            for curve in [curves(chart(values, options), "least f", over)]
        ),
    )


def _verdict(values: Planned) -> str:
    """The answer in a sentence."""
    if values.solved is None:
        does = "holds" if values.holds else "does not hold"
        needed = text.count(values.users_needed)
        reached = text.short(values.power_reached, 4)
        return f"The plan {does}: its power is {reached}; {needed} users are enough."
    answer = VERDICTS[values.solved](values)
    if values.solved == "users" and values.trust != LOCALLY:
        answer = f"The smallest batch is {text.count(math.ceil(values.users))} genuine users"
    aim = f"for {name(values)} to find an item of frequency " + text.short(values.frequency, 3)
    if values.solved == "frequency":
        aim = f"that {name(values)} finds"
    spite = f" in spite of {text.percent(values.share)} fakes" if values.share else ""
    sure = f", with probability {text.short(values.power, 3)}"
    return f"{answer} {aim}{spite}{sure}."
