"""Tasks: what a collection is for. One folder each; `core.cell.Task` says what a task does."""

from __future__ import annotations

from typing import Final, TypeAlias

from .distribution import Distribution
from .frequencies import Frequencies
from .hitters import PEM, HeavyHitters, Hunt
from .mean import Mean

__all__ = [
    "PEM",
    "TASKS",
    "Distribution",
    "Frequencies",
    "HeavyHitters",
    "Hunt",
    "Mean",
    "TaskSpec",
]

TaskSpec: TypeAlias = Frequencies | HeavyHitters | Mean | Distribution

TASKS: Final[dict[str, type[TaskSpec]]] = {
    "frequencies": Frequencies,
    "heavy-hitters": HeavyHitters,
    "mean": Mean,
    "distribution": Distribution,
}
"""The tables `[task]` that a scenario can have, by their kind."""
