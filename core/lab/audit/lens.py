"""The form in which an audit sees any report: a few columns of small whole numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...base.errors import RunError, spelled
from ...base.sampling import Floats
from ...law.pure import Rng

Sampler: TypeAlias = Callable[[int, Rng], Any]
"""Draws a number of reports of one input: an array whose first axis is reports."""

BLOCK: Final = 8192
"""Reports drawn at once."""
KINDS: Final = 64
"""Categories of one column of a report."""
MOST_COLUMNS: Final = 4096
"""Further columns of a report are not looked at."""
BITWISE: Final = 8
"""Wide whole numbers of a report of which every bit is looked at, such as the seed of a hash."""


@dataclass(frozen=True, eq=False)
class Lens:
    """A rule that turns any report into a few columns of small whole numbers.

    The categories of all columns together are numbered from 0 to `width`, column by column.

    values : the frequent values of each column, sorted; each is a category of its own.
    cuts : the places in each column where the rest is cut into categories.
    examples : a report of each value, where the one column is the whole report; else None.
    look, most : what is looked at besides the reports, and the numbers of a report that are looked
    at, at most.
    """

    values: tuple[NDArray[Any], ...]
    cuts: tuple[NDArray[Any], ...]
    examples: Any
    look: Callable[[Any], NDArray[Any]] | None
    most: int = MOST_COLUMNS

    @classmethod
    def of(
        cls,
        draws: Sequence[Sampler],
        look: Callable[[Any], NDArray[Any]] | None,
        few: int,
        rng: Rng,
    ) -> Lens:
        """The lens of what samplers draw first."""
        return cls.fitted([_drawn(draw, BLOCK, rng) for draw in draws], look, few)

    @classmethod
    def fitted(
        cls,
        first: Sequence[Any],
        look: Callable[[Any], NDArray[Any]] | None,
        few: int,
        most: int = MOST_COLUMNS,
    ) -> Lens:
        """The lens of these arrays of reports. few : the most reports that are told apart whole."""
        whole, places = np.unique(
            np.concatenate([_whole(reports) for reports in first]), return_index=True
        )
        if whole.size <= few:
            return cls((whole,), (whole[:0],), np.concatenate(first)[places], None)
        seen = zip(*(_columns(reports, look, most) for reports in first), strict=True)
        values, cuts = zip(*(_categories(np.concatenate(parts)) for parts in seen), strict=True)
        return cls(values, cuts, None, look, most)

    @cached_property
    def starts(self) -> NDArray[np.intp]:
        """intp[columns + 1]: the number of the first category of each column, then `width`."""
        sizes = [v.size + c.size + 1 for v, c in zip(self.values, self.cuts, strict=True)]
        return np.cumsum([0, *sizes])

    def shown(self, category: int) -> str:
        """The value of a category of the first column, in words."""
        values = self.values[0]
        return _shown(values[category]) if category < values.size else "of a range"

    @property
    def width(self) -> int:
        """The number of categories of all columns."""
        return int(self.starts[-1])

    @property
    def columns(self) -> NDArray[np.intp]:
        """The number of each column."""
        return np.arange(len(self.values))

    def codes(self, reports: Any, wanted: NDArray[np.intp] | None = None) -> NDArray[np.intp]:
        """intp[wanted columns, n]: the category of each report in these columns, or in all."""
        if self.examples is not None:
            columns = [_whole(reports)]
        else:
            columns = _columns(reports, self.look, self.most)
        if len(columns) != len(self.values):
            raise RunError("the reports of a sampler change their shape from call to call")
        wanted = self.columns if wanted is None else wanted
        coded = np.empty((wanted.size, len(reports)), dtype=np.intp)
        for row, at in zip(coded, wanted.tolist(), strict=True):
            column, values, cuts = columns[at], self.values[at], self.cuts[at]
            start = self.starts[at]
            if column.dtype == np.uint8 and values.tolist() == [0, 1]:
                np.minimum(column, 2, out=row)
                row += start
                continue
            row[:] = values.size
            if cuts.size:
                row += np.searchsorted(cuts, column, side="right")
            if values.size:
                place = np.minimum(np.searchsorted(values, column), values.size - 1)
                np.copyto(row, place, where=values[place] == column)
            row += start
        return coded

    def decoded(self, reports: Any) -> Floats:
        """float64[columns, n]: the numbers of reports, NaN where they are not told apart."""
        codes = self.codes(reports) - self.starts[:-1, None]
        numbers = np.full(codes.shape, np.nan)
        for row, code, values in zip(numbers, codes, self.values, strict=True):
            if values.dtype.kind in "biuf":
                known = code < values.size
                row[known] = values[code[known]]
        return numbers

    def blocks(
        self, draw: Sampler, count: int, wanted: NDArray[np.intp], rng: Rng
    ) -> Iterator[NDArray[np.intp]]:
        """The codes of `count` reports, block by block."""
        for at in range(0, count, BLOCK):
            yield self.codes(_drawn(draw, min(BLOCK, count - at), rng), wanted)

    def table(self, draw: Sampler, count: int, rng: Rng) -> Floats:
        """float64[width]: how often each category occurs."""
        total = np.zeros(self.width)
        for coded in self.blocks(draw, count, self.columns, rng):
            total += np.bincount(coded.ravel(), minlength=total.size)
        return total

    def weights(
        self, first: Floats, second: Floats, ratio: float = 1.0, margin: float = 0.0
    ) -> Floats:
        """float64[width], the weight of each category: ln of the ratio of its two shares.

        Among many columns most tell nothing: there it is 0 where the difference may be chance.

        first, second : the counts of two inputs. ratio : that of their numbers of reports. margin :
        standard errors by which weights of whole reports are drawn towards 0.
        """
        seen = np.log((first + 0.5) / (second + 0.5)) - np.log(ratio)
        if self.examples is None:
            scaled = second * ratio
            noise = 4 * np.sqrt(first + scaled * ratio)
            return np.where(np.abs(first - scaled) > noise, seen, 0.0)
        if margin:
            doubt = margin * np.sqrt(1 / (first + 0.5) + 1 / (second + 0.5))
            return np.asarray(np.sign(seen) * np.maximum(np.abs(seen) - doubt, 0.0))
        return np.asarray(seen)

    def telling(self, weights: Floats) -> NDArray[np.intp]:
        """The columns in which some category has a weight."""
        return np.flatnonzero(np.logical_or.reduceat(weights != 0, self.starts[:-1]))

    def scores(
        self, draw: Sampler, count: int, weights: dict[tuple[int, int], Floats], rng: Rng
    ) -> dict[tuple[int, int], list[Floats]]:
        """The sums of the weights of each report's categories, by pairs of inputs."""
        sums: dict[tuple[int, int], list[Floats]] = {pair: [] for pair in weights}
        each = {pair: self.telling(table) for pair, table in weights.items()}
        wanted = np.unique(np.concatenate([*each.values()]))
        for coded in self.blocks(draw, count, wanted, rng):
            for pair, table in weights.items():
                sums[pair].append(score(table, coded[np.isin(wanted, each[pair])]))
        return sums

    def describe(self, weights: Floats, threshold: float) -> str:
        """The event that a score reaches the threshold, in words."""
        if not weights.any():
            return "any report"
        if self.examples is not None:
            chosen = np.flatnonzero(np.round(weights, 9) >= threshold)
            named = [_shown(self.examples[at]) for at in chosen[:4] if at < len(self.examples)]
            more = ", …" if chosen.size > 4 else ""
            return f"the report is {', '.join(named)}{more}"
        telling = self.telling(weights).size
        columns = "column" if telling == 1 else "columns"
        least = spelled(threshold, 4)
        return f"a likelihood score of {telling} {columns} of the report is at least {least}"


