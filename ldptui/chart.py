"""Charts to terminal rows: the one gate to plotext.

`draw` turns a `series.Plot` or `series.Bars` into `Strip`s. plotext rasterises the data area and
nothing else: title, legend, axes, tick labels, levels and error bars are set here, cell by cell, so
that no text ever reaches plotext and every mark sits where the data says. What plotext 6.1 is
given goes through `sanitise` first, because it aborts the process on NaN in a line, takes time
without bound for a line that leaves the axes, and raises on a logarithm of zero.

plotext keeps one global figure: call `draw` on one thread only. plotext and NumPy are imported when
the first plot is drawn; bars need neither.
"""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from textual.strip import Strip

from ldptui.axes import (
    MAX_POINTS,
    Scale,
    Tick,
    floats,
    limits,
    one_per_cell,
    one_per_dot,
    sanitise,
    ticks,
)
from ldptui.bars import bar_rows
from ldptui.rows import (
    ANSI_DARK,
    ANSI_LIGHT,
    ASCII_MARKERS,
    DARK,
    LIGHT,
    MARKERS,
    NO_DATA,
    Canvas,
    Charset,
    Palette,
    Row,
    centred,
    clean,
    crop,
    length,
    pad,
    strip,
    titled,
)
from ldptui.series import Chart, Plot

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = [
    "ANSI_DARK", "ANSI_LIGHT", "DARK", "LIGHT", "Charset", "Palette", "draw", "message", "warm_up",
]  # fmt: skip

NO_PLOTEXT = "Plots need plotext, which cannot be used here ({}). The Table tab has the numbers."
NOT_IN_VIEW = "all the data lie outside of the axes"
TOO_SMALL = "too small for this chart"

MAX_TICKS = 10


def warm_up() -> None:
    """Import what a plot needs, so that the first one does not wait; safe in a thread."""
    import numpy  # noqa: F401

    with contextlib.suppress(ImportError, OSError):
        import plotext  # noqa: F401


def draw(
    chart: Chart, width: int, height: int, palette: Palette, charset: Charset = "braille"
) -> list[Strip]:
    """The chart as exactly `height` strips of exactly `width` cells, whatever the data.

    With the charset "ascii" every character is ASCII, with "block" no braille is used. Too small a
    size shows as much as fits; no drawable data, or no plotext, a sentence that says so.
    """
    width, height = max(0, width), max(0, height)
    rows: list[Row] = []
    if not width or not height:
        pass
    elif isinstance(chart, Plot):
        rows = _plot_rows(chart, width, height, palette, charset)
    else:
        rows = bar_rows(chart, width, height, palette, charset)
    rows = rows[:height] + [[] for _ in range(height - len(rows))]
    return [strip(row, width, charset) for row in rows]


def message(text: str, width: int, height: int, palette: Palette, charset: Charset) -> list[Strip]:
    """A muted sentence in the middle of `height` strips of `width` cells."""
    rows = centred(clean(text, charset), width, height, palette.muted)
    return [strip(row, width, charset) for row in rows]


# --- Marks -----------------------------------------------------------------------------------

_DOTS: dict[Charset, tuple[int, int]] = {"ascii": (1, 1), "block": (2, 2), "braille": (2, 4)}
_RASTER: dict[Charset, str] = {"block": "hd", "braille": "braille"}

_CLOUDS: dict[Charset, str] = {"block": "▞", "braille": "⡪"}
_SPARE = "●×■▲◆+◇○"
_ASCII_SPARE = "ox#+%@^&$"

# Lines: dots on and off along the line, and what the legend shows; the first is unbroken.
_SOLID: list[tuple[tuple[int, ...], str]] = [
    ((), "──"), ((6, 4), "╴╶"), ((7, 3, 1, 3), "─·"), ((12, 5), "╸╺"), ((3, 3), "╌╌"),
]  # fmt: skip
_DOTTED: list[tuple[tuple[int, ...], str]] = [((1, 2), "┄┄"), ((1, 4), "··"), ((1, 1, 1, 5), "∙∙")]
_ASCII_SOLID = "*=~-_"
_ASCII_DOTTED = ".:'"


@dataclass(frozen=True)
class Mark:
    """How one series is drawn: `glyph` for points (or an ASCII line), `dashes` for lines.

    `dashes` are dots on and off in turn, () an unbroken line; `sample` is the legend's. Higher
    layers are drawn over lower ones: 0 clouds of glyphs, 1 a cloud of dots, 2 lines, 3 points.
    """

    glyph: str
    sample: str
    dashes: tuple[int, ...] = ()
    layer: int = 2


