"""The options of the topic disclose."""

from __future__ import annotations

from typing import Final

from ldptui.core.base.ranges import Range

from ..options import Argument, Blank, Option, Topic
from .offered import alike, where
from .shared import EXAMPLES, FILE

DISCLOSE: Final = Topic(
    "disclose",
    "Disclose",
    "disclose FILE.csv",
    "what a table gives away: k-anonymity, l-diversity, t-closeness",
    "Measure what a table gives away: k-anonymity, l-diversity, t-closeness, and which\n"
    "attributes give others away. FILE is a CSV file with a header.",
    "examples:\n"
    "  ldptui disclose people.csv --quasi age,zip,sex --sensitive disease\n"
    "  ldptui disclose likes.csv --relation user,page",
    (
        Option("what", "text", blank=Blank("table", choices=alike("table", "relation"))),
        FILE.blanked(start=EXAMPLES),
        Option(
            "quasi",
            "names",
            argument=Argument("COLUMNS", "quasi-identifiers, separated by commas"),
            blank=Blank("age, zip, sex", only=where("what", "table")),
        ),
        Option(
            "sensitive",
            "names",
            argument=Argument("COLUMNS", "sensitive columns, likewise"),
            blank=Blank("illness", only=where("what", "table")),
        ),
        Option(
            "relation",
            "names",
            argument=Argument(
                "USER,ATTRIBUTE", "instead: each row says that a user has an attribute"
            ),
        ),
        Option("user", "text", blank=Blank("user", only=where("what", "relation"))),
        Option("attribute", "text", blank=Blank("attribute", only=where("what", "relation"))),
        Option(
            "observed",
            "integer",
            Range(1, 8),
            argument=Argument("N", "attributes seen at most (2)", 2),
            blank=Blank(),
        ),
    ),
    group="privacy",
)
