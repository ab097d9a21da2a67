"""Rows of a table in a file: CSV, compressed by gzip or not, Parquet or Arrow."""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import warnings
import zlib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol, TextIO, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from .errors import (
    ContentError,
    FileError,
    ScenarioError,
    got,
    reason_of,
    shorten_name,
    suggest,
)
from .files import Source, StdinFile, check_file
from .frames import FRAMES, ROWS, Batches, as_texts, frame_file

T = TypeVar("T")
Array: TypeAlias = NDArray[Any]

LINE: Final = 1 << 24
"""The bytes of a line, and the characters of a cell, at most."""

CHUNK: Final = 1 << 16
"""Bytes that are read from a file at once."""

ROWED: Final = (*FRAMES, ".json", ".npy", ".npz")
"""The ends of the names of files that have rows, but no lines."""

BLOCK: Final = 1 << 20
"""Characters that are read at once, but for the end of a line."""


class RowReader(Protocol):
    """The rows of a table, its header first, each a list of texts; "" for a missing value."""

    @property
    def line_num(self) -> int:
        """The number of the line that was read last; without lines, of the row below the header."""
        ...

    def __iter__(self) -> Iterator[list[str]]: ...

    def __next__(self) -> list[str]: ...


def spot(path: Source | str, line: int) -> str:
    """The place of a row in a message: "data.csv line 3", "data.parquet row 2"."""
    end = path.suffix if isinstance(path, StdinFile) else _end_of(path)
    return f"{path} {'row' if end in ROWED else 'line'} {line}"


def _end_of(path: Path | str) -> str:
    """The end of a file's name in small letters, but for .gz."""
    return Path(str(path).lower().removesuffix(".gz")).suffix


@contextmanager
def table_rows(path: Source) -> Iterator[RowReader]:
    """A context manager of a reader of a table's rows, the header first; raises FileError."""
    if path.suffix.lower() in FRAMES:
        with frame_file(path) as (schema, batches):
            yield _FrameRows(path, schema.names, batches)
        return
    with text_file(path) as file:
        header = file.readline()
        yield _CsvRows(csv.reader(itertools.chain([header], file), delimiter=_delimiter(header)))


class _CsvRows:
    """The rows of a CSV file. A blank line is no row, but where a column stands alone: there it is
    a missing value, unless nothing follows it."""

    def __init__(self, reader: Any) -> None:
        self.line_num = 0
        self._rows = self._number_lines(reader)

    def _number_lines(self, reader: Any) -> Iterator[tuple[int, list[str]]]:
        alone, blank = False, 0
        for at, row in enumerate(reader):
            if not at:
                alone = len(row) == 1
            elif not row:
                blank += alone
                continue
            for missing in range(blank):
                yield reader.line_num - blank + missing, [""]
            blank = 0
            yield reader.line_num, row

    def __iter__(self) -> Iterator[list[str]]:
        return self

    def __next__(self) -> list[str]:
        self.line_num, row = next(self._rows)
        return row