def _marks(plot: Plot, charset: Charset, width: int) -> list[Mark]:
    """A mark for each series of the plot, no two the same.

    The first series with more points than columns is a cloud of dots where there are dots.
    """
    plain = charset == "ascii"
    markers, spare = (ASCII_MARKERS, _ASCII_SPARE) if plain else (MARKERS, _SPARE)
    used: set[str] = set()
    lines = {"line": 0, "dotted": 0}
    marks: list[Mark] = []
    for series in plot.series:
        if series.style == "points":
            cloud = series.cloud and len(series.x) > width
            if cloud and not plain and not any(mark.layer == 1 for mark in marks):
                # The second cloud shows by its own glyphs where the first one is not.
                marks.append(Mark(_RASTER[charset], _CLOUDS[charset], layer=1))
                continue
            glyph = markers[series.tone]
            if glyph in used:
                glyph = next((s for s in spare if s not in used), glyph)
            used.add(glyph)
            marks.append(Mark(glyph, glyph, layer=0 if cloud else 3))
            continue
        index = lines[series.style]
        lines[series.style] += 1
        if plain:
            glyphs = _ASCII_SOLID if series.style == "line" else _ASCII_DOTTED
            glyph = glyphs[index % len(glyphs)]
            marks.append(Mark(glyph, glyph * 2))
        else:
            patterns = _SOLID if series.style == "line" else _DOTTED
            dashes, sample = patterns[index % len(patterns)]
            marks.append(Mark(_RASTER[charset], sample, dashes))
    return marks


# --- Plots -----------------------------------------------------------------------------------


