"""Choose: the most frequent item, chosen privately, by a curator or from estimates."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.ranges import BUDGET
from ldptui.core.base.sampling import Counts
from ldptui.core.lab.locality import local_success
from ldptui.core.lab.loss import Exponential
from ldptui.core.law.pure import Rng
from ldptui.core.population import Population

from ..charts.series import TONES, Axis, Plot, Series
from ..text import format as text
from ..text.interval import INTERVAL, reach_95, share_words
from .answer import Answer, curves
from .asking import Ask, Row, Steps, answer_of, row
from .mechanisms import DRAWN, LOCAL, bound, budget_of, subject
from .questions.curators import ChooseOptions

POINTS: Final = 97
"""Points of the exact curve."""
SIMULATED: Final = 13
"""Points of the curves that are simulated."""
AT_ONCE: Final = 1 << 17
"""Counts drawn in one call, some 10 ms: an interrupt is obeyed between two calls."""
SURE: Final = 0.95
MOST: Final = 1 << 21
"""Counts drawn for one protocol at one ε of the tab: a large domain has fewer trials."""


@dataclass(frozen=True)
class Share:
    """The share of trials in which a mechanism was right."""

    simulated: float
    standard_error: float

    @classmethod
    def of(cls, hits: int, trials: int) -> Share:
        share = hits / trials
        return cls(share, math.sqrt(share * (1 - share) / trials))


@dataclass(frozen=True)
class Exact:
    """The same of a mechanism whose chance is known."""

    exact: float
    simulated: float
    standard_error: float


@dataclass(frozen=True)
class Along:
    """The chances along ε: the exact ones of `exponential`, those of local protocols at few ε."""

    epsilon: Sequence[float]
    exponential: Sequence[float]
    simulated_at: Sequence[float]
    trials: int
    local: Mapping[str, Sequence[float | None]]


@dataclass(frozen=True)
class Choices:
    """The chances that the exponential mechanism and each local arg-max name a most frequent item.

    best, lead : that item, and by how many users. needed : the ε with which the exponential
    mechanism is right 95% of the time, None where none is large enough. local : None where this ε
    allows none.
    """

    scenario: str
    seed: int
    items: int
    users: int
    epsilon: float
    trials: int
    best: str
    lead: int
    exponential: Exact
    needed: float | None
    local: Mapping[str, Share | None]
    over: Along


def answer(options: ChooseOptions, ask: Ask) -> Steps:
    """The chance of each mechanism to be right; what is exact is told before the local ones."""
    cell = ask.cell(options.scenario).first
    population, wanted = cell.population, options.trials
    trials = max(2, min(wanted, MOST // population.domain_size)) if ask.tab else wanted
    yield f"choosing among {text.count(population.domain_size)} items, {text.count(trials)} trials"
    epsilon, rng = budget_of(cell, options.epsilon), np.random.default_rng(options.seed)
    values = central(population, epsilon, trials, rng, options)
    root = int(rng.integers(2**63))
    if ask.tab:
        yield _answer(values, population)
    fewer = [f"Only {trials} trials: the domain is large."] if trials < wanted else []
    return _answer(with_local(values, population, root), population, *fewer)


def central(
    population: Population, epsilon: float, trials: int, rng: Rng, options: ChooseOptions
) -> Choices:
    """The choices without the local ones."""
    held = population.histogram
    ordered = np.sort(held)
    mechanism = Exponential(epsilon)
    right = Share.of(_hits(mechanism, held, trials, rng), trials)
    need = needed(held)
    low = min(0.01, epsilon, (need or 1.0) / 30)
    grid = [float(f"{x:.6g}") for x in np.geomspace(low, max(10, epsilon), POINTS)]
    few = [float(f"{x:.6g}") for x in np.geomspace(0.01, 10, SIMULATED)]
    chances = [Exponential(e).success(held) for e in grid]
    return Choices(
        options.scenario,
        options.seed,
        held.size,
        int(held.sum()),
        epsilon,
        trials,
        population.label(int(held.argmax())),
        int(ordered[-1] - ordered[-2]),
        Exact(mechanism.success(held), right.simulated, right.standard_error),
        need,
        {},
        Along(grid, chances, few, min(trials, 200), {}),
    )


def with_local(values: Choices, population: Population, root: int) -> Choices:
    """The choices with the local ones, which are simulated; root : of their streams."""

    def stream_of(kind: str) -> Rng:
        """A stream of the kind's own: another kind in the table leaves its numbers alone."""
        return np.random.default_rng([root, *kind.encode()])

    held, over = population.histogram, values.over
    local = {
        kind: _local(kind, held, values.epsilon, values.trials, stream_of(kind)) for kind in LOCAL
    }
    along = {}
    for kind in DRAWN:
        rng = stream_of(kind)
        shares = [_local(kind, held, epsilon, over.trials, rng) for epsilon in over.simulated_at]
        along[kind] = [None if share is None else share.simulated for share in shares]
    return replace(values, local=local, over=replace(over, local=along))


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


