"""The output of results: its format and its place."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Final

import numpy as np

from ldptui.core.base.errors import one_line
from ldptui.core.base.files import write_atomically
from ldptui.core.export import results_cells_csv, to_csv, to_json
from ldptui.core.running.runner import Results

from .. import __version__
from ..terminal import exits
from ..terminal.output import in_colour, note, width, write_out
from ..text import format as text
from ..text import table
from .dictionary import write_parquet
from .door import Output
from .progress import value_of_key

VERSIONS: Final = {"ldptui": __version__, "numpy": np.__version__}


def report(results: Results, output: Output) -> int:
    """Print or write results; the exit code."""
    out, form, written = output.path, output.format, ""
    if form == "parquet":
        assert out is not None
        about = {**VERSIONS, "scenario": results.experiment.scenario.document}
        write_parquet(out, results, about, output.choice)
    elif form != "table":
        written = as_text(results, output, VERSIONS)
    elif out is not None:
        written = table.results_table(results, 120, choice=output.choice)
    else:
        colour = in_colour(sys.stdout)
        written = table.results_table(results, width(), colour, choice=output.choice)
    if out is None:
        write_out(written, exactly=form != "table")
    elif written:
        write_atomically(out, written)
    tell_failures(results)
    if not results.ended:
        note(
            f"ldptui: interrupted: {text.count(results.trials)} of "
            f"{text.count(results.experiment.trials)} trials are done"
        )
        return exits.INTERRUPTED
    if out is not None and not output.quiet:
        note(f"wrote {out}")
    return exits.FAILED if results.failures else exits.DONE


def as_text(results: Results, output: Output, versions: Mapping[str, str]) -> str:
    """Results in a format of text for others than terminals. versions : what drew them."""
    choice = output.choice
    match output.format:
        case "json":
            said = table.verdict_of(results, ranks=False)
            return to_json(results, versions, output.frequencies, choice, said)
        case "csv":
            return to_csv(results, choice)
        case "csv-cells":
            return results_cells_csv(results, choice)
        case form:
            return table.PAPER[form](results, versions["numpy"], choice)


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
