"""how likely a report names its user's item, under any prior"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
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
    """The chances of an observer before and after a report.

    groups : those of the users that a column beside the item tells apart; 1 without one. answers :
    the number of correlated answers, after_answers, odds_answers : bounds on what all of them tell.
    largest_epsilon : the largest ε that keeps RAD below `gain`; None where nobody asks, or where
    every ε does.
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
    gain: float | None = omit_field()
    largest_epsilon: float | None = omit_field()

    @property
    def title(self) -> str:
        epsilon = text.short(self.epsilon)
        return f"{self.protocol.upper()}, ε = {epsilon}, {text.count(self.items)} items"

    @property
    def sentences(self) -> Sequence[str]:
        before, after = text.percent(self.before), text.percent(self.after)
        return [f"An observer names a user's item in {before} of cases, with a report in {after}."]

    def quantities(self) -> Iterator[QuantityRow]:
        yield from super().quantities()
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
        )
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
    gain : find the largest ε that keeps RAD below this

    Examples
    --------
    ldptui guess --protocol oue --epsilon 1 --items 100
    ldptui guess --epsilon 2 --items 8 --prior people.csv --column illness --given age
    """
    from ldptui.core.lab.guessing import at_most, average_guess, largest_epsilon

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
    found = average_guess(bound(protocol, items, epsilon), laws)
    bounds = [(share, *at_most(answers * epsilon, law)) for share, law in laws]
    return GuessAnswer(
        protocol, items, epsilon, found.before, found.after, found.rad, found.odds,
        len(laws), answers,
        sum(share * after for share, after, _ in bounds),
        max(odds for _, _, odds in bounds),
        gain, largest,
    )  # fmt: skip
