"""The answers to goals that took a search, as long as this process lives, and in the store."""

from __future__ import annotations

from typing import Final

from ldptui.core.cell import Cell
from ldptui.core.experiment.search import answered_by
from ldptui.core.metrics.goal import Answer
from ldptui.core.running.searching import Answers
from ldptui.core.store import KeptAnswers

FOUND: Final = KeptAnswers(None)
"""The answers of this process: a preview asks for it again with every edit."""


class Remembered:
    """The answers of a store, and those that this process has found before."""

    def __init__(self, kept: Answers) -> None:
        self._kept = kept

    def find(self, cell: Cell, most: int) -> Answer | None:
        """The answer to a cell's goal, which both know after this; None where neither does."""
        answer = self._kept.find(cell, most)
        if answer is None and (answer := FOUND.find(cell, most)) is not None:
            self._kept.keep(answered_by(cell, answer), most)
        return answer

    def keep(self, cell: Cell, most: int) -> None:
        FOUND.keep(cell, most)
        self._kept.keep(cell, most)
