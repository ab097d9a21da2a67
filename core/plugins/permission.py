"""The plug-in code of an experiment, if the user permits it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypeAlias

from ..base.code import What, code_of
from ..base.errors import ScenarioError
from ..base.named import fields_of
from ..cell import Cell
from ..defences import Filter
from ..experiment import Experiment, bound
from ..population import Population
from ..protocols import awaits_code
from ..scenario import Point
from .code_location import CodeLocation, CodePermission, find_code
from .plugin_protocol import PluginSpec
from .plugin_steps import (
    Plugin,
    PluginCorrection,
    PluginFilter,
    PluginMetric,
    PluginPopulation,
)

FindCode: TypeAlias = Callable[[str, What], CodeLocation]


def permit_code(experiment: Experiment, permission: CodePermission) -> Experiment:
    """The experiment with its plug-in code located, and with plug-in protocols and populations
    made.

    Raises ScenarioError for code that is not permitted, with how to permit it, and for code that
    makes no valid protocol or population; FileError.
    """
    if not any(cell.python_code for cell in experiment.cells):
        return experiment
    known = {(code.what, code.name): code for code in code_locations(experiment, permission)}

    def find(name: str, what: What) -> CodeLocation:
        return known[what, name]

    try:
        cells = [_with_code(cell, find) for cell in _bind_again(experiment, find)]
    except ScenarioError as error:
        raise error.at(experiment.scenario.name) from error
    return replace(experiment, cells=tuple(cells))


def code_locations(experiment: Experiment, permission: CodePermission) -> tuple[CodeLocation, ...]:
    """The locations of the plug-in code that an experiment names.

    Raises ScenarioError if code is not permitted, at the key of the first such code; it names all.
    """
    found, missing = [], []
    for what, name in dict.fromkeys(code for cell in experiment.cells for code in cell.python_code):
        try:
            found.append(find_code(name, permission, what))
        except ScenarioError as error:
            missing.append((what, name, error.rule))
    if missing:
        what, name, rule = missing[0]
        settings = [each for cell in experiment.cells for each in cell.parameters.items()]
        keys = (
            key
            for key, value in settings
            if key.startswith(what) and key.endswith("name") and value == name
        )
        more = ", ".join(f"the {what} {name!r}" for what, name, _ in missing[1:])
        rule += f"; it needs {more} as well" * bool(more)
        raise ScenarioError(rule, next(keys, ""), experiment.scenario.name)
    return tuple(found)


def _bind_again(experiment: Experiment, find: FindCode) -> Iterable[Cell]:
    """The cells, bound anew where code makes the protocol or the population of some."""
    cells = {cell.index: cell for cell in experiment.cells}
    if not any(cell.population.awaited or awaits_code(cell.protocol) for cell in cells.values()):
        return cells.values()
    points = [*experiment.scenario.points()]
    for index, cell in cells.items():
        if awaits_code(cell.protocol):
            spec = _plugin(PluginSpec, points[index].protocol, find)
            points[index] = replace(points[index], protocol=spec)
    drawn: dict[object, Population] = {}

    def population_of(index: int, point: Point) -> Population | None:
        population = cells[index].population if index in cells else None
        if population is None or not population.awaited:
            return population and (population.drawn or population)
        spec = _plugin(PluginPopulation, point.population, find)
        key = spec, json.dumps(spec.options), point.seed
        try:
            drawn[key] = drawn.get(key) or spec.bind(point.seed, experiment.scenario.folder)
        except ScenarioError as error:
            raise error.within("population") from error
        return drawn[key]

    def with_parameters(cell: Cell) -> Cell:
        parameters = cells[cell.index].parameters
        rounds = tuple(replace(part, parameters=parameters) for part in cell.rounds)
        return replace(cell, parameters=parameters, rounds=rounds)

    return [*map(with_parameters, bound(points, population_of, experiment.limits))]


def _with_code(cell: Cell, find: FindCode) -> Cell:
    """A cell whose attacks, defences and metrics in Python may run."""
    return replace(
        cell,
        attack=_attack_with_code(cell.attack, find),
        defences=tuple(_defence_with_code(step, find) for step in cell.defences),
        rounds=tuple(_with_code(part, find) for part in cell.rounds),
        python_metrics=tuple(_plugin(PluginMetric, one, find) for one in cell.python_metrics),
    )


def _attack_with_code(attack: Any, find: FindCode) -> Any:
    """An attack with every Python attack in it replaced by one that may run."""
    if code_of(attack):
        return _plugin(Plugin, attack, find)
    if hasattr(attack, "parts"):
        parts = (
            replace(part, attack=_attack_with_code(part.attack, find)) for part in attack.parts
        )
        return replace(attack, parts=tuple(parts))
    return attack


def _defence_with_code(step: Any, find: FindCode) -> Any:
    """A defence in Python replaced by one that may run; any other as it is."""
    made = PluginFilter if isinstance(step, Filter) else PluginCorrection
    return _plugin(made, step, find) if code_of(step) else step


def _plugin(made: type[Any], table: Any, find: FindCode) -> Any:
    """What may run, of a table that names its code."""
    return made(**{**fields_of(table), "source": find(table.name, table.what)})
