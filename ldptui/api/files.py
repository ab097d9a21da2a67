"""Files of reports: CSV, JSON lines and Parquet, a row a user; see docs/reports.md.

A report is a row of one column, `report`, or of a column for each field of a structured report, as
`seed` and `value`. A whole number is written as one, bytes as hexadecimal digits, and several
numbers with blanks between them. In JSON lines a row is an object; Parquet has binary columns.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import islice
from math import prod
from operator import itemgetter
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal

import numpy as np

from core.columns import csv_rows, place_of
from core.errors import FileError, RunError, ScenarioError, got
from core.files import whole_file
from core.pure import LocalMechanism, Reports

BATCH: Final = 1 << 16
"""Reports that are handled at once."""

Format = Literal["csv", "jsonl", "parquet"]
FORMATS: Final[dict[str, Format]] = {".csv": "csv", ".jsonl": "jsonl", ".parquet": "parquet"}
"""The formats by the ends of the names of files."""


@dataclass(frozen=True)
class Column:
    """One column of a file of reports.

    holds : one whole number, bytes, or several numbers. dtype, shape : those of a report's part.
    """

    name: str
    holds: Literal["number", "bytes", "numbers"]
    dtype: np.dtype[Any]
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        return prod(self.shape)

    def cells(self, part: Reports) -> list[Any]:
        """The cells of CSV: [n] numbers, or texts."""
        if self.holds == "number":
            return part.tolist()  # type: ignore[no-any-return]
        if self.holds == "numbers":
            return [" ".join(map(repr, row)) for row in part.reshape(-1, self.size).tolist()]
        written = np.ascontiguousarray(part).tobytes().hex("\n", self.size)
        return written.split("\n") if len(part) else []

    def read(self, cells: Sequence[Any]) -> Reports:
        """The part of reports that cells hold; raises ValueError."""
        if self.holds == "number":
            if not {*map(type, cells)} <= {int, str}:
                raise ValueError("must be a whole number")
            numbers = np.array(list(map(int, cells)), dtype=np.int64)
            most = np.iinfo(self.dtype).max
            if numbers.size and (numbers.min() < 0 or numbers.max() > most):
                raise ValueError(f"must be a whole number in [0, {most}]")
            return numbers.astype(self.dtype)
        if self.holds == "numbers":
            rows = [cell.split() if isinstance(cell, str) else cell for cell in cells]
            if any(len(row) != self.size for row in rows):
                raise ValueError(f"must be {self.size} numbers")
            return np.array(rows, dtype=self.dtype).reshape(-1, *self.shape)
        whole = [cell if isinstance(cell, bytes) else bytes.fromhex(cell) for cell in cells]
        if any(len(each) != self.size for each in whole):
            raise ValueError(f"must be {self.size} bytes, {2 * self.size} hexadecimal digits")
        return np.frombuffer(b"".join(whole), dtype=np.uint8).reshape(-1, *self.shape)


def layout(protocol: LocalMechanism) -> tuple[Column, ...]:
    """The columns of a protocol's reports."""
    nothing = nobody(protocol)
    if nothing.dtype.names is None:
        return (_column("report", nothing.dtype, nothing.shape[1:]),)
    parts = ((name, nothing[name]) for name in nothing.dtype.names)
    return tuple(_column(name, part.dtype, part.shape[1:]) for name, part in parts)


def nobody(protocol: LocalMechanism) -> Reports:
    """The reports of nobody: an array of the type and shape that reports have."""
    return protocol.perturb(np.empty(0, dtype=np.int64), np.random.default_rng(0))


