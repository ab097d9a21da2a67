"""The Python code of an experiment, where the user allows it."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..attacks import PythonAttack, View
from ..base.arms import Arm
from ..base.code import What, code_of, read_only
from ..base.errors import AttackError, DefenceError, FileError, MetricError, ScenarioError
from ..base.named import fields_of
from ..base.sampling import Floats
from ..cell import Cell
from ..defences import Known, PythonCorrection, PythonFilter, Received, Verdict, is_filter
from ..experiment import Experiment, bound
from ..law.pure import LocalMechanism, Reports, Rng
from ..metrics import Facts, FrequencyConclusion, PythonMetric, measured_trials
from ..population import Population
from ..protocols import awaits_code
from ..scenario import Point
from .finding import Allowed, Source, find
from .loading import explained, loaded
from .making import PluginPopulation, PluginSpec


@dataclass(frozen=True)
class PluginCorrection(PythonCorrection):
    """A correction in Python that may run."""

    source: Source = field(kw_only=True, repr=False)

    def correct(self, frequencies: Floats, known: Known) -> Floats:
        """The estimates that the code makes of a copy of these; raises DefenceError."""
        with explained(self.source):
            correct = loaded(self.source, json.dumps(self.options), "correct")
            made = correct(frequencies.copy(), known)
        return _frequencies(self.source, made, frequencies.shape)


@dataclass(frozen=True)
class PluginFilter(PythonFilter):
    """A filter in Python that may run."""

    source: Source = field(kw_only=True, repr=False)

    def sift(self, received: Received) -> Verdict:
        """The verdict of the code; raises DefenceError."""
        with explained(self.source):
            sift = loaded(self.source, json.dumps(self.options), "sift")
            made = sift(replace(received, reports=received.reports.copy()))
        return _verdict(self.source, made, received.users)


def _frequencies(source: Source, made: object, shape: tuple[int, ...]) -> Floats:
    """Corrected estimates as they have to be; raises DefenceError."""
    try:
        frequencies = np.asarray(made, dtype=np.float64)
    except (TypeError, ValueError):
        raise DefenceError(
            source.sentence(f"must return numbers, got {type(made).__name__}")
        ) from None
    if frequencies.shape != shape:
        rule = f"must return an array of shape {shape}, got {frequencies.shape}"
        raise DefenceError(source.sentence(rule))
    if not np.isfinite(frequencies).all():
        raise DefenceError(source.sentence("must return finite numbers"))
    return frequencies


def _verdict(source: Source, made: object, users: int) -> Verdict:
    """A verdict, or bool[N] of the reports that are kept; raises DefenceError."""
    verdict = made if isinstance(made, Verdict) else Verdict(kept=np.asarray(made))
    kept = _of_each(source, "kept", verdict.kept, users, "b", "true or false")
    score = _of_each(source, "score", verdict.score, users, "fiu", "a number")
    if kept is None and score is None and verdict.alarm is None:
        rule = "must return which reports are kept, got nothing"
        raise DefenceError(source.sentence(rule))
    return replace(verdict, kept=kept, score=score)


def _of_each(
    source: Source, name: str, value: object, users: int, kinds: str, what: str
) -> Any | None:
    """An array of one value for each report; raises DefenceError."""
    if value is None:
        return None
    values = np.asarray(value)
    if values.shape != (users,) or values.dtype.kind not in kinds:
        rule = f"must return {what} for each of {users} reports as {name}"
        got = f"{values.dtype}{list(values.shape)}"
        raise DefenceError(source.sentence(f"{rule}, got {got}"))
    return values


@dataclass(frozen=True)
class PluginMetric(PythonMetric):
    """A metric in Python that may run."""

    source: Source = field(kw_only=True, repr=False)

    def values(self, conclusion: FrequencyConclusion, arm: Arm) -> Floats:
        """Its value in each trial; the first is measured twice, as equal estimates have one."""
        values = super().values(conclusion, arm)
        again = self.measure(*next(measured_trials(conclusion, arm)))
        if again != values[0]:
            rule = f"must make one number of the same estimate, got {values[0]} and {again}"
            raise MetricError(self.source.sentence(rule))
        return values

    def measure(self, frequencies: Floats, facts: Facts) -> float:
        """The number that the code makes of one trial; raises MetricError."""
        with explained(self.source):
            made = loaded(self.source, json.dumps(self.options), "measure")(frequencies, facts)
        return _number(self.source, made)


def _number(source: Source, made: object) -> float:
    """A finite number; raises MetricError."""
    array = np.asarray(made)
    if array.shape != () or array.dtype.kind not in "biuf":
        got = f"an array of shape {array.shape}" if array.shape else type(made).__name__
        raise MetricError(source.sentence(f"must return a number, got {got}"))
    if not np.isfinite(array):
        raise MetricError(source.sentence(f"must return a finite number, got {array}"))
    return float(array)


@dataclass(frozen=True)
class Plugin(PythonAttack):
    """A Python attack that may run: picklable, its code is loaded by the process that uses it."""

    source: Source = field(kw_only=True, repr=False)

    def reports(self, protocol: LocalMechanism, view: View, count: int, rng: Rng) -> Reports:
        """The reports of the attack's code, checked; raises AttackError for whatever goes wrong."""
        with explained(self.source):
            attack = loaded(self.source, json.dumps(self.options))
            made = attack(protocol, _read_only(view), count, rng)
        try:
            return protocol.received(made, count)
        except ValueError as error:
            raise AttackError(
                f"the reports of attack {self.name!r} {error}{self.source.spot}"
            ) from None


