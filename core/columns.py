"""Columns of a CSV file, their values numbered: read once, a million rows in seconds."""

from __future__ import annotations

import csv
import gzip
import itertools
import sys
import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO

import numpy as np
from numpy.typing import NDArray

from .errors import FileError, ScenarioError, got
from .sampling import Counts, Floats

if TYPE_CHECKING:
    from _csv import Reader

ROWS: Final = 1 << 16
"""The number of rows read at once."""


@dataclass(frozen=True, eq=False)
class Column:
    """One column of a table.

    codes : int64[n], the number of each row's value.
    values : the values, by their numbers; in the order of their first rows.
    """

    name: str
    codes: Counts
    values: tuple[str, ...]

    def numbers(self) -> Floats:
        """float64[n]: the values as numbers; raises ScenarioError where one is not a number."""
        parsed = np.empty(len(self.values))
        for at, value in enumerate(self.values):
            number = as_number(value)
            if number is None:
                raise ScenarioError(
                    f"must be numeric, but the column {self.name!r} holds {value[:40]!r}",
                    key="column",
                )
            parsed[at] = number
        return parsed[self.codes]


def as_number(value: str) -> float | None:
    """The finite number that a text spells, or None."""
    try:
        number = float(value)
    except ValueError:
        return None
    return number if np.isfinite(number) else None


def read_columns(path: Path, names: Sequence[str], most: int | None = None) -> list[Column]:
    """The named columns of a CSV file with a header.

    most : the largest number of different values in a column; None for no limit.

    Raises FileError where the file cannot be read, ScenarioError for a column that is not there or
    has too many values, for a row that is too short and for a table without rows.
    """
    with csv_rows(path) as rows:
        header = next(rows, [])
        places = [place_of(name, header, path) for name in names]
        return _read(rows, header, names, places, path, most)


@contextmanager
def csv_rows(path: Path) -> Iterator[Reader]:
    """The rows of a CSV file, its header first; raises FileError where it cannot be read."""
    csv.field_size_limit(sys.maxsize)
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise FileError(f"{path} must be a file, got a device or a pipe, which may have no end")
        with _opened(path) as file:
            header = file.readline()
            yield csv.reader(itertools.chain([header], file), delimiter=_delimiter(header))
    except UnicodeDecodeError as error:
        raise FileError(f"{path} is not UTF-8 text: {error.reason}") from error
    except (csv.Error, EOFError, zlib.error) as error:
        raise FileError(f"{path} is not CSV: {error}") from error
    except (FileError, ScenarioError):
        raise
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise FileError(f"{path} cannot be read: {reason}") from error


def _opened(path: Path) -> TextIO:
    """A text file, unpacked where its name ends in .gz."""
    if path.suffix == ".gz":
        return gzip.open(path, "rt", newline="", encoding="utf-8-sig")
    return path.open(newline="", encoding="utf-8-sig")


def _delimiter(header: str) -> str:
    """The character that separates the cells of a header: a comma, else ; or a tab."""
    return next((mark for mark in (",", ";", "\t") if mark in header), ",")


def place_of(name: str, header: list[str], path: Path | str, key: str = "column") -> int:
    """The position of a column; raises ScenarioError, about `key`, where there is none."""
    if name not in header:
        known = ", ".join(header[:12]) + (", …" if len(header) > 12 else "")
        raise ScenarioError(
            f"must be a column of {path} ({known or 'which is empty'}), {got(name)}", key=key
        )
    if header.count(name) > 1:
        times = header.count(name)
        raise ScenarioError(f"must be one column of {path}, {name!r} heads {times}", key=key)
    return header.index(name)


def refuse_more(row: Sequence[str], width: int, where: str, what: str) -> None:
    """Refuse a row with more cells than the header: 1,234 without quotes shifts what follows."""
    if len(row) > width and any(row[width:]):
        rule = f"must have at most as many cells in a row as in its header, {width}"
        raise ScenarioError(f"{rule}, got {len(row)} in {where}", key=what)


def _read(
    rows: Iterator[list[str]],
    header: Sequence[str],
    names: Sequence[str],
    places: Sequence[int],
    path: Path,
    most: int | None,
) -> list[Column]:
    # A dict that numbers what it has not seen: the loop over the rows runs in C.
    numbers: list[defaultdict[str, int]] = [defaultdict() for _ in names]
    for known in numbers:
        known.default_factory = known.__len__
    parts: list[list[NDArray[np.int64]]] = [[] for _ in names]
    done, last = 0, max(places, default=0)
    while block := list(islice(rows, ROWS)):
        filled = list(filter(None, block))
        if min(map(len, filled), default=last + 1) <= last:
            at, short = next((i, row) for i, row in enumerate(block) if 0 < len(row) <= last)
            raise ScenarioError(
                f"{path} row {done + at + 1} has {len(short)} cells, too few for its columns"
            )
        if max(map(len, filled), default=0) > len(header):
            for at, row in enumerate(block):
                refuse_more(row, len(header), f"row {done + at + 1}", str(path))
        done += len(block)
        for name, place, known, part in zip(names, places, numbers, parts, strict=True):
            codes = map(known.__getitem__, [row[place] for row in filled])
            part.append(np.fromiter(codes, np.int64, len(filled)))
            if most is not None and len(known) > most:
                raise ScenarioError(
                    f"must have at most {most} different values, got more in {name!r} of {path} "
                    f"(row {done}): it names people rather than groups; leave it out or coarsen it",
                    key="column",
                )
    if not sum(codes.size for part in parts[:1] for codes in part):
        raise ScenarioError(f"must hold at least one row, got none in {path}")
    return [
        Column(name, np.concatenate(part), tuple(known))
        for name, part, known in zip(names, parts, numbers, strict=True)
    ]
