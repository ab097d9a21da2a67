"""The columns of a file of reports: one for each part of a report, and how its cells are written.

A report is a row of one column, `report`, or of a column for each field of a structured report, as
`seed` and `value`. An integer is written as one, bytes as hexadecimal digits, and several
numbers with blanks between them; other programs write bits as 0110, [0, 1, 1, 0] or [false, true,
…].
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from string import hexdigits
from typing import Any, Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..base.errors import ScenarioError, got
from ..base.tables import whole_number
from ..law.pure import LocalMechanism, Reports
from .arguments import LARGEST

Order: TypeAlias = Literal["big", "little"]

NIBBLES: Final = np.full(256, 16, dtype=np.uint8)
"""The value of each hexadecimal digit by its code; 16 for what is none."""
for digits in (b"0123456789abcdef", b"0123456789ABCDEF"):
    NIBBLES[np.frombuffer(digits, dtype=np.uint8)] = np.arange(16)

REVERSED: Final = np.packbits(
    np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1), axis=1, bitorder="little"
).ravel()
"""Each byte with its bits in the other order."""

FLAGS: Final = {"true": 1.0, "false": 0.0}

MARK: Final = "for_tests"
"""The column of a file whose reports no user sends: the seed that drew them, in each row."""

NUMERALS: Final = np.array([str(number) for number in range(1 << 12)], dtype=object)
"""The texts of small numbers: looking one up is ten times as quick as making it."""


@dataclass(frozen=True)
class ReportColumn:
    """One column of a file of reports.

    holds : the type of a cell: one integer, bits in bytes, or several numbers. dtype, shape : of a
    report's part. bits : the number of bits in each row of bytes. order : whether the first bit of
    a byte is its highest ("big") or its lowest; in reports it is the highest.
    """

    name: str
    holds: Literal["number", "bytes", "numbers"]
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    bits: int = 0
    order: Order = "big"

    @property
    def size(self) -> int:
        return prod(self.shape)

    @property
    def value_rule(self) -> str:
        """The rule for a valid cell, in words."""
        if self.holds == "number":
            return f"a whole number in [0, 2^{8 * self.dtype.itemsize})"
        if self.holds == "numbers":
            return f"{self.size} numbers of at most {LARGEST:g}"
        return f"{2 * self.size} hexadecimal digits or {self.all_bits} bits"

    @property
    def all_bits(self) -> int:
        """The number of bits of a cell that has a digit for each bit."""
        return self.bits * prod(self.shape[:-1])

    def cells(self, part: Reports, between: str = " ") -> list[str]:
        """The cells of a column as texts. part : the column's part of the reports, [n, …].
        between : the separator of numbers in one cell.
        """
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
        """The NumPy dtype of cells that `parse_cells` accepts."""
        return "i8" if self.holds == "number" else f"S{2 * self.size + 1}"

    def parse_cells(self, cells: NDArray[Any]) -> Reports:
        """The part of the reports in cells of the dtype `quick`.

        Raises ValueError for invalid cells, and for columns that are read cell by cell.
        """
        if self.holds == "number":
            return self._check_range(cells)
        if self.holds == "numbers" or self.all_bits == 2 * self.size:
            raise ValueError("must be read cell by cell")
        codes = np.ascontiguousarray(cells).view(np.uint8).reshape(len(cells), -1)
        nibbles = NIBBLES[codes[:, :-1]]
        if codes[:, -1].any() or (nibbles == 16).any():
            raise ValueError(f"must be {self.value_rule}")
        return self._in_order((nibbles[:, ::2] << 4 | nibbles[:, 1::2]).reshape(-1, *self.shape))

    def read(self, cells: Sequence[Any]) -> Reports:
        """The part of the reports in these cells; raises ValueError or TypeError for an invalid
        cell.
        """
        if self.holds == "number":
            plain = {*map(type, cells)} == {int}
            whole = cells if plain else [_whole_number(cell) for cell in cells]
            return self._check_range(np.array(whole, dtype=np.int64))
        if self.holds == "bytes":
            return self._in_order(self._read_bits(cells))
        rows = [digits_of(cell) if isinstance(cell, str) else cell for cell in cells]
        numbers = np.array(rows, dtype=self.dtype)
        if numbers.shape != (len(rows), self.size) or not (np.abs(numbers) <= LARGEST).all():
            raise ValueError(f"must be {self.value_rule}")
        return numbers.reshape(-1, *self.shape)

    def _read_bits(self, cells: Sequence[Any]) -> Reports:
        """Bytes of cells: bytes, hexadecimal digits, or a digit for each bit in its order."""
        rows = []
        for cell in cells:
            text = cell.strip().lower().removeprefix("0x") if isinstance(cell, str) else ""
            if isinstance(cell, bytes):
                row = np.frombuffer(cell, np.uint8)
            elif len(text) == self.all_bits and not text.strip("01"):
                row = np.frombuffer(text.encode(), np.uint8) - ord("0")
            elif len(text) == 2 * self.size and text.isalnum():
                row = np.frombuffer(bytes.fromhex(text), np.uint8)
            else:
                row = _small_numbers(digits_of(text) if text else cell)
            if row.size == self.all_bits and (row <= 1).all():
                row = np.packbits(row.reshape(-1, self.bits), axis=1, bitorder=self.order).ravel()
            rows.append(row)
        whole = np.array(rows, dtype=np.uint8)
        if rows and whole.shape != (len(rows), self.size):
            raise ValueError(f"must be {self.value_rule}")
        return whole.reshape(-1, *self.shape)

    def _in_order(self, packed: Reports) -> Reports:
        """The bytes with the first bit of each in its highest place."""
        return packed if self.order == "big" else REVERSED[packed]

    def _check_range(self, numbers: NDArray[Any]) -> Reports:
        most = np.iinfo(self.dtype).max
        if numbers.size and (numbers.min() < 0 or numbers.max() > most):
            raise ValueError(f"must be a whole number in [0, {most}]")
        return numbers.astype(self.dtype)

    def fault_of(self, cell: Any) -> str:
        """The message about an invalid cell, without its place in the file."""
        if cell is None or cell != cell:
            return f"{self.name} must be {self.value_rule}, it is missing"
        message = f"{self.name} must be {self.value_rule}, {got(cell)}"
        if self.holds == "bytes" and isinstance(cell, str) and not cell.strip(hexdigits):
            return f"{message}: {4 * len(cell)} bits"
        try:
            number = int(cell)
        except (ValueError, TypeError, OverflowError):
            return message
        if self.name != "seed" or not -(2**63) <= number < 2**64:
            return message
        kind = "signed 32-bit seed: add 2^32" if -(2**31) <= number < 0 else "64-bit seed"
        return f"{message}: a {kind}"


def _whole_number(cell: Any) -> int:
    """The whole number of a cell, also where it is written 1.0; raises ValueError or TypeError."""
    if isinstance(cell, str):
        number = whole_number(cell.strip())
    else:
        number = int(cell) if type(cell) in (int, float) and cell == int(cell) else None
    if number is None:
        raise ValueError("must be a whole number")
    return number


def digits_of(text: str) -> list[float]:
    """The numbers or truth values of a text, separated by blanks or commas; raises ValueError."""
    words = text.strip("[](){} ").replace(",", " ").split()
    return [FLAGS[word.lower()] if word.lower() in FLAGS else float(word) for word in words]


def _small_numbers(cell: Any) -> NDArray[np.uint8]:
    """The whole numbers of a list, of a byte each; raises ValueError or TypeError."""
    numbers = np.array(cell, dtype=np.float64)
    if numbers.ndim != 1 or not np.isin(numbers, np.arange(256)).all():
        raise ValueError("must be bits")
    return numbers.astype(np.uint8)


def layout(protocol: LocalMechanism, order: Order = "big") -> tuple[ReportColumn, ...]:
    """The columns of a protocol's reports in files; raises ScenarioError for a protocol that is
    only simulated.

    order : of the bits within a byte.
    """
    check_real(protocol)
    nothing = nobody(protocol)
    parts = [("report", nothing)]
    if nothing.dtype.names is not None:
        parts = [(name, nothing[name]) for name in nothing.dtype.names]
    columns = []
    for name, part in parts:
        shape = part.shape[1:]
        holds: Any = "number" if not shape else "bytes" if part.dtype == np.uint8 else "numbers"
        # RAPPOR has bits of its own number, a sketch fills its bytes.
        known = getattr(protocol, "bits", protocol.domain_size)
        bits = known if shape and -(-known // 8) == shape[-1] else 8 * prod(shape[-1:])
        columns.append(ReportColumn(name, holds, part.dtype, shape, bits, order))
    return tuple(columns)


def check_real(protocol: LocalMechanism) -> None:
    """Raise ScenarioError for a protocol that can only be simulated."""
    if protocol.simulated_only:
        raise ScenarioError(f"must not be {protocol.simulated_only}", key="protocol")


def parts_of(
    columns: Sequence[ReportColumn], batch: Reports
) -> Iterator[tuple[ReportColumn, Reports]]:
    """Yields each column with the part of the reports that belongs to it."""
    for column in columns:
        yield column, batch if batch.dtype.names is None else batch[column.name]


def nobody(protocol: LocalMechanism) -> Reports:
    """An empty array with the dtype and shape of the protocol's reports."""
    return protocol.perturb(np.empty(0, dtype=np.int64), np.random.default_rng(0))