def _plot_rows(
    plot: Plot, width: int, height: int, palette: Palette, charset: Charset
) -> list[Row]:
    try:
        import plotext
    except (ImportError, OSError, AttributeError) as problem:
        # OSError: its compiled kernel does not load on this system.
        text = NO_PLOTEXT.format(str(problem) or type(problem).__name__)
        return titled(plot.title, text, width, height, palette, charset)
    values = [(floats(s.x)[: len(s.y)], floats(s.y)[: len(s.x)]) for s in plot.series]
    x_limits, y_limits = _data_limits(plot, values)
    if x_limits is None or y_limits is None:
        return titled(plot.title, NO_DATA, width, height, palette, charset)

    marks = _marks(plot, charset, width)
    out = _heading(plot, marks, width, height, palette, charset)
    plain = charset == "ascii"
    spare = height - len(out) - 3
    has_rule, has_labels = spare >= 1, spare >= 2
    x_label = clean(plot.x.label, charset) if spare >= 3 else ""
    note = clean(plot.note, charset) if spare >= 4 else ""
    rows = height - len(out) - has_rule - has_labels - bool(x_label) - bool(note)
    across, down = _DOTS[charset]
    y = Scale(*y_limits, plot.y.log, rows, down)
    most = min(MAX_TICKS, rows // (2 if plot.y.log else 3))
    y_ticks = _in_view(ticks(plot.y, *y_limits, most), y, width // 4, charset)
    margin = max((cell_len(label) for _, label in y_ticks), default=0)
    margin = margin if width - margin >= 12 else 0
    levels = {
        rows - 1 - cell: clean(label, charset)
        for value, label in plot.levels
        if (cell := y.cell(value)) is not None
    }
    right = min(16, max((cell_len(label) + 1 for label in levels.values()), default=0))
    right = right if width - margin - right >= 24 else 0
    columns = width - margin - 1 - right
    if rows < 2 or columns < 4:
        return titled(plot.title, TOO_SMALL, width, height, palette, charset)
    x = Scale(*x_limits, plot.x.log, columns, across)

    canvas = _rasterise(plotext, plot, marks, x, y, palette)
    if not any(any(row) for row in canvas.styles):
        return titled(plot.title, NOT_IN_VIEW, width, height, palette, charset)
    _draw_levels(plot, canvas, y, palette, charset)

    marked: dict[int, str] = {}
    for place, label in y_ticks:
        row = rows - 1 - place
        if not any(near in marked for near in (row - 1, row, row + 1)):
            marked[row] = label
    side = ("|", "+") if plain else ("│", "┤")
    for row in range(rows):
        label = pad(marked.get(row, ""), margin, right=True) + side[row in marked]
        line: Row = [(label, palette.muted), *canvas.spans(row)]
        if right and row in levels:
            line.append((" " + crop(levels[row], right - 1), palette.muted))
        out.append(line)
    room = min(MAX_TICKS, columns // (4 if plot.x.log else 8))
    x_ticks = _in_view(ticks(plot.x, *x_limits, room), x, width // 2, charset)
    places, text = _place_across(x_ticks, margin + 1, width)
    if has_rule:
        rule = ["-" if plain else "─"] * columns
        for column in places:
            rule[column] = "+" if plain else "┬"
        out.append([(" " * margin + ("+" if plain else "└") + "".join(rule), palette.muted)])
    if has_labels:
        out.append([(text, palette.muted)])
    if x_label:
        inset = margin + 1 + max(0, (columns - cell_len(x_label)) // 2)
        inset = max(0, min(inset, width - cell_len(x_label)))
        out.append([(" " * inset + x_label, palette.muted)])
    if note:
        out.append([(note, palette.muted)])
    return out


def _in_view(
    found: Sequence[Tick], scale: Scale, width: int, charset: Charset
) -> list[tuple[int, str]]:
    """The cell and the label of each tick on the axis, decades before what is between them."""
    return [
        (cell, crop(clean(tick.label, charset), max(1, width)))
        for tick in sorted(found, key=lambda tick: tick.minor)
        if (cell := scale.cell(tick.value)) is not None
    ]


def _data_limits(
    plot: Plot, values: Sequence[tuple[Floats, Floats]]
) -> tuple[tuple[float, float] | None, tuple[float, float] | None]:
    import numpy as np

    xs: list[Floats] = []
    ys: list[Floats] = []
    for series, (x, y) in zip(plot.series, values, strict=True):
        # A point counts for the limits only if both its coordinates can be shown.
        shown: NDArray[np.bool_] = np.isfinite(x) & np.isfinite(y)
        if plot.x.log:
            shown &= x > 0
        if plot.y.log:
            shown &= y > 0
        xs.append(x[shown])
        ys.append(y[shown])
        if series.error is not None:
            error = floats(series.error)[: len(y)]
            with np.errstate(all="ignore"):
                near = y[: error.size], error, shown[: error.size]
                ys += [(near[0] - near[1])[near[2]], (near[0] + near[1])[near[2]]]
    x_limits, y_limits = limits(plot.x, xs), limits(plot.y, ys)
    if x_limits is None or y_limits is None:
        return None, None
    levels = np.array([value for value, _ in plot.levels], dtype=float)
    return x_limits, limits(plot.y, [*ys, levels])


def _heading(
    plot: Plot,
    marks: Sequence[Mark],
    width: int,
    height: int,
    palette: Palette,
    charset: Charset,
) -> list[Row]:
    """Title, y label and legend in one to four rows, as the height allows."""
    title, y_label = clean(plot.title, charset), clean(plot.y.label, charset)
    entries: list[Row] = []
    for series, mark in zip(plot.series, marks, strict=True):
        if series.legend and series.label:
            label = clean(series.label, charset)
            entries.append(
                [(f"{mark.sample} ", palette.style(series.tone)), (label, palette.foreground)]
            )
    most = 0 if height < 5 else 1 if height < 8 else 2 if height < 12 else 3 if height < 16 else 4
    rows: list[Row] = []
    if title:
        rows.append([(title, f"bold {palette.foreground}")])
    if y_label:
        rows.append([(y_label, palette.muted)])
    if not most:
        return []
    rows = rows[:most]
    if not entries:
        return rows
    # The legend stands at the right of the last row it fits in, else in rows of its own.
    legend = [span for entry in entries for span in (("   ", ""), *entry)][1:]
    for row in reversed(rows):
        gap = width - length(row) - length(legend)
        if gap >= 3:
            row += [(" " * gap, ""), *legend]
            return rows
    room = max(1, most - len(rows))
    if len(rows) == most:
        rows.pop()  # the legend tells more than the y label
    lines: list[Row] = [[]]
    for entry in entries:
        if lines[-1] and length(lines[-1]) + 3 + length(entry) > width:
            if len(lines) == room:
                lines[-1].append((" …", palette.muted))
                break
            lines.append([])
        lines[-1] += [("   ", ""), *entry] if lines[-1] else entry
    return rows + lines


def _rasterise(
    plotext: Any, plot: Plot, marks: Sequence[Mark], x: Scale, y: Scale, palette: Palette
) -> Canvas:
    """The data area: clouds of dots below, then lines, error bars, and single points on top."""
    jobs: list[_Job] = []
    whiskers: list[tuple[str, Floats]] = []
    taken: set[tuple[int, int]] = set()
    for number, (series, mark) in enumerate(zip(plot.series, marks, strict=True), start=1):
        sane = sanitise(series, x, y)
        if len(sane.points):
            points = sane.points if mark.layer == 1 else one_per_cell(sane.points, x, y)
            if series.tone.startswith("series-") and mark.layer == 3:
                points = _beside(points, taken, x, y)
            jobs.append((mark.layer, number, points, [], mark.glyph))
        if len(sane.lines):
            jobs.append((mark.layer, number, *_path(sane.lines, mark.dashes, x, y), mark.glyph))
        if len(sane.bars):
            whiskers.append((palette.style(series.tone), sane.bars))
    jobs.sort(key=lambda job: job[0])
    clouds = [job for job in jobs if job[0] < 2]
    chars, numbers = _build(plotext, [job for job in jobs if job[0] >= 2], x, y)
    if clouds:
        # Lines are cut out of the clouds: plotext would mix the dots of both.
        under, owners = _build(plotext, clouds, x, y)
        for row, line in enumerate(numbers):
            for column, number in enumerate(line):
                if not number:
                    chars[row][column] = under[row][column]
                    line[column] = owners[row][column]
    colours = ["", *(palette.style(series.tone) for series in plot.series)]
    canvas = Canvas(chars, [[colours[number] for number in row] for row in numbers])
    points_of = {number for layer, number, *_ in jobs if layer == 3}
    for style, bars in whiskers:
        for row, column, char in _whiskers(bars, x, y):
            if numbers[row][column] not in points_of:
                canvas.chars[row][column], canvas.styles[row][column] = char, style
    return canvas


def _beside(points: Floats, taken: set[tuple[int, int]], x: Scale, y: Scale) -> Floats:
    """The points, those in a cell that is taken one or two cells aside; their cells are taken now.

    Two curves that coincide would show the markers of one of them alone.
    """
    moved = points.copy()
    for index, (u, v) in enumerate(points):
        row, column = (int(s.dot(unit)) // s.dots for s, unit in ((y, v), (x, u)))
        free = (s for s in (0, 1, -1, 2, -2)
                if (column + s, row) not in taken and 0 <= column + s < x.cells)  # fmt: skip
        shift = next(free, 0)
        if shift:
            moved[index, 0] = ((column + shift) * x.dots + x.dots // 2) / max(1, x.last)
        taken.add((column + shift, row))
    return moved


_Job = tuple[int, int, "Floats", list[int], str]
"""Layer, number of the series, its points, which of them are joined to the one before, marker."""


def _build(
    plotext: Any, jobs: Sequence[_Job], x: Scale, y: Scale
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
    return _read_back(text, x.cells, y.cells)


def _path(lines: Floats, dashes: tuple[int, ...], x: Scale, y: Scale) -> tuple[Floats, list[int]]:
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


def _read_back(text: str, width: int, height: int) -> tuple[list[list[str]], list[list[int]]]:
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


def _whiskers(bars: Floats, x: Scale, y: Scale) -> Iterator[tuple[int, int, str]]:
    """The cells (row from the top, column, character) of error bars, by half cells.

    At most one bar in three columns, so that they stay apart.
    """
    free = -1
    for u, _, bottom, top in bars[bars[:, 0].argsort(kind="stable")].tolist():
        column = x.dot(u) // x.dots
        if column < free:
            continue
        free = column + 3
        low, high = (
            min(2 * y.cells - 1, math.floor(2 * (end * y.last + 0.5) / y.dots))
            for end in (bottom, top)
        )
        for cell in range(low // 2, high // 2 + 1):
            lower, upper = low <= 2 * cell, high >= 2 * cell + 1
            if y.dots == 1:
                char = "|"
            else:
                char = "│" if lower and upper else "╵" if upper else "╷"
            yield y.cells - 1 - cell, column, char


def _draw_levels(plot: Plot, canvas: Canvas, y: Scale, palette: Palette, charset: Charset) -> None:
    """Dotted lines across the cells that are still empty."""
    for value, _ in plot.levels:
        unit = y.unit_of(value)
        if unit is None:
            continue
        dot = y.dot(unit)
        row = y.cells - 1 - dot // y.dots
        if charset == "braille":
            char = "⡀⠄⠂⠁"[dot % 4]
        else:
            char = "╌" if charset == "block" else "-"
        for column, there in enumerate(canvas.chars[row]):
            if there == " " and (charset != "ascii" or column % 2 == 0):
                canvas.chars[row][column], canvas.styles[row][column] = char, palette.muted


def _place_across(found: Sequence[tuple[int, str]], left: int, width: int) -> tuple[list[int], str]:
    """The columns of the x ticks that have room for a label, and the row of labels.

    `left` is the cell of the first column; a label never leaves the row of `width` cells.
    """
    taken: list[tuple[int, int, int, str]] = []
    for column, label in found:
        size = cell_len(label)
        start = max(0, min(left + column - (size - 1) // 2, width - size))
        if all(start > stop + 1 or start + size + 1 < begin for begin, stop, *_ in taken):
            taken.append((start, start + size, column, label))
    row, at = "", 0
    for start, stop, _, label in sorted(taken):
        row += " " * (start - at) + label
        at = stop
    return [column for _, _, column, _ in taken], row
