"""Populations that are columns of a file: items by their names, or numbers of a range."""

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
from .population import ITEMS, Population, population_from_counts


@dataclass(frozen=True)
class FromFile:
    """The shared part of populations that a file holds. path : of the file, from a folder on."""

    path: str

    @abstractmethod
    def read(self, path: Path) -> Population:
        """The population that a file holds; raises ScenarioError, FileError."""

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
    """A column of a CSV file: one user a row, or totals where `count` names a column of counts."""

    column: str = ""
    count: str | None = None
    kind: Literal["csv"] = "csv"

    def read(self, path: Path) -> Population:
        totals = self._totals(path)
        if len(totals) < 2:
            raise ScenarioError(
                f"must hold at least 2 different items, got {len(totals)} "
                f"in {self.column!r} of {self.path}",
                key="column",
            )
        labels = tuple(sorted(totals))
        counts = np.array([totals[label] for label in labels], dtype=np.int64)
        if not counts.sum() > 0:
            raise ScenarioError(
                f"must add up to at least 1 user, got 0 in {self.count!r} of {self.path}",
                key="count",
            )
        return population_from_counts(counts, labels)

    def _totals(self, path: Path) -> dict[str, int]:
        """Users per label, read row by row."""
        with table_rows(path) as rows:
            header = next(rows, [])
            place = place_of(self.column, header, self.path)
            width = len(header)
            if self.count is None:
                return Counter(self._cell(row, place, width, rows.line_num) for row in rows if row)
            weight = place_of(self.count, header, self.path, "count")
            totals: Counter[str] = Counter()
            for row in rows:
                if row:
                    label = self._cell(row, place, width, rows.line_num)
                    totals[label] += self._weight(row, weight, rows.line_num)
            if sum(totals.values()) >= 2**63:
                raise ScenarioError(
                    f"must add up to less than 2^63, got {sum(totals.values())} in {self.path}",
                    key="count",
                )
            return totals

    def _cell(self, row: list[str], at: int, width: int, line: int) -> str:
        if at >= len(row):
            raise ScenarioError(
                f"{spot(self.path, line)} has {len(row)} cells, too few for the column "
                f"{self.column!r}",
                key="column",
            )
        refuse_more(row, width, spot(self.path, line), "path")
        if not row[at].strip():
            rule = f"must name an item in every row, {spot(self.path, line)} has none"
            raise ScenarioError(f"{rule} in {self.column!r}: a missing value?", key="column")
        return row[at]

    def _weight(self, row: list[str], at: int, line: int) -> int:
        text = row[at].strip() if at < len(row) else ""
        number = whole_number(text)
        if number is None:
            raise ScenarioError(
                f"must be a whole number, at least 0, in {spot(self.path, line)}, {got(text)}",
                key="count",
            )
        return number


@dataclass(frozen=True)
class NumbersColumn(FromFile):
    """A column of numbers, one user a row, in equal parts of a range.

    low, high : the ends of the range, which nothing in the file decides. items : the number of
    parts. clip : whether numbers outside the range count as its nearer end; else they are refused.
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
