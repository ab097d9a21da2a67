"""Choosing: the most frequent item, by the exponential mechanism and by local estimates."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from typing import Final

import numpy as np

from core.audit import clopper_pearson
from core.bounds import Range
from core.central import Exponential
from core.central.accuracy import BUDGET
from core.central.locality import local_success
from core.errors import ScenarioError
from core.pure import Rng
from core.sampling import Counts

from ... import format as text
from ...series import Axis, Plot, Series, Tone
from ..accuracy import bound
from ..output import Report, Row, row
from . import Ask, Steps, answer_of

BESIDE: Final = ("grr", "oue", "olh")
POINTS: Final = 97
SIMULATED: Final = 12
"""Values of ε at which the local protocols are simulated."""
AT_ONCE: Final = 1 << 17
"""Counts drawn in one call, some 10 ms."""
MOST: Final = 1 << 23
"""Counts of one protocol at one ε, at most: of a large domain there are fewer trials."""
SURE: Final = 0.95


def work(ask: Ask) -> Steps:
    population = ask.cell.population
    histogram, d = population.histogram, population.domain_size
    epsilon = ask.number("epsilon", BUDGET)
    wanted, rng = ask.integer("trials", Range(10, 100_000)), ask.rng
    trials = max(10, min(wanted, MOST // d))
    ordered = np.sort(histogram)[::-1]
    best, second = int(ordered[0]), int(ordered[int((ordered == ordered[0]).sum()) :][:1].sum())

    def success(budget: float) -> float:
        return Exponential(budget).success(histogram)

    need = _needed(success)
    low = max(1e-7, min(0.01, need / 30))
    grid = np.geomspace(low, max(10.0, epsilon), POINTS)
    exact = [success(float(e)) for e in grid]
    yield f"choosing {text.count(trials)} times with the exponential mechanism"
    hits = yield from _chosen(Exponential(epsilon), histogram, trials, rng)
    rows: list[Row] = [
        row("exponential, exact", success(epsilon), "e^(εu/2) / Σ e^(εu/2)", "MT"),
        _measured("exponential, simulated", hits, trials),
    ]
    series = [Series("exponential, exact", grid, exact, "theory")]
    found: dict[str, float] = {}
    near = np.geomspace(max(low, 0.02), 10.0, SIMULATED)
    tones: tuple[Tone, ...] = ("series-0", "series-1", "series-2")
    for kind, tone in zip(BESIDE, tones, strict=True):
        shares = []
        for at, budget in enumerate([*near.tolist(), epsilon]):
            yield f"{kind.upper()}: {at + 1} of {near.size + 1} budgets"
            right = yield from _argmax(kind, d, budget, histogram, trials, rng)
            shares.append(math.nan if right is None else right / trials)
        if right is not None:
            found[kind] = right / trials
            rows.append(_measured(f"{kind}, arg-max", right, trials))
        p = np.array(shares[:-1])
        error = np.sqrt(p * (1 - p) / trials)
        series.append(Series(f"{kind.upper()}, simulated", near, p, tone, "points", error))
    gap = f"the runner-up is {text.count(best - second)} users behind"
    rows.append(row("exponential: ε for 95%", need, f"gap {text.count(best - second)} users", "MT"))
    chart = Plot(
        "Probability that the right item is chosen",
        Axis("privacy budget ε", log=True),
        Axis("probability", low=0.0, high=1.0),
        tuple(series),
        note=f"d = {text.count(d)}, n = {text.count(population.users)}, {text.count(trials)} "
        "trials ± standard error",
    )
    beaten = ", ".join(f"{kind.upper()} {text.percent(p)}" for kind, p in found.items())
    verdict = (
        f"With ε = {text.short(epsilon)} a curator who uses the exponential mechanism names the "
        f"most frequent item with probability {text.short(success(epsilon))}."
    )
    words = [verdict]
    if beaten:
        words.append(f"The largest of the estimates from local reports is right in: {beaten}.")
    words.append(
        f"The exponential mechanism needs ε = {text.short(need, 3)} to be right 95% of the time; "
        f"{gap}."
    )
    if trials < wanted:
        words.append(f"Only {trials} trials: the domain is large.")
    title = f"Naming the most frequent item, ε = {text.short(epsilon)}"
    return answer_of(Report(title, rows, ()), chart, words=words)


def _needed(success: Callable[[float], float]) -> float:
    """The least ε with which the right item is chosen 95% of the time."""
    low, high = math.log(1e-9), math.log(BUDGET.high)
    if success(math.exp(high)) < SURE:
        return math.inf
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if success(math.exp(middle)) >= SURE else (middle, high)
    return math.exp(high)


def _chosen(
    mechanism: Exponential, histogram: Counts, trials: int, rng: Rng
) -> Generator[str, None, int]:
    """In how many trials a most frequent item is chosen."""
    hits, block = 0, max(1, AT_ONCE // histogram.size)
    for at in range(0, trials, block):
        count = min(block, trials - at)
        items = mechanism.sample(np.broadcast_to(histogram, (count, histogram.size)), rng)
        hits += int((histogram[items] == histogram.max()).sum())
        if at:
            yield f"exponential mechanism: {at} of {trials} trials"
    return hits


def _argmax(
    kind: str, d: int, epsilon: float, histogram: Counts, trials: int, rng: Rng
) -> Generator[str, None, int | None]:
    """The same of a local protocol; None where this ε does not allow it."""
    try:
        protocol = bound(kind, d, epsilon)
    except ScenarioError:
        return None
    hits, block = 0, max(1, AT_ONCE // d)
    for at in range(0, trials, block):
        hits += local_success(protocol, histogram, min(block, trials - at), rng)
        if at:
            yield f"{kind.upper()}, ε = {text.short(epsilon)}: {at} of {trials} trials"
    return hits


def _measured(name: str, hits: int, trials: int) -> Row:
    low, high = clopper_pearson(hits, trials, 0.025)
    between = f"{hits} of {trials}; {text.short(float(low), 3)} … {text.short(float(high), 3)}"
    return row(name, hits / trials, between, "CP 95%")
