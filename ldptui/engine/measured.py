"""A run that has been measured, as charts read it: nothing is simulated for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec.structs import replace

from ldptui.core.cell import Cell
from ldptui.core.experiment import Experiment
from ldptui.core.metrics.results import CellResults
from ldptui.core.running.runner import Results
from ldptui.core.scenario import Scenario

from ..session.cells import address_of
from ..session.draft import base
from ..session.snapshot import Snapshot, Status
from .worker.cells import CellsSoFar, swept_words
from .worker.picture import Picture


class MeasuredRun:
    """The cells of a run and their closed forms, reckoned once; one of them is shown in detail."""

    def __init__(self, experiment: Experiment) -> None:
        cells = experiment.cells
        self._experiment, self._base = experiment, base_position(experiment.scenario, cells)
        self._cells = CellsSoFar(experiment, range(len(cells)), detailed=(self._base,))
        self._picture = Picture()

    def snapshot(self, key: int, status: Status, cells: Sequence[CellResults]) -> Snapshot:
        """The charts of a run that has measured this of its cells."""
        self._cells.measured = [*cells]
        self._cells.reckon()
        self._cells.news()
        base, measured, details = self._experiment.cells[self._base], cells[self._base], {}
        if measured.trials:
            self._picture.reckon(base)
            details = dict[str, Any](self._picture.conclusion(base, measured))
        views = (self._cells.views[at] for at in range(len(cells)) if cells[at].trials)
        address = address_of(base.parameters)
        return Snapshot(key, status, full=True, cells=tuple(views), base=address, **details)

    def describe(self, cell: Cell) -> str:
        """The swept values of a cell, in words."""
        return swept_words(cell, self._experiment.scenario.sweep)


def snapshot_of(results: Results) -> Snapshot:
    """The results of a run as charts read them."""
    experiment = results.experiment
    status: Status = "done" if results.complete else "partial"
    return replace(
        MeasuredRun(experiment).snapshot(0, status, results.cells),
        done=results.trials,
        total=experiment.trials,
        digest=results.digest if results.complete else "",
        numpy=np.__version__,
    )


def base_position(scenario: Scenario, cells: Sequence[Cell]) -> int:
    """The position of the cell with the most values of the scenario's base."""
    wanted = next(base(scenario).points()).parameters
    own = address_of(wanted)

    def likeness(position: int) -> tuple[bool, int]:
        known = cells[position].parameters
        same = sum(known.get(key) == value for key, value in wanted.items())
        return address_of(known) == own, same

    return max(range(len(cells)), key=likeness)
