"""Choosing: the most frequent item, by the exponential mechanism and by local estimates."""

from __future__ import annotations

from typing import Final

from core.bounds import Range
from core.pure import EPSILON

from ...text import format as text
from .. import choose
from . import Ask, Steps, answer_of

MOST: Final = 1 << 21
"""Counts drawn for one protocol at one ε, at most: of a large domain there are fewer trials."""


def work(ask: Ask) -> Steps:
    population = ask.cell.first.population
    epsilon, wanted = ask.number("epsilon", EPSILON), ask.integer("trials", Range(10, 100_000))
    trials = max(2, min(wanted, MOST // population.domain_size))
    yield f"choosing among {text.count(population.domain_size)} items, {text.count(trials)} trials"
    values = choose.choices(population, epsilon, trials, ask.rng)
    report = choose.report("your population", values)
    right = {kind: one["simulated"] for kind, one in values["local"].items() if one is not None}
    exact = text.short(values["exponential"]["exact"])
    verdict = (
        f"With ε = {text.short(epsilon)} a curator who uses the exponential mechanism names the "
        f"most frequent item with probability {exact}."
    )
    words = [verdict]
    if right:
        beaten = ", ".join(f"{kind.upper()} {text.percent(p)}" for kind, p in right.items())
        words.append(f"The largest of the estimates from local reports is right in: {beaten}.")
    if values["needed"] is not None:
        need = text.short(values["needed"], 3)
        words.append(f"The exponential mechanism needs ε = {need} to be right 95 % of the time.")
    if trials < wanted:
        words.append(f"Only {trials} trials: the domain is large.")
    return answer_of(report, choose.chart(values), words=words)
