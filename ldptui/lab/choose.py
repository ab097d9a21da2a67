"""Choose: the most frequent item, chosen privately, by a curator or from estimates."""

from __future__ import annotations

import math
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.ranges import BUDGET
from ldptui.core.base.sampling import Counts
from ldptui.core.lab.exponential import Exponential
from ldptui.core.lab.locality import local_success
from ldptui.core.law.pure import Rng
from ldptui.core.population import Population

from ..charts.series import TONES, Axis, Plot, Series
from ..terminal import exits
from ..text import format as text
from ..text.interval import INTERVAL, reach_95, share_words
from .answer import Answer
from .asking import Ask, Steps, answer_of
from .figure import curves
from .mechanisms import DRAWN, LOCAL, bound
from .output import Report, Row, laid_out, row, show
from .scenarios import current

POINTS: Final = 97
"""Points of the exact curve."""
SIMULATED: Final = 13
"""Points of the curves that are simulated."""
AT_ONCE: Final = 1 << 17
"""Counts drawn in one call, some 10 ms: an interrupt is obeyed between two calls."""
SURE: Final = 0.95
MOST: Final = 1 << 21
"""Counts drawn for one protocol at one ε of the tab: a large domain has fewer trials."""


def run(options: Namespace) -> int:
    """Print the chance of each mechanism to be right."""
    cell, epsilon = current(options.scenario, options.epsilon)
    rng = np.random.default_rng(options.seed)
    values = choices(cell.population, epsilon, options.trials, rng)
    about = {"scenario": options.scenario, "seed": options.seed}
    show(options, {**about, **values}, laid_out(*report(options.scenario, values)))
    return exits.DONE


def choices(population: Population, epsilon: float, trials: int, rng: Rng) -> dict[str, Any]:
    """The chances that the exponential mechanism and each local arg-max name a most frequent item.

    exponential : exactly and simulated. needed : the ε with which it is right 95% of the time, None
    where none is large enough. local : simulated; None where this ε allows none. over :
    the same along ε, the local ones at fewer points.
    """
    values, root = central(population, epsilon, trials, rng)
    return with_local(values, population, root)


def central(
    population: Population, epsilon: float, trials: int, rng: Rng
) -> tuple[dict[str, Any], int]:
    """The choices without the local ones, and the root of their streams."""
    held = population.histogram
    ordered = np.sort(held)
    mechanism = Exponential(epsilon)
    right = _hits(mechanism, held, trials, rng)
    root = int(rng.integers(2**63))
    need = needed(held)
    low = min(0.01, epsilon, (need or 1.0) / 30)
    grid = [float(f"{x:.6g}") for x in np.geomspace(low, max(10, epsilon), POINTS)]
    few = [float(f"{x:.6g}") for x in np.geomspace(0.01, 10, SIMULATED)]
    values = {
        "items": held.size,
        "users": int(held.sum()),
        "epsilon": epsilon,
        "trials": trials,
        "best": population.label(int(held.argmax())),
        "lead": int(ordered[-1] - ordered[-2]),
        "exponential": {"exact": mechanism.success(held), **_share(right, trials)},
        "needed": need,
        "local": {},
        "over": {
            "epsilon": grid,
            "exponential": [Exponential(e).success(held) for e in grid],
            "simulated_at": few,
            "trials": min(trials, 200),
            "local": {},
        },
    }
    return values, root


def with_local(values: dict[str, Any], population: Population, root: int) -> dict[str, Any]:
    """The choices with the local ones, which are simulated."""

    def stream_of(kind: str) -> Rng:
        """A stream of the kind's own: another kind in the table leaves its numbers alone."""
        return np.random.default_rng([root, *kind.encode()])

    held, epsilon, trials = population.histogram, values["epsilon"], values["trials"]
    over = values["over"]
    budgets, each = over["simulated_at"], over["trials"]
    local = {kind: _local(kind, held, epsilon, trials, stream_of(kind)) for kind in LOCAL}
    along = {
        kind: [
            None if shares is None else shares["simulated"]
            for shares in _along(kind, held, budgets, each, stream_of(kind))
        ]
        for kind in DRAWN
    }
    return {**values, "local": local, "over": {**over, "local": along}}


def needed(held: Counts) -> float | None:
    """The least ε with which the exponential mechanism is right 95% of the time; None: there is
    none up to the largest budget."""
    low, high = math.log(1e-9), math.log(BUDGET.high)

    def right(log_epsilon: float) -> bool:
        return Exponential(math.exp(log_epsilon)).success(held) >= SURE

    if not right(high):
        return None
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if right(middle) else (middle, high)
    return math.exp(high)


