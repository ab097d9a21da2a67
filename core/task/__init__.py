"""Tasks: what a collection is for. One folder each; `core.cell.Task` says what a task does."""

from __future__ import annotations

from typing import Final, TypeAlias

from .frequencies import Frequencies
from .hitters import PEM, HeavyHitters, Hunt

__all__ = ["PEM", "TASKS", "Frequencies", "HeavyHitters", "Hunt", "TaskSpec"]

TaskSpec: TypeAlias = Frequencies | HeavyHitters

TASKS: Final[dict[str, type[TaskSpec]]] = {
    "frequencies": Frequencies,
    "heavy-hitters": HeavyHitters,
}
"""The tables `[task]` that a scenario can have, by their kind."""