def score(weights: Floats, codes: NDArray[np.integer]) -> Floats:
    """float64[n]: the sum of the weights of the categories in each column of codes."""
    total = np.zeros(codes.shape[1])
    for row in codes:
        total += weights[row]
    # Sums in any order are equal scores.
    return np.asarray(np.round(total, 9), dtype=np.float64)


def _drawn(draw: Sampler, count: int, rng: Rng) -> Any:
    """An array of `count` reports, one a row; raises RunError."""
    try:
        reports = np.asarray(draw(count, rng))
    except Exception as error:
        raise RunError(f"a sampler failed: {type(error).__name__}: {error}") from error
    if reports.ndim == 0 or len(reports) != count:
        raise RunError(f"a sampler must return {count} reports, got shape {reports.shape}")
    if reports.dtype == object:
        raise RunError("a sampler must return an array of numbers or of text, got objects")
    return reports


def _whole(reports: Any) -> NDArray[Any]:
    """Each report as one value that can be compared."""
    if reports.ndim == 1 and reports.dtype.names is None:
        return np.asarray(reports)
    rows = np.ascontiguousarray(reports).reshape(len(reports), -1)
    width = rows.shape[1] * rows.dtype.itemsize
    # As big-endian text without an end mark: void values do not sort.
    raw = rows.view(np.uint8).reshape(len(rows), width)
    return np.ascontiguousarray(raw.astype(np.uint16) + 1).view(f"S{2 * width}").ravel()


def _shown(report: Any) -> str:
    """One report in words; packed bytes as bits."""
    if isinstance(report, np.ndarray) and report.dtype == np.uint8:
        return "".join(f"{byte:08b}" for byte in report.ravel())
    if isinstance(report, bytes):
        return f"{report.decode('utf-8', 'replace')!r}"
    if isinstance(report, np.void) and report.dtype.names:
        return " ".join(f"{name} {_shown(report[name])}" for name in report.dtype.names)
    return str(report.tolist()) if isinstance(report, np.ndarray | np.generic) else str(report)


