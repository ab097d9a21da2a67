"""The rows of a chart's table at its cursor: the values of each series there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..rows import Charset, clean
from .table import Column, Table, Value

MEASURED: Final = "measured"
"""The column of what was simulated, in tables of curves."""
PICKED: Final = "▸"


def stops(table: Table, column: int = 1) -> tuple[Value, ...]:
    """The values of a column that a cursor goes to: those with a measurement, if there are any."""
    at = next((i for i, head in enumerate(table.columns) if head.name == MEASURED), None)
    rows = [row for row in table.rows if at is not None and row[at] is not None] or table.rows
    return tuple(dict.fromkeys(row[column] for row in rows))


def rows_at(table: Table, *places: tuple[int, Value]) -> list[tuple[Value, ...]]:
    """The rows that have these values, each in its column."""
    return [row for row in table.rows if all(row[column] == value for column, value in places)]


def reading(
    table: Table,
    rows: Sequence[tuple[Value, ...]],
    column: int,
    picked: int,
    room: tuple[int, int],
    charset: Charset = "braille",
) -> str:
    """Rows of a table in lines: the value that they share over them, the picked row marked.

    column : the one that they share. picked : -1 for none. room : the width, and the most rows;
    of more, those around the picked one. The last columns give way. charset : ASCII spells
    symbols out.
    """
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
    while len(widths) > 2 and sum(widths) + 2 * len(widths) > width:
        widths.pop()
    marks = [PICKED if first + at == picked else " " for at in range(len(lines) - 1)]
    return "\n".join(
        f"{mark} " + "  ".join(
            text.ljust(cells) if not at else text.rjust(cells)
            for at, (text, cells) in enumerate(zip(line, widths, strict=False))
        ).rstrip()
        for mark, line in zip((" ", *marks), lines, strict=True)
    )  # fmt: skip


def _plain(column: Column, value: Value) -> str:
    return value if isinstance(value, str) else column.text(value)
