"""The parts that charts know, of a run that has been measured: nothing is simulated for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from msgspec import structs

from ldptui.core.base.errors import LdpError
from ldptui.core.cell import Cell
from ldptui.core.experiment import Experiment, bound
from ldptui.core.metrics.results import CellResults
from ldptui.core.population import STATED, Population
from ldptui.core.running.runner import Results
from ldptui.core.scenario import Point, Scenario
from ldptui.core.store import cell_keys

from ..charts import curves
from ..session.snapshot import Part, Snapshot, Status
from .worker.part import PartSoFar
from .worker.picture import Picture

Find: TypeAlias = Callable[[str, int, bool], CellResults]
"""The results of the cell of a key, up to a number of trials; of each item as well where True."""
Known: TypeAlias = Callable[[list[Cell], bool], list[Cell]]
"""Picks those of the cells that have results; of each item as well, where it is told to."""


def positions(experiment: Experiment) -> dict[str, int]:
    """The place of each cell by its key; the first one of those that are alike."""
    at: dict[str, int] = {}
    for position, key in enumerate(cell_keys(experiment.cells)):
        at.setdefault(key, position)
    return at


class MeasuredRun:
    """The charts of a run: its parts and their closed forms, reckoned once; simulates nothing.

    find : what is measured of a cell elsewhere, by its key: shown besides the run's own cells.
    """

    def __init__(self, experiment: Experiment, find: Find | None = None) -> None:
        self._find, self._at = find, positions(experiment)
        self._others: dict[str, CellResults] = {}
        self._parts, self._picture = charted_parts(experiment, self._known_cells), Picture()

    def _known_cells(self, cells: list[Cell], details: bool) -> list[Cell]:
        """The cells that the run has, and those that are found elsewhere."""
        names = cell_keys(cells)
        for name, cell in zip(names, cells, strict=True):
            if self._find is not None and name not in self._at and name not in self._others:
                measured = self._find(name, cell.trials, details)
                if measured.trials:
                    self._others[name] = measured
        is_known = (name in self._at or name in self._others for name in names)
        return [cell for cell, known in zip(cells, is_known, strict=True) if known]

    def snapshot(self, key: int, status: Status, cells: Sequence[CellResults]) -> Snapshot:
        """The charts of a run that has measured this of its cells."""
        for part in self._parts.values():
            part.measured = [
                self._others[name] if name in self._others else cells[self._at[name]]
                for name in part.keys
            ]
            part.reckon()
            part.news()
        parts = {name: part.views for name, part in self._parts.items() if part.views}
        base = self._parts["base"]
        cell, measured, conclusion = base.experiment.cells[0], base.measured[0], dict[str, Any]()
        if measured.trials:
            self._picture.reckon(cell)
            conclusion = self._picture.conclusion(cell, measured)
        return Snapshot(
            key,
            status,
            full=True,
            parts={name: tuple(views.values()) for name, views in parts.items()},
            **conclusion,
        )

    def describe(self, cell: Cell) -> str:
        """The swept parameters of a cell, in words."""
        return self._parts["base"].words(cell)


def snapshot_of(results: Results) -> Snapshot:
    """The results of a run as charts read them."""
    whole = results.complete
    shown = MeasuredRun(results.experiment).snapshot(
        0, "done" if whole else "partial", results.cells
    )
    return structs.replace(
        shown,
        done=results.trials,
        total=results.experiment.trials,
        digest=results.digest if whole else "",
        numpy=np.__version__,
    )


def charted_parts(experiment: Experiment, known: Known) -> dict[str, PartSoFar]:
    """The parts that charts know, with the cells that have results, each once."""
    scenario, cells = experiment.scenario, experiment.cells
    parts = dict[str, PartSoFar]()
    populations: dict[object, Population] = {
        (point.population, point.seed): cell.population.drawn or cell.population
        for point, cell in zip(scenario.points(), cells, strict=True)
    }

    own = {_settings(cell): cell for cell in cells}  # with the code that made them

    def bound(part: Part | None) -> list[Cell]:
        some = [] if part is None else _bound(part, scenario, populations)
        return [own.get(_settings(cell), cell) for cell in some]

    def along(
        axes: Callable[[Scenario], Iterable[curves.Variable]],
        part: Callable[[Scenario, curves.Variable], Part | None],
    ) -> list[Cell]:
        bound_cells = []
        for axis in _or_none(lambda: axes(scenario)):
            bound_cells += _or_none(partial(lambda x: bound(part(scenario, x)), axis))
        return bound_cells

    base = _or_none(lambda: bound(curves.base_part(scenario)))
    measured = _once(known(base, True))
    parts["base"] = _part("base", experiment, measured or [_nearest(cells, base)])
    wanted = {
        **{name: along(course.axes, course.part) for name, course in curves.COURSES.items()},
        "map": _or_none(lambda: bound(curves.map_part(scenario))),
    }
    for name, some in wanted.items():
        if measured := _once(known(some, False)):
            parts[name] = _part(name, experiment, measured)
    if answered := [cell for cell in cells if cell.answer is not None]:
        parts["answer"] = _part("answer", experiment, answered)
    covered = {key for part in parts.values() for key in part.keys}
    places = positions(experiment).items()
    if rest := [cells[position] for key, position in places if key not in covered]:
        parts["rest"] = _part("rest", experiment, rest)
    return parts


def _settings(cell: Cell) -> str:
    """All that tells a cell from others of a scenario."""
    return repr((cell.seed, cell.trials, sorted(cell.parameters.items(), key=str)))


def _once(cells: list[Cell]) -> list[Cell]:
    """The first of the cells that are alike."""
    by_key: dict[str, Cell] = {}
    for key, cell in zip(cell_keys(cells), cells, strict=True):
        by_key.setdefault(key, cell)
    return list(by_key.values())


def _part(name: str, experiment: Experiment, cells: Iterable[Cell]) -> PartSoFar:
    numbered = tuple(replace(cell, index=index) for index, cell in enumerate(cells))
    scenario = experiment.scenario
    part = PartSoFar(name, Experiment(scenario, numbered), list(scenario.sweep))
    part.keys = cell_keys(numbered)
    return part


def _bound(part: Part, scenario: Scenario, populations: dict[object, Population]) -> Iterator[Cell]:
    """The cells of a part; a cell of a file or of code only where the run has its users."""
    made = Scenario(dict(part.document), scenario.name, scenario.folder)

    def population_of(_: int, point: Point) -> Population | None:
        drawn = (point.population, point.seed)
        if drawn not in populations and point.population.kind in STATED:
            populations[drawn] = point.population.bind(point.seed, scenario.folder)
        return populations.get(drawn)

    return bound(tuple(made.points()), population_of, limits=False)


def _nearest(cells: tuple[Cell, ...], base: list[Cell]) -> Cell:
    """The cell that has the most values of the base."""
    if not base:
        return cells[0]
    wanted: Mapping[str, Any] = base[0].parameters

    def alike(cell: Cell) -> int:
        return sum(cell.parameters.get(key) == value for key, value in wanted.items())

    return max(cells, key=alike)


def _or_none(make: Callable[[], Iterable[Any]]) -> list[Any]:
    """The list that a function makes; empty where the scenario does not allow it."""
    try:
        return list(make())
    except LdpError:
        return []
