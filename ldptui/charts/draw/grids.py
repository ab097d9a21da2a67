"""Heat maps: a number and a shade for each pair of values, in a grid of text."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import Final

from ...text import format as fmt
from ..rows import NO_DATA, Charset, Palette, Row, clean, crop, pad, titled
from ..series import Grid

SHADES: Final[dict[Charset, str]] = {"braille": " ░▒▓█", "block": " ░▒▓█", "ascii": " .:+#"}
"""From nothing to the largest of all numbers; each shade says as much as a colour would."""
SWATCH: Final = 2
"""Cells of a shade; more where there is room."""
WIDEST: Final = 6
LABEL: Final = 18
"""Cells of a row's name at most."""
DECADES: Final = 100
"""From this ratio of the largest to the smallest number on the shades are those of logarithms."""


def grid_rows(grid: Grid, width: int, height: int, palette: Palette, charset: Charset) -> list[Row]:
    """The grid: title, names of the columns, a line for each row, a note with the shades."""
    known = [value for row in grid.values for value in row if value is not None]
    if not known:
        return titled(grid.title, NO_DATA, width, height, palette, charset)
    texts = [[_number(value) for value in row] for row in grid.values]
    digits = max(len(text) for row in texts for text in row)
    names = [clean(name, charset) for name in grid.rows]
    label = min(LABEL, max(len(name) for name in (*names, clean(grid.row, charset))))
    swatch, cell = _widths(grid, width - label, digits, charset)
    across = max(1, (width - label) // cell)
    columns, rows = _some(len(grid.columns), across), _some(len(grid.rows), max(1, height - 4))
    sizes, shades = sorted(abs(value) for value in known if value), SHADES[charset]
    heads = [pad(clean(grid.columns[at], charset), cell - 1, right=True) for at in columns]
    lines: list[Row] = [
        [(crop(clean(grid.title, charset), width), f"bold {palette.foreground}")],
        [(pad(clean(grid.row, charset), label), palette.muted),
         (" " + " ".join(heads), palette.muted)],
    ]  # fmt: skip
    for at in rows:
        line: Row = [(pad(names[at], label), palette.foreground)]
        closing = ""
        for column in columns:
            value, text = grid.values[at][column], texts[at][column]
            shade = "" if value is None else shades[_shade(value, sizes)] * swatch
            colour = palette.clean if value is not None and value < 0 else palette.attacked
            gap = (closing + " " * (cell - digits - swatch - 1))[: cell - digits - swatch - 1]
            line.append((gap + pad(shade, swatch), colour))
            looked_at = grid.cursor == (grid.rows[at], grid.columns[column])
            opening, closing = ("[", "]") if looked_at else (" ", "")
            line.append((opening + text.rjust(digits), palette.foreground))
        line.append((closing, palette.foreground))
        lines.append(line)
    lines.append([])
    note = textwrap.wrap(clean(_note(grid, rows, columns), charset), width)
    room = max(1, height - len(lines))
    if len(note) > room:  # the last line says that there is more
        note = [*note[: room - 1], crop(" ".join(note[room - 1 :]), width)]
    lines += [[(line, palette.muted)] for line in note]
    return lines[:height]


def _widths(grid: Grid, room: int, digits: int, charset: Charset) -> tuple[int, int]:
    """The cells of a shade and of a whole cell of the grid, with a blank before each."""
    least = digits + SWATCH + 2
    longest = max(len(clean(name, charset)) + 1 for name in grid.columns)
    cell = max(least, min(longest, max(least, room // len(grid.columns))))
    spare = room // len(grid.columns) - digits - 2
    swatch = min(WIDEST, max(SWATCH, spare))
    return swatch, max(cell, digits + swatch + 2)


def _some(count: int, room: int) -> list[int]:
    """The places that there is room for, evenly, the first and the last among them."""
    if count <= room:
        return list(range(count))
    if room == 1:
        return [0]
    return [round(step * (count - 1) / (room - 1)) for step in range(room)]


def _shade(value: float, sizes: Sequence[float]) -> int:
    """The shade of a number, from 1 to 4, by its size among the sorted `sizes`; 0 for a zero."""
    size = abs(value)
    if not size:
        return 0
    low, high = sizes[0], sizes[-1]
    part = size / high
    if high >= DECADES * low:
        least = math.log(low)
        part = (math.log(size) - least) / (math.log(high) - least)
    return 1 + min(3, int(part * 4))


def _number(value: float | None) -> str:
    return fmt.MISSING if value is None else fmt.short(value, 3)


def _note(grid: Grid, rows: Sequence[int], columns: Sequence[int]) -> str:
    """The key of the columns, the number of what is left out, and the note of the chart."""
    across = f"across: {grid.column}"
    hidden = [
        f"{len(whole) - len(shown)} {what} left out"
        for whole, shown, what in ((grid.rows, rows, "rows"), (grid.columns, columns, "columns"))
        if len(whole) > len(shown)
    ]
    return "; ".join([across, *hidden, *filter(None, [grid.note])])