def _read_only(view: View) -> View:
    """The same view, so that code which changes its arrays in place changes nothing of ours."""
    arrays = {"targets": view.targets, "published": view.published}
    seen = {name: read_only(value) for name, value in arrays.items() if value is not None}
    return replace(view, **seen)


def permit(experiment: Experiment, allowed: Allowed) -> Experiment:
    """The experiment with its Python code found, and its protocols and populations made by it.

    Raises ScenarioError, FileError. ScenarioError says what a scenario asks for, and how to allow
    it, or what is wrong with what its code makes.
    """
    if not any(cell.python_code for cell in experiment.cells):
        return experiment
    find_once = functools.cache(lambda name, what: find(name, allowed, what))

    def permitted(cell: Cell) -> Cell:
        rounds = tuple(permitted(collection) for collection in cell.rounds)
        defences = tuple(_defence_with_code(step, find_once) for step in cell.defences)
        attack = _with_code(cell.attack, find_once)
        metrics = tuple(
            PluginMetric(**_fields(metric), source=find_once(metric.name, "metric"))
            for metric in cell.python_metrics
        )
        return replace(
            cell, attack=attack, defences=defences, rounds=rounds, python_metrics=metrics
        )

    for cell in experiment.cells:
        for what, name in cell.python_code:
            try:
                find_once(name, what)
            except ScenarioError as error:
                if error.where:  # in a file of code
                    raise
                rule = f"{error.rule}{_besides(experiment, (what, name), find_once)}"
                where = experiment.scenario.name
                raise ScenarioError(rule, _place(cell, what, name), where) from error
    try:
        cells = [permitted(cell) for cell in _bound_again(experiment, find_once)]
    except ScenarioError as error:
        raise error.at(experiment.scenario.name) from error
    return replace(experiment, cells=tuple(cells))


def _bound_again(experiment: Experiment, find_code: Find) -> Iterable[Cell]:
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
            asked: Any = points[index].protocol
            spec = PluginSpec(**_fields(asked), source=find_code(asked.name, "protocol"))
            points[index] = replace(points[index], protocol=spec)
    drawn: dict[object, Population] = {}

    def population_of(index: int, point: Point) -> Population | None:
        if index not in made:
            return None
        population = made[index].population
        if not population.awaited:
            return population.drawn or population
        source = find_code(population.awaited, "population")
        spec = PluginPopulation(**_fields(point.population), source=source)
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


def _besides(experiment: Experiment, first: tuple[What, str], find_code: Find) -> str:
    """The other code that may not run either, for the end of a sentence; "" where there is none."""
    missing = []
    for code in dict.fromkeys(code for cell in experiment.cells for code in cell.python_code):
        try:
            find_code(code[1], code[0])
        except (FileError, ScenarioError):
            missing += [f"the {code[0]} {code[1]!r}"] if code != first else []
    return f"; it asks for {', '.join(missing)} as well" if missing else ""


def _place(cell: Cell, what: What, name: str) -> str:
    """The key at which a cell asks for it, as attack.phase.0.mix.1.name or defence.0.name."""
    return next(
        (
            key
            for key, value in cell.parameters.items()
            if key.startswith(f"{what}.") and key.endswith(".name") and value == name
        ),
        "",
    )


def asked(experiment: Experiment) -> tuple[str, ...]:
    """The names of the Python code that an experiment asks for."""
    code = (code for cell in experiment.cells for code in cell.python_code)
    return tuple(dict.fromkeys(name for _, name in code))


def sources(experiment: Experiment, allowed: Allowed) -> tuple[Source, ...]:
    """The sources of the code that an experiment asks for; raises as `permit` does."""
    code = dict.fromkeys(code for cell in experiment.cells for code in cell.python_code)
    return tuple(find(name, allowed, what) for what, name in code)


Find = Callable[[str, What], Source]


def _with_code(attack: Any, find_code: Find) -> Any:
    """An attack with every Python attack in it replaced by one that may run."""
    if code_of(attack):
        return Plugin(**_fields(attack), source=find_code(attack.name, "attack"))
    if hasattr(attack, "parts"):
        parts = (replace(part, attack=_with_code(part.attack, find_code)) for part in attack.parts)
        return replace(attack, parts=tuple(parts))
    return attack


def _defence_with_code(step: Any, find_code: Find) -> Any:
    """A defence in Python replaced by one that may run; any other as it is."""
    if not code_of(step):
        return step
    made = PluginFilter if is_filter(step) else PluginCorrection
    return made(**_fields(step), source=find_code(step.name, "defence"))


def _fields(step: Any) -> dict[str, Any]:
    """The values of a dataclass's fields; of one that may run without its source."""
    return {name: value for name, value in fields_of(step).items() if name != "source"}
