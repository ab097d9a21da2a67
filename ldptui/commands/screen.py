"""Reports of real users, screened for fakes: ldptui screen."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from ldptui.core.base.files import Source, write_atomically
from ldptui.core.lab.screening import memory
from ldptui.core.law.pure import Items

from ..api.expected import Need, expected, told
from ..api.screened import Screening
from ..api.screened import screen as screened
from ..api.sources import sources
from ..lab.questions.screen import Options
from ..terminal import exits
from ..terminal.output import note
from .outputs import check_outputs, tell_written, write_result
from .reading import agreed, by_options


def screen(options: Options) -> int:
    """Print the verdicts on files of reports; 1 where they are an alarm."""
    with by_options():
        named = sources(options.reports, options.input_format)
    check_outputs(options, named, {"--out": options.out, "--rows-out": options.rows_out})
    labels, protocol = agreed(options)
    tell_memory(options.quiet, named, partial(memory, protocol))
    with by_options():
        found = screened(named, protocol, labels=labels, trials=options.simulated)
    if options.rows_out is not None:
        write_rows(options.rows_out, found.rows)
        tell_written(options, options.rows_out)
    write_result(options, options.format, _written(found, options.format))
    return exits.FAILED if found.alarm else exits.DONE


def tell_memory(quiet: bool, named: Sequence[Source], need: Need) -> None:
    """Say how much memory reports need, before they are read, where that is much."""
    words = told(expected(named), need)
    if words and not quiet:
        note(words)


def write_rows(path: str, rows: Items) -> None:
    """Write the numbers of rows, counted from 1 on over all files, a line each."""
    lines = "".join(f"{row + 1}\n" for row in rows.tolist())
    write_atomically(Path(path), f"row\n{lines}")


def _written(found: Screening, kind: str) -> str:
    if kind == "json":
        return json.dumps(found.document(), indent=2, ensure_ascii=False) + "\n"
    return f"{found!r}\n"
