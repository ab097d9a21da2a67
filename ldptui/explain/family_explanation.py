"""The stories of families of protocols and of tasks, and where they are found.

A family's story is `STORY` in the module `FAMILY_formulas` of this package
(`protocol.family`). A family without one is shown by what holds for every protocol, and every view
says NOT_TOLD where the story would stand. A task whose users do not report their whole item has a
story as well, `TASK` in the module of the task's name; a task without one, as frequencies, is told
by the story of its protocol alone.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from typing import Final, cast

from ldptui.core.cell import Cell

from .formula import Formula
from .formula_inputs import Setting
from .report_story import ReportStory

NOT_TOLD: Final = "not told for this kind"


@dataclass(frozen=True)
class Story:
    """Everything that a family tells.

    formulas : all formulas at a setting: what the family's own file says, and what it takes from
        `closed_forms` and `attack`, where that holds for it.
    reports : its reports, step by step; a sentence that says why there are none; a function where
        the cell decides.
    table : the fields of its formulas that the table of closed forms shows, in order.
    fields : the fields of JSON that it has besides those of every protocol.
    brief : the fields that stand in a line where there is room for no more. remark : what a reader
        of that line has to know, at a setting.
    symbols : the keys of the scenario that stand in the table's head, by symbol.
    notes : the sentences below the table; the values are by field.
    """

    formulas: Callable[[Setting], Iterator[Formula]]
    reports: ReportStory | str | Callable[[Cell], ReportStory | str] = NOT_TOLD
    table: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    brief: tuple[str, ...] = ("p", "q", "hash_range", "gain_factor")
    remark: Callable[[Setting], str] = lambda _: ""
    symbols: Mapping[str, str] = field(default_factory=lambda: {"ε": "epsilon"})
    notes: Callable[[Setting, Mapping[str, Formula]], Iterator[str]] | None = None


@dataclass(frozen=True)
class TaskStory:
    """Everything that a task tells.

    setting : of the protocol of a cell, or of another protocol, as the task asks with it; raises
        ScenarioError where it cannot.
    formulas : what it computes from the reports. remark : how the users are asked, in a line.
    place : where the numbers of the protocol hold, as in "least MSE in a group".
    """

    setting: Callable[..., Setting]
    formulas: Callable[[Cell], Iterator[Formula]]
    remark: Callable[[Cell], str]
    place: str


def story_named(family: str) -> Story | None:
    """The story of a family; None where nobody has written it."""
    return cast("Story | None", _told_in(family, "STORY"))


def task_named(kind: str) -> TaskStory | None:
    """The story of a task; None where it has none of its own."""
    return cast("TaskStory | None", _told_in(kind.replace("-", "_"), "TASK"))


@cache
def _told_in(family: str, name: str) -> object:
    module = f"{family}_formulas"
    if not module.isidentifier() or find_spec(f".{module}", __package__) is None:
        return None
    return getattr(importlib.import_module(f".{module}", __package__), name, None)


def reports_of(cell: Cell) -> ReportStory | str:
    """The reports of a cell, to be shown; the reason where they are not."""
    story = story_named(cell.protocol.family)
    reports = NOT_TOLD if story is None else story.reports
    return reports(cell) if callable(reports) else reports
