"""Tasks: what a collection is for. One folder each; `core.cell.Task` says what a task does."""

from __future__ import annotations

from .frequencies import Frequencies

__all__ = ["Frequencies"]
