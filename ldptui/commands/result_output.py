"""The output of results: what a command's options ask for, checked before anything is computed.

All that reads options raises ScenarioError for an argument that breaks a rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from ldptui.core.base.errors import ScenarioError, got, one_line
from ldptui.core.base.files import check_replaced
from ldptui.core.experiment import Experiment
from ldptui.core.export import TableChoice, check_choice
from ldptui.core.running.runner import RunResults

from .. import __version__
from ..terminal import exits
from ..terminal.output import check_writable, note
from ..text import format as text
from .option_groups import ResultOptions
from .result_formats import FORMATS, Output, formats
from .run_progress import value_of_key


def tags_of(words: Sequence[str]) -> list[str]:
    """The tags that words of the command line give a run; raises ScenarioError."""
    for tag in words:
        if not tag.strip() or not tag.isprintable() or "," in tag:
            raise ScenarioError(f"must be words without commas, {got(tag)}", key="--tag")
    return [tag.strip() for tag in words]


def read_output(
    selection: ResultOptions, asked: str | None, out: str | None, command: str = "run"
) -> Output:
    """The output that a command's options request, with a writable file.

    asked : the value of --format; if it is None, the end of the file's name decides, else it is the
        first format of the command.
    Raises ScenarioError for options that do not go together.
    """
    path = written_to(out)
    form = _format_of(asked, path, command) or formats(command)[0].name
    row = FORMATS[form]
    if row.file is not None:
        if path is None:
            raise ScenarioError(f"is required: {form.capitalize()} goes into a file", key="--out")
        row.check(path)
    choice = TableChoice(
        metrics=_split_names(selection.metrics, "--metrics"),
        rows=_split_names(selection.rows, "--rows"),
        columns=_split_names(selection.columns, "--columns"),
        wrap=selection.wrap,
    )
    if choice.is_pivot and row.make is None and row.file is None:
        rule = f"must be left out: a {form} file has every trial, or --format another"
        raise ScenarioError(rule, key="--rows" if choice.rows else "--columns")
    return Output(row, path, selection.frequencies, choice)


def check_output(output: Output, experiment: Experiment) -> Output:
    """The output with its default metrics filled in; raises ScenarioError for an unknown metric or
    key.
    """
    try:
        return replace(output, choice=check_choice(experiment, output.choice))
    except ScenarioError as error:
        raise ScenarioError(error.rule, key=f"--{error.key}") from None


def written_to(out: str | None) -> Path | None:
    """The writable output file; None for standard output."""
    if out == "":
        raise ScenarioError(f"must be a file, {got(out)}", key="--out")
    if out is None or out == "-":
        return None
    check_writable(Path(out))
    check_replaced(Path(out))
    return Path(out)


def _split_names(words: str | None, option: str) -> tuple[str, ...]:
    """The names that an option lists, with commas between them."""
    names = tuple(name.strip() for name in words.split(",")) if words is not None else ()
    if not all(names):
        raise ScenarioError(f"must be names with commas between them, {got(words)}", key=option)
    return names


_OTHERS: Final = (".xlsx", ".xls", ".ods", ".pdf", ".png", ".svg", ".html", ".toml", ".arrow")
PROMISED: Final = {
    "run": (*_OTHERS, ".ldptui", ".ldprun"),
    "export": (*_OTHERS, ".txt"),
}
"""The ends of names that promise what a command does not write."""


def _format_of(asked: str | None, path: Path | None, command: str) -> str | None:
    """The format that was asked for, or that the end of the file's name means."""
    end = "" if path is None else path.suffix
    meant = [row.name for row in FORMATS.values() if end and row.end == end.lower()]
    if asked is None:
        if end.lower() in PROMISED.get(command, ()):
            ends = ", ".join(dict.fromkeys(row.end for row in formats(command) if row.end))
            ends += " or .ldptui (a recording)" * (command == "export")
            rule = f"must end in what is written, {ends}, or go with --format"
            raise ScenarioError(f"{rule}, {got(str(path))}", key="--out")
        return meant[0] if meant else None
    if meant and asked not in meant:
        rule = f"must be {' or '.join(meant)} for a file that ends in {end}, {got(asked)}"
        raise ScenarioError(rule, key="--format")
    return asked


LISTED: Final = 4
"""Cells that fail for one reason and are named."""

VERSIONS: Final = {"ldptui": __version__, "numpy": np.__version__}


def report(results: RunResults, output: Output, quiet: bool) -> int:
    """Print or write results; returns the exit code."""
    output.format.write(results, VERSIONS, output)
    tell_failures(results)
    if not results.has_ended:
        note(
            f"ldptui: interrupted: {text.count(results.trials)} of "
            f"{text.count(results.experiment.trials)} trials are done"
        )
    elif output.path is not None and not quiet:
        note(f"wrote {output.path}")
    return exit_code(results)


def tell_failures(results: RunResults) -> None:
    """Print which cells failed and why, each reason once."""
    swept, cells = list(results.experiment.scenario.sweep), results.experiment.cells
    reasons: dict[tuple[str, str], list[str]] = {}
    for failure in results.failures:
        chosen = cells[failure.cell].parameters
        where = " ".join(value_of_key(key, chosen[key]) for key in swept if key in chosen)
        place = f"{failure.cell}{f' ({where})' if where else ''}"
        reasons.setdefault((failure.error, failure.details), []).append(place)
    for (error, details), places in reasons.items():
        more = f" and {len(places) - LISTED} more" if len(places) > LISTED else ""
        named = f"cell{'s' * (len(places) > 1)} {', '.join(places[:LISTED])}{more}"
        note(f"ldptui: {named} failed: {error}")
        lines = details.splitlines()
        for line in lines if len(lines) > 1 else ():  # one alone is the error
            note(f"    {one_line(line)}")


def exit_code(results: RunResults) -> int:
    """The exit code of results that were printed or written."""
    if not results.has_ended:
        return exits.INTERRUPTED
    return exits.FAILED if results.failures else exits.DONE