def _local(kind: str, held: Counts, epsilon: float, trials: int, rng: Rng) -> Share | None:
    try:
        protocol = bound(kind, held.size, epsilon)
    except ScenarioError:
        return None  # e^ε + 1 is no usable hash range
    hits, step = 0, max(1, AT_ONCE // held.size)
    for at in range(0, trials, step):
        hits += local_success(protocol, held, min(step, trials - at), rng)
    return Share.of(hits, trials)


def chart(values: Choices, held: Counts) -> Plot:
    """Pr[the right answer] over ε: the exponential mechanism exactly, local ones simulated.

    The exact curve has the points of the simulated ones too, so that a cursor reads both.
    """
    over = values.over
    reach = reach_95(over.trials)
    exact = dict(zip(over.epsilon, over.exponential, strict=True))
    exact |= {e: Exponential(e).success(held) for e in over.simulated_at}
    budgets = sorted(exact)
    chances = [exact[epsilon] for epsilon in budgets]
    series = [Series("exponential", budgets, chances, "theory")]
    for (kind, shares), tone in zip(over.local.items(), TONES, strict=False):
        ys = [math.nan if y is None else y for y in shares]
        errors = [reach * math.sqrt(y * (1 - y) / over.trials) for y in ys]
        series.append(Series(kind.upper(), over.simulated_at, ys, tone, "points", errors))
    note = f"n = {text.count(values.users)}, d = {text.count(values.items)}"
    return Plot(
        "Finding the most frequent item",
        Axis("privacy budget ε", log=True),
        Axis("probability of the right answer", low=0.0, high=1.0),
        tuple(series),
        note=f"{note}; points: {over.trials} trials {INTERVAL}",
    )


def _answer(values: Choices, population: Population, *more: str) -> Answer:
    """The answer, of the exponential mechanism alone as long as no local one is simulated."""
    central = values.exponential
    local = {kind: share for kind, share in values.local.items() if share is not None}
    shares = [central.simulated, *(share.simulated for share in local.values())]
    return answer_of(
        f"The most frequent item, {subject(values.scenario)}: ε = {text.short(values.epsilon)}, "
        f"d = {text.count(values.items)}, n = {text.count(values.users)}",
        _rows(values, local),
        values=values,
        verdict=tuple(_verdict(values, local)),
        notes=(
            f"the right answer is {values.best}, {text.count(values.lead)} users ahead",
            "exponential: a trusted curator chooses, with probability e^(ε count/2)",
            *share_words(shares, values.trials),
            *more,
        ),
        figures=(curves(chart(values, population.histogram), "right", "ε"),),
    )


def _rows(values: Choices, local: Mapping[str, Share]) -> Iterator[Row]:
    central, trials = values.exponential, values.trials
    yield row("exponential: right", central.exact, "e^(εc/2) / Σ e^(εc/2)", "DR 3.4")
    of = "of one trial" if trials == 1 else f"of {text.count(trials)} trials"
    yield row("  simulated", _measured(central), of, "DR 3.4")
    for kind, share in local.items():
        yield row(f"{kind.upper()}: right", _measured(share), "arg-max, simulated", "W17")
    if values.needed is not None:
        ahead = f"{text.count(values.lead)} users ahead"
        yield row("exponential: ε for 95 %", values.needed, ahead, "DR 3.4")


def _measured(share: Share | Exact) -> str:
    return text.estimate(share.simulated, share.standard_error)


def _verdict(values: Choices, local: Mapping[str, Share]) -> Iterator[str]:
    yield (
        f"With ε = {text.short(values.epsilon)} a curator who uses the exponential mechanism "
        f"names the most frequent item with probability {text.short(values.exponential.exact)}."
    )
    if local:
        shares = {kind.upper(): text.percent(share.simulated) for kind, share in local.items()}
        same = set(shares.values())
        beaten = ", ".join(f"{kind} {share}" for kind, share in shares.items())
        if len(shares) > 1 and len(same) == 1:
            beaten = f"all of {text.count(len(shares))} protocols {same.pop()}"
        yield f"The largest of the estimates from local reports is right in: {beaten}."
    if values.needed is not None:
        need = text.short(values.needed, 3)
        yield f"The exponential mechanism needs ε = {need} to be right 95 % of the time."
