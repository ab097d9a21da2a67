"""The options of the topic accuracy."""

from __future__ import annotations

from typing import Final

from ldptui.core.base.ranges import ALPHA, DOMAIN, USERS, Range

from ..options import Argument, Blank, Option, Topic
from .offered import where
from .shared import BUDGETED, CURATOR, NEIGHBOURS, SEEDS, SLACK

ACCURACY: Final = Topic(
    "accuracy",
    "Accuracy",
    "accuracy",
    "the error of a trusted curator's histogram from ε, or ε from it",
    "Compute the error of a trusted curator's histogram from its budget, or the budget that\n"
    "an error needs. With --items and --users also the price of locality: the number of\n"
    "users that a local protocol needs for the same error.",
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
            argument=Argument("A", "the largest error of a bin, in users", either=True),
            blank=Blank(10, steps="ladder", only=where("goal", "accuracy")),
        ),
        CURATOR,
        Option(
            "alpha",
            range=ALPHA,
            argument=Argument("A", "the chance that the error is larger (0.05)", 0.05),
            blank=Blank(steps="hundredths"),
        ),
        Option(
            "bins", "integer", argument=Argument("B", "bins that all have to keep to it (1)", 1)
        ),
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
