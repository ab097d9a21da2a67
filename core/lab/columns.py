"""Columns of a table in a file with their values numbered: a million rows in seconds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..base.errors import ScenarioError
from ..base.frames import ROWS
from ..base.number_column import as_number
from ..base.sampling import Counts, Floats
from ..base.tables import place_of, refuse_more, table_rows


@dataclass(frozen=True, eq=False)
class NumberedColumn:
    """One column of a table with its values numbered.

    codes : int64[n], the number of each row's value.
    values : the values, in the order of their first rows.
    """

    name: str
    codes: Counts
    values: tuple[str, ...]

    def numbers(self) -> Floats:
        """float64[n]: the values as numbers; raises ScenarioError if one is not a number."""
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


def read_columns(path: Path, names: Sequence[str], most: int | None = None) -> list[NumberedColumn]:
    """The named columns of a table with a header.

    most : the largest number of different values in a column; None for no limit.

    Raises FileError if the file cannot be read; ScenarioError for a missing column, for one with
    too many values, for a row that is too short or too long, and for a table without rows.
    """
    with table_rows(path) as rows:
        header = next(rows, [])
        places = [place_of(name, header, path) for name in names]
        return _read(rows, header, names, places, path, most)


def _read(
    rows: Iterator[list[str]],
    header: Sequence[str],
    names: Sequence[str],
    places: Sequence[int],
    path: Path,
    most: int | None,
) -> list[NumberedColumn]:
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
        NumberedColumn(name, np.concatenate(part), tuple(known))
        for name, part, known in zip(names, parts, numbers, strict=True)
    ]
