"""Files of reports: CSV, JSON lines and Parquet, a row a user; see docs/reports.md.

In JSON lines a row is an object of the columns of `layout`; Parquet has binary columns.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ldptui.core.base.errors import FileError, RunError, ScenarioError, got
from ldptui.core.base.files import whole_file
from ldptui.core.base.tables import Batch, Columns, place_of, spot
from ldptui.core.law.pure import LocalMechanism, Reports

from .layout import Column, layout, nobody

BATCH: Final = 1 << 16
"""Reports that are handled at once."""

Format = Literal["csv", "jsonl", "parquet"]
FORMATS: Final[dict[str, Format]] = {".csv": "csv", ".jsonl": "jsonl", ".parquet": "parquet"}
"""The formats by the ends of the names of files."""


def format_of(path: Path, asked: str | None = None) -> Format:
    """The format of a file by the end of its name; raises ScenarioError."""
    if path.suffix not in FORMATS:
        rule = f"must end in {', '.join(FORMATS)}, {got(path.name)}"
        raise ScenarioError(rule, key=asked or "reports")
    return FORMATS[path.suffix]


# Writing.


def write_reports(path: str | Path, batches: Iterable[Reports], protocol: LocalMechanism) -> int:
    """Write reports, batch by batch, to a file that appears whole or not at all; their number.

    path : ends in .csv, .jsonl or .parquet. batches : as `protocol.perturb` makes them; the first
    axis is users. Raises ScenarioError, FileError, RunError.

    >>> import tempfile
    >>> from ldptui import protocol
    >>> grr, rng = protocol("grr", items=4, epsilon=1.0), np.random.default_rng(0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "reports.csv"
    ...     count = write_reports(path, [grr.perturb([0, 3], rng)], grr)
    ...     count, sum(len(batch) for batch in read_reports(path, grr))
    (2, 2)
    """
    path = Path(path)
    columns, kind, count = layout(protocol), format_of(path), 0
    with whole_file(path) as file:
        write = WRITERS[kind](file, columns)
        for batch in batches:
            count += len(batch)
            write(batch)
        write(None)
    return count


def _parts(columns: Sequence[Column], batch: Reports) -> Iterator[tuple[Column, Reports]]:
    """Each column, and the part of the reports that it holds."""
    for column in columns:
        yield column, batch if batch.dtype.names is None else batch[column.name]


Write: TypeAlias = Callable[[Reports | None], None]
"""Writes a batch; None at the end."""


def _csv_writer(file: BinaryIO, columns: Sequence[Column]) -> Write:
    file.write((",".join(column.name for column in columns) + "\n").encode())
    return _text_writer(file, columns, ",".join(["%s"] * len(columns)))


def _json_writer(file: BinaryIO, columns: Sequence[Column]) -> Write:
    cells = {"number": "%s", "bytes": '"%s"', "numbers": "[%s]"}
    parts = (f'"{column.name}": {cells[column.holds]}' for column in columns)
    return _text_writer(file, columns, f"{{{', '.join(parts)}}}", between=", ")


def _text_writer(file: BinaryIO, columns: Sequence[Column], row: str, between: str = " ") -> Write:
    """Writes rows as lines. row : with %s for each cell. between : the numbers of a cell."""

    def write(batch: Reports | None) -> None:
        if batch is not None and len(batch):
            cells = [column.cells(part, between) for column, part in _parts(columns, batch)]
            lines = map(f"{row}\n".__mod__, zip(*cells, strict=True))
            file.write("".join(lines).encode())

    return write


def _pyarrow(path: object = "") -> tuple[Any, Any]:
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise RunError(
            f"Parquet needs pyarrow (pip install 'ldptui[parquet]') {path}".rstrip()
        ) from None


def _parquet_writer(file: BinaryIO, columns: Sequence[Column]) -> Write:
    pyarrow, parquet = _pyarrow()
    types = {
        "number": lambda column: pyarrow.from_numpy_dtype(column.dtype),
        "bytes": lambda column: pyarrow.binary(column.size),
        "numbers": lambda column: pyarrow.list_(pyarrow.from_numpy_dtype(column.dtype)),
    }
    schema = pyarrow.schema([(column.name, types[column.holds](column)) for column in columns])
    writer = parquet.ParquetWriter(file, schema)

    def write(batch: Reports | None) -> None:
        if batch is None:
            writer.close()
            return
        arrays = []
        for column, part in _parts(columns, batch):
            values = part.tolist() if column.holds == "number" else _rows(column, part)
            arrays.append(pyarrow.array(values, types[column.holds](column)))
        writer.write_table(pyarrow.Table.from_arrays(arrays, schema=schema))

    return write


def _rows(column: Column, part: Reports) -> list[Any]:
    flat = np.ascontiguousarray(part).reshape(-1, column.size)
    return [row.tobytes() for row in flat] if column.holds == "bytes" else flat.tolist()


WRITERS: Final = {"csv": _csv_writer, "jsonl": _json_writer, "parquet": _parquet_writer}


# Reading.


def read_reports(path: str | Path, protocol: LocalMechanism) -> Iterator[Reports]:
    """The reports of a file, a batch at a time, each checked.

    path : ends in .csv (also .csv.gz), .jsonl or .parquet. Raises FileError where it cannot be
    read, ScenarioError with the line of the first report that the protocol does not send.

    >>> import tempfile
    >>> from ldptui import protocol
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "reports.jsonl"
    ...     _ = path.write_text('{"report": 3}\\n{"report": 0}\\n')
    ...     [batch.tolist() for batch in read_reports(path, protocol("grr", 4, epsilon=1.0))]
    [[3, 0]]
    """
    path = Path(path)
    columns = layout(protocol)
    inner = path.with_suffix("") if path.suffix == ".gz" else path
    kind = format_of(inner)
    if kind == "csv":
        yield from _csv_reports(path, columns, protocol)
        return
    batches = {"jsonl": _json_cells, "parquet": _parquet_cells}[kind](path, columns)
    for batch in batches:
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
    try:
        with path.open(encoding="utf-8") as file:
            first = 1
            while block := list(islice(file, BATCH)):
                rows = _json_rows(path, first, block, names)
                lines = range(first, first + len(block))
                yield Batch(lines, [[row[name] for row in rows] for name in names])
                first += len(block)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise FileError(f"{path} cannot be read: {reason}") from error


def _json_rows(path: Path, first: int, block: list[str], names: list[str]) -> list[Any]:
    """The objects of lines; raises ScenarioError with the first line that is none."""
    with suppress(ValueError):  # all at once, a third of the time
        rows = json.loads(f"[{','.join(block)}]")
        if len(rows) == len(block) and all(map(partial(_has, names), rows)):
            return rows  # type: ignore[no-any-return]
    rows = []
    for at, line in enumerate(block):
        try:
            rows.append(json.loads(line))
        except ValueError:
            rows.append(None)
        if not _has(names, rows[-1]):
            rule = f"must be an object with {' and '.join(names)}, {got(line.strip())}"
            raise ScenarioError(f"{path} line {first + at} {rule}")
    return rows


def _has(names: list[str], row: object) -> bool:
    return isinstance(row, dict) and all(name in row for name in names)


def _parquet_cells(path: Path, columns: Sequence[Column]) -> Iterator[Batch]:
    pyarrow, parquet = _pyarrow()
    try:
        file = parquet.ParquetFile(path)
        names = file.schema_arrow.names
        for column in columns:
            place_of(column.name, names, path, "reports")
        first = 1
        for batch in file.iter_batches(BATCH, columns=[column.name for column in columns]):
            lines = range(first, first + batch.num_rows)
            yield Batch(lines, [batch.column(column.name).to_pylist() for column in columns])
            first += batch.num_rows
    except (OSError, pyarrow.ArrowException) as error:
        raise FileError(f"{path} cannot be read: {error}") from error


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
                "numbers": f"{column.size} numbers",
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
