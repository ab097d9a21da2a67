"""The options of the topic synthetic."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ldptui.core.base.ranges import Range

from ..options import Argument, Blank, Option, Topic, Written
from .offered import alike, curators, having
from .shared import BUDGETED, NEIGHBOURS, SCENARIO, SLACK, seed

if TYPE_CHECKING:
    from ...session.draft import Draft


def _rows(draft: Draft) -> int | None:
    users = None if draft.cell is None else draft.cell.first.population.users
    return None if users is None else min(users, 1_000_000)


SYNTHETIC: Final = Topic(
    "synthetic",
    "Synthetic",
    "synthetic SCENARIO",
    "a CSV column drawn from a private release",
    "Write a CSV column of invented rows, drawn from one private release of a scenario: its\n"
    "protocol's estimates, or a curator's histogram, made frequencies. The rows spend nothing\n"
    "more; NAME.budget.txt beside the file says what the release spent.",
    "example: ldptui synthetic survey --out invented.csv",
    (
        SCENARIO,
        Option(
            "source",
            "text",
            blank=Blank("protocol", choices=lambda: alike("protocol", *curators()), bare=True),
        ),
        BUDGETED.blanked(only=having("source", "neighbours")),
        replace(SLACK, argument=None).blanked(only=having("source", "delta")),
        replace(NEIGHBOURS, argument=None).blanked(
            start="change-one", only=having("source", "neighbours")
        ),
        Option("out", "text", argument=Argument("FILE", "the CSV file to write", required=True)),
        Option(
            "rows",
            "integer",
            Range(1, 10**8),
            argument=Argument("N", "rows (as many as users, at most 10^6)"),
            blank=Blank(10_000, _rows, steps="ladder"),
        ),
        Option(
            "column", "text", argument=Argument("NAME", "its name (item)", "item"), blank=Blank()
        ),
        seed("rows"),
    ),
    Written("Write the synthetic column", "{column}-synthetic.csv"),
)
