"""The Python code of an experiment, where the user allows it."""

from __future__ import annotations

import functools
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
    """The experiment with its Python code found, and its protocols and populations made by it.

    Raises FileError, and ScenarioError, which says what a scenario asks for, and how to allow it,
    or what is wrong with what its code makes.
    """
    if not any(cell.python_code for cell in experiment.cells):
        return experiment
    find_once = functools.cache(lambda name, what: find_code(name, permission, what))
    _refuse_missing(experiment, find_once)
    try:
        cells = [_with_code(cell, find_once) for cell in _bind_again(experiment, find_once)]
    except ScenarioError as error:
        raise error.at(experiment.scenario.name) from error
    return replace(experiment, cells=tuple(cells))


def code_locations(experiment: Experiment, permission: CodePermission) -> tuple[CodeLocation, ...]:
    """The places of the code that an experiment asks for; raises as `permit_code` does."""
    return tuple(find_code(name, permission, what) for what, name in _requested_code(experiment))


def _requested_code(experiment: Experiment) -> Iterable[tuple[What, str]]:
    """The purpose and the name of all code that an experiment asks for, each once."""
    return dict.fromkeys(code for cell in experiment.cells for code in cell.python_code)


def _refuse_missing(experiment: Experiment, find: FindCode) -> None:
    """Raise ScenarioError at the key of the first code that may not run; it names the others."""
    missing: dict[tuple[What, str], ScenarioError] = {}
    for what, name in _requested_code(experiment):
        try:
            find(name, what)
        except ScenarioError as error:
            missing[what, name] = error
    if not missing:
        return
    (code, refusal), *others = missing.items()
    key = next(
        (
            key
            for cell in experiment.cells
            for key, value in cell.parameters.items()
            if key.startswith(f"{code[0]}.") and key.endswith(".name") and value == code[1]
        ),
        "",
    )
    more = ", ".join(f"the {what} {name!r}" for (what, name), _ in others)
    rule = f"{refusal.rule}; it asks for {more} as well" if more else refusal.rule
    raise ScenarioError(rule, key, experiment.scenario.name) from refusal


def _bind_again(experiment: Experiment, find: FindCode) -> Iterable[Cell]:
    """The cells, those anew whose protocol or population is made by somebody's code."""
    cells = {cell.index: cell for cell in experiment.cells}
    made = {
        index: cell
        for index, cell in cells.items()
        if cell.population.awaited or awaits_code(cell.protocol)
    }
    if not made:
        return experiment.cells
    points = [*experiment.scenario.points()]
    for index, cell in made.items():
        if awaits_code(cell.protocol):
            spec = _plugin(PluginSpec, points[index].protocol, find)
            points[index] = replace(points[index], protocol=spec)
    drawn: dict[object, Population] = {}

    def population_of(index: int, point: Point) -> Population | None:
        if index not in made:
            return None
        population = made[index].population
        if not population.awaited:
            return population.drawn or population
        spec = _plugin(PluginPopulation, point.population, find)
        key = spec, json.dumps(spec.options), point.seed
        if key not in drawn:
            try:
                drawn[key] = spec.bind(point.seed, experiment.scenario.folder)
            except ScenarioError as error:
                raise error.within("population") from error
        return drawn[key]

    for cell in bound(points, population_of, experiment.limits):
        parameters = made[cell.index].parameters
        rounds = tuple(replace(part, parameters=parameters) for part in cell.rounds)
        cells[cell.index] = replace(cell, parameters=parameters, rounds=rounds)
    return cells.values()


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
    if not code_of(step):
        return step
    return _plugin(PluginFilter if isinstance(step, Filter) else PluginCorrection, step, find)


def _plugin(made: type[Any], table: Any, find: FindCode) -> Any:
    """What may run, of a table that names its code."""
    fields = {name: value for name, value in fields_of(table).items() if name != "source"}
    return made(**fields, source=find(table.name, table.what))
