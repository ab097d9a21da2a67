"""Tasks: what a collection is for.

A trial draws users, reports and counts; what the server concludes from the counts, what is measured
of that and what theory expects belong to the task of its cell. A new task is a file here and a row
of TASKS.
"""

from __future__ import annotations

from typing import Final

from ..cell import Cell
from .frequencies import FREQUENCIES
from .task import Pool, Task

__all__ = ["FREQUENCIES", "TASKS", "Pool", "Task", "task_of"]

TASKS: Final[dict[str, Task]] = {task.name: task for task in (FREQUENCIES,)}
"""Every task by its name."""


def task_of(cell: Cell) -> Task:
    """The task of a cell."""
    return TASKS[cell.task]
