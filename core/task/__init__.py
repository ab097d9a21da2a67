"""Tasks: the quantity that a collection estimates. One file or folder for each kind of task.

`core.cell.Task` is their common interface.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from ..base.named import listed_in
from ..cell import Task
from ..protocols import ProtocolSpec
from .frequencies import Frequencies
from .hitters import PEM, HeavyHitters, HitterCell

TaskSpec: TypeAlias = Task | HeavyHitters

TASKS: Final[dict[str, type[Any]]] = listed_in(__name__, "TASKS")
"""The tables `[task]` that a scenario can have, by their kind: those of the files beside."""


def task_over(spec: TaskSpec, oracle: ProtocolSpec) -> Task:
    """The task of a scenario's `[task]` table; heavy hitters get the protocol of their
    user groups.
    """
    match spec:
        case HeavyHitters():
            return PEM(spec, oracle)
        case _:
            return spec
