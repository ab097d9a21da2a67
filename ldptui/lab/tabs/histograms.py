"""Histograms: what a trusted curator's release is off by, and one drawn against the truth."""

from __future__ import annotations

from typing import Final

import numpy as np

from core.bounds import Range
from core.protocols.curators import Neighbours
from core.protocols.curators import accuracy as acc
from core.sampling import Counts, Floats

from ...charts.series import Axis, Plot, Series
from ...text import format as text
from ..accuracy import formulas
from ..mechanisms import curator
from ..output import Report, row
from . import Ask, Steps, answer_of

POINTS: Final = 256
"""Items drawn at most: of more of them, ranks on a logarithmic axis."""
DRAWS: Final = 400
NUMBERS: Final = 2_000_000
"""Noisy counts drawn at most, over all draws."""


def work(ask: Ask) -> Steps:
    population = ask.cell.first.population
    histogram, d = population.histogram, population.domain_size
    alpha, near, kind = ask.number("alpha", acc.ALPHA), neighbours(ask), ask.word("mechanism")
    delta = ask.number("delta", Range(0, 1, "[)"))
    acc.require_delta(delta)
    forward = ask.word("goal") != "accuracy"
    given = ask.number("epsilon", acc.BUDGET) if forward else ask.number("accuracy", Range(0))
    rows, budgets = [], {}
    for name, ahead, back, source in formulas(acc.sensitivity(near)):
        for bins in (1, d):
            where = "one bin" if bins == 1 else f"all {text.count(d)} bins"
            if forward:
                budgets[name] = given
                found = accuracy_of(name, given, alpha, delta, bins, near)
            else:
                found = budgets[name] = epsilon_for(name, given, alpha, delta, bins, near)
            rows.append(row(f"{name}, {where}", found, ahead if forward else back, source))
    epsilon = budgets[kind]
    acc.require("epsilon" if forward else "accuracy", epsilon, acc.BUDGET)
    width = acc.sensitivity(near)
    if kind == "stability":
        threshold = acc.stability_threshold(epsilon, delta, near)
        rows.append(row("threshold", threshold, f"({width}/ε) ln(2/δ) + 1", "V th. 3.5"))
    mechanism = curator(kind, d, epsilon, delta, near)
    one, every = mechanism.accuracy(alpha), mechanism.accuracy(alpha, d)

    yield f"drawing {kind} histograms of {text.count(d)} items"
    rng = ask.rng
    released = mechanism.sample(histogram[None], rng)[0]
    outside = int((np.abs(released - histogram) > one).sum())
    expected = text.short(float(mechanism.tail(histogram, one).sum()), 3)
    seen = f"of {text.count(d)} bins; {expected} expected"
    rows.append(row("off by more, one draw", text.count(outside), seen, "simulated"))
    draws, missed = max(4, min(DRAWS, NUMBERS // d)), 0
    for at in range(draws):
        if d * (at % 16) >= 2**16:
            yield f"drawing {kind} histograms: {at} of {draws}"
        off = np.abs(mechanism.sample(histogram[None], rng) - histogram)
        missed += bool((off > every).any())
    bound = "" if kind == "laplace" else "at most "  # whole numbers and withheld bins are below α
    seen = f"of {draws} draws; {bound}{text.short(alpha * draws, 3)} expected"
    rows.append(row("off by more in any bin", str(missed), seen, "simulated"))

    with_ = f"ε = {text.short(epsilon)}, α = {text.chosen(alpha)}"
    title = f"Users that a count is off by at most, {with_}"
    if not forward:
        most = text.chosen(given)
        title = f"ε that makes a count off by at most {most} users, α = {text.chosen(alpha)}"
    verdict = (
        f"With {with_} a {kind} count is off by more than {text.short(one, 5)} users with "
        f"probability α at most; any of all {text.count(d)} by more than {text.short(every, 5)}."
    )
    share = f"{text.percent(every / population.users)} of them"
    size = f"Your population has n = {text.count(population.users)} users: that is {share}."
    changed = "1 bin" if width == 1 else f"{width} bins"
    why = f"With {near} neighbours one person changes {changed} by 1: Δ = {width}."
    words = (verdict, size, why)
    charts = (
        _drawn(histogram, released, every, f"{kind}, {with_}"),
        _off(histogram, released, one, every, f"{kind}, {with_}"),
    )
    return answer_of(Report(title, rows, ()), *charts, words=words)


def neighbours(ask: Ask) -> Neighbours:
    """Which tables must look alike, from the form."""
    return "add-remove" if ask.word("neighbours") == "add-remove" else "change-one"


def accuracy_of(
    kind: str, epsilon: float, alpha: float, delta: float, bins: int, near: Neighbours
) -> float:
    """What each of the bins is off by at most, with probability 1 - α together."""
    if kind == "stability":
        return acc.stability_accuracy(epsilon, alpha, delta, bins, near)
    if kind == "geometric":
        return acc.geometric_accuracy(epsilon, alpha, bins, near)
    return acc.laplace_accuracy(epsilon, alpha, bins, near)


def epsilon_for(
    kind: str, goal: float, alpha: float, delta: float, bins: int, near: Neighbours
) -> float:
    """The budget with which each of the bins is off by so much at most."""
    if kind == "stability":
        return acc.stability_epsilon(goal, alpha, delta, bins, near)
    if kind == "geometric":
        return acc.geometric_epsilon(goal, alpha, bins, near)
    return acc.laplace_epsilon(goal, alpha, bins, near)


def ranked(histogram: Counts) -> tuple[Counts, Counts, bool]:
    """Items from the most frequent on, their ranks, and whether ranks are thinned out."""
    order = np.argsort(-histogram, kind="stable")
    if order.size <= POINTS:
        return order, np.arange(1, order.size + 1), False
    ranks = np.unique(np.geomspace(1, order.size, POINTS).round().astype(np.int64))
    return order[ranks - 1], ranks, True


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
            Series("released", ranks, on_axis(released[items]), "clean", "points"),
        ),
    )


def _off(histogram: Counts, released: Floats, one: float, every: float, title: str) -> Plot:
    items, ranks, thinned = ranked(histogram)
    off = released[items] - histogram[items]
    far = np.abs(off) > one
    reach = 1.15 * max(every, float(np.abs(off).max()))
    return Plot(
        f"Released − true count: {title}",
        Axis("rank of the item by its true count", log=thinned),
        Axis("users", low=-reach, high=reach),
        (
            Series("off by at most a", ranks[~far], off[~far], "clean", "points"),
            Series("by more", ranks[far], off[far], "attacked", "points"),
        ),
        levels=((every, "a, all bins"), (one, "a, one bin"), (0.0, "0"), (-one, "−a, one"),
                (-every, "−a, all")),
    )  # fmt: skip
