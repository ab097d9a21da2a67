"""Heat maps: a number and a shade for each pair of values, or a block of colour."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Final

from ..rows import NO_DATA, Charset, Look, Row, crop, pad, titled
from ..series import Grid
from .heat import LABEL, Layout, heat_rows, inside, layout, number, part_of, sizes_of, some

SHADES: Final[dict[Charset, str]] = {"braille": " ░▒▓█", "block": " ░▒▓█", "ascii": " .:+#"}
"""From nothing to the largest of all numbers; each shade says as much as a colour would."""
SWATCH: Final = 2
"""Cells of a shade; more where there is room."""
WIDEST: Final = 6
INSIDE: Final[dict[Charset, str]] = {"braille": "•", "block": "•", "ascii": "*"}
"""The mark of a number inside of the line, where there are no colours to draw it on."""


def grid_rows(grid: Grid, look: Look) -> list[Row]:
    """The grid: title, names of the columns, a line for each row, a note with the shades.

    Colours of the terminal's own have no shades between them, and ASCII has no blocks: there each
    number stands beside its shade.
    """
    if not any(value is not None for row in grid.values for value in row):
        return titled(grid.title, NO_DATA, look)
    if _coloured(look):
        at = layout(grid, look)
        lines, mark = heat_rows(grid, look), "line"
    else:
        at = _columns(grid, look)
        lines, mark = _shaded(grid, at, look), INSIDE[look.charset]
    note = textwrap.wrap(look.clean(_note(grid, at, mark)), look.width)
    if len(lines) + len(note) < look.height:
        lines.append([])
    room = max(1, look.height - len(lines))
    if len(note) > room:  # the last line says that there is more
        note = [*note[: room - 1], crop(" ".join(note[room - 1 :]), look.width)]
    lines += [[(line, look.palette.muted)] for line in note]
    return lines[: look.height]


def grid_place(grid: Grid, x: int, y: int, look: Look) -> tuple[str, str] | None:
    """The names of the row and the column at a cell of the picture; None beside the grid."""
    make = layout if _coloured(look) else _columns
    found = make(grid, look).place(x, y) if grid.rows and grid.columns else None
    return None if found is None else (grid.rows[found[0]], grid.columns[found[1]])


def _coloured(look: Look) -> bool:
    return look.palette.coloured and look.charset != "ascii"


def _columns(grid: Grid, look: Look) -> Layout:
    """The places of numbers that stand beside their shades."""
    names = [look.clean(name) for name in (*grid.rows, grid.row)]
    label = min(LABEL, max(map(len, names)))
    room, least = look.width - label, _digits(grid) + SWATCH + 3
    longest = max(len(look.clean(name)) + 1 for name in grid.columns)
    cell = max(least, min(longest, max(least, room // len(grid.columns))))
    cell = max(cell, _digits(grid) + _swatch(grid, room) + 3)
    rows, columns = some(len(grid.rows), max(1, look.height - 4)), max(1, room // cell)
    return Layout(rows, some(len(grid.columns), columns), label, 2, cell, 2)


def _swatch(grid: Grid, room: int) -> int:
    """The cells of a shade."""
    return min(WIDEST, max(SWATCH, room // len(grid.columns) - _digits(grid) - 3))


def _digits(grid: Grid) -> int:
    return max(len(number(value)) for row in grid.values for value in row)


def _shaded(grid: Grid, at: Layout, look: Look) -> list[Row]:
    sizes, shades, digits = sizes_of(grid), SHADES[look.charset], _digits(grid)
    cell, swatch = at.wide, min(WIDEST, at.wide - digits - 3)
    heads = [pad(look.clean(grid.columns[each]), cell - 2, right=True) for each in at.columns]
    lines: list[Row] = [
        [(look.clean(grid.title), look.strong)],
        [(pad(look.clean(grid.row), at.left), look.palette.muted),
         (" " * 2 + (" " * 2).join(heads), look.palette.muted)],
    ]  # fmt: skip
    for row in at.rows:
        line: Row = [(pad(look.clean(grid.rows[row]), at.left), look.palette.foreground)]
        closing = ""
        for column in at.columns:
            value = grid.values[row][column]
            shade = "" if value is None else shades[_shade(value, sizes)] * swatch
            colour = (
                look.palette.clean if value is not None and value < 0 else look.palette.attacked
            )
            gap = (closing + " " * cell)[: cell - digits - swatch - 1]
            line.append((gap + pad(shade, swatch), colour))
            looked_at = grid.cursor == (grid.rows[row], grid.columns[column])
            mark = INSIDE[look.charset] if inside(grid, row, column) else ""
            opening, closing = ("[", "]") if looked_at else (" ", mark)
            line.append((opening + number(value).rjust(digits), look.palette.foreground))
        line.append((closing, look.palette.foreground))
        lines.append(line)
    return lines


def _shade(value: float, sizes: Sequence[float]) -> int:
    """The shade of a number, from 1 to 4, by its size among the sorted `sizes`; 0 for a zero."""
    return 1 + min(3, int(part_of(value, sizes) * 4)) if value else 0


def _note(grid: Grid, at: Layout, mark: str) -> str:
    """The key of the columns, the number of what is left out, and the note of the chart."""
    across = f"across: {grid.column}"
    hidden = [
        f"{len(whole) - len(shown)} {what} left out"
        for whole, shown, what in (
            (grid.rows, at.rows, "rows"), (grid.columns, at.columns, "columns"),
        )
        if len(whole) > len(shown)
    ]  # fmt: skip
    line = [f"{mark}: {grid.line}"] if grid.line else []
    return "; ".join([across, *line, *hidden, *filter(None, [grid.note])])
