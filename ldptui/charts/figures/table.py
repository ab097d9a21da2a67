"""The table of numbers behind a chart: its columns, how they read, as text, and at a cursor."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from msgspec import Struct

from ...text import format as fmt

if TYPE_CHECKING:
    from ..rows import Charset

Value: TypeAlias = str | int | float | None


class TableColumn(Struct, frozen=True):
    """A column of a table, with the number of decimals or of significant digits.

    Without both, each number is as short as possible. grouped : whole numbers in groups of three
    digits.
    """

    name: str
    places: int | None = None
    digits: int | None = None
    sign: bool = False
    grouped: bool = False

    def text(self, value: Value) -> str:
        """A value as text in the column's format."""
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
        return fmt.fixed_decimals(value, self.places, sign=self.sign)


def _scientific(value: float, digits: int) -> str:
    mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
    return f"{mantissa}e{int(power)}" if value else "0"


class ChartTable(Struct, frozen=True):
    """The numbers behind a chart: a value for each column in every row, None where undefined."""

    title: str
    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[Value, ...], ...]

    def as_text(self) -> str:
        """The table as tab-separated text with a header, numbers in full precision."""
        lines = ["\t".join(column.name for column in self.columns)]
        for row in self.rows:
            lines.append("\t".join("" if value is None else str(value) for value in row))
        return "\n".join(lines) + "\n"


def finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


MEASURED: Final = "measured"
"""The column of what was simulated, in tables of curves."""
PICKED: Final = "▸"


def stops(table: ChartTable, column: int = 1) -> tuple[Value, ...]:
    """The values of a column that the cursor visits: those of rows with a measurement, else all."""
    at = next((i for i, head in enumerate(table.columns) if head.name == MEASURED), None)
    rows = [row for row in table.rows if at is not None and row[at] is not None] or table.rows
    return tuple(dict.fromkeys(row[column] for row in rows))


def rows_at(table: ChartTable, *places: tuple[int, Value]) -> list[tuple[Value, ...]]:
    """The rows that have given values in given columns."""
    return [row for row in table.rows if all(row[column] == value for column, value in places)]


def reading(
    table: ChartTable,
    rows: Sequence[tuple[Value, ...]],
    column: int,
    picked: int,
    room: tuple[int, int],
    charset: Charset = "braille",
) -> str:
    """The lines that show rows of a table at the cursor: the value that they share, then the rows.

    column : the shared one.
    picked : the picked row, -1 for none.
    room : the width, and the largest number of rows; of more rows, those around the picked one are
        shown. Columns that do not fit are left out from the right, with a sign.
    charset : "ascii" spells symbols out.
    """
    from ..rows import clean

    width, most = room
    head, shared = table.columns[column], rows[0][column]
    heads = [each for at, each in enumerate(table.columns) if at != column]
    left = [[value for at, value in enumerate(row) if at != column] for row in rows]
    used = [at for at in range(len(heads)) if any(row[at] is not None for row in left)]
    first = max(0, min(picked - most // 2, len(rows) - most))
    part = f"  {picked + 1} of {len(rows)}" if len(rows) > most and picked >= 0 else ""
    lines = [["", *(heads[at].name for at in used[1:])]]
    lines += [[heads[at].text(row[at]) for at in used] for row in left[first : first + most]]
    lines[0][0] = f"{head.name} = {_plain(head, shared)}{part}"
    lines = [[clean(text, charset) for text in line] for line in lines]
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    kept, more = len(widths), clean("…", charset)
    while kept > 2 and sum(widths[:kept]) + 2 * kept > width:
        width -= (len(more) + 2) * (kept == len(widths))
        kept -= 1
    if kept < len(widths):
        widths[kept:] = [len(more)]
        lines = [[*line[:kept], "" if at else more] for at, line in enumerate(lines)]
    marks = [PICKED if first + at == picked else " " for at in range(len(lines) - 1)]
    return "\n".join(
        f"{mark} " + "  ".join(
            text.ljust(cells) if not at else text.rjust(cells)
            for at, (text, cells) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for mark, line in zip((" ", *marks), lines, strict=True)
    )  # fmt: skip


def _plain(column: TableColumn, value: Value) -> str:
    return value if isinstance(value, str) else column.text(value)
