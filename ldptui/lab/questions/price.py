"""The options of the topic price."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ldptui.core.base.ranges import EPSILON, USERS

from ..options import Argument, Blank, Option, Topic
from .shared import BUDGETED, CURATOR, NEIGHBOURS, OWN_EPSILON, SCENARIO, SLACK

if TYPE_CHECKING:
    from ...session.draft import Draft


def _users(draft: Draft) -> int | None:
    return None if draft.cell is None else draft.cell.first.population.users


PRICE: Final = Topic(
    "price",
    "Price",
    "price SCENARIO",
    "how many more users local privacy needs for a curator's error",
    "Print the price of locality on a scenario's population: the error of each local protocol\n"
    "beside a trusted curator's, and how many times the users it needs for the same error; at\n"
    "the scenario's ε and n, and over both.",
    "example: ldptui price quickstart --epsilon 1",
    (
        SCENARIO,
        Option(
            "over",
            "text",
            blank=Blank("users", choices=(("users", "over n"), ("epsilon", "over ε"))),
        ),
        replace(BUDGETED, range=EPSILON, argument=OWN_EPSILON),
        Option(
            "users",
            "integer",
            USERS,
            argument=Argument("N", "users n (the scenario's)"),
            blank=Blank(10_000, _users, steps="ladder"),
        ),
        CURATOR,
        SLACK,
        NEIGHBOURS,
    ),
)
