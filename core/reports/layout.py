"""The columns of a file of reports: one for each part of a report, and how its cells are written.

A report is a row of one column, `report`, or of a column for each field of a structured report, as
`seed` and `value`. A whole number is written as one, bytes as hexadecimal digits, and several
numbers with blanks between them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from ..base.errors import ScenarioError
from ..law.pure import LocalMechanism, Reports
from .arguments import LARGEST

NIBBLES: Final = np.full(256, 16, dtype=np.uint8)
"""The value of each hexadecimal digit by its code; 16 for what is none."""
for digits in (b"0123456789abcdef", b"0123456789ABCDEF"):
    NIBBLES[np.frombuffer(digits, dtype=np.uint8)] = np.arange(16)

MARK: Final = "for_tests"
"""The column of a file whose reports no user sends: the seed that drew them, in each row."""

NUMERALS: Final = np.array([str(number) for number in range(1 << 12)], dtype=object)
"""The texts of small numbers: looking one up is ten times as quick as making it."""


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

    def cells(self, part: Reports, between: str = " ") -> list[str]:
        """The cells as texts. between : the numbers of a cell that has several."""
        if self.holds == "number":
            if part.size and int(part.max()) < NUMERALS.size:
                return NUMERALS[part].tolist()  # type: ignore[no-any-return]
            return list(map(str, part.tolist()))
        if self.holds == "numbers":
            return [between.join(map(repr, row)) for row in part.reshape(-1, self.size).tolist()]
        written = np.ascontiguousarray(part).tobytes().hex("\n", self.size)
        return written.split("\n") if len(part) else []

    @property
    def quick(self) -> str:
        """NumPy's type of the cells that `parsed` takes; a text has room for a letter too many."""
        return "i8" if self.holds == "number" else f"S{2 * self.size + 1}"

    def parse_cells(self, cells: NDArray[Any]) -> Reports:
        """The part of reports that cells of the type `quick` hold; raises ValueError."""
        if self.holds == "number":
            return self._check_range(cells)
        if self.holds == "numbers":
            raise ValueError("must be read cell by cell")
        codes = np.ascontiguousarray(cells).view(np.uint8).reshape(len(cells), -1)
        nibbles = NIBBLES[codes[:, :-1]]
        if codes[:, -1].any() or (nibbles == 16).any():
            raise ValueError(f"must be {self.size} bytes, {2 * self.size} hexadecimal digits")
        return (nibbles[:, ::2] << 4 | nibbles[:, 1::2]).reshape(-1, *self.shape)

    def read(self, cells: Sequence[Any]) -> Reports:
        """The part of reports that cells hold; raises ValueError."""
        if self.holds == "number":
            if not {*map(type, cells)} <= {int, str}:
                raise ValueError("must be a whole number")
            return self._check_range(np.array(list(map(int, cells)), dtype=np.int64))
        if self.holds == "numbers":
            rows = [cell.split() if isinstance(cell, str) else cell for cell in cells]
            if any(len(row) != self.size for row in rows):
                raise ValueError(f"must be {self.size} numbers")
            numbers = np.array(rows, dtype=self.dtype)
            if numbers.shape != (len(rows), self.size):  # a list among them
                raise ValueError(f"must be {self.size} numbers")
            numbers = numbers.reshape(-1, *self.shape)
            if not (np.abs(numbers) <= LARGEST).all():
                raise ValueError(f"must be numbers up to {LARGEST:g}")
            return numbers
        whole = [cell if isinstance(cell, bytes) else bytes.fromhex(cell) for cell in cells]
        if any(len(each) != self.size for each in whole):
            raise ValueError(f"must be {self.size} bytes, {2 * self.size} hexadecimal digits")
        return np.frombuffer(b"".join(whole), dtype=np.uint8).reshape(-1, *self.shape)

    def _check_range(self, numbers: NDArray[Any]) -> Reports:
        most = np.iinfo(self.dtype).max
        if numbers.size and (numbers.min() < 0 or numbers.max() > most):
            raise ValueError(f"must be a whole number in [0, {most}]")
        return numbers.astype(self.dtype)


def layout(protocol: LocalMechanism) -> tuple[Column, ...]:
    """The columns of a protocol's reports; raises ScenarioError where no real user sends them."""
    check_real(protocol)
    nothing = nobody(protocol)
    if nothing.dtype.names is None:
        return (_column("report", nothing.dtype, nothing.shape[1:]),)
    parts = ((name, nothing[name]) for name in nothing.dtype.names)
    return tuple(_column(name, part.dtype, part.shape[1:]) for name, part in parts)


def check_real(protocol: LocalMechanism) -> None:
    """Refuse a protocol that is simulated alone; raises ScenarioError."""
    if protocol.simulated_only:
        raise ScenarioError(f"must not be {protocol.simulated_only}", key="protocol")


def parts_of(columns: Sequence[Column], batch: Reports) -> Iterator[tuple[Column, Reports]]:
    """Each column, and the part of the reports that it holds."""
    for column in columns:
        yield column, batch if batch.dtype.names is None else batch[column.name]


def nobody(protocol: LocalMechanism) -> Reports:
    """The reports of nobody: an array of the type and shape that reports have."""
    return protocol.perturb(np.empty(0, dtype=np.int64), np.random.default_rng(0))


def _column(name: str, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Column:
    if not shape:
        return Column(name, "number", dtype, shape)
    return Column(name, "bytes" if dtype == np.uint8 else "numbers", dtype, shape)
