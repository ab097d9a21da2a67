"""The scenario that a run asked for by hand belongs to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from ldptui.core.cell import Cell
from ldptui.core.experiment import Experiment
from ldptui.core.experiment.search import answered_by
from ldptui.core.metrics.goal import Answer
from ldptui.core.metrics.results import NOTHING, CellResults
from ldptui.core.running.runner import Results
from ldptui.core.running.searching import Answers
from ldptui.core.running.workers import Failure
from ldptui.core.store import KeptAnswers, cell_keys

from .cells import CellsSoFar

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


class Whole:
    """The scenario that a run asked for by hand belongs to, whichever groups its cells are in.

    positions : those of the cells that have a key, in order; a key is made of all that the numbers
    of a cell depend on.
    """

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self._keys = cell_keys(experiment.cells)
        self.positions: dict[str, list[int]] = {}
        for position, key in enumerate(self._keys):
            self.positions.setdefault(key, []).append(position)

    @property
    def cells(self) -> list[Cell]:
        """The cells that differ, in order."""
        return [self.experiment.cells[places[0]] for places in self.positions.values()]

    def results(
        self, groups: Iterable[CellsSoFar], failures: Iterable[tuple[CellsSoFar, Results]]
    ) -> Results:
        """The results of the scenario's cells and their failures."""
        newest: dict[int, CellResults] = {}
        for group in groups:
            newest |= zip(group.numbers, group.measured, strict=True)
        failed: dict[int, Failure] = {}
        for group, results in failures:
            for failure in results.failures:
                for position in self._alike(group.numbers[failure.cell]):
                    failed[position] = replace(failure, cell=position)
        cells = tuple(newest.get(self.positions[key][0], NOTHING) for key in self._keys)
        return Results(self.experiment, cells, tuple(failed[at] for at in sorted(failed)))

    def _alike(self, position: int) -> list[int]:
        """The positions of the cells that are alike; none of a cell that the scenario has not."""
        return self.positions[self._keys[position]] if position in range(len(self._keys)) else []
