"""Heat maps in colours: a block for each pair of values, with its number where that has room.

Where there are more rows than lines, a line holds two rows, in the halves of its cells.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

from msgspec import Struct

from ...text import format as fmt
from ..rows import Look, Row, Span, crop, length, pad
from ..series import Grid

LABEL: Final = 18
"""Cells of a row's name at most."""
WIDEST: Final = 56
"""Cells of a block at most, and its lines."""
TALLEST: Final = 16
LEVELS: Final = 6
"""Colours from the faintest to that of the largest number: few enough to be told apart by eye."""
FAINT: Final = 0.15
"""Part of the colour that the smallest number has."""
DECADES: Final = 100
"""From this ratio of the largest to the smallest number on the colours are those of logarithms."""
EDGE: Final = "▏"
HALF: Final = "▀"


class Layout(Struct, frozen=True):
    """The places of a grid's blocks on the screen.

    rows, columns : those with room, by their places in the grid. left, top : cells before the
    first block. wide : cells of a block. halves : its height in half lines; 1 or even.
    """

    rows: list[int]
    columns: list[int]
    left: int
    top: int
    wide: int
    halves: int

    def place(self, x: int, y: int) -> tuple[int, int] | None:
        """The row and the column of the block at a cell of the screen; None beside them."""
        across = (x - self.left) // self.wide
        down = (y - self.top) * 2 // self.halves
        if y < self.top or across not in range(len(self.columns)) or down >= len(self.rows):
            return None
        return self.rows[down], self.columns[across]


