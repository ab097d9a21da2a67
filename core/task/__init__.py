"""Tasks: what a collection is for. One folder each; `core.cell.Task` says what a task does."""

from __future__ import annotations

from typing import Final, TypeAlias

from ..cell import Task
from ..protocols import ProtocolSpec
from .distribution import Distribution
from .frequencies import Frequencies
from .hitters import PEM, HeavyHitters, Hunt
from .mean import Mean

TaskSpec: TypeAlias = Frequencies | HeavyHitters | Mean | Distribution

TASKS: Final[dict[str, type[TaskSpec]]] = {
    "frequencies": Frequencies,
    "heavy-hitters": HeavyHitters,
    "mean": Mean,
    "distribution": Distribution,
}
"""The tables `[task]` that a scenario can have, by their kind."""


def task_over(spec: TaskSpec, oracle: ProtocolSpec) -> Task:
    """The task of a table, with the protocol of its groups where it has any."""
    match spec:
        case HeavyHitters():
            return PEM(spec, oracle)
        case _:
            return spec
