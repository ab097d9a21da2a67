"""The form in which an audit sees the reports of any client: a few columns of small integers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...base.errors import RunError, format_number
from ...base.sampling import Floats

Look: TypeAlias = Callable[[Any], NDArray[Any]]
"""What is looked at besides reports: columns [n, m]."""

KINDS: Final = 64
"""Categories of one column of a report."""
MOST_COLUMNS: Final = 4096
"""Further columns of a report are not looked at."""
SAYS: Final = "what it says, part"
"""The beginning of the names of what is looked at besides the reports."""
BITWISE: Final = 8
"""Wide whole numbers of a report of which every bit is looked at, such as the seed of a hash."""


@dataclass(frozen=True, eq=False)
class ReportColumns:
    """A rule that maps any report to a few columns of small integers (categories).

    The categories of all columns together are numbered from 0 to `width`, column by column.

    names : of the columns.
    values : the frequent values of each column, sorted; each is a category of its own.
    cuts : the values in each column at which the rest is cut into categories.
    examples : a report of each value, if the one column is the whole report; else None.
    look : the function that returns what is audited besides the reports, [n, columns].
    """

    names: tuple[str, ...]
    values: tuple[NDArray[Any], ...]
    cuts: tuple[NDArray[Any], ...]
    examples: Any
    look: Look

    @classmethod
    def fit_columns(cls, first: Sequence[Any], look: Look, few: int) -> ReportColumns:
        """The columns that fit these arrays of reports.

        few : if there are no more different reports, the whole report is the one column.
        """
        whole, places = np.unique(
            np.concatenate([whole_values(reports) for reports in first]), return_index=True
        )
        if whole.size <= few:
            examples = np.concatenate(first)[places]
            return cls(("the report",), (whole,), (whole[:0],), examples, look)
        seen = [_columns(reports, look) for reports in first]
        parts = [np.concatenate([part for _, part in same]) for same in zip(*seen, strict=True)]
        values, cuts = zip(*map(_categories, parts), strict=True)
        return cls(tuple(name for name, _ in seen[0]), values, cuts, None, look)

    @cached_property
    def starts(self) -> NDArray[np.intp]:
        """intp[columns + 1]: the number of the first category of each column, then `width`."""
        sizes = [v.size + c.size + 1 for v, c in zip(self.values, self.cuts, strict=True)]
        return np.cumsum([0, *sizes])

    @property
    def width(self) -> int:
        """The number of categories of all columns."""
        return int(self.starts[-1])

    def codes(self, reports: Any, wanted: NDArray[np.intp] | None = None) -> NDArray[np.intp]:
        """intp[columns, n]: the category of each report in the `wanted` columns, or in all.

        Raises RunError if the reports have another number of columns than before.
        """
        if self.examples is not None:
            columns = [whole_values(reports)]
        else:
            columns = [column for _, column in _columns(reports, self.look)]
        if len(columns) != len(self.values):
            raise RunError("the reports of a sampler change their shape from call to call")
        wanted = np.arange(len(columns)) if wanted is None else wanted
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

    def weights(self, first: Floats, second: Floats, ratio: float = 1.0) -> Floats:
        """float64[width]: the weight of each category, ln of the ratio of its shares under two
        inputs.

        With several columns it is 0 if the difference may be chance.

        first, second : float64[width], the counts of two inputs. ratio : that of their numbers of
        reports.
        """
        seen = np.log((first + 0.5) / (second + 0.5)) - np.log(ratio)
        if self.examples is not None:
            return np.asarray(seen)
        scaled = second * ratio
        noise = 4 * np.sqrt(first + scaled * ratio)
        return np.where(np.abs(first - scaled) > noise, seen, 0.0)

    def telling(self, weights: Floats) -> NDArray[np.intp]:
        """The columns in which some category has a weight other than 0: those that distinguish two
        inputs.
        """
        return np.flatnonzero(np.logical_or.reduceat(weights != 0, self.starts[:-1]))

    def scores(
        self, reports: Any, weights: dict[tuple[int, int], Floats]
    ) -> dict[tuple[int, int], Floats]:
        """float64[n] for each pair of inputs: the sum of the weights of each report's
        categories.
        """
        each = {pair: self.telling(table) for pair, table in weights.items()}
        wanted = np.unique(np.concatenate([*each.values()]))
        coded = self.codes(reports, wanted)
        return {
            pair: _score(table, coded[np.isin(wanted, each[pair])])
            for pair, table in weights.items()
        }

    def describe(self, weights: Floats, threshold: float) -> str:
        """The event that a report's score reaches the threshold, in words."""
        if not weights.any():
            return "any report"
        if self.examples is not None:
            chosen = np.flatnonzero(np.round(weights, 9) >= threshold)
            named = [
                _format_report(self.examples[at]) for at in chosen[:4] if at < len(self.examples)
            ]
            more = ", …" if chosen.size > 4 else ""
            return f"the report is {', '.join(named)}{more}"
        telling = self.telling(weights).size
        columns = "column" if telling == 1 else "columns"
        least = format_number(threshold, 4)
        return f"a likelihood score of {telling} {columns} of the report is at least {least}"