def layout(grid: Grid, look: Look) -> Layout:
    """The blocks in a picture of this size, as large as there is room for all of them."""
    names = [look.clean(name) for name in (*grid.rows, grid.row)]
    left = min(LABEL, max(map(len, names)), max(0, look.width - 4)) + 1
    lines, room = max(1, look.height - 4), max(1, look.width - left)
    columns = some(len(grid.columns), room)
    wide = max(1, min(WIDEST, room // len(columns)))
    fits = len(grid.rows) <= lines
    rows = some(len(grid.rows), lines * (1 if fits else 2))
    halves = 2 * min(TALLEST, lines // len(rows)) if fits else 1
    return Layout(rows, columns, left, 2, wide, halves)


def heat_rows(grid: Grid, look: Look) -> list[Row]:
    """Title with the scale, names of the columns, the blocks; the note is left to the caller."""
    at = layout(grid, look)
    sizes = sizes_of(grid)
    lines = [_title(grid, sizes, look), _heads(grid, at, look)]
    if at.halves == 1:
        for first in range(0, len(at.rows), 2):
            lines.append(_halved(grid, at, at.rows[first : first + 2], sizes, look))
    else:
        for place in range(len(at.rows)):
            lines += _blocks(grid, at, place, sizes, look)
    return lines


def _title(grid: Grid, sizes: Sequence[float], look: Look) -> Row:
    """The title with the steps of the colours."""

    def swatch(step: int, below: bool) -> Span:
        return "  ", f"on {_coloured(step, look, below=below)}"

    return title_with_steps(grid, sizes, look, LEVELS, swatch)


def title_with_steps(
    grid: Grid,
    sizes: Sequence[float],
    look: Look,
    levels: int,
    swatch: Callable[[int, bool], Span],
) -> Row:
    """The title, and where there is room the steps of the colours, each with its least size.

    Where there is less room, every other step has a number, every third one, …

    levels : how many steps there are. swatch : what a step looks like, and one of numbers below 0.
    """
    row: Row = [(crop(look.clean(grid.title), look.width), look.strong)]
    known = [value for line in grid.values for value in line if value is not None]
    steps = [(step_of(value, sizes, levels), value < 0) for value in known if value]
    used = sorted({-1 - step if below else 1 + step for step, below in steps})
    for stride in range(1, levels + 1):
        marks: Row = [("  ", look.palette.muted)] if used else []
        for place, step in enumerate(used):
            least = math.copysign(_least(abs(step) - 1, sizes, levels), step)
            shown = place % stride == 0 or place == len(used) - 1
            marks.append(swatch(abs(step) - 1, step < 0))
            marks.append((f" {number(least)} " * shown, look.palette.muted))
        if length(row) + length(marks) <= look.width:
            return row + marks
    return row


def _heads(grid: Grid, at: Layout, look: Look) -> Row:
    """The names of the columns, of as many as have room."""
    names = [look.clean(grid.columns[column]) for column in at.columns]
    each = -(-(min(LABEL, max(map(len, names))) + 1) // at.wide)
    row: Row = [(pad(look.clean(grid.row), at.left), look.palette.muted)]
    for first in range(0, len(names), each):
        looked_at = grid.cursor is not None and grid.cursor[1] == grid.columns[at.columns[first]]
        room = at.wide * min(each, len(names) - first)
        style = look.strong if looked_at else look.palette.muted
        name = crop(names[first], max(1, room - 1))
        inset = max(0, (at.wide - len(name)) // 2)
        row.append((pad(" " * inset + name, room), style))
    return row


def _blocks(grid: Grid, at: Layout, place: int, sizes: Sequence[float], look: Look) -> list[Row]:
    """The lines of a row of blocks: its name and the numbers in the middle one."""
    row, count = at.rows[place], at.halves // 2
    middle = (count - 1) // 2
    digits = max(len(number(value)) for line in grid.values for value in line)
    below = at.rows[place + 1] if place + 1 < len(at.rows) else None
    lines: list[Row] = []
    for line in range(count):
        spans: Row = [_name(grid, row, at, look) if line == middle
                      else (" " * at.left, look.palette.muted)]  # fmt: skip
        for index, column in enumerate(at.columns):
            value = grid.values[row][column]
            here = grid.cursor == (grid.rows[row], grid.columns[column])
            words = number(value) if line == middle and at.wide >= digits + 3 else ""
            if line == middle and here:
                words = f"[{words}]" if at.wide >= digits + 3 else "[]"[: at.wide]
            text = f"{words:^{at.wide}}"
            back = colour(value, sizes, look)
            before = at.columns[index - 1] if index else None
            edge = before is not None and inside(grid, row, before) != inside(grid, row, column)
            floor = line == count - 1 and below is not None
            floor = floor and inside(grid, row, column) != inside(grid, below or 0, column)
            style = f"{'bold ' * here}{'underline ' * floor}{ink(back, look)} on {back}"
            if edge and not text[0].strip():
                text = EDGE + text[1:]
            spans.append((text, style))
        lines.append(spans)
    return lines


def _halved(
    grid: Grid,
    at: Layout,
    pair: Sequence[int],
    sizes: Sequence[float],
    look: Look,
) -> Row:
    """One line for two rows: the upper one in the upper halves of the cells."""
    named = next((row for row in pair if grid.cursor and grid.cursor[0] == grid.rows[row]), pair[0])
    spans: Row = [_name(grid, named, at, look)]
    for index, column in enumerate(at.columns):
        halves = []
        for row in (*pair, None)[:2]:
            if row is None:
                halves.append(look.palette.background)
            elif grid.cursor == (grid.rows[row], grid.columns[column]) or _on_line(
                grid, at, row, index
            ):
                halves.append(look.palette.foreground)
            else:
                halves.append(colour(grid.values[row][column], sizes, look))
        spans.append((HALF * at.wide, f"{halves[0]} on {halves[1]}"))
    return spans


def _on_line(grid: Grid, at: Layout, row: int, index: int) -> bool:
    """Return whether a block is inside of the line and one beside it is not."""
    column, place = at.columns[index], at.rows.index(row)
    if not inside(grid, row, column):
        return False
    near = [(row, at.columns[other]) for other in (index - 1, index + 1)
            if other in range(len(at.columns))]  # fmt: skip
    near += [(at.rows[other], column) for other in (place - 1, place + 1)
             if other in range(len(at.rows))]  # fmt: skip
    return not all(inside(grid, *each) for each in near)


def _name(grid: Grid, row: int, at: Layout, look: Look) -> Span:
    looked_at = grid.cursor is not None and grid.cursor[0] == grid.rows[row]
    style = look.strong if looked_at else look.palette.foreground
    return pad(look.clean(grid.rows[row]), at.left - 1) + " ", style


def inside(grid: Grid, row: int, column: int) -> bool:
    """Return whether a cell lies inside of the grid's line; False where it has none."""
    return bool(grid.inside) and grid.inside[row][column]


def some(count: int, room: int) -> list[int]:
    """The places that there is room for, evenly, the first and the last among them."""
    if count <= room:
        return list(range(count))
    if room == 1:
        return [0]
    return [round(step * (count - 1) / (room - 1)) for step in range(room)]


def number(value: float | None) -> str:
    return fmt.MISSING if value is None else fmt.short(value, 3, zeros=True)


def sizes_of(grid: Grid) -> list[float]:
    """The sizes of the numbers but zero, sorted."""
    return sorted(abs(value) for row in grid.values for value in row if value)


def part_of(value: float, sizes: Sequence[float]) -> float:
    """The place of a number's size between the least and the largest of `sizes`, from 0 to 1."""
    size = abs(value)
    if not size:
        return 0.0
    low, high = sizes[0], sizes[-1]
    if high < DECADES * low:
        return size / high
    least = math.log(low)
    return (math.log(size) - least) / (math.log(high) - least)


def step_of(value: float, sizes: Sequence[float], levels: int = LEVELS) -> int:
    """The step of a number's colour, from 0 to levels - 1."""
    return min(levels - 1, int(part_of(value, sizes) * levels))


def _least(step: int, sizes: Sequence[float], levels: int) -> float:
    """The least size of the numbers of a step: where `part_of` is step / levels."""
    low, high, part = sizes[0], sizes[-1], step / levels
    return high * part if high < DECADES * low else low * (high / low) ** part


def colour(value: float | None, sizes: Sequence[float], look: Look) -> str:
    """The colour of a number: more of the attack's the larger it is, of the other one below 0."""
    if not value:
        return look.palette.background
    return _coloured(step_of(value, sizes), look, below=value < 0)


def _coloured(step: int, look: Look, *, below: bool) -> str:
    """The colour of a step, for numbers below 0 or above."""
    front = look.palette.clean if below else look.palette.attacked
    return mixed(look.palette.background, front, FAINT + (1 - FAINT) * step / (LEVELS - 1))


def mixed(back: str, front: str, part: float) -> str:
    """A colour between two, `part` of the way from the first to the second."""
    pairs = zip(_rgb(back), _rgb(front), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * part):02x}" for a, b in pairs)


def ink(back: str, look: Look) -> str:
    """The colour of the text that is read on this one: the theme's, or its background's."""
    ground = _light(back)
    texts = look.palette.foreground, look.palette.background
    return max(texts, key=lambda text: abs(_light(text) - ground))


def _light(colour: str) -> float:
    """The lightness of a colour, from 0 to 1: the cube root of its luminance."""
    red, green, blue = ((part / 255) ** 2.2 for part in _rgb(colour))
    return float((0.2126 * red + 0.7152 * green + 0.0722 * blue) ** (1 / 3))


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
