"""The canvas of every chart: dots, which plotext paints in one pass, and letters over them.

Places are in cells: (0, 0) is the middle of the lowest left one. plotext has one figure for the
whole process: paint on one thread.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence, Set
from itertools import groupby
from typing import TYPE_CHECKING, Final

from ..rows import Look, Row

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

DASHES: Final = ((), (6, 4), (3, 3), (12, 5), (7, 3, 1, 3))
DOTTED: Final = ((1, 2), (1, 4), (3, 3, 1, 3), (1, 1, 1, 5))
"""Dots on and off along a line, for each line of a style in turn."""
ASCII_LINES: Final = "*=~-_"
ASCII_DOTTED: Final = ".:',"
MOST_POINTS: Final = 4000
BLANK: Final = 0x2800
BRAILLE: Final = ((0x40, 0x04, 0x02, 0x01), (0x80, 0x20, 0x10, 0x08))
"""The bits of a braille character: left and right column of dots, from the bottom up."""
_SGR: Final = re.compile(r"\x1b\[([0-9;]*)m")


class Canvas:
    """A grid of characters to paint a plot on; later painting covers earlier.

    width, height : in cells.
    """

    def __init__(self, width: int, height: int, look: Look) -> None:
        self.width, self.height = width, height
        self.is_ascii = look.charset == "ascii"
        self.dots = (1, 1) if self.is_ascii else (2, 4)
        self.size = (width * self.dots[0], height * self.dots[1])
        self._signals: list[tuple[Floats, Floats, str, str, Iterable[int]]] = []
        self._stamps: dict[tuple[int, int], tuple[int, str]] = {}
        self._shades: dict[tuple[int, int], tuple[str, str]] = {}
        self._letters: dict[tuple[int, int], tuple[str, str]] = {}
        self._crowd: dict[tuple[int, int], tuple[str, str]] = {}
        self._over: dict[int, Set[int]] = {}

    def dot(self, places: Floats, side: int) -> Floats:
        """Positions in cells as positions in braille dots, across (side 0) or up (side 1)."""
        import numpy as np

        found: Floats = np.floor(self.dots[side] * places + self.dots[side] / 2)
        return found

    # What plotext paints.

    def line(
        self,
        x: Floats,
        y: Floats,
        style: str,
        number: int = 0,
        dotted: bool = False,
        over: Set[int] = frozenset(),
    ) -> None:
        """Paint a line through positions, cut at the edges; NaN breaks it.

        number : the number of its dash pattern.
        over : the columns in which it covers the points of clouds.
        """
        import numpy as np

        points = np.column_stack((self.dot(x, 0), self.dot(y, 1)))
        start, stop = clip_line(thin_line(points, self.size[0]), *(end - 1 for end in self.size))
        if not len(start):
            return
        glyphs, patterns = (ASCII_DOTTED, DOTTED) if dotted else (ASCII_LINES, DASHES)
        glyph = glyphs[number % len(glyphs)] if self.is_ascii else "braille"
        if (dashes := patterns[number % len(patterns)]) and not self.is_ascii:
            start, stop = _dash_line(start, stop, dashes)
        self._strokes(start, stop, style, glyph)
        self._over[len(self._signals)] = over

    def _strokes(self, start: Floats, stop: Floats, style: str, glyph: str) -> None:
        """Paint straight strokes between dots; a stroke that begins at the end of the last one is
        joined to it.
        """
        import numpy as np

        if not len(start):
            return
        goes_on = np.r_[False, (start[1:] == stop[:-1]).all(axis=1)]
        points = np.column_stack((start, stop)).reshape(-1, 2)
        kept = np.column_stack((~goes_on, np.ones(len(start), dtype=bool))).reshape(-1)
        joined = np.tile([False, True], len(start))[kept]
        points = points[kept]
        self._signals.append((points[:, 0], points[:, 1], style, glyph, np.flatnonzero(joined)))

    def marks(
        self, x: Floats, y: Floats, low: Floats, high: Floats, style: str, mark: str, dots: str
    ) -> None:
        """Paint a mark at each position, with whiskers from `low` to `high`.

        mark : a letter.
        dots : a pattern of dots in place of the letter, from the top down: `# . #`.
        """
        import numpy as np

        with np.errstate(invalid="ignore"):
            seen = (x > -0.5) & (x < self.width - 0.5) & (y > -0.5) & (y < self.height - 0.5)
        x, y, low, high = x[seen], y[seen], low[seen], high[seen]
        if not len(x):
            return
        per, top = self.dots[1], self.size[1] - 1
        lines = [] if self.is_ascii else dots.split()
        reach = len(lines) // 2
        u, v = (
            np.clip(self.dot(each, side), reach, max(reach, self.size[side] - 1 - reach))
            for side, each in enumerate((x, y))
        )
        below, above = (v - reach, v + reach) if lines else (v - v % per, v - v % per + per - 1)
        for tip, sign, edge in ((low, -1, below), (high, 1, above)):
            tip, start = np.clip(self.dot(tip, 1), 0, top), np.clip(edge + sign, 0, top)
            kept = np.isfinite(tip) & (sign * (tip - start) >= 0)
            first, last = (np.column_stack((u[kept], each[kept])) for each in (start, tip))
            self._strokes(first, last, style, "|" if self.is_ascii else "braille")
        for down, line in enumerate(lines):
            if line == "#":
                self._stamp(u, v + reach - down, style)
        if not lines:
            places = zip((u // self.dots[0]).tolist(), (v // per).tolist(), strict=True)
            letters = self._crowd if dots else self._letters
            letters |= {(int(row), int(column)): (mark, style) for column, row in places}

    def _stamp(self, u: Floats, v: Floats, style: str) -> None:
        """Set single dots over the painted lines; faster than plotext, which takes 5 µs for each
        point.
        """
        for column, row in set(zip(u.astype(int).tolist(), v.astype(int).tolist(), strict=True)):
            place, bit = (row // 4, column // 2), BRAILLE[column % 2][row % 4]
            bits, _ = self._stamps.get(place, (0, ""))
            self._stamps[place] = bits | bit, style

    # What is below the dots, and over them.

    def shade(self, x: Floats, low: Floats, high: Floats, style: str, sparse: bool) -> None:
        """Shade the empty cells between two curves.

        sparse : one dot of eight is set, otherwise every second one.
        """
        import numpy as np

        fine = np.isfinite(x + low + high)
        if not fine.any():
            return
        order = x[fine].argsort(kind="stable")
        x, low, high = (each[fine][order] for each in (x, low, high))
        columns = range(max(0, math.ceil(x[0] - 0.5)), min(self.width - 1, round(float(x[-1]))) + 1)
        bottom, top = (
            np.clip(self.dot(np.interp(list(columns), x, each), 1), -1, self.size[1]).astype(int)
            for each in (low, high)
        )
        per = self.dots[1]
        for column, start, end in zip(columns, bottom.tolist(), top.tolist(), strict=True):
            last = end - 1 if sparse else end
            for row in range(max(0, start) // per, min(last, self.size[1] - 1) // per + 1):
                levels = [start <= per * row + each <= last for each in range(per)]
                if char := self._shade_char(levels, column, sparse):
                    self._shades[row, column] = char, style

    def _shade_char(self, levels: Sequence[bool], column: int, sparse: bool) -> str:
        """The character of a cell of a shade; `levels` tells which of its rows of dots
        are inside.
        """
        if self.is_ascii:
            return ("." if column % 2 == 0 else "") if sparse else ":"
        if sparse:
            dots = ((0, 0x04, 0, 0), (0, 0, 0, 0x08)) if column % 2 else ((0, 0, 0, 0x01), (0,) * 4)
        else:
            dots = ((0x40, 0, 0x02, 0), (0, 0x20, 0, 0x08))
        bits = sum(side[at] for side in dots for at, inside in enumerate(levels) if inside)
        return chr(BLANK + bits) if bits else ""

    def text_below(self, column: int, row: int, letter: str, style: str) -> None:
        """Write a letter into a cell if the cell is empty; row 0 is the lowest."""
        self._shades.setdefault((row, column), (letter, style))

    def rows(self) -> list[Row]:
        """The rows from top to bottom, each as pieces of text with their styles."""
        chars, owners = self._paint() if self._signals else ([], [])
        found: list[Row] = []
        for down in range(self.height):
            row = self.height - 1 - down
            cells = [(" ", "")] * self.width
            if chars:
                cells = [
                    (char, self._signals[owner - 1][2] if owner else "")
                    for char, owner in zip(chars[down], owners[down], strict=True)
                ]
            for column, (char, _) in enumerate(cells):
                if char == " " and (row, column) in self._shades:
                    cells[column] = self._shades[row, column]
            found.append(cells)
        over = {
            (self.height - 1 - down, column)
            for down, line in enumerate(owners if any(self._over.values()) else ())
            for column, owner in enumerate(line)
            if column in self._over.get(owner, ())
        }
        for (row, column), (bits, style) in self._stamps.items():
            if (row, column) in over:
                continue
            below = found[self.height - 1 - row][column]
            kept = ord(below[0]) - BLANK if below[0] >= chr(BLANK) else 0
            is_shade = below == self._shades.get((row, column))
            found[self.height - 1 - row][column] = (
                chr(BLANK + (bits | kept * (not is_shade))),
                style,
            )
        crowd = {place: each for place, each in self._crowd.items() if place not in over}
        for (row, column), letter in (crowd | self._letters).items():
            if 0 <= row < self.height and 0 <= column < self.width:
                found[self.height - 1 - row][column] = letter
        return [
            [("".join(char for char, _ in run), style) for style, run in groupby(row, _style)]
            for row in found
        ]

    def _paint(self) -> tuple[list[list[str]], list[list[int]]]:
        """The characters that plotext paints, and the number of the signal in each cell, 0 for
        none.

        plotext gets that number as a colour, (0, 0, number), so that any style is kept.
        """
        import plotext

        figure = plotext.figure
        plotext.terminal.limit(False, False)
        figure.clear()
        figure.plot_size(self.width, self.height)
        figure.axes(False)
        figure.legend(False)
        figure.canvas("default")
        for name, cells in (("x", self.width), ("y", self.height)):
            figure.ruler(name).ticks([], [])
            figure.ruler(name).lim(0.5, cells - 0.5)  # the middles of the first and the last cell
        for number, (u, v, _, glyph, joined) in enumerate(self._signals, start=1):
            across, up = (
                ((each + 0.5) / dots).tolist() for each, dots in zip((u, v), self.dots, strict=True)
            )
            colour = plotext.pixel(foreground=(0, number // 256, number % 256))
            signal = figure.signal(across, up, marker=plotext.marker(glyph, colour))
            for index in joined:
                signal.line(int(index))
            signal._get_unique_pixels = list  # `draw` asks each point for its colour: half the time
            figure.draw(signal)
        return read_back(figure.build().string(), self.width, self.height)


def _style(cell: tuple[str, str]) -> str:
    return cell[1]


def read_back(text: str, width: int, height: int) -> tuple[list[list[str]], list[list[int]]]:
    """The rows that plotext has drawn: their characters, and the colour number of each cell (0:
    none).
    """
    chars: list[list[str]] = []
    numbers: list[list[int]] = []
    for line in (text.split("\n") + [""] * height)[:height]:
        letters, owners, number = list[str](), list[int](), 0
        for index, piece in enumerate(_SGR.split(line)):  # text, code, text, code, … text
            if index % 2:
                parts = piece.split(";")
                number = 256 * int(parts[3]) + int(parts[4]) if piece.startswith("38;2;") else 0
            else:
                letters.extend(piece)
                owners.extend([number] * len(piece))
        room = width - len(letters)
        chars.append((letters + [" "] * room)[:width])
        numbers.append((owners + [0] * room)[:width])
    return chars, numbers


def clip_line(points: Floats, right: float, top: float) -> tuple[Floats, Floats]:
    """The segments of a line through points, clipped to the box [0, right] × [0, top]
    (Liang-Barsky).

    A point between two NaNs stays, as a segment of length 0.
    """
    import numpy as np

    finite: NDArray[np.bool_] = np.isfinite(points[:, 0]) & np.isfinite(points[:, 1])
    joined = finite[:-1] & finite[1:]
    alone = finite & ~np.r_[False, joined] & ~np.r_[joined, False]
    order = np.argsort(np.r_[np.flatnonzero(joined), np.flatnonzero(alone)], kind="stable")
    start = np.r_[points[:-1][joined], points[alone]][order]
    change = np.r_[points[1:][joined], points[alone]][order] - start
    enter, leave = np.zeros(len(start)), np.ones(len(start))
    visible: NDArray[np.bool_] = np.ones(len(start), dtype=bool)
    for axis, end in ((0, right), (1, top)):
        for direction, distance in ((-1, start[:, axis]), (1, end - start[:, axis])):
            speed = direction * change[:, axis]
            with np.errstate(all="ignore"):
                at = distance / speed
            enter = np.where(speed < 0, np.maximum(enter, at), enter)
            leave = np.where(speed > 0, np.minimum(leave, at), leave)
            visible = np.logical_and(visible, (speed != 0) | (distance >= 0))
    visible = np.logical_and(visible, enter <= leave)
    start, change = start[visible], change[visible]
    first, last = (start + each[visible, None] * change for each in (enter, leave))
    return np.round(np.clip(first, 0, (right, top))), np.round(np.clip(last, 0, (right, top)))


def thin_line(points: Floats, columns: int) -> Floats:
    """A line with only the first, lowest, highest and last of consecutive points in one column of
    dots.
    """
    import numpy as np

    if len(points) <= 4 * columns:
        return points
    column = np.where(np.isnan(points).any(axis=1), -2, points[:, 0])
    starts = np.flatnonzero(np.r_[True, column[1:] != column[:-1]])
    ends = np.r_[starts[1:], len(points)] - 1
    run = np.repeat(np.arange(len(starts)), ends - starts + 1)
    by_height = np.lexsort((points[:, 1], run))
    kept = np.unique(np.concatenate((starts, ends, by_height[starts], by_height[ends])))
    if len(kept) > MOST_POINTS:  # a line that goes to and fro in x, or is full of holes
        kept = kept[np.linspace(0, len(kept) - 1, MOST_POINTS).round().astype(int)]
    thinned: Floats = points[kept]
    return thinned


def _dash_line(start: Floats, stop: Floats, dashes: Sequence[int]) -> tuple[Floats, Floats]:
    """The dashes of a line as pieces inside one segment each; the pattern continues over gaps."""
    import numpy as np

    lengths = np.abs(stop - start).max(axis=1)
    ends = np.cumsum(lengths)
    if not 1 <= ends[-1] <= MOST_POINTS:
        return start, stop
    whole, marks = sum(dashes), np.cumsum((0, *dashes[:-1]))
    turns = (np.arange(0, ends[-1], whole)[:, None] + marks).reshape(-1)
    cuts = np.unique(np.r_[0, ends, turns[turns < ends[-1]]])
    middles = (cuts[:-1] + cuts[1:]) / 2
    is_on = np.searchsorted(marks, middles % whole, side="right") % 2 == 1
    at = np.searchsorted(ends, middles[is_on])
    first, last = (
        np.round(start[at] + share[:, None] * (stop - start)[at])
        for cut in (cuts[:-1], cuts[1:])
        for share in ((cut[is_on] - (ends - lengths)[at]) / lengths[at],)
    )
    return first, last
