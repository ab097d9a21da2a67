"""Accuracy: what a trusted curator's histogram is off by, and what locality costs beside it.

The command prints the closed forms, both ways; the tab also draws one release against the truth.
"""

from __future__ import annotations

import math
from argparse import Namespace
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.ranges import BUDGET
from ldptui.core.base.sampling import Counts, Floats
from ldptui.core.law.pure import item_variance
from ldptui.core.protocols import KINDS
from ldptui.core.protocols.curators import SENSITIVITY, Curator
from ldptui.core.protocols.curators import accuracy as acc

from ..charts.series import Axis, Plot, Series
from ..explain.curators import words_of
from ..terminal import exits
from ..text import format as text
from .asking import Ask, Steps, answer_of
from .figure import figure
from .mechanisms import BESIDE, CURATORS, LOCAL, bound, curator, formulas, has
from .output import Report, Row, laid_out, row, show, told

POINTS: Final = 256
"""Items drawn at most: of more of them, ranks on a logarithmic axis."""
DRAWS: Final = 400
NUMBERS: Final = 2_000_000
"""Noisy counts drawn at most, over all draws."""


def run(options: Namespace) -> int:
    """Print the accuracies, or the budgets that an accuracy needs."""
    values = accuracies(options)
    show(options, values, _table(options, values))
    return exits.DONE


def accuracies(options: Namespace) -> dict[str, Any]:
    """ε, accuracy and scale of each central mechanism; the errors of local protocols beside."""
    if (options.items is None) != (options.users is None):
        missing = "items" if options.items is None else "users"
        raise ScenarioError("is required too, for the price of locality", key=missing)
    mechanisms = {name: _mechanism(name, options) for name in CURATORS}
    return {
        "neighbours": options.neighbours,
        "sensitivity": SENSITIVITY[options.neighbours],
        "alpha": options.alpha,
        "bins": options.bins,
        "mechanisms": mechanisms,
        "locality": None if options.items is None else _locality(options, mechanisms),
    }


def _mechanism(kind: str, options: Namespace) -> dict[str, Any]:
    delta, near, epsilon = options.delta, options.neighbours, options.epsilon
    if epsilon is None:
        known = KINDS[kind].mechanism
        epsilon = known.epsilon_within(options.accuracy, options.alpha, delta, options.bins, near)
    mechanism = curator(kind, 2, epsilon, delta, near)
    values = {
        "epsilon": epsilon,
        "delta": mechanism.delta,
        "scale": mechanism.scale,
        "accuracy": mechanism.accuracy(options.alpha, options.bins),
    }
    threshold = formulas(kind, mechanism).get("threshold")
    if threshold is not None:
        values["threshold"] = threshold.value
    return values