@contextmanager
def text_file(path: Source, kind: str = "CSV", longest: int | None = None) -> Iterator[TextIO]:
    """A context manager of a text file, uncompressed if its name ends in .gz.

    kind : of the text, for messages. longest : the largest number of bytes of a line, LINE if None;
    a longer line is refused before it is in memory. Raises ContentError for invalid bytes,
    FileError if the file cannot be opened.
    """
    csv.field_size_limit(LINE)
    try:
        check_file(path)
        with ExitStack() as opened:
            raw: Any = opened.enter_context(path.open("rb"))
            if path.suffix.lower() == ".gz":
                raw = opened.enter_context(gzip.open(raw, "rb"))
            limited = _LimitedLines(raw, path, longest or LINE)
            yield io.TextIOWrapper(cast("Any", limited), encoding="utf-8-sig", newline="")
    except UnicodeDecodeError as error:
        utf16 = error.object[:2] in (BOM_UTF16_LE, BOM_UTF16_BE)
        line = limited.lines - error.object.count(b"\n", error.start) + 1
        where, what = (path, ": it is UTF-16") if utf16 else (f"{path} line {line}", "")
        raise ContentError(f"{where} is not UTF-8 text{what}: save it as UTF-8") from error
    except (csv.Error, EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ContentError(f"{path} is not {kind}: {error}") from error
    except (FileError, ScenarioError):
        raise
    except (OSError, ValueError) as error:
        raise FileError(f"{path} cannot be read: {reason_of(error)}") from error


class _LimitedLines(io.BufferedIOBase):
    """The bytes of a file, refused where a line goes on and on: a packed one takes no room.

    lines : the number of ends of lines that were read.
    """

    def __init__(self, raw: Any, path: Source, longest: int) -> None:
        self._raw, self._path, self._longest = raw, path, longest
        self._open = self.lines = 0

    def readable(self) -> bool:
        return True

    def read1(self, size: int = -1, /) -> bytes:
        data: bytes = self._raw.read1(max(size, CHUNK))
        if b"\0" in data and not data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
            raise ContentError(f"{self._path} is not text: is it a table?")
        end = max(data.rfind(b"\n"), data.rfind(b"\r"))
        self.lines += data.count(b"\n")
        self._open = self._open + len(data) if end < 0 else len(data) - end - 1
        if self._open > self._longest:
            most = f"{self._longest >> 20} MiB"
            raise ContentError(f"{self._path} must have lines of at most {most}")
        return data

    def read(self, size: int | None = -1, /) -> bytes:
        return b"".join(iter(self.read1, b"")) if size in (None, -1) else self.read1(size or 0)


def line_blocks(file: TextIO, most: int) -> Iterator[list[str]]:
    """Yields lists of at most `most` lines of a file, and of fewer if lines are long."""
    while lines := file.readlines(BLOCK):
        for at in range(0, len(lines), most):
            yield lines[at : at + most]


def _without_end(blocks: Iterator[list[str]]) -> Iterator[list[str]]:
    """The blocks of lines, but for blank lines that nothing follows."""
    blank: list[str] = []
    for lines in blocks:
        full = len(lines)
        while full and not lines[full - 1].strip("\r\n"):
            full -= 1
        if not full:
            blank += lines
            continue
        yield blank + lines[:full]
        blank = lines[full:]


def _delimiter(header: str) -> str:
    """The character that separates the cells of a header: a comma, else ; or a tab."""
    return next((mark for mark in (",", ";", "\t") if mark in header), ",")


class _FrameRows:
    """The rows of a file of Parquet or Arrow as texts."""

    def __init__(self, path: Source, names: Sequence[str], batches: Batches) -> None:
        self.line_num = -1
        self._rows = itertools.chain([list(names)], self._texts(path, names, batches))

    def _texts(self, path: Source, names: Sequence[str], batches: Batches) -> Iterator[list[str]]:
        for batch in batches([names[place_of(name, names, path)] for name in names], ROWS):
            columns = [as_texts(batch.column(name), name, path) for name in names]
            yield from map(list, zip(*columns, strict=True))

    def __iter__(self) -> Iterator[list[str]]:
        return self

    def __next__(self) -> list[str]:
        row = next(self._rows)
        self.line_num += 1
        return row


def whole_number(text: str) -> int | None:
    """The integer that a text of digits means; None for other texts and from 10^19 on.

    A final .0 is allowed: pandas writes a column of integers so if it had a missing value.
    """
    digits, point, zeros = text.partition(".")
    whole = digits.isdecimal() and len(digits) <= 19 and (not point or zeros in ("0", "00"))
    return int(digits) if whole else None


def place_of(name: str, header: Sequence[str], path: Source | str, key: str = "column") -> int:
    """The index of the column named `name`.

    A table with one column needs no name. Raises ScenarioError, at `key`, if there is no such
    column, or more than one.
    """
    if not name and len(header) == 1:
        return 0
    if name not in header:
        names = [shorten_name(each) for each in header]
        known = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
        rule = f"must be a column of {path} ({known or 'which is empty'}), {got(name)}"
        rule += suggest(name, names)
        if key == "reports":  # the protocol names its columns, and nobody has typed them
            there = f"has {known}" if known else "is empty"
            rule = f"must have the column {name!r} of the protocol, and {path} {there}"
        raise ScenarioError(rule, key=key)
    if header.count(name) > 1:
        times = header.count(name)
        raise ScenarioError(
            f"must be one column of {path}, {shorten_name(name)!r} heads {times}", key=key
        )
    return header.index(name)


def refuse_more(row: Sequence[str], width: int, where: str, what: str) -> None:
    """Raise ScenarioError for a row with more cells than the header, such as 1,234 without quotes.

    width : the number of cells of the header. where : the row, for the message. what : the error's
    key.
    """
    if len(row) > width and any(row[width:]):
        rule = f"must have at most as many cells in a row as in its header, {width}"
        raise ScenarioError(f"{rule}, got {len(row)} in {where}", key=what)


# Some columns, a batch of rows at a time.


@dataclass(frozen=True)
class Batch:
    """Some rows of some columns.

    lines : the line number of each row. cells : the texts of each column.
    """

    lines: Sequence[int]
    cells: Sequence[Sequence[Any]]


@dataclass(frozen=True)
class Columns:
    """Some columns of a table file, read in batches.

    key : the key that messages about a column name. rows : the number of rows in a batch. keys :
    other keys for single columns, by their names.
    """

    path: Source
    names: Sequence[str]
    key: str
    rows: int = ROWS
    keys: Mapping[str, str] = field(default_factory=dict)

    def read(
        self,
        exact: Callable[[Batch], T],
        quick: Callable[[Array], T | None] | None = None,
        types: Sequence[str] = (),
    ) -> Iterator[T]:
        """Yields a value for each batch of rows, made from the cells as texts or as arrays.

        exact : makes the value from a Batch, and raises ScenarioError for an invalid cell. quick :
        makes it from a structured array of the columns, if each row is a line that fits the
        `types`, NumPy's type of each column; if it returns None, or is None, `exact` makes the
        value. Raises FileError, ScenarioError.
        """
        if self.path.suffix.lower() in FRAMES:
            with frame_file(self.path) as (schema, batches):
                self._places(schema.names)
                rows: RowReader = _FrameRows(self.path, self.names, batches)
                yield from map(exact, self._batches(rows, next(rows), 0))
            return
        with text_file(self.path) as file:
            first = file.readline()
            mark = _delimiter(first)
            header, line = next(csv.reader([first], delimiter=mark), []), 1
            self._places(header)
            blocks = _without_end(line_blocks(file, self.rows))
            for lines in blocks:
                quoted = '"' in "".join(lines)
                made = None
                if quick is not None:
                    parsed = self._parse_columns(lines, header, mark, types, quoted)
                    made = None if parsed is None else quick(parsed)
                if made is not None:
                    yield made
                    line += len(lines)
                    continue
                # A quoted cell may go on in the next line.
                more = itertools.chain.from_iterable(blocks) if quoted else ()
                rows = csv.reader(itertools.chain(lines, more), delimiter=mark)
                yield from map(exact, self._batches(rows, header, line))
                line += len(lines)

    def _places(self, header: Sequence[str]) -> list[int]:
        return [
            place_of(name, header, self.path, self.keys.get(name, self.key)) for name in self.names
        ]

    def _parse_columns(
        self,
        lines: list[str],
        header: Sequence[str],
        mark: str,
        types: Sequence[str],
        quoted: bool,
    ) -> Array | None:
        """The columns of lines as a structured array; None where they do not fit."""
        if quoted and any(line.count('"') % 2 for line in lines):
            return None
        kinds = dict(zip(self._places(header), types, strict=True))
        fields = [(f"f{place}", kinds.get(place, "U1")) for place in range(len(header))]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                parsed = np.loadtxt(
                    lines,
                    fields,
                    delimiter=mark,
                    comments=None,
                    quotechar='"' if quoted else None,
                    ndmin=1,
                )
        except (ValueError, UserWarning):
            return None
        # A cell goes on in the next line, or a blank line is a missing value.
        if len(parsed) != len(lines) and (quoted or len(header) == 1):
            return None
        return parsed[[f"f{place}" for place in kinds]]

    def _batches(self, rows: RowReader, header: Sequence[str], before: int) -> Iterator[Batch]:
        """The cells of rows as texts. before : the number of the line before the first one."""
        places, width = self._places(header), len(header)
        missing = [[""]] if width == 1 else []
        numbered = (
            (before + rows.line_num, each) for row in rows for each in ([row] if row else missing)
        )
        for block in _row_blocks(numbered, self.rows):
            for line, row in block if {len(row) for _, row in block} != {width} else ():
                if len(row) <= max(places):
                    rule = f"has {len(row)} cells, its header has {width}"
                    raise ScenarioError(f"{spot(self.path, line)} {rule}")
                refuse_more(row, width, f"line {line}", str(self.path))
            lines, kept = zip(*block, strict=True)
            yield Batch(lines, [[row[place] for row in kept] for place in places])


def _row_blocks(
    rows: Iterator[tuple[int, list[str]]], most: int
) -> Iterator[list[tuple[int, list[str]]]]:
    """Lists of at most `most` rows, and of fewer where cells are long."""
    block, characters = [], 0
    for row in rows:
        block.append(row)
        characters += sum(map(len, row[1]))
        if len(block) == most or characters > BLOCK:
            yield block
            block, characters = [], 0
    if block:
        yield block
