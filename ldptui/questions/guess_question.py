"""how likely a report names its user's item, under any prior"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.ranges import ALPHA, Range

from ..text import format as text
from .options import Blank
from .parameters import Column, Items, Known, LocalBudget, LocalProtocol, Prior
from .question import BUDGETS, Curves, question
from .question_answer import Quantity, QuantityRow, QuestionAnswer, omit_field


@dataclass(frozen=True)
class GuessAnswer(QuestionAnswer):
    """The answer of `guess`: how surely an observer names a user's item, before and after a report.

    groups : the groups of users that a column beside the item tells apart; 1 without such a column.
    answers : the number of correlated answers.
    after_answers, odds_answers : bounds after all of them.
    largest_epsilon : the largest ε that keeps RAD below `gain`; None without `gain`, or if every ε
        does.
    fresh : the number of reports of one item, each drawn afresh.
    between_two : the chance that a guess between two equally likely items is right after them.
    """

    protocol: str
    items: int
    epsilon: float
    before: Annotated[float, Quantity("named before", "max π", "GSAS")]
    after: Annotated[float, Quantity("named after", "Σ_y max_v π_v M(y|v)", "GSAS")]
    rad: Annotated[float, Quantity("RAD", "Σ_y max_v π_v (M(y|v) − M(y))", "GSAS th. 4.2")]
    odds: Annotated[float, Quantity("worst odds", "of an item against all others", "DR 2.3")]
    groups: int
    answers: int
    after_answers: Annotated[
        float, Quantity("named, D answers", "≤ e^Dε π/(1 + (e^Dε − 1)π)", "DR 2.3")
    ]
    odds_answers: Annotated[float, Quantity("odds, D answers", "≤ e^Dε π/(1 − π)", "DR 2.3")]
    fresh: int
    between_two: float
    gain: float | None = omit_field()
    largest_epsilon: float | None = omit_field()

    @property
    def title(self) -> str:
        epsilon = text.short(self.epsilon)
        return f"{self.protocol.upper()}, ε = {epsilon}, {text.count(self.items)} items"

    @property
    def sentences(self) -> Iterator[str]:
        before, after = text.percent(self.before), text.percent(self.after)
        yield f"An observer names a user's item in {before} of cases, with a report in {after}."
        if self.fresh > 1:
            yield (
                f"After {self.fresh} fresh reports an even guess between two items is right in "
                f"{text.percent(self.between_two)} of cases."
            )

    def quantities(self) -> Iterator[QuantityRow]:
        yield from super().quantities()
        number = text.plural(self.fresh, "report")
        yield QuantityRow(
            f"of two, {number}", self.between_two, "(1 + E[max(0, 1 − e^(−L))])/2", "DR 3.5"
        )
        if self.gain is not None:
            reached = self.largest_epsilon
            shown = "any" if reached is None else text.short(_round_down(reached), 5)
            limit = f"that keeps RAD below {text.short(self.gain)}"
            yield QuantityRow("largest ε", shown, limit, "GSAS th. 4.2")

    @property
    def notes(self) -> Iterator[str]:
        if self.groups > 1:
            yield f"the observer also knows which of {self.groups} groups each user is in"
        yield (
            "named: the chance that the likeliest item is the user's, before a report and after it"
        )
        yield "π: how likely an item is before a report, M(y|v): report y of item v"
        yield (
            "RAD (reconstruction advantage): how much a report can help somebody guess the item; "
            "named after − named before where all items are as likely"
        )
        yield (
            "worst odds: of a user's item against all others, p : (1 − p) as one number, after the "
            "report that gives away most"
        )
        yield (
            "of two: how often an even guess between two items is right, "
            "after reports that are each drawn afresh; L is their privacy loss"
        )
        answers = text.plural(self.answers, "answer")
        yield f"D = {answers} about correlated things, each with ε: the most that all of them tell"


def _round_down(value: float) -> float:
    """The value with five digits, none larger than it."""
    unit = 10.0 ** (math.floor(math.log10(value)) - 4)
    return math.floor(value / unit) * unit


@question(
    "Guess",
    "What does a report give away?",
    group="Guess",
    live=True,
    curves=[
        Curves(
            "Chance to be named",
            "epsilon",
            BUDGETS,
            {"before": ("before", "clean"), "after a report": ("after", "attacked")},
            "privacy budget ε",
            "chance",
            without=("gain",),
        ),
        Curves(
            "Two items told apart",
            "fresh",
            [1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300],
            {"guess is right": ("between_two", "attacked")},
            "fresh reports of one item",
            "chance",
            without=("gain",),
            held={"epsilon": "epsilon"},
        ),
    ],
)
def guess(
    *,
    protocol: LocalProtocol = "oue",
    items: Items,
    epsilon: LocalBudget | None = None,
    prior: Prior = None,
    column: Column = "item",
    given: Known = None,
    answers: Annotated[int, Range(1, 10_000), "D", Blank(1)] = 1,
    fresh: Annotated[int, Range(1, 1000), "N", Blank(1, steps="1-2-5")] = 1,
    gain: Annotated[float | None, ALPHA, "G", Blank(0.05, steps="hundredths")] = None,
) -> GuessAnswer:
    """How likely an observer names the item of a user before a report and after it, if items are
    as likely as the observer believes; the gain over that belief (RAD), the worst odds, and
    the ε that keeps the gain small.

    Parameters
    ----------
    protocol : a local protocol
    items : domain size d
    epsilon : privacy budget ε of a report; left out, the largest that keeps the gain
    prior : a CSV table: frequency of each item, or a row for each user (all alike)
    column : the column of items in that table
    given : another column, which the observer knows of each user
    answers : answers about correlated things, each with ε
    fresh : reports of one item, each drawn afresh
    gain : find the largest ε that keeps RAD below this

    Examples
    --------
    ldptui guess --protocol oue --epsilon 1 --items 100
    ldptui guess --epsilon 2 --items 8 --prior people.csv --column illness --given age
    """
    from ldptui.core.lab.guessing import at_most, average_guess, guess_between_two, largest_epsilon

    from .mechanisms import bound
    from .priors import read_prior

    laws = read_prior(prior, column, given, items)

    largest = None
    if gain is not None:
        largest = largest_epsilon(lambda budget: bound(protocol, items, budget), laws, gain)
    epsilon = largest if epsilon is None else epsilon
    if epsilon is None:
        rule = "is required" if gain is None else f"is required: no ε reaches the gain {gain:g}"
        raise ScenarioError(rule, key="epsilon")
    mechanism = bound(protocol, items, epsilon)
    found = average_guess(mechanism, laws)
    bounds = [(share, *at_most(answers * epsilon, law)) for share, law in laws]
    return GuessAnswer(
        protocol, items, epsilon, found.before, found.after, found.rad, found.odds,
        len(laws), answers,
        sum(share * after for share, after, _ in bounds),
        max(odds for _, _, odds in bounds),
        fresh, guess_between_two(mechanism, fresh),
        gain, largest,
    )  # fmt: skip
