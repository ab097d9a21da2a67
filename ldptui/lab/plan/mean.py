"""Plan for a mean: users, ε, share of fakes and error, one from the others, by each protocol."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np

from ldptui.core.base.errors import ScenarioError, check_among, got
from ldptui.core.base.ranges import USERS, check_span
from ldptui.core.bounds import means, planner
from ldptui.core.bounds.planner import Oracle

from ...charts.series import TONES, Axis, Plot, Series
from ...text import format as text
from ..answer import Answer, curves
from ..asking import Row, answer_of, row
from ..mechanisms import telling
from ..questions.offered import numbers
from ..questions.planning import LOCALLY, PlanOptions
from ..questions.shared import BEST
from .planned import answers_of, left_out
from .table import VERDICTS, answered, stated, write_page

SOLVED: Final = ("users", "epsilon", "share", "within")
"""The quantities that hang together: one of them is left out."""
FOREIGN: Final = ("frequency", "power", "shift", "estimates", "rank")
"""The options of a plan for items."""
WORDS: Final = {"users": "genuine users n", "epsilon": "budget ε", "share": "share of fakes β",
                "within": "error at most, ± x"}  # fmt: skip
LEGEND: Final = "Numbers are those of the range, but C and V, which are of [−1, 1]."
POINTS: Final = 33
"""Points of a curve."""


@dataclass(frozen=True)
class PlannedMean:
    """A plan for a mean: the quantity that is left out, and every line that follows.

    within : in the numbers of the range, as attack_floor, noise and both other floors. holds :
    where all four are given, whether the error is at most `within`. reached : the error.
    share_for_within : the share of fakes that moves the mean by `within` alone. protocols : the
    answer of each, None where it has none.
    """

    protocol: str
    solved: str | None
    low: float
    high: float
    alpha: float
    users: float
    epsilon: float
    share: float
    within: float
    variance: float
    reach: float
    attack_floor: float
    noise: float
    reached: float
    holds: bool
    undetectable_floor: float
    verified_floor: float
    share_for_within: float
    protocols: Mapping[str, float | None]


def answer(options: PlanOptions, written: str | None) -> Answer:
    """The plan of the options, also as a page where a path is given; raises ScenarioError."""
    values = planned(options)
    title = (
        f"A plan for a mean: {values.protocol.upper()}, numbers in "
        f"[{text.short(values.low)}, {text.short(values.high)}], α = {text.short(values.alpha)}"
    )
    notes, lines, verdict = [*_notes(values)], [*_rows(values)], [_verdict(values)]
    if written:
        write_page(written, title, lines, notes, LEGEND)
        verdict.insert(0, f"Wrote {written}.")
        notes.append(f"wrote {written}")
    return answer_of(
        title,
        lines,
        values=values,
        verdict=verdict,
        notes=notes,
        figures=(
            curves(chart, "± x", over)
            for chart, over in ((_over_users(values), "n"), (_over_budgets(values), "ε"))
        ),
    )


def _notes(values: PlannedMean) -> Iterator[str]:
    """The sentences about the numbers."""
    if values.solved is None:
        yield f"the plan {'holds' if values.holds else 'does not hold'}"
    yield "one round, whatever the honest mean is, and whatever the fakes report"
    yield "fakes who all say −C move a mean of 1 most, and those who say C a mean of −1"


def planned(options: PlanOptions) -> PlannedMean:
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
    missing = left_out(options, SOLVED)
    check_among(options.protocol, numbers(), "protocol", BEST)
    solved, half = (missing or ["within"])[0], (options.high - options.low) / 2
    kinds = numbers() if options.protocol == BEST else (options.protocol,)
    answers, refusals = answers_of(kinds, lambda kind: _solve(kind, solved, options, half))
    known = {kind: each for kind, each in answers.items() if each is not None}
    if not known:
        raise refusals[kinds[0]]
    kind = (max if solved == "share" else min)(known, key=lambda name: known[name])
    quantities: dict[str, Any] = {name: getattr(options, name) for name in SOLVED}
    if missing:
        quantities[solved] = known[kind]
    return _lines(kind, missing[0] if missing else None, options, quantities, answers)


def _solve(kind: str, solved: str, options: PlanOptions, half: float) -> float:
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
    options: PlanOptions,
    quantities: Mapping[str, Any],
    answers: Mapping[str, float | None],
) -> PlannedMean:
    """Every line of the plan of one protocol."""
    oracle, half = _oracle(kind, quantities["epsilon"]), (options.high - options.low) / 2
    users, share, within = (quantities[name] for name in ("users", "share", "within"))
    plan = means.plan_of(users, share, 1.0, options.alpha)
    reached = half * means.error(oracle, users, share, options.alpha)
    return PlannedMean(
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


def _rows(values: PlannedMean) -> Iterator[Row]:
    for kind, each in values.protocols.items():
        mark = "● " if kind == values.protocol else "  "
        name = f"{mark}{(values.solved or 'within')}, {kind.upper()}"
        yield name, text.MISSING if each is None else answered(values.solved, each), "", "plan"
    yield from stated(values, WORDS)
    yield row("largest report C", values.reach, "what one report can say, in [−1, 1]", "plan")
    yield row("worst variance V", values.variance, "of what a report says", "plan")
    yield row("noise", values.noise, "z √(V / (n + m)), z = Φ⁻¹(1 − α/2)", "plan")
    yield row("attack floor", values.attack_floor, "β (C + 1)", "plan")
    yield row("error at most", values.reached, "β (C + 1) + z √(V / (n + m))", "plan")
    yield row("undetectable floor", values.undetectable_floor, "2 β e^ε / (e^ε − 1)", "plan")
    yield row("verified floor", values.verified_floor, "2 β", "plan")
    yield row("share for x", min(1.0, values.share_for_within), "x / (C + 1)", "plan")


def _verdict(values: PlannedMean) -> str:
    """The answer in a sentence."""
    name, x = values.protocol.upper(), text.short(values.within, 4)
    spite = f" in spite of {text.percent(values.share)} fakes" if values.share else ""
    sure = f", with probability {text.short(1 - values.alpha, 3)}"
    if values.solved is None:
        does = "holds" if values.holds else "does not hold"
        error = text.short(values.reached, 4)
        return f"The plan {does}: {name} knows the mean within ± {error}{spite}{sure}."
    first = VERDICTS[values.solved](values)
    if values.solved == "within":
        return f"{first} of the mean that {name} tells{spite}{sure}."
    spite = "" if values.solved == "share" else spite
    return f"{first} for {name} to tell the mean within ± {x}{spite}{sure}."


# Charts.


def _over_users(values: PlannedMean) -> Plot:
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


def _over_budgets(values: PlannedMean) -> Plot:
    """The same over ε, of each protocol."""
    budgets = np.union1d(np.geomspace(0.1, 10, POINTS), values.epsilon)
    series = []
    for kind, tone in zip(numbers(), TONES, strict=False):
        least = [_error_at(kind, values, float(epsilon)) for epsilon in budgets]
        series.append(Series(kind.upper(), budgets, least, tone))
    return _plot("The same over ε", "privacy budget ε", values, series, [],
                 (values.epsilon, values.within))  # fmt: skip


def _error(oracle: Oracle, values: PlannedMean, users: float, share: float) -> float:
    return (values.high - values.low) / 2 * means.error(oracle, users, share, values.alpha)


def _error_at(kind: str, values: PlannedMean, epsilon: float) -> float:
    try:
        return _error(_oracle(kind, epsilon), values, values.users, values.share)
    except ScenarioError:
        return math.nan  # a window of less than two bins


def _plot(
    title: str,
    x: str,
    values: PlannedMean,
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
        note=f"closed forms, β = {text.chosen(values.share, 3)}, α = {text.short(values.alpha, 3)}",
    )
