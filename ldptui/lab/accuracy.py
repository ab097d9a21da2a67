"""Accuracy: what a trusted curator's histogram is off by, and what locality costs beside it.

The command prints the closed forms, both ways; the tab also draws one release against the truth.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.ranges import BUDGET, require
from ldptui.core.base.sampling import Counts, Floats
from ldptui.core.law.pure import item_variance
from ldptui.core.protocols import KINDS
from ldptui.core.protocols.curators import SENSITIVITY, Curator, Neighbours
from ldptui.core.protocols.curators import accuracy as acc

from ..charts.series import Axis, Plot, Series
from ..explain.curators import words_of
from ..text import format as text
from .answer import figure
from .asking import OMITTED, Ask, Row, Steps, answer_of, row, told
from .mechanisms import BESIDE, CURATORS, LOCAL, bound, curator, formulas, has
from .questions.curators import AccuracyOptions

POINTS: Final = 256
"""Items drawn at most: of more of them, ranks on a logarithmic axis."""
DRAWS: Final = 400
NUMBERS: Final = 2_000_000
"""Noisy counts drawn at most, over all draws."""


@dataclass(frozen=True)
class Bin:
    """A mechanism's ε, and what its counts are off by; threshold : of one that withholds bins."""

    epsilon: float
    delta: float
    scale: float
    accuracy: float
    threshold: float | None = field(default=None, metadata=OMITTED)


@dataclass(frozen=True)
class LocalError:
    """The standard error of a local frequency, and the users who bring it to a curator's."""

    std: float
    users: float
    factor: float


@dataclass(frozen=True)
class Locality:
    """The errors of a frequency of each central mechanism and of each local protocol."""

    items: int
    users: int
    epsilon: float
    central_std: Mapping[str, float]
    local: Mapping[str, LocalError]


@dataclass(frozen=True)
class Accuracies:
    """The accuracy of each central mechanism, or the budget that an accuracy needs."""

    neighbours: Neighbours
    sensitivity: int
    alpha: float
    bins: int
    mechanisms: Mapping[str, Bin]
    locality: Locality | None


def answer(options: AccuracyOptions, ask: Ask) -> Steps:
    """The closed forms; of the scenario of a tab, also a release of its population."""
    if ask.tab:
        return (yield from _drawn_answer(options, ask))
    if (options.items is None) != (options.users is None):
        missing = "items" if options.items is None else "users"
        raise ScenarioError("is required too, for the price of locality", key=missing)
    mechanisms = {name: _mechanism(name, options) for name in CURATORS}
    locality = None
    if options.items is not None and options.users is not None:
        locality = _locality(options, options.items, options.users, mechanisms)
    width, near = SENSITIVITY[options.neighbours], options.neighbours
    values = Accuracies(near, width, options.alpha, options.bins, mechanisms, locality)
    goal = (
        f"ε = {text.chosen(options.epsilon)}"
        if options.epsilon is not None
        else f"off by a = {text.chosen(options.accuracy or 0.0)} at most"
    )
    alpha, delta = text.chosen(options.alpha), text.chosen(options.delta)
    title = f"Central histogram, {goal}, α = {alpha}, δ = {delta}"
    return answer_of(title, _rows(options, values), values=values, notes=tuple(_notes(values)))


def _mechanism(kind: str, options: AccuracyOptions) -> Bin:
    delta, near, epsilon = options.delta, options.neighbours, options.epsilon
    if epsilon is None:
        known = KINDS[kind].mechanism
        epsilon = known.epsilon_within(options.accuracy, options.alpha, delta, options.bins, near)
    mechanism = curator(kind, 2, epsilon, delta, near)
    accuracy = mechanism.accuracy(options.alpha, options.bins)
    threshold = formulas(kind, mechanism).get("threshold")
    value = None if threshold is None else threshold.value
    return Bin(epsilon, mechanism.delta, mechanism.scale, accuracy, value)


def _locality(options: AccuracyOptions, d: int, n: int, mechanisms: Mapping[str, Bin]) -> Locality:
    """The errors of a frequency, and how many users a local protocol needs for BESIDE's.

    No population is needed: a local variance is affine in the frequency, and frequencies are 1/d
    in the mean; that of noise that withholds nothing is the same in every bin.
    """
    central = {
        name: curator(name, d, mechanisms[name].epsilon, 0.0, options.neighbours)
        for name in mechanisms
        if not has(name, "delta")
    }
    spreads = {name: formulas(name, m, n)["frequency_std"].value for name, m in central.items()}
    local = {}
    epsilon = mechanisms[BESIDE].epsilon
    for kind in LOCAL:
        error = float(item_variance(bound(kind, d, epsilon), n, 1 / d))
        factor = error / spreads[BESIDE] ** 2
        local[kind] = LocalError(math.sqrt(error), n * factor, factor)
    return Locality(d, n, epsilon, spreads, local)


