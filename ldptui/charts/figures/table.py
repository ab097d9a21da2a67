"""The table of numbers behind a chart: its columns, how they read, and as text."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from ...text import format as fmt

if TYPE_CHECKING:
    from ..series import Chart

Value: TypeAlias = str | int | float | None


@dataclass(frozen=True)
class Column:
    """A column of a table: its numbers with `places` decimals, or `digits` digits and a power.

    With neither, each as short as it can be; whole ones in groups of three if `grouped`.
    """

    name: str
    places: int | None = None
    digits: int | None = None
    sign: bool = False
    grouped: bool = False

    def text(self, value: Value) -> str:
        """A value as it is shown."""
        if value is None:
            return fmt.MISSING
        if isinstance(value, str):
            return value
        if isinstance(value, int):
            return fmt.count(value) if self.grouped else str(value)
        if self.digits is not None:
            return _scientific(value, self.digits)
        if self.places is None:
            return fmt.short(value, sign=self.sign)
        return fmt.fixed(value, self.places, sign=self.sign)


def _scientific(value: float, digits: int) -> str:
    mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
    return f"{mantissa}e{int(power)}" if value else "0"


@dataclass(frozen=True)
class Table:
    """The numbers behind a chart: a value for each column in every row, None where undefined."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]

    def as_text(self) -> str:
        """Tab-separated, with a header; numbers in full precision, undefined ones empty."""
        lines = ["\t".join(column.name for column in self.columns)]
        for row in self.rows:
            lines.append("\t".join("" if value is None else str(value) for value in row))
        return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Frame:
    """The numbers of a sheet, and the chart that is drawn beside them of the same values."""

    table: Table
    chart: Chart | None


def finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
