"""The options of the topic accuracy."""

from __future__ import annotations

from typing import Final

from core.ranges import ALPHA, DOMAIN, Range

from ..options import Argument, Blank, Option, Topic
from .offered import where
from .shared import BUDGETED, CURATOR, NEIGHBOURS, SEEDS, SLACK, USERS

ACCURACY: Final = Topic(
    "accuracy",
    "Accuracy",
    "accuracy",
    "what a trusted curator's histogram is off by, and back",
    "What a trusted curator's histogram is off by, from its budget; or the budget that an\n"
    "accuracy needs. With --items and --users also the price of locality: how many users a\n"
    "local protocol needs for the same error.",
    "example: ldptui accuracy --epsilon 0.5 --bins 50 --items 50 --users 10000",
    (
        Option(
            "goal",
            "text",
            blank=Blank("epsilon", choices=(("epsilon", "from ε"), ("accuracy", "from a"))),
        ),
        BUDGETED.argued(metavar="E", words="privacy budget ε, in nats", either=True).blanked(
            only=where("goal", "epsilon")
        ),
        Option(
            "accuracy",
            range=Range(0, ends="()"),
            argument=Argument("A", "off by this number of users at most", either=True),
            blank=Blank(10, steps="ladder", only=where("goal", "accuracy")),
        ),
        CURATOR,
        Option(
            "alpha",
            range=ALPHA,
            argument=Argument("A", "how often it may be missed (0.05)", 0.05),
            blank=Blank(steps="hundredths"),
        ),
        Option("bins", "integer", argument=Argument("B", "bins that have to hold at once (1)", 1)),
        SLACK,
        NEIGHBOURS,
        Option(
            "items",
            "integer",
            DOMAIN,
            renames=("domain_size",),
            argument=Argument("D", "domain size d"),
        ),
        Option("users", "integer", USERS, argument=Argument("N", "users n")),
        Option("seed", "integer", SEEDS, blank=Blank(0)),
    ),
)
