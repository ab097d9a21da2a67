"""The scenario that a run asked for by hand belongs to."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import replace

from ldptui.core.experiment import Experiment
from ldptui.core.metrics.results import CellResults, Tally
from ldptui.core.running.runner import Results
from ldptui.core.running.workers import Failure

from .part import PartSoFar


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
        nothing = Tally().results
        cells = tuple(newest.get(key, nothing) for key in self.keys)
        return Results(self.experiment, cells, tuple(failures[at] for at in sorted(failures)))
