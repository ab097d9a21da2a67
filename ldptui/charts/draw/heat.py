"""Heat maps: a block for each pair of values, with its number where that has room."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from ...text import format as fmt
from ..rows import NO_DATA, Look, Row, crop, length, pad, title_rows, wrap_words
from ..series import Grid

LABEL: Final = 18
"""Cells of a row's name at most."""
WIDEST: Final = 56
TALLEST: Final = 16
DIGITS: Final = 2
"""The significant digits of a number by which it has its fill: nearly equal numbers are alike."""
LEVELS: Final = 6
"""Colours from the faintest to that of the largest number: few enough to be told apart by eye."""
SHADES: Final = {"ascii": (".:+#", "'~=%"), "braille": ("░▒▓█", "⠂⠒⠶⠿")}
"""What a block above zero, or below, is filled with where there are no colours of our own."""
FAINT: Final = 0.15
"""Part of the colour that the smallest number has."""
DECADES: Final = 100
"""From this ratio of the largest to the smallest number on the colours are those of logarithms."""


class HeatLayout(Struct, frozen=True):
    """The layout of a heat map: the rows and columns that have room, and the size of a block.

    rows, columns : the indices of those that have room.
    left : columns of the screen before the blocks.
    wide, tall : the cells and the lines of a block.
    """

    rows: list[int]
    columns: list[int]
    left: int
    wide: int
    tall: int


def heat_rows(grid: Grid, look: Look) -> list[Row]:
    """The rows of a heat map: title with the colour scale, column names, blocks, note."""
    if not any(value is not None for row in grid.values for value in row):
        return title_rows(grid.title, NO_DATA, look)
    at, steps = lay_out_heat(grid, look), steps_of(grid, look)
    lines = [_heading(grid, steps, look), _column_names(grid, at, look)]
    for place in range(len(at.rows)):
        lines += _blocks(grid, at, place, steps, look)
    hidden = [
        f"{len(whole) - len(shown)} {what} left out"
        for whole, shown, what in (
            (grid.rows, at.rows, "rows"), (grid.columns, at.columns, "columns"),
        )
        if len(whole) > len(shown)
    ]  # fmt: skip
    note = _note(grid, look, hidden)
    room = max(1, look.height - len(lines))
    if len(note) > room:  # the last line says that there is more
        note = [*note[: room - 1], crop(" ".join(note[room - 1 :]), look.width)]
    return [*lines, *([(line, look.palette.muted)] for line in note)]


def _note(grid: Grid, look: Look, hidden: Sequence[str] = ()) -> list[str]:
    """The lines below the map: the key of the columns and of the outline, the rows left out, the
    note.
    """
    mark = "line" if has_colours(look) else "[ ]"
    line = f"{mark}: {grid.line}" if grid.line else ""
    words = "; ".join(filter(None, (f"across: {grid.column}", line, *hidden, grid.note)))
    return wrap_words(look.clean(words), look.width)


def heat_place(grid: Grid, x: int, y: int, look: Look) -> tuple[str, str] | None:
    """The names of the row and the column at a cell of the picture; None outside the blocks."""
    if not grid.rows or not grid.columns:
        return None
    at = lay_out_heat(grid, look)
    column, line = (x - at.left) // at.wide, y - 2
    row = line // at.tall
    if line < 0 or column not in range(len(at.columns)) or row not in range(len(at.rows)):
        return None
    return grid.rows[at.rows[row]], grid.columns[at.columns[column]]


def has_colours(look: Look) -> bool:
    """True if blocks are filled with colours, not with shades of characters."""
    return look.palette.has_colours and look.charset != "ascii"


