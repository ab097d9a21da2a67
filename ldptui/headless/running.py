"""Simulate a scenario: its options, and its results printed or written."""

from __future__ import annotations

import sys
import tomllib
from argparse import Namespace
from pathlib import Path
from typing import Any, Final

import numpy as np

import scenarios as bundled
from core.bounds import Range
from core.errors import FileError, ScenarioError, got, one_line, shown
from core.experiment import Experiment, compile  # noqa: A004
from core.export import to_csv, to_json
from core.files import write_atomically
from core.runner import Results
from core.scenario import Scenario, load

from .. import __version__, attack_options, cli, table
from .. import format as text
from .output import check_writable, in_colour, note, width, write_out
from .progress import setting_of

WORKERS: Final = Range(1, 1000)
VERSIONS: Final = {"ldptui": __version__, "numpy": np.__version__}


def run(options: Namespace) -> int:
    """Simulate a scenario and print or write the results."""
    from .. import history

    check_output(options)
    scenario, source = scenario_of(options)
    experiment = attack_options.permitted(compile(scenario, limits=options.limits), options)
    for warning in {} if options.quiet else _warnings(experiment):
        note(f"warning: {warning}")
    if options.frequencies and options.format != "json" and not options.quiet:
        note("note: --frequencies shows in JSON only")
    return report(history.measure(experiment, options, source), options)


def check_workers(options: Namespace) -> None:
    if options.workers not in WORKERS:
        raise ScenarioError(f"must be {WORKERS}, {got(options.workers)}", key="--workers")


def check_output(options: Namespace) -> Path | None:
    """Where the results go, None for standard output; raises before the run what would after it."""
    if "workers" in options:
        check_workers(options)
    if options.out == "":
        raise ScenarioError(f"must be a file, {got(options.out)}", key="--out")
    out = None if options.out in (None, "-") else Path(options.out)
    if out is not None:
        check_writable(out)
    return out


def scenario_of(options: Namespace) -> tuple[Scenario, str]:
    """The scenario with what the command line sets, and the file that it came from."""
    place = locate(options.scenario)
    return _with_options(load(place), options), str(place.absolute())


def report(results: Results, options: Namespace) -> int:
    """Print or write results as the options say; the exit code."""
    out = None if options.out in (None, "-") else Path(options.out)
    if options.format == "json":
        written = to_json(results, VERSIONS, options.frequencies)
    elif options.format == "csv":
        written = to_csv(results)
    elif out is not None:
        written = table.results_table(results, 120)
    else:
        written = table.results_table(results, width(), in_colour(sys.stdout))
    if out is not None:
        write_atomically(out, written)
    else:
        write_out(written, exactly=options.format != "table")
    tell_failures(results)
    if not results.ended:
        note(
            f"ldptui: interrupted: {text.count(results.trials)} of "
            f"{text.count(results.experiment.trials)} trials are done"
        )
        return cli.INTERRUPTED
    if out is not None and not options.quiet:
        note(f"wrote {out}")
    return cli.FAILED if results.failures else cli.DONE


def tell_failures(results: Results) -> None:
    """Say which cells failed and why, each traceback once."""
    swept, cells = list(results.experiment.scenario.sweep), results.experiment.cells
    told: set[str] = set()
    for failure in results.failures:
        chosen = cells[failure.cell].parameters
        where = " ".join(setting_of(key, chosen[key]) for key in swept if key in chosen)
        note(f"ldptui: cell {failure.cell}{f' ({where})' if where else ''} failed: {failure.error}")
        for line in failure.details.splitlines() if failure.details not in told else ():
            note(f"    {one_line(line)}")
        told.add(failure.details)


def _warnings(experiment: Experiment) -> dict[str, None]:
    """What makes the results doubtful, each sentence once, in the order of the cells."""
    return {warning: None for cell in experiment.cells for warning in cell.warnings}


def locate(place: str) -> Path:
    """The file of a scenario given by path or bundled name; raises FileError."""
    if not place:
        raise ScenarioError(f"must be a file or a bundled scenario, {got(place)}", key="SCENARIO")
    try:
        path = bundled.find(place)
        there = path.exists()
    except OSError as error:  # as of a name that is too long
        raise FileError(f"{shown(place)} cannot be read: {error.strerror or error}") from error
    if not there:
        close = bundled.similar(place)
        hint = f" (did you mean {close}?)" if close else ""
        raise FileError(f"{place} is neither a file nor a bundled scenario{hint}")
    return path


def _with_options(scenario: Scenario, options: Namespace) -> Scenario:
    """The scenario with what the command line sets; raises ScenarioError."""
    settings = []
    for setting in options.settings:
        key, equals, value = setting.partition("=")
        if not equals or not key.strip():
            raise ScenarioError(f"must be KEY=VALUE, {got(setting)}", key="--set")
        # A key may have the quotes that it has in a file: "attack.share".
        settings.append((key.translate(_QUOTES).strip(), toml_value(value)))
    changed = _without_rival(scenario, [key for key, _ in settings], options.quiet)
    for key, value in settings:
        changed = changed.with_value(key, value)
    for key, value in (
        ("trials", options.trials),
        ("seed", options.seed),
        ("simulate.path", options.path),
    ):
        if value is not None:
            changed = changed.with_value(key, value)
    if changed is not scenario:
        for problem in changed.problems():
            raise problem
    return changed


_QUOTES: Final = str.maketrans("", "", "\"'")


def _without_rival(scenario: Scenario, keys: list[str], quiet: bool) -> Scenario:
    """The scenario without the share that a goal set by hand stands for, or the other way round."""
    goal = any(key == "goal" or key.startswith("goal.") for key in keys)
    share = any(key.removeprefix("sweep.") == "attack.share" for key in keys)
    if goal == share:  # neither; or both, which is refused
        return scenario
    rival, chosen = ("attack.share", "[goal]") if goal else ("goal", "attack.share")
    changed = scenario.without(rival)
    if changed != scenario and not quiet:
        note(f"note: {rival} of {scenario.name} is left out: {chosen} is set in its place")
    return changed


def toml_value(written: str) -> Any:
    """What follows the = of --set: a TOML value, else the words themselves."""
    try:
        parsed = tomllib.loads(f"value = {written}")
    except (ValueError, RecursionError):
        return written
    return parsed["value"] if parsed.keys() == {"value"} else written