def _columns(
    reports: Any, look: Callable[[Any], NDArray[Any]] | None, most: int
) -> list[NDArray[Any]]:
    """The numbers a report consists of: fields, columns, the bits of packed bytes.

    After them the bits of whole numbers of 4 bytes and more: where a number has very many values,
    its categories are ranges, which do not show its low digits.
    """
    columns = _numbers(reports)[:MOST_COLUMNS]
    columns = columns[:: -(-len(columns) // most)]
    wide = [column for column in columns if column.dtype.kind in "iu" and column.itemsize >= 4]
    columns += [bits for column in wide[:BITWISE] for bits in _bits(column)]
    return [*columns, *np.asarray(look(reports)).T] if look is not None else columns


def column_names(reports: Any, place: str, most: int) -> list[str]:
    """The names of the columns that `_columns` finds in reports, but for what is looked at besides.

    place : what a number of a report stands for: an item, a bucket, a bit.
    """
    wide = [(name, part) for name, part in _parts(reports) if part.ndim == 1]
    wide = [(name, part) for name, part in wide if part.dtype.kind in "iu" and part.itemsize >= 4]
    names = [each for name, part in _parts(reports) for each in _places(name, part, place)]
    names = names[:MOST_COLUMNS]
    names = names[:: -(-len(names) // most)]
    bits = [f"bit {at} of {name}" for name, part in wide for at in range(8 * part.itemsize)]
    return names + bits


def _parts(reports: Any) -> list[tuple[str, NDArray[Any]]]:
    """The fields of reports by their names, or the reports as one part."""
    names = reports.dtype.names
    return [("the report", reports)] if names is None else [(name, reports[name]) for name in names]


def _places(name: str, part: NDArray[Any], place: str) -> list[str]:
    """The names of the numbers of one field."""
    if part.ndim == 1:
        letters = part.itemsize if part.dtype.kind == "S" else 0
        return [name, *(f"letter {at + 1}" for at in range(letters))]
    width = part.shape[-1] * (8 if part.dtype == np.uint8 else 1)
    rows = prod(part.shape[1:-1])
    return [
        f"{place} {at}" + (f" of row {row + 1}" if rows > 1 else "")
        for row in range(rows)
        for at in range(width)
    ]


def whole_numbers(reports: Any) -> Iterator[tuple[str, NDArray[Any]]]:
    """The whole numbers of 4 bytes and more in reports, by the names of their columns."""
    names = reports.dtype.names or ("report",)
    for name in names:
        part = reports if reports.dtype.names is None else reports[name]
        if part.ndim == 1 and part.dtype.kind in "iu" and part.itemsize >= 4:
            yield name, part


def low_digits(reports: Any) -> NDArray[np.int16]:
    """int16[n, cells]: the place of the lowest 1 in each double of reports, as a power of 2.

    Noise in doubles has other low digits than noise to which 1 was added: Mironov, "On significance
    of the least significant bits for differential privacy", CCS 2012. Ranges of numbers do not show
    them. Reports of other types have no cells.
    """
    if reports.dtype.kind != "f":
        return np.empty((len(reports), 0), dtype=np.int16)
    part, power = np.frexp(reports.reshape(len(reports), -1).astype(np.float64))
    digits = np.ldexp(part, 53).astype(np.int64)
    lowest = np.frexp((digits & -digits).astype(np.float64))[1]
    return np.where(digits == 0, np.int16(2000), power - 54 + lowest).astype(np.int16)


def _bits(column: NDArray[Any]) -> NDArray[np.uint8]:
    """uint8[bits, n]: the bits of whole numbers, the lowest first."""
    data = np.ascontiguousarray(column, dtype=column.dtype.newbyteorder("<")).view(np.uint8)
    return np.unpackbits(data.reshape(column.size, -1), axis=1, bitorder="little").T


def _numbers(reports: Any) -> list[NDArray[Any]]:
    if reports.dtype.names is not None:
        return [column for name in reports.dtype.names for column in _numbers(reports[name])]
    if reports.ndim == 1:
        return [reports, *_letters(reports)] if reports.dtype.kind == "S" else [reports]
    flat = reports.reshape(len(reports), -1)
    return list((np.unpackbits(flat, axis=1) if flat.dtype == np.uint8 else flat).T)


def _letters(lines: NDArray[np.bytes_]) -> NDArray[np.uint8]:
    """uint8[letters, n]: each byte of texts of one width."""
    raw = np.ascontiguousarray(lines).view(np.uint8)
    return np.ascontiguousarray(raw.reshape(lines.size, -1).T)


def _categories(column: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The frequent values of a column, and cuts that spread the others evenly."""
    values, counts = np.unique(column, return_counts=True)
    if values.size <= KINDS:
        return values, values[:0]
    frequent = np.sort(values[np.argsort(-counts, kind="stable")[: KINDS // 2]])
    frequent = frequent[np.isin(frequent, values[counts >= 16])]
    places = np.linspace(0, column.size - 1, KINDS // 2 + 1)[1:-1].astype(np.intp)
    return frequent, np.unique(np.sort(column)[places])
