"""The story of a task, and where it is found: of one whose users do not report their whole item.

A task's story is `TASK` in the module of this package that has the task's name. A task without
one, as frequencies, is told by the story of its protocol alone.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import cast

from ldptui.core.cell import Cell

from .formula import Formula
from .setting import Setting


@dataclass(frozen=True)
class TaskStory:
    """Everything that a task tells.

    setting : of the protocol of a cell, or of another one, as the task asks with it; raises
        ScenarioError where it cannot.
    formulas : what it computes from the reports. remark : how the users are asked, in a line.
    place : where the numbers of the protocol hold, as in "least MSE in a group".
    """

    setting: Callable[..., Setting]
    formulas: Callable[[Cell], Iterator[Formula]]
    remark: Callable[[Cell], str]
    place: str


@cache
def task_named(kind: str) -> TaskStory | None:
    """The story of a task; None where it has none of its own."""
    name = kind.replace("-", "_")
    if not name.isidentifier() or find_spec(f".{name}", __package__) is None:
        return None
    module = importlib.import_module(f".{name}", __package__)
    return cast("TaskStory | None", getattr(module, "TASK", None))