def lay_out_heat(grid: Grid, look: Look) -> HeatLayout:
    """The layout of a heat map, with blocks as large as fit."""
    names = [look.clean(name) for name in (*grid.rows, grid.row)]
    left = min(LABEL, max(map(len, names)), max(0, look.width - 4)) + 1
    below = min(len(_note(grid, look)), max(2, look.height // 4))
    lines, room = max(1, look.height - 2 - below), max(1, look.width - left)
    least = 1 if has_colours(look) else max(map(len, _numbers(grid))) + 2
    columns = some(len(grid.columns), max(1, room // least))
    wide = max(1, min(WIDEST, room // len(columns)))
    rows = some(len(grid.rows), lines)
    tall = min(TALLEST, max(1, lines // len(rows)))
    return HeatLayout(rows, columns, left, wide, tall)


def some(count: int, room: int) -> list[int]:
    """At most `room` evenly spaced indices below `count`, including the first and the last."""
    if count <= room:
        return list(range(count))
    return [round(step * (count - 1) / max(1, room - 1)) for step in range(room)]


def _numbers(grid: Grid) -> list[str]:
    return [number(value) for row in grid.values for value in row]


def number(value: float | None) -> str:
    """The number written into a block."""
    return fmt.MISSING if value is None else fmt.short(value, 3, zeros=True)


# --- Colours -------------------------------------------------------------------------------------


def steps_of(grid: Grid, look: Look) -> list[float]:
    """The least size of the numbers of each step, rounded.

    There are as many steps as fills that can be told apart.
    """
    sizes = [abs(value) for row in grid.values for value in row if value]
    low, high = min(sizes, default=0.0), max(sizes, default=0.0)
    levels = LEVELS if has_colours(look) else len(SHADES[look.charset][0])
    parts = [step / levels for step in range(levels)]
    if high < DECADES * low or not low:
        return [_round_size(high * part) for part in parts]
    return [_round_size(math.exp(math.log(low) + part * math.log(high / low))) for part in parts]


def _round_size(size: float) -> float:
    return float(f"{size:.{DIGITS}g}")


def step_of(value: float, steps: Sequence[float]) -> int:
    """The step of a number by its absolute value, from 0."""
    return max(0, bisect_right(steps, _round_size(abs(value))) - 1)


def _fill(value: float | None, steps: Sequence[float], look: Look) -> tuple[str, str]:
    """The character that a block is filled with, and its style."""
    if value:
        return _fill_of_step(step_of(value, steps), value < 0, look)
    back = look.palette.background
    return " ", f"{look.palette.foreground} on {back}" if has_colours(look) else ""


def _fill_of_step(step: int, is_negative: bool, look: Look) -> tuple[str, str]:
    tone = look.palette.clean if is_negative else look.palette.attacked
    if not has_colours(look):
        return SHADES[look.charset][is_negative][step], tone
    back = mix_colours(look.palette.background, tone, FAINT + (1 - FAINT) * step / (LEVELS - 1))
    return " ", f"{ink(back, look)} on {back}"


def mix_colours(back: str, front: str, part: float) -> str:
    """The colour that is `part` of the way from `back` to `front`."""
    pairs = zip(_rgb(back), _rgb(front), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * part):02x}" for a, b in pairs)


def ink(back: str, look: Look) -> str:
    """The text colour that is readable on a background colour: the theme's text or its
    background.
    """
    texts = look.palette.foreground, look.palette.background
    return max(texts, key=lambda text: abs(_light(text) - _light(back)))


def _light(colour: str) -> float:
    """The lightness of a colour, from 0 to 1: the cube root of its luminance."""
    red, green, blue = ((part / 255) ** 2.2 for part in _rgb(colour))
    return float((0.2126 * red + 0.7152 * green + 0.0722 * blue) ** (1 / 3))


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


# --- Rows ----------------------------------------------------------------------------------------


def _heading(grid: Grid, steps: Sequence[float], look: Look) -> Row:
    """The title, and the fill of every step, each with its least size where that has room, else
    every second one from the largest down, and so on.
    """
    row: Row = [(crop(look.clean(grid.title), look.width), look.strong)]
    known = [value for line in grid.values for value in line if value]
    used = sorted({math.copysign(1 + step_of(each, steps), each) for each in known})
    named = used
    while used:
        scale: Row = [("  ", "")]
        for signed in used:
            step = round(abs(signed)) - 1
            char, style = _fill_of_step(step, signed < 0, look)
            least = fmt.short(math.copysign(steps[step], signed), DIGITS)
            least = "<0" if signed < 0 and not steps[step] else least
            words = f" {least} " if signed in named else " "
            scale += [(char * 2, style), (words, look.palette.muted)]
        if length(row) + length(scale) <= look.width:
            return row + scale
        if not named:
            break
        named = named[-3::-2][::-1] + named[-1:] if len(named) > 1 else []
    return row


def _column_names(grid: Grid, at: HeatLayout, look: Look) -> Row:
    """The names of the columns, of as many as have room."""
    names = [look.clean(grid.columns[column]) for column in at.columns]
    each = -(-(min(LABEL, max(map(len, names))) + 1) // at.wide)
    row: Row = [(pad(look.clean(grid.row), at.left), look.palette.muted)]
    for first in range(0, len(names), each):
        is_picked = grid.cursor is not None and grid.cursor[1] == grid.columns[at.columns[first]]
        room = at.wide * min(each, len(names) - first)
        name = crop(names[first], max(1, room - 1))
        inset = max(0, (at.wide - len(name)) // 2)
        style = look.strong if is_picked else look.palette.muted
        row.append((pad(" " * inset + name, room), style))
    return row


def _row_name(grid: Grid, row: int, at: HeatLayout, look: Look) -> tuple[str, str]:
    is_picked = grid.cursor is not None and grid.cursor[0] == grid.rows[row]
    style = look.strong if is_picked else look.palette.foreground
    return pad(look.clean(grid.rows[row]), at.left - 1) + " ", style


def _blocks(
    grid: Grid, at: HeatLayout, place: int, steps: Sequence[float], look: Look
) -> list[Row]:
    """The lines of a row of blocks, with its name and numbers in the middle line.

    The grid's outline is drawn as edges between blocks, without colours as brackets.
    """
    row, middle = at.rows[place], (at.tall - 1) // 2
    below = at.rows[place + 1] if place + 1 < len(at.rows) else None
    digits = max(map(len, _numbers(grid)))
    lines: list[Row] = []
    for line in range(at.tall):
        spans: Row = [_row_name(grid, row, at, look) if line == middle else (" " * at.left, "")]
        for index, column in enumerate(at.columns):
            value, inside = grid.values[row][column], is_inside(grid, row, column)
            char, style = _fill(value, steps, look)
            is_picked = grid.cursor == (grid.rows[row], grid.columns[column])
            words = ""
            if line == middle and at.wide >= digits + (1 if has_colours(look) else 2):
                words = number(value)
                if is_picked:
                    words = f"▸{words}"
                elif inside and not has_colours(look):
                    words = f"[{words}]"
            elif line == middle and is_picked:
                words = "▸"
            gap = at.wide if has_colours(look) else max(1, at.wide - 1)
            text = (f" {words} " if words and gap > len(words) + 2 else words).center(gap, char)
            text = crop(look.clean(text), gap) + " " * (at.wide - gap)
            if has_colours(look):
                edge = index and is_inside(grid, row, at.columns[index - 1]) != inside
                floor = below is not None and line == at.tall - 1
                if floor and is_inside(grid, below or 0, column) != inside:
                    style = f"underline {style}"
                if edge and text[0] == " ":
                    text = "▏" + text[1:]
            spans.append((text, f"bold {style}" if is_picked else style))
        lines.append(spans)
    return lines


def is_inside(grid: Grid, row: int, column: int) -> bool:
    """True if a cell lies inside the outline of the map (`Grid.inside`); False if there is no
    outline.
    """
    return bool(grid.inside) and grid.inside[row][column]