def _hits(mechanism: Exponential, held: Counts, trials: int, rng: Rng) -> int:
    """The number of trials in which the mechanism chooses a most frequent item."""
    hits, step = 0, max(1, AT_ONCE // held.size)
    for at in range(0, trials, step):
        rows = np.broadcast_to(held, (min(step, trials - at), held.size))
        hits += int((held[mechanism.sample(rows, rng)] == held.max()).sum())
    return hits


def _local(
    kind: str, held: Counts, epsilon: float, trials: int, rng: Rng
) -> dict[str, float] | None:
    try:
        protocol = bound(kind, held.size, epsilon)
    except ScenarioError:
        return None  # e^ε + 1 is no usable hash range
    hits, step = 0, max(1, AT_ONCE // held.size)
    for at in range(0, trials, step):
        hits += local_success(protocol, held, min(step, trials - at), rng)
    return _share(hits, trials)


def _along(
    kind: str, held: Counts, budgets: Sequence[float], trials: int, rng: Rng
) -> list[dict[str, float] | None]:
    return [_local(kind, held, epsilon, trials, rng) for epsilon in budgets]


def _share(hits: int, trials: int) -> dict[str, float]:
    share = hits / trials
    return {"simulated": share, "standard_error": math.sqrt(share * (1 - share) / trials)}


def chart(values: dict[str, Any], held: Counts) -> Plot:
    """Pr[the right answer] over ε: the exponential mechanism exactly, local ones simulated.

    The exact curve has the points of the simulated ones too, so that a cursor reads both.
    """
    over = values["over"]
    reach = reach_95(over["trials"])
    exact = dict(zip(over["epsilon"], over["exponential"], strict=True))
    exact |= {e: Exponential(e).success(held) for e in over["simulated_at"]}
    budgets = sorted(exact)
    chances = [exact[epsilon] for epsilon in budgets]
    series = [Series("exponential", budgets, chances, "theory")]
    for kind, tone in zip(over["local"], TONES, strict=False):
        ys = [math.nan if y is None else y for y in over["local"][kind]]
        errors = [reach * math.sqrt(y * (1 - y) / over["trials"]) for y in ys]
        series.append(Series(kind.upper(), over["simulated_at"], ys, tone, "points", errors))
    note = f"n = {text.count(values['users'])}, d = {text.count(values['items'])}"
    return Plot(
        "Finding the most frequent item",
        Axis("privacy budget ε", log=True),
        Axis("probability of the right answer", low=0.0, high=1.0),
        tuple(series),
        note=f"{note}; points: {over['trials']} trials {INTERVAL}",
    )


def report(scenario: str, values: dict[str, Any]) -> Report:
    """The table in words."""
    central = values["exponential"]
    rows: list[Row] = [
        row("exponential: right", central["exact"], "e^(εc/2) / Σ e^(εc/2)", "DR 3.4"),
        row("  simulated", _measured(central), _of_trials(values["trials"]), "DR 3.4"),
    ]
    for kind in LOCAL:
        local = values["local"].get(kind)
        if local is not None:
            rows.append(row(f"{kind}: right", _measured(local), "arg-max, simulated", "W17"))
    if values["needed"] is not None:
        ahead = f"{text.count(values['lead'])} users ahead"
        rows.append(row("exponential: ε for 95 %", values["needed"], ahead, "DR 3.4"))
    measured = [local["simulated"] for local in values["local"].values() if local is not None]
    title = (
        f"The most frequent item, {scenario}: ε = {text.short(values['epsilon'])}, "
        f"d = {text.count(values['items'])}, n = {text.count(values['users'])}"
    )
    notes = [
        f"the right answer is {values['best']}, {text.count(values['lead'])} users ahead",
        "exponential: a trusted curator chooses, with probability e^(ε count/2)",
        *share_words([central["simulated"], *measured], values["trials"]),
    ]
    return Report(title, rows, notes)


def _of_trials(trials: int) -> str:
    return "of one trial" if trials == 1 else f"of {text.count(trials)} trials"


def _measured(shares: dict[str, float]) -> str:
    return text.estimate(shares["simulated"], shares["standard_error"])


# The tab.


def work(ask: Ask) -> Steps:
    population = ask.cell.first.population
    epsilon, wanted = ask.given.epsilon, ask.given.trials
    trials = max(2, min(wanted, MOST // population.domain_size))
    yield f"choosing among {text.count(population.domain_size)} items, {text.count(trials)} trials"
    values, root = central(population, epsilon, trials, ask.rng)
    yield _answer(values, population)
    answer = _answer(with_local(values, population, root), population)
    if trials < wanted:
        return replace(answer, words=(*answer.words, f"Only {trials} trials: the domain is large."))
    return answer


def _answer(values: dict[str, Any], population: Population) -> Answer:
    """The answer, of the exponential mechanism alone as long as no local one is simulated."""
    table = report("your population", values)
    right = {
        kind: local["simulated"] for kind, local in values["local"].items() if local is not None
    }
    exact = text.short(values["exponential"]["exact"])
    verdict = (
        f"With ε = {text.short(values['epsilon'])} a curator who uses the exponential mechanism "
        f"names the most frequent item with probability {exact}."
    )
    words = [verdict]
    if right:
        beaten = ", ".join(f"{kind.upper()} {text.percent(p)}" for kind, p in right.items())
        words.append(f"The largest of the estimates from local reports is right in: {beaten}.")
    if values["needed"] is not None:
        need = text.short(values["needed"], 3)
        words.append(f"The exponential mechanism needs ε = {need} to be right 95 % of the time.")
    figure = curves(chart(values, population.histogram), "right", "ε")
    return answer_of(table, figure, words=words)