def _rows(options: AccuracyOptions, values: Accuracies) -> Iterator[Row]:
    forward, near, where = options.accuracy is None, options.neighbours, values.locality
    known = {}
    for name, mechanism in values.mechanisms.items():
        closed = words_of(KINDS[name].mechanism)
        what = "off by" if forward else "needs ε"
        value = mechanism.accuracy if forward else mechanism.epsilon
        formula = closed.formula(values.sensitivity, forward)
        yield row(f"{name}: {what}", value, formula, closed.source, 6)
        bare = curator(name, 2, mechanism.epsilon, mechanism.delta, near)
        known[name] = formulas(name, bare, None if where is None else where.users)
    for name, of in known.items():
        if "threshold" in of:
            yield told(f"{name}: threshold", of["threshold"])
    if where is None:
        return
    for name in where.central_std:
        yield told(f"{name}: frequency error", known[name]["frequency_std"])
    for kind, local in where.local.items():
        yield row(f"{kind}: frequency error", local.std, "√Var, mean item", "W17 th. 2")
    for kind, local in where.local.items():
        factor = f"{text.short(local.factor, 3)} × n"
        yield row(f"{kind}: users needed", local.users, factor, "W17 th. 2")


def _notes(values: Accuracies) -> Iterator[str]:
    width = values.sensitivity
    yield f"{values.neighbours} neighbours, so that the sensitivity Δ is {width}; s = Δ/ε"
    if values.bins == 1:
        yield "one bin is off by more than that with probability α at most"
    else:
        yield (
            f"any of {values.bins} bins is off by more with probability α at most: each has "
            f"1 − (1 − α)^(1/{values.bins}) for α"
        )
    spent = max(each.epsilon for each in values.mechanisms.values())
    if spent > 1:
        odds = text.short(math.exp(spent), 3)
        yield f"an ε above 1 promises little: one person may change odds by a factor of {odds}"
    if (where := values.locality) is not None:
        size = f"d = {text.count(where.items)}, n = {text.count(where.users)}"
        yield f"with {size}; users needed: for the error that laplace has with n"


# The tab.


