"""The one iterator of formulas: what holds for a cell, or for a protocol at a setting.

It feeds `ldptui theory`, the equations with the current numbers, the panes and the lab. Every value
is the one that `core` computes with; the text beside it says from what.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ldptui.core.cell import Cell

from .family_explanation import story_named, task_named
from .formula import Formula
from .formula_inputs import Setting, setting_of
from .pure_formulas import HAS, P_AND_Q, pure


def formulas(setting: Setting) -> Iterator[Formula]:
    """The formulas of a setting; of a family without a story those of every pure protocol."""
    story = story_named(setting.family)
    if story is not None:
        yield from story.formulas(setting)
    elif setting.is_pure:
        yield from pure(P_AND_Q, {}, part=HAS)(setting)


def entries(setting: Setting) -> dict[str, Formula]:
    """The formulas of a setting that the table of closed forms has, by their fields."""
    return {row.entry.key: row for row in formulas(setting) if row.entry is not None}


def cell_formulas(cell: Cell) -> tuple[Formula, ...]:
    """The formulas of a cell that are shown with its numbers put in.

    Of a task with a story of its own: these, and the numbers that its protocol is known by.
    """
    task = task_named(cell.task.kind)
    if task is None:
        return tuple(row for row in formulas(setting_of(cell)) if row.title)
    known = (
        replace(row, part=f"{row.part} {task.place}")
        for row in entries(task.setting(cell)).values()
        if row.title and row.entry is not None and row.entry.name
    )
    return (*task.formulas(cell), *known)
