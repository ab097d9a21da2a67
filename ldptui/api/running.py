"""Scenarios loaded, compiled and run, from wherever they come."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any, Final
from warnings import warn

from ldptui import scenarios
from ldptui.core.base.errors import FileError, LdpWarning, ScenarioError, got, suggest
from ldptui.core.base.files import is_file
from ldptui.core.base.ranges import WORKERS
from ldptui.core.experiment import Experiment
from ldptui.core.experiment import experiment as core_experiment
from ldptui.core.plugins import CodePermission, permit_code
from ldptui.core.reports.arguments import (
    check_function,
    file_path,
    list_members,
    number,
    switch,
    whole,
    words,
)
from ldptui.core.reports.points import plain
from ldptui.core.running import runner
from ldptui.core.running.runner import Progress
from ldptui.core.running.searching import run_goal_searches
from ldptui.core.scenario import Scenario, read_document, read_scenario

from .run_results import Results

HOW: Final = "code=[FILE] allows that of a file, allow_attacks=[NAME] that of a package"

Source = str | Path | Mapping[str, Any] | Scenario
Changes = Mapping[str, Any]


def load(source: Source, *, set: Changes | None = None) -> Scenario:  # noqa: A002
    """A checked scenario.

    Parameters
    ----------
    source
        The path of a TOML file, the name of a bundled scenario, TOML text (of more than one line),
        or a dict of its tables; `format = 1` may be left out of a dict.
    set
        Values by dotted keys, as `Scenario.set` takes them: a list sweeps a key.

    Raises
    ------
    ScenarioError
        Where a rule is broken.
    FileError
        Where there is no such file.

    Examples
    --------
    >>> load("quickstart", set={"attack.share": [0.01, 0.05]}).cells
    2

    >>> load("quickstart").cells  # points of its sweep
    21
    >>> tables = {"population": {"kind": "uniform", "items": 4, "users": 100},
    ...           "protocol": {"kind": "grr", "epsilon": 1.0}, "trials": 3}
    >>> load(tables).with_value("protocol.epsilon", 2.0).document["protocol"]["epsilon"]
    2.0
    """
    if isinstance(source, Scenario):
        scenario = source
    elif isinstance(source, Mapping):
        scenario = Scenario(plain({"format": 1, **source}))
    elif isinstance(source, str) and "\n" in source:
        scenario = read_document(source)
    elif isinstance(source, str | Path):
        path = scenarios.find(str(source))
        meant = suggest(source, scenarios.names())
        if not is_file(path) and (meant or not path.suffix):
            raise FileError(f"{source} is no file and no bundled scenario{meant}")
        scenario = read_document(read_scenario(path), str(source), path.parent)
    else:
        rule = "must be a path, a bundled name, TOML text or a dict"
        raise ScenarioError(f"{rule}, {got(source)}", key="source")
    scenario = scenario.set(_changes(set))
    for problem in scenario.problems():
        raise problem
    return scenario


def _changes(changes: Changes | None) -> Changes:
    """Values by their keys, as TOML would give them; raises ScenarioError."""
    if changes is None:
        return {}
    if not isinstance(changes, Mapping) or not all(isinstance(key, str) for key in changes):
        raise ScenarioError(f"must be a dict of values by their keys, {got(changes)}", key="set")
    return {key: plain(value) for key, value in changes.items()}


def compile(  # noqa: A001
    source: Source | Experiment,
    *,
    set: Changes | None = None,  # noqa: A002
    limits: bool = True,
) -> Experiment:
    """The experiment of a scenario: `cells`, a bound point of the sweep each.

    Parameters
    ----------
    source
        As `load` takes it.
    set
        As `load` takes it.
    limits
        Refuse what would take very long or very much memory.

    Raises
    ------
    ScenarioError
        Where a rule is broken.
    FileError
        Where there is no such file.

    Examples
    --------
    >>> compile("quickstart").cells[5].malicious  # β = 0.05 of 100 000 genuine users
    5263
    """
    if isinstance(source, Experiment):
        return _unset(source, set)
    return core_experiment.compile(load(source, set=set), switch(limits, "limits"))


def _unset(experiment: Experiment, changes: Changes | None) -> Experiment:
    """The experiment; raises ScenarioError where keys shall be set, as it is compiled already."""
    if changes:
        raise ScenarioError("must be left out where an experiment is given", key="set")
    return experiment


def run(
    source: Source | Experiment,
    *,
    trials: int | None = None,
    seed: int | None = None,
    set: Changes | None = None,  # noqa: A002
    workers: int = 1,
    executor: Executor | None = None,
    progress: Callable[[Progress], object] | None = None,
    limits: bool = True,
    code: Sequence[str | Path] = (),
    attack_files: Sequence[str | Path] = (),
    allow_attacks: Sequence[str] = (),
) -> Results:
    """Run a scenario to its results.

    Parameters
    ----------
    source
        As `load` takes it, or what `compile` made.
    trials, seed
        Those of each cell, and of all random numbers, in place of the scenario's.
    set
        Values by dotted keys, as `load` takes them.
    workers
        Processes; the numbers do not depend on them. In a script that asks for more than one, this
        call stands under `if __name__ == "__main__":`.
    executor
        Computes there instead, as a cluster's does.
    progress
        Called with `done` and `total` in trials, and `seconds`.
    limits
        Refuse what would take very long.
    code
        Python files whose code may run, be it an attack, a defence, a protocol, a population or a
        metric. A scenario alone runs none.
    attack_files
        The former name of `code`.
    allow_attacks
        Names that packages publish: their code may run too.

    Raises
    ------
    ScenarioError
        Where a rule is broken.
    FileError
        Where there is no such file.
    RunError
        Where a run fails as a whole. A cell that fails does not stop the others: `results.error`
        says why.

    Examples
    --------
    >>> results = run("quickstart")  # an LdpWarning tells each reason to doubt results
    >>> results.trials, results.error
    (420, '')
    """
    number(workers, "workers", WORKERS)
    workers = whole(workers, "workers")
    numbers: Changes = {"trials": trials, "seed": seed}
    changes = {
        **{key: value for key, value in numbers.items() if value is not None},
        **_changes(set),
    }
    limits, progress = switch(limits, "limits"), check_function(progress, "progress")
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise ScenarioError(f"must be an Executor, {got(executor)}", key="executor")
    files = tuple(
        file_path(file, key).expanduser()
        for key, given in {"code": code, "attack_files": attack_files}.items()
        for file in list_members(given, key)
    )
    names = tuple(
        words(name, "allow_attacks") for name in list_members(allow_attacks, "allow_attacks")
    )
    if isinstance(source, Experiment):
        experiment = _unset(source, changes)
    else:
        experiment = core_experiment.compile(load(source, set=changes), limits, searches=False)
    *_, answered = run_goal_searches(experiment, workers, limits)
    allowed = CodePermission(names, files, how=HOW)
    experiment = permit_code(answered.experiment, allowed)
    for doubt in experiment.warnings:
        warn(doubt, LdpWarning, stacklevel=2)
    last = None
    for last in runner.run(experiment, workers, executor, apart=True):
        if progress is not None:
            progress(last)
    assert last is not None
    return Results(last.results)
