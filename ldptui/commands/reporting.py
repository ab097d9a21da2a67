"""The output of results: its format and its place."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path
from typing import Final

import numpy as np

from ldptui.core.base.errors import ScenarioError, got, one_line
from ldptui.core.base.files import write_atomically
from ldptui.core.export import results_cells_csv, to_csv, to_json
from ldptui.core.running.runner import Results

from .. import __version__
from ..terminal import exits
from ..terminal.output import check_writable, in_colour, note, width, write_out
from ..text import format as text
from ..text import table
from .parquet import check_pyarrow, write_parquet
from .progress import value_of_key
from .reading import check_workers

VERSIONS: Final = {"ldptui": __version__, "numpy": np.__version__}


FORMATS: Final = {
    ".csv": ("csv", "csv-cells"), ".json": ("json",), ".parquet": ("parquet",),
    ".md": ("md",), ".tex": ("latex",),
}  # fmt: skip
"""The formats of files by the ends of their names, first the one that is meant if none is asked."""


def check_output(options: Namespace, usual: str = "table") -> Path | None:
    """The file of the results, None for standard output; settles `options.format`.

    usual : the format where neither an option nor the end of the file's name says one.
    Raises ScenarioError before the run if it could not be written after it."""
    if "workers" in options:
        check_workers(options)
    if options.out == "":
        raise ScenarioError(f"must be a file, {got(options.out)}", key="--out")
    out = None if options.out in (None, "-") else Path(options.out)
    if out is not None:
        check_writable(out)
    if "format" in options:
        options.format = _format_of(options.format, out) or usual
        if options.format == "parquet":
            if out is None:
                raise ScenarioError("is required: Parquet goes into a file", key="--out")
            check_pyarrow(out)
    return out


def _format_of(asked: str | None, out: Path | None) -> str | None:
    """The format that was asked for, or that the end of the file's name means."""
    end = "" if out is None else out.suffix
    meant = FORMATS.get(end.lower(), ())
    if asked is None:
        return meant[0] if meant else None
    if meant and asked not in meant:
        rule = f"must be {' or '.join(meant)} for a file that ends in {end}, {got(asked)}"
        raise ScenarioError(rule, key="--format")
    return asked


def report(results: Results, options: Namespace) -> int:
    """Print or write results as the options say; the exit code."""
    out = None if options.out in (None, "-") else Path(options.out)
    written = ""
    if options.format == "parquet":
        assert out is not None
        about = {**VERSIONS, "scenario": results.experiment.scenario.document}
        write_parquet(out, results, about)
    elif options.format in table.PAPER:
        written = table.PAPER[options.format](results, np.__version__)
    elif options.format == "json":
        written = to_json(results, VERSIONS, options.frequencies)
    elif options.format == "csv":
        written = to_csv(results)
    elif options.format == "csv-cells":
        written = results_cells_csv(results)
    elif out is not None:
        written = table.results_table(results, 120)
    else:
        written = table.results_table(results, width(), in_colour(sys.stdout))
    if out is None:
        write_out(written, exactly=options.format != "table")
    elif written:
        write_atomically(out, written)
    tell_failures(results)
    if not results.ended:
        note(
            f"ldptui: interrupted: {text.count(results.trials)} of "
            f"{text.count(results.experiment.trials)} trials are done"
        )
        return exits.INTERRUPTED
    if out is not None and not options.quiet:
        note(f"wrote {out}")
    return exits.FAILED if results.failures else exits.DONE


def tell_failures(results: Results) -> None:
    """Say which cells failed and why, each traceback once."""
    swept, cells = list(results.experiment.scenario.sweep), results.experiment.cells
    noted: set[str] = set()
    for failure in results.failures:
        chosen = cells[failure.cell].parameters
        where = " ".join(value_of_key(key, chosen[key]) for key in swept if key in chosen)
        note(f"ldptui: cell {failure.cell}{f' ({where})' if where else ''} failed: {failure.error}")
        for line in failure.details.splitlines() if failure.details not in noted else ():
            note(f"    {one_line(line)}")
        noted.add(failure.details)