def _column(name: str, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Column:
    if not shape:
        return Column(name, "number", dtype, shape)
    return Column(name, "bytes" if dtype == np.uint8 else "numbers", dtype, shape)


def format_of(path: Path, asked: str | None = None) -> Format:
    """The format of a file by the end of its name; raises ScenarioError."""
    if path.suffix not in FORMATS:
        rule = f"must end in {', '.join(FORMATS)}, {got(path.name)}"
        raise ScenarioError(rule, key=asked or "reports")
    return FORMATS[path.suffix]


# Writing.


def write_reports(path: str | Path, batches: Iterable[Reports], protocol: LocalMechanism) -> int:
    """Write reports, batch by batch, to a file that appears whole or not at all; their number.

    path : ends in .csv, .jsonl or .parquet. Raises ScenarioError, FileError, RunError.

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
        write = _parquet_writer(file, columns) if kind == "parquet" else _text_writer(file, columns)
        if kind == "csv":
            file.write((",".join(column.name for column in columns) + "\n").encode())
        for batch in batches:
            count += len(batch)
            write(_lines(kind, columns, batch) if kind != "parquet" else batch)
        write(None)
    return count


def _parts(columns: Sequence[Column], batch: Reports) -> Iterator[Reports]:
    return (batch if batch.dtype.names is None else batch[column.name] for column in columns)


def _lines(kind: Format, columns: Sequence[Column], batch: Reports) -> str:
    cells = [
        column.cells(part) for column, part in zip(columns, _parts(columns, batch), strict=True)
    ]
    if kind == "csv":
        return "".join(f"{','.join(map(str, row))}\n" for row in zip(*cells, strict=True))
    names = [column.name for column in columns]
    for at, column in enumerate(columns):
        if column.holds == "numbers":
            cells[at] = [[float(number) for number in cell.split()] for cell in cells[at]]
    rows = (dict(zip(names, row, strict=True)) for row in zip(*cells, strict=True))
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def _text_writer(file: BinaryIO, columns: Sequence[Column]) -> Callable[[Any], None]:  # noqa: ARG001
    def write(lines: str | None) -> None:
        file.write((lines or "").encode())

    return write


def _pyarrow(path: object = "") -> tuple[Any, Any]:
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise RunError(
            f"Parquet needs pyarrow (pip install 'ldptui[parquet]') {path}".rstrip()
        ) from None


def _parquet_writer(file: BinaryIO, columns: Sequence[Column]) -> Callable[[Any], None]:
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
        for column, part in zip(columns, _parts(columns, batch), strict=True):
            values = part.tolist() if column.holds == "number" else _rows(column, part)
            arrays.append(pyarrow.array(values, types[column.holds](column)))
        writer.write_table(pyarrow.Table.from_arrays(arrays, schema=schema))

    return write


def _rows(column: Column, part: Reports) -> list[Any]:
    flat = np.ascontiguousarray(part).reshape(-1, column.size)
    return [row.tobytes() for row in flat] if column.holds == "bytes" else flat.tolist()


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
    batches = {"csv": _csv_cells, "jsonl": _json_cells, "parquet": _parquet_cells}[kind](
        path, columns
    )
    for first, cells in batches:
        yield _checked(path, first, columns, cells, protocol)


Cells = tuple[int | Sequence[int], list[Sequence[Any]]]
"""The number of the first line, or that of each, and the cells of each column."""


def _csv_cells(path: Path, columns: Sequence[Column]) -> Iterator[Cells]:
    for lines, rows in csv_batches(path, [column.name for column in columns], "reports"):
        yield lines, [list(cells) for cells in zip(*rows, strict=True)]


def csv_batches(
    path: Path, names: Sequence[str], key: str
) -> Iterator[tuple[int | Sequence[int], list[tuple[str, ...]]]]:
    """The rows of some columns of a CSV file, a batch at a time, and their lines.

    The lines are the number of the first one, where no row is empty, or that of each. key : what a
    message about a column is about. Raises FileError, ScenarioError.
    """
    with csv_rows(path) as rows:
        header = next(rows, [])
        pick = _picker([place_of(name, header, path, key) for name in names])
        first = rows.line_num + 1
        while block := list(islice(rows, BATCH)):
            numbers = [first + at for at, row in enumerate(block) if row]
            whole = len(numbers) == len(block) == rows.line_num + 1 - first
            kept = block if whole else list(filter(None, block))
            try:
                picked = list(map(pick, kept))
            except IndexError:
                at = next(at for at, row in enumerate(kept) if len(row) < len(header))
                rule = f"has {len(kept[at])} cells, its header has {len(header)}"
                raise ScenarioError(f"{path} line {numbers[at]} {rule}") from None
            first = rows.line_num + 1
            yield numbers[0] if whole else numbers, picked


def _picker(places: Sequence[int]) -> Callable[[list[str]], tuple[str, ...]]:
    if len(places) > 1:
        return itemgetter(*places)
    (place,) = places
    return lambda row: (row[place],)


def _json_cells(path: Path, columns: Sequence[Column]) -> Iterator[Cells]:
    try:
        with path.open(encoding="utf-8") as file:
            first = 1
            while block := list(islice(file, BATCH)):
                rows = []
                for at, line in enumerate(block):
                    try:
                        row = json.loads(line)
                        rows.append([row[column.name] for column in columns])
                    except (ValueError, KeyError, TypeError):
                        names = " and ".join(column.name for column in columns)
                        rule = f"must be an object with {names}, {got(line.strip())}"
                        raise ScenarioError(f"{path} line {first + at} {rule}") from None
                yield first, [list(cells) for cells in zip(*rows, strict=True)]
                first += len(block)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise FileError(f"{path} cannot be read: {reason}") from error


def _parquet_cells(path: Path, columns: Sequence[Column]) -> Iterator[Cells]:
    pyarrow, parquet = _pyarrow()
    try:
        file = parquet.ParquetFile(path)
        names = file.schema_arrow.names
        for column in columns:
            place_of(column.name, names, path, "reports")
        first = 1
        for batch in file.iter_batches(BATCH, columns=[column.name for column in columns]):
            yield first, [batch.column(column.name).to_pylist() for column in columns]
            first += batch.num_rows
    except (OSError, pyarrow.ArrowException) as error:
        raise FileError(f"{path} cannot be read: {error}") from error


def _checked(
    path: Path,
    first: int | Sequence[int],
    columns: Sequence[Column],
    cells: list[Sequence[Any]],
    protocol: LocalMechanism,
) -> Reports:
    """The reports of a batch; raises ScenarioError with the first line that is wrong."""
    try:
        return _reports(columns, cells, protocol)
    except (ValueError, TypeError, OverflowError):
        for at, row in enumerate(zip(*cells, strict=True)):
            line = first + at if isinstance(first, int) else first[at]
            _check_row(f"{path} line {line}", columns, row, protocol)
        raise


def _check_row(
    where: str, columns: Sequence[Column], row: Sequence[Any], protocol: LocalMechanism
) -> None:
    for column, cell in zip(columns, row, strict=True):
        try:
            column.read([cell])
        except (ValueError, TypeError, OverflowError):
            wanted = {
                "number": "a whole number, at least 0",
                "bytes": f"{2 * column.size} hexadecimal digits",
                "numbers": f"{column.size} numbers",
            }[column.holds]
            shown = f"{column.name} must be {wanted}, {got(cell)}"
            raise ScenarioError(f"{where}: {shown}") from None
    try:
        _reports(columns, [[cell] for cell in row], protocol)
    except ValueError as error:
        raise ScenarioError(f"{where}: the report {error}") from None


def _reports(
    columns: Sequence[Column], cells: list[Sequence[Any]], protocol: LocalMechanism
) -> Reports:
    parts = [column.read(cell) for column, cell in zip(columns, cells, strict=True)]
    made = np.empty((len(parts[0]), *nobody(protocol).shape[1:]), dtype=nobody(protocol).dtype)
    for column, part in zip(columns, parts, strict=True):
        (made if made.dtype.names is None else made[column.name])[...] = part
    protocol.received(made, len(made))  # a check: the law of SHE's reports is not clipped
    return made
