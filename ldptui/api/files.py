"""Files of reports: CSV, JSON lines, Parquet and Arrow, a row a user; see docs/reports.md.

In JSON lines a row is an object of the columns of `layout`; Parquet and Arrow have binary columns.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal

import numpy as np
from numpy.typing import NDArray

from ldptui.core.base.errors import ScenarioError, got
from ldptui.core.base.files import whole_file
from ldptui.core.base.tables import (
    Batch,
    Columns,
    line_blocks,
    spot,
    text_file,
)
from ldptui.core.law.capabilities import sends_otherwise
from ldptui.core.law.pure import Items, LocalMechanism, Reports, Rng

from .arguments import LARGEST, file_path, local, reports_of, whole
from .arrow import BATCH, Write, arrow_cells, arrow_writer
from .layout import MARK, Column, layout, nobody, parts_of

Format = Literal["csv", "jsonl", "parquet", "arrow"]
FORMATS: Final[dict[str, Format]] = {
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".parquet": "parquet",
    ".arrow": "arrow",
}
"""The formats by the ends of the names of files."""


def format_of(path: Path, asked: str | None = None) -> Format:
    """The format of a file by the end of its name; raises ScenarioError."""
    if path.suffix not in FORMATS:
        rule = f"must end in {', '.join(FORMATS)}, {got(path.name)}"
        raise ScenarioError(rule, key=asked or "reports")
    return FORMATS[path.suffix]


# Writing.


def write_reports(
    path: str | Path,
    batches: Iterable[Reports],
    protocol: LocalMechanism,
    *,
    for_tests: int | None = None,
) -> int:
    """Write reports, batch by batch, to a file that appears whole or not at all; their number.

    path : ends in .csv, .jsonl, .parquet or .arrow. batches : as `protocol.perturb` makes them; the
    first axis is users. for_tests : the seed of reports that nobody sends, which the column
    `for_tests` then says. Raises FileError, and ScenarioError, also for SHE's reports in doubles.

    >>> import tempfile
    >>> from ldptui import protocol
    >>> grr = protocol("grr", items=4, epsilon=1.0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "reports.csv"
    ...     count = write_reports(path, [grr.perturb([0, 3])], grr)
    ...     count, sum(len(batch) for batch in read_reports(path, grr))
    (2, 2)
    """
    path, columns, count = file_path(path), layout(local(protocol)), 0
    seed = None if for_tests is None else whole(for_tests, "for_tests")
    if not isinstance(batches, Iterable) or isinstance(batches, np.ndarray):
        raise ScenarioError(f"must be batches of reports, {got(batches)}", key="batches")
    kind = format_of(path)
    with whole_file(path) as file, WRITERS[kind](path, file, columns, seed) as write:
        for batch in batches:
            reports = reports_of(batch, protocol)
            check_sent(protocol, reports)
            count += len(reports)
            write(reports)
    return count


def sent(protocol: LocalMechanism, values: Items, rng: Rng) -> Reports:
    """Honest reports as real users send them. rng : a secure generator, or one of tests."""
    perturb = protocol.sent if sends_otherwise(protocol) else protocol.perturb
    return perturb(values, rng)


def check_sent(protocol: LocalMechanism, reports: Reports) -> None:
    """Refuse reports that no real user should send; raises ScenarioError."""
    if sends_otherwise(protocol):
        protocol.check_sent(reports)


@contextmanager
def _csv_writer(
    _: Path, file: BinaryIO, columns: Sequence[Column], seed: int | None
) -> Iterator[Write]:
    names, cells = [column.name for column in columns], ["%s"] * len(columns)
    if seed is not None:
        names, cells = [*names, MARK], [*cells, str(seed)]
    file.write((",".join(names) + "\n").encode())
    yield _text_writer(file, columns, ",".join(cells))


@contextmanager
def _json_writer(
    _: Path, file: BinaryIO, columns: Sequence[Column], seed: int | None
) -> Iterator[Write]:
    cells = {"number": "%s", "bytes": '"%s"', "numbers": "[%s]"}
    parts = [f'"{column.name}": {cells[column.holds]}' for column in columns]
    parts += [] if seed is None else [f'"{MARK}": {seed}']
    yield _text_writer(file, columns, f"{{{', '.join(parts)}}}", between=", ")


def _text_writer(file: BinaryIO, columns: Sequence[Column], row: str, between: str = " ") -> Write:
    """Writes rows as lines. row : with %s for each cell. between : the numbers of a cell."""

    def write(batch: Reports) -> None:
        if len(batch):
            cells = [column.cells(part, between) for column, part in parts_of(columns, batch)]
            lines = map(f"{row}\n".__mod__, zip(*cells, strict=True))
            file.write("".join(lines).encode())

    return write


WRITERS: Final[dict[Format, Callable[..., AbstractContextManager[Write]]]] = {
    "csv": _csv_writer,
    "jsonl": _json_writer,
    "parquet": partial(arrow_writer, "parquet"),
    "arrow": partial(arrow_writer, "arrow"),
}


# Reading.


def read_reports(path: str | Path, protocol: LocalMechanism) -> Iterator[Reports]:
    """The reports of a file, a batch at a time, each checked.

    path : ends in .csv or .jsonl (both also packed, .gz), .parquet or .arrow. Raises FileError
    where it cannot be read, ScenarioError with the line of the first report that the protocol does
    not send.

    >>> import tempfile
    >>> from ldptui import protocol
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "reports.jsonl"
    ...     _ = path.write_text('{"report": 3}\\n{"report": 0}\\n')
    ...     [batch.tolist() for batch in read_reports(path, protocol("grr", 4, epsilon=1.0))]
    [[3, 0]]
    """
    path = file_path(path)
    columns = layout(local(protocol))
    inner = path.with_suffix("") if path.suffix == ".gz" else path
    kind = format_of(inner)
    if kind == "csv":
        yield from _csv_reports(path, columns, protocol)
        return
    cells = _json_cells(path, columns) if kind == "jsonl" else arrow_cells(path, columns)
    for batch in cells:
        yield _checked(path, batch, columns, protocol)


def _csv_reports(
    path: Path, columns: Sequence[Column], protocol: LocalMechanism
) -> Iterator[Reports]:
    def quick(cells: NDArray[Any]) -> Reports | None:
        fields = cells.dtype.names or ()
        try:
            parts = [
                column.parsed(cells[field]) for column, field in zip(columns, fields, strict=True)
            ]
            return _reports(columns, parts, protocol)
        except ValueError:
            return None

    def exact(batch: Batch) -> Reports:
        return _checked(path, batch, columns, protocol)

    wanted = Columns(path, [column.name for column in columns], "reports", BATCH)
    yield from wanted.read(exact, quick, [column.quick for column in columns])


def _json_cells(path: Path, columns: Sequence[Column]) -> Iterator[Batch]:
    names = [column.name for column in columns]
    first = 1
    with text_file(path, "JSON lines") as file:
        for block in line_blocks(file, BATCH):
            rows = _json_rows(path, first, block, names)
            lines = range(first, first + len(block))
            yield Batch(lines, [[row[name] for row in rows] for name in names])
            first += len(block)


def _json_rows(path: Path, first: int, block: list[str], names: list[str]) -> list[Any]:
    """The objects of lines; raises ScenarioError with the first line that is none."""
    with suppress(ValueError, RecursionError):  # all at once, a third of the time
        rows = json.loads(f"[{','.join(block)}]")
        if len(rows) == len(block) and all(map(partial(_has, names), rows)):
            return rows  # type: ignore[no-any-return]
    rows = []
    for at, line in enumerate(block):
        try:
            rows.append(json.loads(line))
        except (ValueError, RecursionError):
            rows.append(None)
        if not _has(names, rows[-1]):
            rule = f"must be an object with {' and '.join(names)}, {got(line.strip())}"
            raise ScenarioError(f"{path} line {first + at} {rule}")
    return rows


def _has(names: list[str], row: object) -> bool:
    return isinstance(row, dict) and all(name in row for name in names)


def _checked(
    path: Path, batch: Batch, columns: Sequence[Column], protocol: LocalMechanism
) -> Reports:
    """The reports of a batch; raises ScenarioError with the first line that is wrong."""
    try:
        parts = [column.read(cells) for column, cells in zip(columns, batch.cells, strict=True)]
        return _reports(columns, parts, protocol)
    except (ValueError, TypeError, OverflowError):
        for line, row in zip(batch.lines, zip(*batch.cells, strict=True), strict=True):
            _check_row(spot(path, line), columns, row, protocol)
        raise


def _check_row(
    where: str, columns: Sequence[Column], row: Sequence[Any], protocol: LocalMechanism
) -> None:
    parts = []
    for column, cell in zip(columns, row, strict=True):
        try:
            parts.append(column.read([cell]))
        except (ValueError, TypeError, OverflowError):
            wanted = {
                "number": "a whole number, at least 0",
                "bytes": f"{2 * column.size} hexadecimal digits",
                "numbers": f"{column.size} numbers of at most {LARGEST:g}",
            }[column.holds]
            shown = f"{column.name} must be {wanted}, {got(cell)}"
            raise ScenarioError(f"{where}: {shown}") from None
    try:
        _reports(columns, parts, protocol)
    except ValueError as error:
        raise ScenarioError(f"{where}: the report {error}") from None


def _reports(
    columns: Sequence[Column], parts: Sequence[Reports], protocol: LocalMechanism
) -> Reports:
    """Reports from their parts; raises ValueError for what the protocol does not send."""
    nothing = nobody(protocol)
    made = np.empty((len(parts[0]), *nothing.shape[1:]), dtype=nothing.dtype)
    for column, part in zip(columns, parts, strict=True):
        (made if made.dtype.names is None else made[column.name])[...] = part
    protocol.received(made, len(made))  # a check: the law of SHE's reports is not clipped
    return made
