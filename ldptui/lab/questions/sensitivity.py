"""The options of the topic sensitivity."""

from __future__ import annotations

import math
from typing import Final

from ldptui.core.base.ranges import Range

from ..options import Argument, Blank, Option, Topic
from .shared import BUDGETED, EXAMPLES, FILE, NEIGHBOURS

SENSITIVITY: Final = Topic(
    "sensitivity",
    "Sensitivity",
    "sensitivity FILE.csv",
    "what one person changes in a column's totals; clipping",
    "Compute by how much one person can change the count, the sum, the mean and the histogram\n"
    "of a CSV column, and what clipping costs and saves. Without bounds that are known\n"
    "beforehand, a sum is unbounded.",
    "example: ldptui sensitivity pay.csv --column salary --bounds 0,200000 --nonnegative",
    (
        FILE.blanked(start=EXAMPLES["table"]),
        Option(
            "column",
            "text",
            renames=("values",),
            argument=Argument("NAME", "the column", required=True),
            blank=Blank("income"),
        ),
        Option(
            "query", "names", argument=Argument("NAMES", "some of count,sum,mean,histogram (all)")
        ),
        Option(
            "bounds",
            "numbers",
            size=2,
            argument=Argument(
                "LOW,HIGH", "what every number is known to lie in beforehand, as --bounds=-5,5"
            ),
        ),
        Option("bound", range=Range(0, math.inf, "()"), blank=Blank(optional=True, steps="ladder")),
        Option(
            "nonnegative",
            "flag",
            argument=Argument(words="no number is below 0, as is known beforehand", default=False),
            blank=Blank(True, choices=((True, "no"), (False, "yes"))),
        ),
        BUDGETED.argued(metavar="E", words="privacy budget ε (1)", default=1.0),
        NEIGHBOURS.blanked(start="add-remove"),
    ),
)
