"""The data area of a plot, rasterised by plotext."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..rows import Look, Row
from ..series import Plot
from .axes import (
    MAX_POINTS,
    Scale,
    one_per_cell,
    one_per_dot,
    sanitise,
)
from .marks import Mark, style_in
from .shapes import BLANK, BRAILLE, band_cells, floor_cells, spread, stamp

if TYPE_CHECKING:
    from .axes import Floats


def rasterise(
    plotext: Any, plot: Plot, marks: Sequence[Mark], x: Scale, y: Scale, look: Look
) -> list[Row]:
    """The cells of the data area: clouds and bands below, then error bars, single points, lines.

    In braille a line runs over the marks, whose cells keep the colour of the mark.
    """
    with_stamps = y.dots == len(BRAILLE[0])
    jobs: list[Job] = []
    bands: list[tuple[str, Floats]] = []
    floors: list[tuple[str, Floats]] = []
    whiskers: list[tuple[str, Floats]] = []
    for number, (series, mark) in enumerate(zip(plot.series, marks, strict=True), start=1):
        sane = sanitise(series, x, y)
        if len(sane.points):
            dotted = mark.layer == 1 or with_stamps
            points = sane.points if dotted else one_per_cell(sane.points, x, y)
            glyph = mark.glyph
            if mark.layer == 0 and with_stamps:
                points, glyph = spread(points, mark.shape, y), "braille"
            jobs.append((mark.layer, number, points, [], glyph))
        if series.style == "floor":
            floors.append((look.palette.style(series.tone), sane.lines))
        elif len(sane.lines):
            jobs.append((mark.layer, number, *path(sane.lines, mark.dashes, x, y), mark.glyph))
        if len(sane.bars):
            kept = bands if series.style == "band" else whiskers
            kept.append((look.palette.style(series.tone), sane.bars))
    jobs.sort(key=lambda job: job[0])
    clouds = [job for job in jobs if job[0] < 2]
    stamped = [job for job in jobs if with_stamps and job[0] == 3]
    solid = [job for job in jobs if job[0] == 2 or (job[0] == 3 and not with_stamps)]
    chars, numbers = build(plotext, solid, x, y)
    lines = [row.copy() for row in chars]
    if clouds:
        # Lines are cut out of the clouds: plotext would mix the dots of both.
        under, owners = build(plotext, clouds, x, y)
        for row, line in enumerate(numbers):
            for column, number in enumerate(line):
                if not number:
                    chars[row][column] = under[row][column]
                    line[column] = owners[row][column]
    colours = ["", *(style_in(plot, series, look) for series in plot.series)]
    cells = _coloured(chars, numbers, colours)
    for style, bars in bands:
        for row, column, char, on_line in band_cells(bars, x, y):
            below = cells[row][column][0]
            # Where a curve lies on the means, both are seen: the band has every fourth cell.
            if below == " " or (on_line and column % 4 == 0):
                cells[row][column] = (over(below, char), style)
    points_of = set() if with_stamps else {number for layer, number, *_ in jobs if layer == 3}
    for style, bars in whiskers:
        for row, column, char in whisker_cells(bars, x, y):
            if numbers[row][column] not in points_of:
                cells[row][column] = (over(cells[row][column][0], char), style)
    shapes = [(marks[job[1] - 1].shape, job[2], colours[job[1]]) for job in stamped]
    stamp(cells, shapes, x, y)
    if shapes:
        _draw_over(cells, lines)
    for style, curve in floors:
        _shade(cells, style, floor_cells(curve, x, y))
    return cells


def _coloured(
    chars: Sequence[Sequence[str]], numbers: Sequence[Sequence[int]], colours: Sequence[str]
) -> list[Row]:
    """The cells with these characters, in the colours of whose they are."""
    return [
        [(char, colours[number]) for char, number in zip(row, owners, strict=True)]
        for row, owners in zip(chars, numbers, strict=True)
    ]


def _shade(cells: Sequence[Row], style: str, shaded: Iterable[tuple[int, int, str]]) -> None:
    """Shade cells that are empty."""
    for row, column, char in shaded:
        if cells[row][column][0] == " ":
            cells[row][column] = (char, style)


def _draw_over(cells: Sequence[Row], lines: Sequence[Sequence[str]]) -> None:
    """Draw lines over marks, whose cells keep their colour."""
    for row, line in zip(cells, lines, strict=True):
        for column, char in enumerate(line):
            if char >= chr(BLANK):
                below, style = row[column]
                row[column] = (over(below, char), style)


Job = tuple[int, int, "Floats", list[int], str]
"""Layer, number of the series, its points, which of them are joined to the one before, marker."""


def build(
    plotext: Any, jobs: Sequence[Job], x: Scale, y: Scale
) -> tuple[list[list[str]], list[list[int]]]:
    """The characters of the data area, and whose they are (0: nobody's), as plotext draws them.

    plotext gets the number of a series as a colour (0, 0, number), and hands it back by cell.
    """
    figure = plotext.figure
    plotext.terminal.limit(False, False)
    figure.clear()
    figure.plot_size(x.cells, y.cells)
    figure.axes(False)
    figure.legend(False)
    figure.canvas("default")
    for name, scale in (("x", x), ("y", y)):
        figure.ruler(name).ticks([], [])
        figure.ruler(name).lim(0.5, scale.cells - 0.5)  # the middles of the first and last cell
    for _, number, points, joined, glyph in jobs:
        across = ((points[:, 0] * x.last + 0.5) / x.dots).tolist()
        up = ((points[:, 1] * y.last + 0.5) / y.dots).tolist()
        colour = plotext.pixel(foreground=(0, 0, number))
        signal = figure.signal(across, up, marker=plotext.marker(glyph, colour))
        for index in joined:
            signal.line(index)
        # `draw` asks every point for its colour, to choose the next one of its own: half the time
        # of a chart, and all our series have their colours.
        signal._get_unique_pixels = list
        figure.draw(signal)
    text: str = figure.build().string()
    return read_back(text, x.cells, y.cells)


def path(lines: Floats, dashes: tuple[int, ...], x: Scale, y: Scale) -> tuple[Floats, list[int]]:
    """The segments as points, and the indices of those joined to the one before.

    A dashed line comes as its dots, one by one, none of them joined.
    """
    import numpy as np

    last = np.array([max(1, x.last), max(1, y.last)])
    start, stop = lines[:, :2], lines[:, 2:]
    size = np.abs((stop - start) * last).max(axis=1)
    if dashes and 1 <= size.sum() <= MAX_POINTS:
        ends = np.cumsum(size)
        along = np.column_stack((ends - size, ends)).reshape(-1)
        at = np.arange(math.floor(ends[-1]) + 1, dtype=float)
        phase, total = at % sum(dashes), 0
        on = np.zeros(len(at), dtype=bool)
        for index, run in enumerate(dashes):
            if index % 2 == 0:
                on |= (phase >= total) & (phase < total + run)
            total += run
        corners = np.column_stack((start, stop)).reshape(-1, 2)
        dots = [np.interp(at[on], along, corners[:, axis]) for axis in (0, 1)]
        return one_per_dot(np.column_stack(dots), x, y), []
    ahead = np.r_[False, (start[1:] == stop[:-1]).all(axis=1)]
    points = np.column_stack((start, stop)).reshape(-1, 2)
    joined = np.tile([False, True], len(lines))
    kept = np.column_stack((~ahead, size > 0)).reshape(-1)
    return points[kept], np.flatnonzero(joined[kept]).tolist()


_SGR = re.compile(r"\x1b\[([0-9;]*)m")


def read_back(text: str, width: int, height: int) -> tuple[list[list[str]], list[list[int]]]:
    """plotext's rows as characters and, cell by cell, the number given as a colour (0: none)."""
    chars: list[list[str]] = []
    numbers: list[list[int]] = []
    for line in text.split("\n")[:height]:
        letters: list[str] = []
        owners: list[int] = []
        number = 0
        pieces = _SGR.split(line)  # text, code, text, code, … text
        for index, piece in enumerate(pieces):
            if index % 2:
                number = int(piece.rpartition(";")[2]) if piece.startswith("38;2;") else 0
            else:
                letters.extend(piece)
                owners.extend([number] * len(piece))
        room = width - len(letters)
        chars.append((letters + [" "] * room)[:width])
        numbers.append((owners + [0] * room)[:width])
    for _ in range(height - len(chars)):
        chars.append([" "] * width)
        numbers.append([0] * width)
    return chars, numbers


def bar_char(dots: Sequence[bool], side: int) -> str:
    """The part of an error bar in a cell with these dots, from the bottom up; side : 1 right."""
    match len(dots):
        case 1:
            return "|"
        case 2:
            return {(True, True): "│", (False, True): "╵"}.get((dots[0], dots[1]), "╷")
        case _:
            bits = sum(bit for bit, on in zip(BRAILLE[side], dots, strict=True) if on)
            return chr(BLANK + bits)


def over(below: str, char: str) -> str:
    """A character over another one; the dots of two in braille are all set."""
    if min(below, char) < chr(BLANK):
        return char
    return chr(ord(below) | ord(char))


def whisker_cells(bars: Floats, x: Scale, y: Scale) -> Iterator[tuple[int, int, str]]:
    """The cells (row from the top, column, character) of error bars, dot by dot.

    At most one bar in three columns of dots, so that they stay apart.
    """
    free = -1
    for u, _, bottom, top in bars[bars[:, 0].argsort(kind="stable")].tolist():
        across = x.dot(u)
        if across < free:
            continue
        free = across + 3
        low, high = (math.floor(end * y.last + 0.5) for end in (bottom, top))
        for cell in range(low // y.dots, high // y.dots + 1):
            dots = [low <= y.dots * cell + dot <= high for dot in range(y.dots)]
            yield y.cells - 1 - cell, across // x.dots, bar_char(dots, across % x.dots)
