"""The options of the topic plan."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ldptui.core.base.ranges import ALPHA, EPSILON, FREQUENCY, POWER, SHARE, USERS, Range

from ..options import Argument, Blank, Choices, Option, Topic, Written
from .offered import alike, local
from .shared import BEST, ITEMS, TRIALS, seed, targets_of, users_of


def _protocols() -> Choices:
    return alike(BEST, *local())


PLAN: Final = Topic(
    "plan",
    "Plan",
    "plan",
    "users, ε, share of fakes, frequency, power: one from the others",
    "Plan a collection: from four of its users, its budget ε, its share of fakes, the smallest\n"
    "frequency to find and the power to find it, compute the fifth, beside the floors that no\n"
    "number of users lifts. With all five given, the plan is judged.",
    "example: ldptui plan --protocol oue --users 1000000 --epsilon 1 --items 128 --share 0.01 "
    "--power 0.9",
    (
        Option(
            "protocol",
            "text",
            argument=Argument("KIND", "a pure protocol, or best (default)", BEST),
            blank=Blank(BEST, "protocol.kind", _protocols, bare=True),
        ),
        ITEMS,
        Option(
            "users",
            "integer",
            USERS,
            argument=Argument("N", "genuine users n", group="give four of these"),
            blank=Blank(1_000_000, users_of, optional=True, steps="ladder"),
        ),
        Option(
            "epsilon",
            range=EPSILON,
            argument=Argument("E", "privacy budget ε, in nats", group="give four of these"),
            blank=Blank(1.0, "protocol.epsilon", optional=True),
        ),
        Option(
            "share",
            range=SHARE,
            argument=Argument("B", "share β of fake users", group="give four of these"),
            blank=Blank(0.01, "attack.share", optional=True, steps="hundredths"),
        ),
        Option(
            "frequency",
            range=FREQUENCY,
            argument=Argument("F", "the smallest frequency to find", group="give four of these"),
            blank=Blank(optional=True),
        ),
        Option(
            "power",
            range=POWER,
            argument=Argument("P", "how surely it is found", group="give four of these"),
            blank=Blank(0.9, optional=True, steps="hundredths"),
        ),
        Option(
            "targets",
            "integer",
            Range(1),
            argument=Argument("R", "items r that the fakes lift together (1)", 1),
            blank=Blank(1, targets_of),
        ),
        Option(
            "alpha",
            range=ALPHA,
            argument=Argument("A", "how often noise alone passes the threshold (0.05)", 0.05),
            blank=Blank(0.05, steps="hundredths"),
        ),
        Option(
            "shift",
            range=FREQUENCY,
            argument=Argument("X", "a shift that fakes want: the share that reaches it"),
        ),
        Option("estimates", "text", argument=Argument("FILE", "a CSV of published estimates")),
        Option(
            "column",
            "text",
            argument=Argument(
                "NAME", "its column of frequencies, or of counts (frequency)", "frequency"
            ),
        ),
        Option("label", "text", argument=Argument("NAME", "its column of items (item)", "item")),
        Option(
            "rank",
            "integer",
            Range(1),
            argument=Argument("K", "with --estimates: the fakes who lift a new item to rank K"),
        ),
        Option(
            "check",
            "flag",
            argument=Argument(words="simulate the plan, and print measured beside planned",
                              default=False),
        ),
        TRIALS,
        replace(seed("check"), blank=None),
        Option("out", "text", argument=Argument("FILE.md", "write the plan as one page, too")),
    ),
    Written("Write the plan", "plan.md"),
    live=True,
    group="privacy",
)  # fmt: skip
