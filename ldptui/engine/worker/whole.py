"""The scenario that a run asked for by hand belongs to."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
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
from ldptui.core.store import KeptAnswers

from .part import PartSoFar

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
    """The scenario that a run asked for by hand belongs to: its cells and where parts have them.

    keys : one for each cell, made of all that its numbers depend on. positions : the cells that
    have a key, in order.
    """

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self.keys = self.keys_of(experiment)
        self.positions: dict[str, list[int]] = {}
        for position, key in enumerate(self.keys):
            self.positions.setdefault(key, []).append(position)

    @staticmethod
    def keys_of(experiment: Experiment) -> list[str]:
        from ldptui.core.store import cell_keys

        return cell_keys(experiment.cells)

    def without(self, covered: Container[str]) -> Experiment:
        """An experiment of the cells whose keys are not covered, each of them once."""
        cells = [
            self.experiment.cells[places[0]]
            for key, places in self.positions.items()
            if key not in covered
        ]
        renumbered = tuple(replace(cell, index=index) for index, cell in enumerate(cells))
        return Experiment(self.experiment.scenario, renumbered)

    def results(self, parts: Iterable[PartSoFar], failed: Mapping[str, Results]) -> Results:
        """The results of the scenario's cells and their failures, whichever part they were in."""
        newest: dict[str, CellResults] = {}
        failures: dict[int, Failure] = {}
        for part in parts:
            for key, cell in zip(part.keys, part.measured, strict=True):
                if key not in newest or newest[key].trials < cell.trials:
                    newest[key] = cell
            for failure in failed[part.name].failures if part.name in failed else ():
                for position in self.positions.get(part.keys[failure.cell], ()):
                    failures[position] = replace(failure, cell=position)
        cells = tuple(newest.get(key, NOTHING) for key in self.keys)
        return Results(self.experiment, cells, tuple(failures[at] for at in sorted(failures)))
