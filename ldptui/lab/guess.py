"""Guess: how likely one report names its user's item, under any prior, and what may be spent."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from ldptui.core.base.errors import ScenarioError, check_among, got
from ldptui.core.base.sampling import Floats
from ldptui.core.lab import guessing
from ldptui.core.lab.guessing import Guess, Prior, at_most

from ..charts.series import Axis, Plot, Series
from ..text import format as text
from .answer import curves
from .asking import OMITTED, Ask, Row, Steps, answer_of, columns_of, row
from .mechanisms import LOCAL, bound
from .questions.planning import GuessOptions
from .questions.shared import Known

POINTS: Final = 41
"""Budgets of the curve."""

FREQUENCY: Final = "frequency"
"""The column of a table that has a row for each item, and not for each user."""


@dataclass(frozen=True)
class Guessed:
    """The chances of an observer before and after a report.

    groups : those of the users that a column beside the item tells apart; 1 without one. answers :
    the number of correlated answers, after_answers, odds_answers : bounds on what all of them tell.
    largest_epsilon : the largest ε that keeps RAD below `gain`; None where nobody asks, or where
    every ε does.
    """

    protocol: str
    items: int
    epsilon: float
    before: float
    after: float
    rad: float
    odds: float
    groups: int
    answers: int
    after_answers: float
    odds_answers: float
    gain: float | None = field(default=None, metadata=OMITTED)
    largest_epsilon: float | None = field(default=None, metadata=OMITTED)


def answer(options: GuessOptions, ask: Ask) -> Steps:
    """The chances, and the curve over ε."""
    check_among(options.protocol, LOCAL, "protocol")
    yield f"guessing among {text.count(options.items)} items"
    prior = prior_of(options, options.items, ask)
    values = _guessed(options, prior)
    return answer_of(
        f"{values.protocol.upper()}, ε = {text.short(values.epsilon)}, "
        f"{text.count(values.items)} items",
        _rows(values),
        values=values,
        verdict=_verdict(values),
        notes=tuple(_notes(options)),
        figures=(curves(chart(values, prior), "chance", "ε") for _ in (1,)),
    )


def prior_of(known: Known, items: int, ask: Ask) -> Prior:
    """The law of d items that an observer knows beforehand; raises LdpError."""
    if not known.prior:
        if known.given is not None:
            raise ScenarioError("goes with a table of users, --prior", key="given")
        return [(1.0, np.full(items, 1 / items))]
    path = ask.file(known.prior)
    if known.given is None:
        try:
            (item, weight) = columns_of(path, [known.column, FREQUENCY])
        except ScenarioError:
            (item,) = columns_of(path, [known.column])
            return [(1.0, _fitted(np.bincount(item.codes), items))]
        if len(item.values) != item.codes.size:
            raise ScenarioError(f"must name each item once in {item.name!r}", key="column")
        weights = weight.numbers()
        if not (weights >= 0).all() or not weights.sum() > 0:
            raise ScenarioError("must have frequencies of at least 0, not all 0", key="prior")
        return [(1.0, _fitted(weights, items))]
    (item, other) = columns_of(path, [known.column, known.given])
    groups = []
    for code in range(len(other.values)):
        held = item.codes[other.codes == code]
        counts = np.bincount(held, minlength=len(item.values))
        groups.append((held.size / item.codes.size, _fitted(counts, items)))
    return groups


def _fitted(weights: Any, items: int) -> Floats:
    """The frequencies of all items, those that no row has with 0; raises ScenarioError."""
    if weights.size > items:
        rule = f"must be at least {weights.size}, the items of the table"
        raise ScenarioError(f"{rule}, {got(items)}", key="items")
    prior = np.zeros(items)
    prior[: weights.size] = weights / weights.sum()
    return prior


def averaged(kind: str, epsilon: float, prior: Prior) -> Guess:
    """The chances on average over the groups, with a protocol at an ε."""
    return guessing.averaged(bound(kind, prior[0][1].size, epsilon), prior)


def _guessed(options: GuessOptions, prior: Prior) -> Guessed:
    gain, largest = options.gain, None
    if gain is not None:
        largest = guessing.largest_epsilon(
            lambda epsilon: bound(options.protocol, options.items, epsilon), prior, gain
        )
    epsilon = largest if options.epsilon is None else options.epsilon
    if epsilon is None:
        rule = "is required" if gain is None else f"is required: no ε reaches the gain {gain:g}"
        raise ScenarioError(rule, key="epsilon")
    found = averaged(options.protocol, epsilon, prior)
    spent = options.answers * epsilon
    bounds = [(share, *at_most(spent, law)) for share, law in prior]
    return Guessed(
        options.protocol, options.items, epsilon,
        found.before, found.after, found.rad, found.odds,
        len(prior), options.answers,
        sum(share * after for share, after, _ in bounds),
        max(odds for _, _, odds in bounds),
        gain,
        largest,
    )  # fmt: skip


def chart(values: Guessed, prior: Prior) -> Plot:
    """The chance to be named over ε, before and after a report."""
    budgets = np.union1d(np.geomspace(0.1, 10, POINTS), values.epsilon)
    seen = list[float]()
    for epsilon in budgets.tolist():
        try:
            seen.append(averaged(values.protocol, epsilon, prior).after)
        except ScenarioError:
            seen.append(math.nan)
    before = averaged(values.protocol, values.epsilon, prior)
    return Plot(
        "Chance to be named",
        Axis("privacy budget ε", log=True),
        Axis("chance"),
        (
            Series("before", budgets, [before.before] * budgets.size, "clean"),
            Series("after a report", budgets, seen, "attacked"),
            Series("now", (values.epsilon,), (before.after,), "target", "points"),
        ),
        note=f"{values.protocol.upper()}, d = {text.count(values.items)}",
    )


def _rows(values: Guessed) -> Iterator[Row]:
    yield row("named before", values.before, "max π", "GSAS")
    yield row("named after", values.after, "Σ_y max_v π_v M(y|v)", "GSAS")
    yield row("RAD", values.rad, "Σ_y max_v π_v (M(y|v) − M(y))", "GSAS th. 4.2")
    yield row("worst odds", values.odds, "of an item against all others", "DR 2.3")
    yield row("named, D answers", values.after_answers, "≤ e^Dε π/(1 + (e^Dε − 1)π)", "DR 2.3")
    yield row("odds, D answers", values.odds_answers, "≤ e^Dε π/(1 − π)", "DR 2.3")
    if values.gain is not None:
        reached = values.largest_epsilon
        shown = "any" if reached is None else text.short(_rounded_down(reached), 5)
        limit = f"that keeps RAD below {text.short(values.gain)}"
        yield row("largest ε", shown, limit, "GSAS th. 4.2")


def _rounded_down(value: float) -> float:
    """The value with five digits, none larger than it."""
    unit = 10.0 ** (math.floor(math.log10(value)) - 4)
    return math.floor(value / unit) * unit


def _verdict(values: Guessed) -> list[str]:
    before, after = text.percent(values.before), text.percent(values.after)
    return [f"An observer names a user's item in {before} of cases, with a report in {after}."]


def _notes(options: GuessOptions) -> Iterator[str]:
    known = "the table" if options.prior else "nothing: every item is as likely"
    beside = f", and of each user the column {options.given}" if options.given else ""
    yield f"the observer knows {known}{beside}"
    yield "named: the chance that the likeliest item is the user's, before a report and after it"
    yield "π: how likely an item is before a report, M(y|v): report y of item v"
    yield (
        "RAD: reconstruction advantage, the most that a report adds to the chance that a guess is "
        "right, beside the same guess without it (named after − named before where all items are "
        "as likely)"
    )
    yield (
        "worst odds: of a user's item against all others, p : (1 − p) as one number, after the "
        "report that gives away most"
    )
    answers = text.plural(options.answers, "answer")
    yield f"D = {answers} about correlated things, each with ε: the most that all of them tell"