def _drawn_answer(options: AccuracyOptions, ask: Ask) -> Steps:
    population = ask.cell("").first.population
    histogram, d = population.histogram, population.domain_size
    alpha, near, kind, delta = options.alpha, options.neighbours, options.mechanism, options.delta
    acc.require_delta(delta)
    rows, budgets = _budgets(options, d)
    epsilon = budgets[kind]
    require("epsilon" if options.accuracy is None else "accuracy", epsilon, BUDGET)
    mechanism = curator(kind, d, epsilon, delta, near)
    known = formulas(kind, mechanism)
    if "threshold" in known:
        rows.append(told("threshold", known["threshold"]))
    single, every = mechanism.accuracy(alpha), mechanism.accuracy(alpha, d)

    yield f"drawing {kind} histograms of {text.count(d)} items"
    rng = np.random.default_rng(options.seed)
    released = mechanism.sample(histogram[None], rng)[0]
    outside = int((np.abs(released - histogram) > single).sum())
    expected = text.short(float(mechanism.tail(histogram, single).sum()), 3)
    seen = f"of {text.count(d)} bins; {expected} expected"
    rows.append(row("off by more, one draw", text.count(outside), seen, "simulated"))
    draws, missed = max(4, min(DRAWS, NUMBERS // d)), 0
    for at in range(draws):
        if d * (at % 16) >= 2**16:
            yield f"drawing {kind} histograms: {at} of {draws}"
        off = np.abs(mechanism.sample(histogram[None], rng) - histogram)
        missed += bool((off > every).any())
    bound = "" if words_of(KINDS[kind].mechanism).exact else "at most "
    seen = f"of {draws} draws; {bound}{text.short(alpha * draws, 3)} expected"
    rows.append(row("off by more in any bin", str(missed), seen, "simulated"))

    with_ = f"ε = {text.short(epsilon)}, α = {text.chosen(alpha)}"
    title = f"Users that a count is off by at most, {with_}"
    if options.accuracy is not None:
        most = text.chosen(options.accuracy)
        title = f"ε that makes a count off by at most {most} users, α = {text.chosen(alpha)}"
    width = acc.sensitivity(near)
    changed = "1 bin" if width == 1 else f"{width} bins"
    missed_by = (
        f"With {with_} a {kind} count is off by more than {text.short(single, 5)} users with "
        f"probability α at most; any of all {text.count(d)} by more than {text.short(every, 5)}."
    )
    share = f"{text.percent(every / population.users)} of them"
    size = f"Your population has n = {text.count(population.users)} users: that is {share}."
    why = f"With {near} neighbours one person changes {changed} by 1: Δ = {width}."
    charts = (
        _drawn(histogram, released, every, f"{kind}, {with_}"),
        _off(histogram, released, single, every, f"{kind}, {with_}"),
    )
    heads = ("item", "rank", "true", "released", "z", "a, one bin", "a, all bins")
    read = [
        (population.label(item), rank, true, text.estimate(seen, error), z, single, every)
        for item, rank, true, seen, error, z in _released(mechanism, histogram, released)
    ]
    figures = [figure(chart, heads, read) for chart in charts]
    return answer_of(title, rows, verdict=(missed_by, size, why), figures=figures)


def _budgets(given: AccuracyOptions, d: int) -> tuple[list[Row], dict[str, float]]:
    """The rows of each mechanism for one bin and for all `d`, and the ε of each for all."""
    alpha, delta, near = given.alpha, given.delta, given.neighbours
    forward, width = given.accuracy is None, acc.sensitivity(near)
    goal = given.epsilon if forward else given.accuracy
    assert goal is not None  # one of the two fields is shown
    rows, budgets = [], {}
    for name in CURATORS:
        closed = words_of(KINDS[name].mechanism)
        for bins in (1, d):
            where = "one bin" if bins == 1 else f"all {text.count(d)} bins"
            budgets[name] = goal
            if not forward:
                needs = KINDS[name].mechanism.epsilon_within
                budgets[name] = needs(goal, alpha, delta, bins, near)
            reached = curator(name, 2, budgets[name], delta, near).accuracy(alpha, bins)
            value = reached if forward else budgets[name]
            formula = closed.formula(width, forward)
            rows.append(row(f"{name}, {where}", value, formula, closed.source))
    return rows, budgets


def ranked(histogram: Counts) -> tuple[Counts, Counts, bool]:
    """Items from the most frequent on, their ranks, and whether ranks are thinned out."""
    order = np.argsort(-histogram, kind="stable")
    if order.size <= POINTS:
        return order, np.arange(1, order.size + 1), False
    ranks = np.unique(np.geomspace(1, order.size, POINTS).round().astype(np.int64))
    return order[ranks - 1], ranks, True


def _released(
    mechanism: Curator, histogram: Counts, released: Floats
) -> Iterator[tuple[int, int, int, float, float, float]]:
    """Each item that is drawn: rank, true and released count, standard error and z.

    The noise that withholds bins is biased: z is that of the release beside its expectation.
    """
    items, ranks, _ = ranked(histogram)
    held, seen = histogram[items], released[items]
    bias = mechanism.bias(held)
    error = np.sqrt(np.maximum(mechanism.squared_error(held) - bias**2, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (seen - held - bias) / error
    columns = (items, ranks, held, seen, error, z)
    yield from zip(*(column.tolist() for column in columns), strict=True)


def _drawn(histogram: Counts, released: Floats, accuracy: float, title: str) -> Plot:
    items, ranks, thinned = ranked(histogram)
    true = histogram[items].astype(float)
    steep = bool(true[0] > 50 * max(1.0, true[-1]))

    def on_axis(values: Floats) -> Floats:
        return np.where(values > 0, values, np.nan) if steep else values

    band = "± a, all bins at once"
    wide = np.where(accuracy > 0.03 * true, accuracy, np.nan)  # else it hides what it is around
    return Plot(
        f"Released and true counts: {title}",
        Axis("rank of the item by its true count", log=thinned),
        Axis("users", log=steep),
        (
            Series("true", ranks, on_axis(true), "true"),
            Series(band, ranks, on_axis(true + wide), "theory", "dotted"),
            Series(band, ranks, on_axis(true - wide), "theory", "dotted", legend=False),
            Series("released", ranks, on_axis(released[items]), "clean", "points", cloud=False),
        ),
    )


def _off(histogram: Counts, released: Floats, single: float, every: float, title: str) -> Plot:
    items, ranks, thinned = ranked(histogram)
    off = released[items] - histogram[items]
    far = np.abs(off) > single
    reach = 1.15 * max(every, float(np.abs(off).max()))
    return Plot(
        f"Released − true count: {title}",
        Axis("rank of the item by its true count", log=thinned),
        Axis("users", low=-reach, high=reach),
        (
            Series("off by at most a", ranks[~far], off[~far], "clean", "points"),
            Series("by more", ranks[far], off[far], "attacked", "points"),
        ),
        levels=((every, "a, all bins"), (single, "a, one bin"), (0.0, "0"), (-single, "−a, one"),
                (-every, "−a, all")),
    )  # fmt: skip
