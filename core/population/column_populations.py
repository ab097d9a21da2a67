"""Populations from columns of a file: items by their names, or numbers of a range."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal

import numpy as np

from ..base.errors import FileError, ScenarioError, got
from ..base.number_column import NumberColumn
from ..base.ranges import Range, check_bounds, check_span
from ..base.tables import place_of, refuse_more, spot, table_rows, whole_number
from .population import ITEMS, Population, count_records, population_from_counts


@dataclass(frozen=True)
class FromFile:
    """The base of populations read from a file.

    path : relative to the scenario's folder.
    """

    path: str

    @abstractmethod
    def read(self, path: Path) -> Population:
        """The population in a file.

        Raises FileError if it cannot be read, ScenarioError if its contents are invalid.
        """

    def bind(self, seed: int, folder: Path) -> Population:  # noqa: ARG002
        if not self.path:
            raise ScenarioError(f"must be the path of a CSV file, {got(self.path)}", key="path")
        try:
            path = folder / Path(self.path).expanduser()
        except RuntimeError as error:  # the home of an unknown user
            raise FileError(f"{self.path} cannot be read: {error}") from error
        return _read(self, path, _stamp(path))


@dataclass(frozen=True)
class CSVColumn(FromFile):
    """A population from a CSV column, one user a row.

    count : the name of a column with the number of users of each row, or None.
    """

    column: str = ""
    count: str | None = None
    kind: Literal["csv"] = "csv"

    def read(self, path: Path) -> Population:
        totals = _read_records(self, path, (self.column,))
        if len(totals) < 2:
            raise ScenarioError(
                f"must hold at least 2 different items, got {len(totals)} "
                f"in {self.column!r} of {self.path}",
                key="column",
            )
        labels = tuple(sorted(label for (label,) in totals))
        return population_from_counts(
            np.array([totals[label,] for label in labels], dtype=np.int64), labels
        )


@dataclass(frozen=True)
class CSVColumns(FromFile):
    """A population from several CSV columns, one for each attribute, one user a row.

    count : the name of a column with the number of users of each row, or None.
    """

    columns: tuple[str, ...] = ()
    count: str | None = None
    kind: Literal["columns"] = "columns"

    def read(self, path: Path) -> Population:
        if len(set(self.columns)) < max(len(self.columns), 2):
            rule = "must name at least 2 columns, each once"
            raise ScenarioError(f"{rule}, {got(list(self.columns))}", key="columns")
        population = count_records(_read_records(self, path, self.columns), self.columns)
        for name, size in zip(self.columns, population.sizes, strict=True):
            if size < 2:
                rule = f"must hold at least 2 different values each, got 1 in {name!r}"
                raise ScenarioError(f"{rule} of {self.path}", key="columns")
        return population


def _read_records(
    source: CSVColumn | CSVColumns, path: Path, columns: tuple[str, ...]
) -> Counter[tuple[str, ...]]:
    """The users with each record of values in these columns, read row by row."""
    key = "column" if isinstance(source, CSVColumn) else "columns"
    totals: Counter[tuple[str, ...]] = Counter()
    with table_rows(path) as rows:
        header = next(rows, [])
        places = [place_of(name, header, source.path, key) for name in columns]
        weight = None
        if source.count is not None:
            weight = place_of(source.count, header, source.path, "count")
        for row in rows:
            if row:
                where = spot(source.path, rows.line_num)
                if len(row) <= max(places):
                    name = next(n for n, at in zip(columns, places, strict=True) if at >= len(row))
                    rule = f"{where} has {len(row)} cells, too few for the column {name!r}"
                    raise ScenarioError(rule, key=key)
                refuse_more(row, len(header), where, "path")
                record = tuple(row[place] for place in places)
                for name, value in zip(columns, record, strict=True):
                    if not value.strip():
                        rule = f"must name an item in every row, {where} has none in {name!r}"
                        raise ScenarioError(f"{rule}: a missing value?", key=key)
                totals[record] += 1 if weight is None else _weight(row, weight, where)
    total = sum(totals.values())
    if totals and not 0 < total < 2**63:
        rule = "add up to at least 1 user" if total < 1 else "add up to less than 2^63"
        inside = f"{source.count!r} of {source.path}" if total < 1 else source.path
        raise ScenarioError(f"must {rule}, got {total} in {inside}", key="count")
    return totals


def _weight(row: list[str], at: int, where: str) -> int:
    text = row[at].strip() if at < len(row) else ""
    number = whole_number(text)
    if number is None:
        rule = f"must be a whole number, at least 0, in {where}, {got(text)}"
        raise ScenarioError(rule, key="count")
    return number


@dataclass(frozen=True)
class NumbersColumn(FromFile):
    """A population from a column of numbers, one user a row, binned into equal parts of a range.

    low, high : the ends of the range, which do not depend on the file.
    items : the number of parts.
    clip : whether numbers outside the range count as its nearer end; otherwise they are refused.
    """

    column: str
    low: Annotated[float, Range()]
    high: Annotated[float, Range()]
    items: Annotated[int, ITEMS]
    clip: bool = False
    kind: Literal["values"] = "values"

    def __post_init__(self) -> None:
        check_bounds(self)
        check_span(self.low, self.high)

    def read(self, path: Path) -> Population:
        counts, least, most = np.zeros(self.items, dtype=np.int64), self.high, self.low
        column = NumberColumn(path, self.column, self.low, self.high, self.clip)
        for batch in column.batches():
            if batch.size:
                numbers = column.clip_numbers(batch)
                least, most = min(least, float(numbers.min())), max(most, float(numbers.max()))
                parts = (numbers - self.low) / (self.high - self.low) * self.items
                places = np.minimum(parts.astype(np.int64), self.items - 1)
                counts += np.bincount(places, minlength=self.items)
        if not counts.any():
            rule = f"must hold a number in at least one row of {self.path}, got none"
            raise ScenarioError(rule, key="column")
        if least == most:
            rule = f"must hold at least 2 different numbers, got only {least:g}"
            raise ScenarioError(f"{rule} in {self.column!r} of {self.path}", key="column")
        return replace(population_from_counts(counts, None), span=(self.low, self.high))


def _stamp(path: Path) -> tuple[int, int] | None:
    """The time and the size of a file, which tell its versions apart; None without a file."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size


@lru_cache(maxsize=4)
def _read(column: FromFile, path: Path, stamp: tuple[int, int] | None) -> Population:  # noqa: ARG001
    """The population of a column, read once for each version of its file."""
    return column.read(path)
