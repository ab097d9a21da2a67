"""The output of results: printed, or written into a file."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Final

import numpy as np

from ldptui.core.base.errors import one_line
from ldptui.core.running.runner import Results

from .. import __version__
from ..terminal import exits
from ..terminal.output import in_colour, note, width, write_out
from ..text import format as text
from .output_options import Output
from .result_formats import FORMATS, Written
from .run_progress import value_of_key

LISTED: Final = 4
"""Cells that fail for one reason and are named."""

VERSIONS: Final = {"ldptui": __version__, "numpy": np.__version__}


def report(results: Results, output: Output) -> int:
    """Print or write results; the exit code."""
    out, form = output.path, output.format
    about = {**VERSIONS, "scenario": results.experiment.scenario.document}
    written = Written(results, VERSIONS, output.choice, output.frequencies, about)
    if out is None:
        written = replace(written, width=width(), colour=in_colour(sys.stdout))
        write_out(FORMATS[form].text(written), exactly=form != "table")
    else:
        FORMATS[form].write(written, out)
    tell_failures(results)
    if not results.has_ended:
        note(
            f"ldptui: interrupted: {text.count(results.trials)} of "
            f"{text.count(results.experiment.trials)} trials are done"
        )
        return exits.INTERRUPTED
    if out is not None and not output.quiet:
        note(f"wrote {out}")
    return exits.FAILED if results.failures else exits.DONE


def tell_failures(results: Results) -> None:
    """Say which cells failed and why, each reason once."""
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


def exit_code(results: Results) -> int:
    """The exit code of results that were written to a file."""
    if not results.has_ended:
        return exits.INTERRUPTED
    return exits.FAILED if results.failures else exits.DONE
