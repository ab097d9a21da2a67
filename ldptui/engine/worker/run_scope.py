"""What a run measures: all cells of a scenario once each, or a preview's few trials."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, Final

from ldptui.core.base.errors import ScenarioError
from ldptui.core.cell import Cell
from ldptui.core.experiment import Experiment
from ldptui.core.metrics.results import NOTHING, CellResults
from ldptui.core.running.runner import RunResults
from ldptui.core.running.workers import Failure
from ldptui.core.scenario import Scenario
from ldptui.core.store import cell_keys

from ..measured import CellsSoFar

PREVIEW_TRIALS: Final = 20
"""Trials of a cell in a preview at most."""


class Whole:
    """The user's scenario of a run, whose cells may be spread over several groups.

    positions : the positions of the cells with equal keys, by key, in order; a cell's key is all
        that its numbers depend on.
    """

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self._keys = cell_keys(experiment.cells)
        self.positions: dict[str, list[int]] = {}
        for position, key in enumerate(self._keys):
            self.positions.setdefault(key, []).append(position)

    @property
    def cells(self) -> list[Cell]:
        """The distinct cells of the scenario, in order."""
        return [self.experiment.cells[places[0]] for places in self.positions.values()]

    def results(
        self, groups: Iterable[CellsSoFar], failures: Iterable[tuple[CellsSoFar, RunResults]]
    ) -> RunResults:
        """The results of the scenario's cells and their failures."""
        newest: dict[int, CellResults] = {}
        for group in groups:
            newest |= zip(group.numbers, group.measured, strict=True)
        failed: dict[int, Failure] = {}
        for group, results in failures:
            for failure in results.failures:
                at = group.numbers[failure.cell]
                # The base may be no cell of the scenario.
                alike = self.positions[self._keys[at]] if at < len(self._keys) else ()
                failed |= {position: replace(failure, cell=position) for position in alike}
        cells = tuple(newest.get(self.positions[key][0], NOTHING) for key in self._keys)
        return RunResults(self.experiment, cells, tuple(failed[at] for at in sorted(failed)))


class ShieldedStore:
    """The stored blocks of a run, with methods that no interrupt stops halfway."""

    def __init__(self, kept: Any, shield: Callable[[], AbstractContextManager[None]]) -> None:
        self._kept, self._shield = kept, shield

    def __getattr__(self, name: str) -> Any:
        def call(*arguments: Any) -> Any:
            with self._shield():
                return getattr(self._kept, name)(*arguments)

        return call


def shorten_run(scenario: Scenario) -> Scenario:
    """The scenario as a preview simulates it: few trials, on the counts path if there is one."""
    document = scenario.document
    trials = document.get("trials", PREVIEW_TRIALS)
    few = min(trials, PREVIEW_TRIALS) if isinstance(trials, int) else trials
    path = {**document.get("simulate", {}), "path": "auto"}
    return replace(scenario, document={**document, "trials": few, "simulate": path})


def trials_of(scenario: Scenario) -> int:
    """The number of trials of a scenario and its sweep; 0 if it is invalid."""
    try:
        sweep = scenario.sweep
    except ScenarioError:
        return 0
    trials = sweep.pop("trials", [scenario.document.get("trials", PREVIEW_TRIALS)])
    for values in sweep.values():
        trials = [sum(count for count in trials if isinstance(count, int)) * len(values)]
    return sum(count for count in trials if isinstance(count, int))