def _score(weights: Floats, codes: NDArray[np.integer]) -> Floats:
    """float64[n]: the sum of the weights of the categories in each column of codes."""
    total = np.zeros(codes.shape[1])
    for row in codes:
        total += weights[row]
    # Sums in any order are equal scores.
    return np.asarray(np.round(total, 9), dtype=np.float64)


def whole_values(reports: Any) -> NDArray[Any]:
    """[n]: each report as one value, so that reports can be compared and sorted."""
    if reports.ndim == 1 and reports.dtype.names is None:
        return np.asarray(reports)
    rows = np.ascontiguousarray(reports).reshape(len(reports), -1)
    width = rows.shape[1] * rows.dtype.itemsize
    # As big-endian text without an end mark: void values do not sort.
    raw = rows.view(np.uint8).reshape(len(rows), width)
    return np.ascontiguousarray(raw.astype(np.uint16) + 1).view(f"S{2 * width}").ravel()


def _format_report(report: Any) -> str:
    """One report in words; packed bytes as bits."""
    if isinstance(report, np.ndarray) and report.dtype == np.uint8:
        return "".join(f"{byte:08b}" for byte in report.ravel())
    if isinstance(report, bytes):
        return f"{report.decode('utf-8', 'replace')!r}"
    if isinstance(report, np.void) and report.dtype.names:
        return " ".join(f"{name} {_format_report(report[name])}" for name in report.dtype.names)
    return str(report.tolist()) if isinstance(report, np.ndarray | np.generic) else str(report)


def _columns(reports: Any, look: Look) -> list[tuple[str, NDArray[Any]]]:
    """The numbers a report consists of, with their names: fields, columns, bits of packed bytes.

    After them the bits of whole numbers of 4 bytes and more: where a number has very many values,
    its categories are ranges, which do not show its low digits.
    """
    columns = list(_numbers(reports, "the report"))[:MOST_COLUMNS]
    columns += [
        (f"bit {at} of {name}", bits)
        for name, column in [*whole_numbers(reports)][:BITWISE]
        for at, bits in enumerate(_bits(column))
    ]
    return columns + [(f"{SAYS} {at}", part) for at, part in enumerate(look(reports).T)]


def whole_numbers(reports: Any) -> Iterator[tuple[str, NDArray[Any]]]:
    """Yields the integer fields of 4 bytes and more in reports, with the names of their columns."""
    for name, part in _numbers(reports, "the report"):
        if part.dtype.kind in "iu" and part.itemsize >= 4:
            yield name, part


def low_digits(reports: Any) -> NDArray[np.int16]:
    """int16[n, cells]: the exponent of the lowest 1 bit in each double of the reports.

    Noise in doubles has other low digits than noise to which 1 was added: Mironov, "On significance
    of the least significant bits for differential privacy", CCS 2012. Categories of numbers do not
    show low digits. Reports of other types have no cells.
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


def _numbers(reports: Any, name: str) -> Iterator[tuple[str, NDArray[Any]]]:
    """The numbers of reports, in order, with their names."""
    if reports.dtype.names is not None:
        for field in reports.dtype.names:
            yield from _numbers(reports[field], field)
        return
    if reports.ndim == 1:
        yield name, reports
        if reports.dtype.kind != "S":
            return
        flat = np.ascontiguousarray(reports).view(np.uint8).reshape(reports.size, -1)
    else:
        flat = reports.reshape(len(reports), -1)
        if flat.dtype == np.uint8:
            flat = np.unpackbits(flat, axis=1)
    part = "letter" if reports.dtype.kind == "S" else "number"
    for at, column in enumerate(flat.T):
        yield f"{part} {at} of {name}", np.ascontiguousarray(column)


def _categories(column: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The frequent values of a column, and cuts that spread the others evenly."""
    values, counts = np.unique(column, return_counts=True)
    if values.size <= KINDS:
        return values, values[:0]
    frequent = np.sort(values[np.argsort(-counts, kind="stable")[: KINDS // 2]])
    frequent = frequent[np.isin(frequent, values[counts >= 16])]
    places = np.linspace(0, column.size - 1, KINDS // 2 + 1)[1:-1].astype(np.intp)
    return frequent, np.unique(np.sort(column)[places])