def _locality(options: Namespace, mechanisms: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The errors of a frequency, and how many users a local protocol needs for BESIDE's.

    No population is needed: a local variance is affine in the frequency, and frequencies are 1/d
    in the mean; that of noise that withholds nothing is the same in every bin.
    """
    d, n = options.items, options.users
    central = {
        name: curator(name, d, mechanisms[name]["epsilon"], 0.0, options.neighbours)
        for name in mechanisms
        if not has(name, "delta")
    }
    spreads = {name: formulas(name, m, n)["frequency_std"].value for name, m in central.items()}
    local = {}
    epsilon = mechanisms[BESIDE]["epsilon"]
    for kind in LOCAL:
        protocol = bound(kind, d, epsilon)
        error = float(item_variance(protocol, n, 1 / d))
        factor = error / spreads[BESIDE] ** 2
        local[kind] = {"std": math.sqrt(error), "users": n * factor, "factor": factor}
    return {
        "items": d,
        "users": n,
        "epsilon": epsilon,
        "central_std": spreads,
        "local": local,
    }


def _table(options: Namespace, values: dict[str, Any]) -> str:
    mechanisms, width = values["mechanisms"], values["sensitivity"]
    forward = options.accuracy is None
    rows: list[Row] = []
    for name, mechanism in mechanisms.items():
        closed = words_of(KINDS[name].mechanism)
        what, key = ("off by", "accuracy") if forward else ("needs ε", "epsilon")
        rows.append(
            row(f"{name}: {what}", mechanism[key], closed.formula(width, forward), closed.source, 6)
        )
    where, near = values["locality"], options.neighbours
    known = {
        name: formulas(
            name,
            curator(name, 2, mechanism["epsilon"], mechanism["delta"], near),
            None if where is None else where["users"],
        )
        for name, mechanism in mechanisms.items()
    }
    rows += [
        told(f"{name}: threshold", of["threshold"])
        for name, of in known.items()
        if "threshold" in of
    ]
    if where is not None:
        for name in where["central_std"]:
            rows.append(told(f"{name}: frequency error", known[name]["frequency_std"]))
        for kind, local in where["local"].items():
            rows.append(
                row(f"{kind}: frequency error", local["std"], "√Var, mean item", "W17 th. 2")
            )
        for kind, local in where["local"].items():
            factor = f"{text.short(local['factor'], 3)} × n"
            rows.append(row(f"{kind}: users needed", local["users"], factor, "W17 th. 2"))
    goal = (
        f"ε = {text.chosen(options.epsilon)}"
        if forward
        else f"off by a = {text.chosen(options.accuracy)} at most"
    )
    alpha, delta = text.chosen(options.alpha), text.chosen(options.delta)
    title = f"Central histogram, {goal}, α = {alpha}, δ = {delta}"
    notes = [f"{options.neighbours} neighbours, so that the sensitivity Δ is {width}; s = Δ/ε"]
    if options.bins == 1:
        notes.append("one bin is off by more than that with probability α at most")
    else:
        notes.append(
            f"any of {options.bins} bins is off by more with probability α at most: each has "
            f"1 − (1 − α)^(1/{options.bins}) for α"
        )
    if where is not None:
        size = f"d = {text.count(where['items'])}, n = {text.count(where['users'])}"
        notes.append(f"with {size}; users needed: for the error that laplace has with n")
    return laid_out(title, rows, notes)


# The tab.


def work(ask: Ask) -> Steps:
    population = ask.cell.first.population
    histogram, d = population.histogram, population.domain_size
    alpha, near, kind = ask.given.alpha, ask.given.neighbours, ask.given.mechanism
    delta, forward = ask.given.delta, ask.given.accuracy is None
    acc.require_delta(delta)
    rows, budgets = _budgets(ask.given, d)
    width = acc.sensitivity(near)
    epsilon = budgets[kind]
    acc.require("epsilon" if forward else "accuracy", epsilon, BUDGET)
    mechanism = curator(kind, d, epsilon, delta, near)
    known = formulas(kind, mechanism)
    if "threshold" in known:
        rows.append(told("threshold", known["threshold"]))
    single, every = mechanism.accuracy(alpha), mechanism.accuracy(alpha, d)

    yield f"drawing {kind} histograms of {text.count(d)} items"
    rng = ask.rng
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
    if not forward:
        most = text.chosen(ask.given.accuracy)
        title = f"ε that makes a count off by at most {most} users, α = {text.chosen(alpha)}"
    verdict = (
        f"With {with_} a {kind} count is off by more than {text.short(single, 5)} users with "
        f"probability α at most; any of all {text.count(d)} by more than {text.short(every, 5)}."
    )
    share = f"{text.percent(every / population.users)} of them"
    size = f"Your population has n = {text.count(population.users)} users: that is {share}."
    changed = "1 bin" if width == 1 else f"{width} bins"
    why = f"With {near} neighbours one person changes {changed} by 1: Δ = {width}."
    words = (verdict, size, why)
    charts = (
        _drawn(histogram, released, every, f"{kind}, {with_}"),
        _off(histogram, released, single, every, f"{kind}, {with_}"),
    )
    heads = ("item", "rank", "true", "released", "z", "a, one bin", "a, all bins")
    read = [
        (population.label(item), rank, true, text.estimate(seen, error), z, single, every)
        for item, rank, true, seen, error, z in _released(mechanism, histogram, released)
    ]
    figures = (figure(chart, heads, read) for chart in charts)
    return answer_of(Report(title, rows, ()), *figures, words=words)


def _budgets(given: Namespace, d: int) -> tuple[list[Row], dict[str, float]]:
    """The rows of each mechanism for one bin and for all `d`, and the ε of each for all."""
    alpha, delta, near = given.alpha, given.delta, given.neighbours
    forward, width = given.accuracy is None, acc.sensitivity(near)
    goal = given.epsilon if forward else given.accuracy
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
