"""Locality: what local protocols pay for needing no trusted curator."""

from __future__ import annotations

import math

from core.bounds import Range
from core.lab.locality import grown
from core.protocols.curators.accuracy import require_delta
from core.pure import EPSILON
from core.sampling import Counts, Floats

from ...text import format as text
from .. import price
from ..options import LOCAL
from . import Ask, Steps, answer_of
from .histograms import neighbours


def work(ask: Ask) -> Steps:
    population = ask.cell.first.population
    over: price.Over = "epsilon" if ask.word("over") == "epsilon" else "users"
    epsilon, users = ask.number("epsilon", EPSILON), ask.integer("users", price.USERS)
    curator, delta = ask.word("mechanism"), ask.number("delta", Range(0, 1, "[)"))
    require_delta(delta)
    yield f"comparing protocols with up to {text.count(min(users * 1e3, price.USERS.high))} users"
    histogram: Counts | Floats = population.histogram
    if users != population.users:
        histogram = grown(histogram, users)
    values = price.prices(histogram, epsilon, delta, neighbours(ask))
    report = price.report("your population", values)
    notes = [note for note in report.notes if not note.startswith("--")]  # of the command's options
    charts = (price.error_chart(values, over), price.factor_chart(values, over))
    return answer_of(report._replace(notes=notes), *charts, words=_verdict(values, curator))


def _verdict(values: price.Values, curator: str) -> tuple[str, ...]:
    """What locality costs beside one curator, and up to where it costs nothing."""
    prices = {kind: values["price"][kind][curator] for kind in LOCAL}
    known = {kind: one for kind, one in prices.items() if one is not None}
    best = min(known, key=lambda kind: known[kind]["factor"])
    factor, users = known[best]["factor"], known[best]["users"]
    n = text.count(values["users"])
    if not math.isfinite(factor):
        return (f"With n = {n} users {curator} makes no error at all.",)
    if factor < 1:
        first = (
            f"With n = {n} users {best.upper()} is better than {curator}: it would reach that "
            f"error with {text.count(users)}."
        )
    else:
        first = (
            f"For the error that {curator} has with n = {n} users, local privacy needs "
            f"{text.count(users, 12)} at least: × {text.short(factor, 3)} ({best.upper()})."
        )
    if curator != price.BESIDE:
        return (first,)
    even = text.count(values["break_even"][best], 12)
    return first, f"Up to n = {even} users {best.upper()} would cost nothing beside {curator}."
