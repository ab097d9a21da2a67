"""The one iterator of formulas: what holds for a cell, or for a protocol at a setting.

It feeds `ldptui theory`, the equations with the current numbers, the panes and the lab. Every value
is the one that `core` computes with; the text beside it says from what.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.cell import Cell

from . import closed_forms
from .attack import attacked
from .formula import Formula
from .setting import Setting, setting_of
from .story import story_named


def formulas(setting: Setting) -> Iterator[Formula]:
    """The formulas of a setting; of a family without a story those of every pure protocol."""
    story = story_named(setting.family)
    if story is not None:
        yield from story.formulas(setting)
    elif setting.is_pure:
        yield from closed_forms.probabilities(setting.protocol)
        yield from closed_forms.choice(setting.protocol)
        yield from closed_forms.estimates(setting)
        yield from attacked(setting, {})


def entries(setting: Setting) -> dict[str, Formula]:
    """The formulas of a setting that the table of closed forms has, by their fields."""
    return {row.entry.key: row for row in formulas(setting) if row.entry is not None}


def cell_formulas(cell: Cell) -> tuple[Formula, ...]:
    """The formulas of a cell that are shown with its numbers put in."""
    return tuple(row for row in formulas(setting_of(cell)) if row.title)
