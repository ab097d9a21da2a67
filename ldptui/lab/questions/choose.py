"""The options of the topic choose."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ldptui.core.base.ranges import EPSILON, Range

from ..options import Argument, Blank, Option, Topic
from .shared import BUDGETED, OWN_EPSILON, SCENARIO, seed

CHOOSE: Final = Topic(
    "choose",
    "Choose",
    "choose SCENARIO",
    "the most frequent item, found privately: how often it is right",
    "Compare how often the most frequent item of a scenario's population is found: by a\n"
    "trusted curator with the exponential mechanism, exactly and simulated, and as the\n"
    "largest of each local protocol's estimates.",
    "example: ldptui choose quickstart --epsilon 0.05",
    (
        SCENARIO,
        replace(BUDGETED, range=EPSILON, argument=OWN_EPSILON),
        Option(
            "trials",
            "integer",
            Range(1, 10**6),
            argument=Argument("N", "(1000)", 1000),
            blank=Blank(200, steps="ladder"),
        ),
        seed("trials"),
    ),
)
