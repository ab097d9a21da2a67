"""The files that a command writes: refused where they are there already, told; rows as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol

from ldptui.core.base.errors import JOINERS, ScenarioError
from ldptui.core.base.files import Piped, Source, check_other, is_file, write_atomically
from ldptui.core.base.numbers import as_number
from ldptui.core.reports.sources import test_doubts

from ..terminal.output import as_json, check_writable, note, write_out


class Writing(Protocol):
    """The options of a command that reads what a protocol sent, and writes files."""

    @property
    def protocol(self) -> str: ...

    @property
    def domain(self) -> str | None: ...

    @property
    def out(self) -> str | None: ...

    @property
    def force(self) -> bool: ...

    @property
    def quiet(self) -> bool: ...


def check_new(
    out: Path, options: Writing, read: Iterable[str | Source], key: str = "--out"
) -> None:
    """Refuse an output that is read as well, or that is there already; raises LdpError.

    read : the files that are read besides those of the protocol.
    """
    agreed_on = filter(None, (options.domain, options.protocol.rpartition(":")[0]))
    for path in (path for path in (*read, *agreed_on) if not isinstance(path, Piped)):
        check_other(out, path, key)
    check_free(out, options.force, key)


def check_free(out: Path, force: bool, key: str) -> None:
    """Refuse an output that is there already, or that cannot be written; raises LdpError."""
    if is_file(out) and not force:
        rule = f"must be a new file, and {out} is there already"
        raise ScenarioError(f"{rule} (--force replaces it)", key=key)
    check_writable(out)


def check_outputs(
    options: Writing, read: Iterable[str | Source], outs: Mapping[str, str | None]
) -> None:
    """`check_new` for the output of each option; None and "-" are no file."""
    sources = [*read]
    for key, path in outs.items():
        if path not in (None, "-"):
            check_new(Path(path), options, sources, key)


def tell_written(options: Writing, path: str) -> None:
    """Say that a file is written, unless that is not wanted."""
    if not options.quiet:
        note(f"wrote {path}")


def in_format(
    kind: str,
    table: str,
    document: Callable[[], Any],
    rows: Callable[[], list[dict[str, Any]]] = list,
    read: Iterable[Source] = (),
) -> str:
    """The text of a result: its table, its rows as CSV, or its document as JSON.

    read : the files that it is of; a table and a document say which have reports for tests.
    """
    if kind == "csv":
        return as_csv(rows())
    doubts = test_doubts(read)
    if kind == "json":
        return as_json(document() | ({"warnings": doubts} if doubts else {}))
    return "\n".join([table.rstrip("\n"), "", *doubts, ""]) if doubts else table


def write_result(options: Writing, kind: str, written: str) -> None:
    """Write what was found to the file of --out, or to standard output."""
    if options.out in (None, "-"):
        write_out(written, exactly=kind != "table")
    else:
        write_atomically(Path(options.out), written)
        tell_written(options, options.out)


def as_csv(rows: list[dict[str, Any]]) -> str:
    """Rows as CSV, their words as cells that do no harm."""
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        words = {name: _cell(cell) for name, cell in row.items() if isinstance(cell, str)}
        writer.writerow(row | words)
    return buffer.getvalue()


def _cell(label: str) -> str:
    """A label as a cell that steers no terminal and is no formula of a spreadsheet."""
    kept = (c.isprintable() or c in JOINERS for c in label)
    shown = "".join(
        c if keeps else c.encode("unicode_escape").decode()
        for c, keeps in zip(label, kept, strict=True)
    )
    formula = shown.startswith(("=", "+", "-", "@")) and as_number(shown) is None
    return f"'{shown}" if formula else shown
