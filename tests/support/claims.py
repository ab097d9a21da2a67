"""Bundled scenarios with a few keys set, and their numbers by the values of parameters."""

from __future__ import annotations

from collections.abc import Mapping

from ldptui import scenarios
from ldptui.core.cell import Cell
from ldptui.core.experiment import Experiment, compile
from ldptui.core.metrics.results import CellResults
from ldptui.core.scenario import load
from ldptui.core.theory import expected_metrics
from support.cases import results_of

Key = tuple[object, ...]


def bundled(name: str, **settings: object) -> Experiment:
    """A bundled scenario, some keys set: `attack__share=0.1`."""
    scenario = load(scenarios.path(name))
    for key, value in settings.items():
        scenario = scenario.with_value(key.replace("__", "."), value)
    return compile(scenario)


def key_of(cell: Cell, keys: tuple[str, ...]) -> Key:
    """The parameters of a cell; a list as a tuple."""
    values = (cell.parameters.get(key) for key in keys)
    return tuple(tuple(value) if isinstance(value, list) else value for value in values)


def theory(name: str, metric: str, *keys: str, **settings: object) -> dict[Key, float]:
    """The closed form of a metric in every cell, by the cell's values of these parameters."""
    values: dict[Key, float] = {}
    for cell in bundled(name, **settings).cells:
        value = expected_metrics(cell)[metric]
        assert value is not None
        values[key_of(cell, keys)] = value
    return values


def results_by(experiment: Experiment, *keys: str) -> dict[Key, CellResults]:
    """The results of a run of every cell."""
    results = results_of(experiment, frequencies=False)
    assert not results.error
    return {
        key_of(cell, keys): result
        for cell, result in zip(experiment.cells, results.cells, strict=True)
    }


def mean(result: CellResults, metric: str) -> float:
    """The mean of a metric over the trials of a cell."""
    value = result.estimate(metric).mean
    assert value is not None
    return value


def measured(experiment: Experiment, metric: str, *keys: str) -> dict[Key, float]:
    """The mean of a metric over the trials of every cell."""
    return {key: mean(result, metric) for key, result in results_by(experiment, *keys).items()}


def series(values: Mapping[Key, float], *start: object) -> list[float]:
    """The values whose key begins so, in the order of the sweep."""
    chosen = [value for key, value in values.items() if key[: len(start)] == start]
    assert len(chosen) > 1
    return chosen
