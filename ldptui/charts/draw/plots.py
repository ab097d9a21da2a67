"""A plot as rows: title, legend, axes with their ticks, and the data area between them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len

from ..rows import (
    NO_DATA,
    Canvas,
    Charset,
    Look,
    Row,
    crop,
    pad,
    titled,
)
from ..series import Plot
from .axes import (
    Scale,
    Tick,
    floats,
    limits,
    ticks,
)
from .legend import Entry, flow, sentence, with_legend
from .marks import DOTS, Mark, alike, marks_of, style_in
from .raster import rasterise
from .stamps import REACH

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .axes import Floats


NO_PLOTEXT = "Plots need plotext, which cannot be used here ({}). The Table tab has the numbers."

NOT_IN_VIEW = "all the data lie outside of the axes"

TOO_SMALL = "too small for this chart"

MAX_TICKS = 10
LOW: Final = 13
"""Below this height no row says what another one says."""
BESIDE: Final = 26
"""Cells that the labels of the levels leave to the data and the labels of y, at least."""
NARROW: Final = 24
"""Below this width one blank is enough between two labels."""
LEVELS: Final[Mapping[Charset, str]] = {"ascii": "- -", "block": "╌╌", "braille": "┈┈"}
"""The lines of levels in the legend."""


def plot_rows(
    plot: Plot,
    look: Look,
    *,
    margin: int | None = None,
) -> list[Row]:
    """The plot in rows.

    margin : the cells that the labels of y have beside `width`, 0 where another plot has them;
    None: as many as they need, of `width`.
    """
    try:
        import plotext
    except (ImportError, OSError, AttributeError) as problem:
        # OSError: its compiled kernel does not load on this system.
        text = NO_PLOTEXT.format(str(problem) or type(problem).__name__)
        return titled(plot.title, text, look)
    area = area_of(plot, look, margin=margin)
    if isinstance(area, str):
        return titled(plot.title, area, look)
    x, y, columns, margin, out = area.x, area.y, area.x.cells, area.margin, [*area.heading]
    width = margin + 1 + columns + area.right
    canvas = rasterise(plotext, plot, area.marks, x, y, look)
    if not any(any(row) for row in canvas.styles):
        return titled(plot.title, NOT_IN_VIEW, look)
    draw_levels(plot, canvas, y, look)
    at = None if plot.cursor is None else x.cell(plot.cursor)
    if at is not None:
        draw_cursor(canvas, at, look)

    out += _data_rows(canvas, area.y_ticks, area.levels, margin, area.right, look)
    room = min(MAX_TICKS, columns // (4 if plot.x.log else 8))
    x_ticks = in_view(ticks(plot.x, x.low, x.high, room), x, width // 2, look)
    places, text = place_across(x_ticks, margin + 1, width)
    if area.has_rule:
        out.append([(" " * margin, ""), *_rule(columns, places, at, look)])
    if area.has_labels:
        out.append([(text, look.palette.muted)])
    if area.x_label:
        inset = margin + 1 + max(0, (columns - cell_len(area.x_label)) // 2)
        inset = max(0, min(inset, width - cell_len(area.x_label)))
        out.append([(" " * inset + area.x_label, look.palette.muted)])
    return out + area.note


@dataclass(frozen=True)
class Area:
    """The data area of a plot, and what stands around it: above, below, left and right.

    margin : cells of the labels at the left. right : of those of the levels.
    """

    x: Scale
    y: Scale
    marks: Sequence[Mark]
    heading: list[Row]
    y_ticks: Sequence[tuple[int, str]]
    levels: Mapping[int, str]
    margin: int
    right: int
    has_rule: bool
    has_labels: bool
    x_label: str
    note: list[Row]


def area_of(
    plot: Plot,
    look: Look,
    *,
    margin: int | None = None,
) -> Area | str:
    """The data area in a picture of this size; in words why there is none."""
    values = [(floats(s.x)[: len(s.y)], floats(s.y)[: len(s.x)]) for s in plot.series]
    x_limits, y_limits = data_limits(plot, values)
    if x_limits is None or y_limits is None:
        return NO_DATA
    marks = marks_of(plot, look)
    look = look.sized(look.width + (margin or 0), look.height)
    width = look.width
    above = heading(plot, marks, look)
    spare = look.height - len(above) - 3
    has_rule, has_labels = spare >= 1, spare >= 2
    x_label = look.clean(plot.x.label) if spare >= 3 else ""
    if look.height < LOW and x_label in look.clean(plot.title):
        x_label = ""  # the title says it, and each row counts
    words = "; ".join(filter(None, (alike(plot, marks, look), plot.note)))
    most = min(2, spare - 3) if look.height < LOW else spare - 3
    note = sentence(words, look, most)
    rows = look.height - len(above) - has_rule - has_labels - bool(x_label) - len(note)
    across, down = DOTS[look.charset]
    beside, above_it = REACH if look.charset == "braille" else (0.0, 0.0)
    if all(series.style != "points" for series in plot.series):
        above_it = min(1, above_it)  # lines need less room than marks
    if 0 < plot.y.bands <= rows:
        rows, above_it = rows - rows % plot.y.bands, -0.5  # from edge to edge of the dots
    y = Scale(*y_limits, plot.y.log, rows, down, plot.y.linear).with_room(above_it)
    most = min(MAX_TICKS, rows // (2 if plot.y.log else 3))
    y_ticks = in_view(ticks(plot.y, y.low, y.high, most), y, width // 4, look)
    if margin is None:
        margin = max((cell_len(label) for _, label in y_ticks), default=0)
        margin = margin if width - margin >= 12 else 0
    levels = _level_rows(plot, y, rows, look)
    right = _beside(plot, look) if levels else 0
    columns = width - margin - 1 - right
    if rows < 2 or columns < 4:
        return TOO_SMALL
    x = Scale(*x_limits, plot.x.log, columns, across).with_room(beside)
    return Area(
        x, y, marks, above, y_ticks, levels, margin, right, has_rule, has_labels, x_label, note
    )


def plot_place(
    plot: Plot,
    x: int,
    y: int,
    look: Look,
    *,
    margin: int | None = None,
) -> tuple[float, float] | None:
    """x and y in the middle of a cell of the picture; None beside the data area."""
    area = area_of(plot, look, margin=margin)
    if isinstance(area, str):
        return None
    column, row = x - area.margin - 1, y - len(area.heading)
    if column not in range(area.x.cells) or row not in range(area.y.cells):
        return None
    return area.x.value(column), area.y.value(area.y.cells - 1 - row)


def _beside(plot: Plot, look: Look) -> int:
    """The cells that the labels of the levels take at the right; 0 where the legend has them.

    They take no more than an eighth of the width, or a fifth where a row counts more, or where
    there are several: in the legend these look alike.
    """
    names = _level_names(plot, look)
    size = max((cell_len(name) + 1 for name in names), default=0)
    share = 5 if look.height < LOW or len(names) > 1 else 8
    return size if look.width >= max(share * size, size + BESIDE) else 0


def series_entries(plot: Plot, marks: Sequence[Mark], look: Look) -> list[Entry]:
    """The series in a legend."""
    return [
        Entry(mark.sample, style_in(plot, series, look), label, look.palette.foreground)
        for series, mark in zip(plot.series, marks, strict=True)
        if series.legend and (label := look.clean(series.label))
    ]


def level_entries(plot: Plot, look: Look) -> list[Entry]:
    """The levels in a legend."""
    return [
        Entry(LEVELS[look.charset], look.palette.muted, name, look.palette.foreground)
        for name in _level_names(plot, look)
    ]


def _level_names(plot: Plot, look: Look) -> list[str]:
    """The names of the levels, without those beyond the limits that the axis has of its own."""
    low = -math.inf if plot.y.low is None else plot.y.low
    high = math.inf if plot.y.high is None else plot.y.high
    names = dict.fromkeys(look.clean(name) for at, name in plot.levels if low <= at <= high)
    return [name for name in names if name]


def _level_rows(plot: Plot, y: Scale, rows: int, look: Look) -> dict[int, str]:
    """The rows of the levels' labels: their own, or one of the next two where that is taken."""
    found: dict[int, str] = {}
    for value, label in sorted(plot.levels, reverse=True):
        cell = y.cell(value)
        if cell is None:
            continue
        own = rows - 1 - cell
        row = max(own, max(found, default=-1) + 1)
        if row < min(rows, own + 3):
            found[row] = look.clean(label)
    return found


def _data_rows(
    canvas: Canvas,
    y_ticks: Sequence[tuple[int, str]],
    levels: Mapping[int, str],
    margin: int,
    right: int,
    look: Look,
) -> list[Row]:
    """The data area between the labels of its ticks and, `right` cells wide, of its levels."""
    rows = len(canvas.chars)
    marked: dict[int, str] = {}
    apart = 0 if 2 * len(y_ticks) <= rows + 1 else 1  # few labels may stand next to each other
    for place, label in y_ticks:
        row = rows - 1 - place
        if not any(near in marked for near in range(row - apart, row + apart + 1)):
            marked[row] = label
    side = ("|", "+") if look.charset == "ascii" else ("│", "┤")
    lines: list[Row] = []
    for row in range(rows):
        label = pad(marked.get(row, ""), margin, right=True) + side[row in marked]
        line: Row = [(label, look.palette.muted), *canvas.spans(row)]
        if right and row in levels:
            line.append((" " + crop(levels[row], right - 1), look.palette.muted))
        lines.append(line)
    return lines


def _rule(columns: int, places: Sequence[int], cursor: int | None, look: Look) -> Row:
    """The x-axis, with a mark at each tick and at the cursor's column."""
    corner, line, mark, pointer = "+-+^" if look.charset == "ascii" else "└─┬▲"
    rule = corner + "".join(mark if at in places else line for at in range(columns))
    if cursor is None:
        return [(rule, look.palette.muted)]
    before, after = rule[: cursor + 1], rule[cursor + 2 :]
    muted = look.palette.muted
    return [(before, muted), (pointer, look.palette.foreground), (after, muted)]


def in_view(found: Sequence[Tick], scale: Scale, width: int, look: Look) -> list[tuple[int, str]]:
    """The cell and the label of each tick on the axis, decades before what is between them."""
    return [
        (cell, crop(look.clean(tick.label), max(1, width)))
        for tick in sorted(found, key=lambda tick: tick.minor)
        if (cell := scale.cell(tick.value)) is not None
    ]


def data_limits(
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


def heading(
    plot: Plot,
    marks: Sequence[Mark],
    look: Look,
) -> list[Row]:
    """Title, y label and legend: one to four rows, as the height allows, more only for entries
    that would be lost.
    """
    most = sum(look.height >= rows for rows in (5, 8, LOW, 16))
    if not most:
        return []
    entries = series_entries(plot, marks, look)
    if not _beside(plot, look):
        entries += level_entries(plot, look)
    above = [(plot.title, look.strong), (plot.y.label, look.palette.muted)]
    words = [(text, style) for long, style in above if (text := look.clean(long))]
    rows = [row for text, style in words for row in flow([[(text, style)]], look.width, 0)][:most]
    return with_legend(rows, entries, look, gap=3, most=most, limit=max(most, look.height // 2))


def draw_levels(plot: Plot, canvas: Canvas, y: Scale, look: Look) -> None:
    """Dotted lines across the cells that are still empty."""
    for value, _ in plot.levels:
        unit = y.unit_of(value)
        if unit is None:
            continue
        dot = y.dot(unit)
        row = y.cells - 1 - dot // y.dots
        if look.charset == "braille":
            char = "⡀⠄⠂⠁"[dot % 4]
        else:
            char = "╌" if look.charset == "block" else "-"
        for column, present in enumerate(canvas.chars[row]):
            if present == " " and (look.charset != "ascii" or column % 2 == 0):
                canvas.chars[row][column], canvas.styles[row][column] = char, look.palette.muted


def draw_cursor(canvas: Canvas, column: int, look: Look) -> None:
    """A line down a column of cells, behind what is drawn there."""
    for chars, styles in zip(canvas.chars, canvas.styles, strict=True):
        if chars[column] == " " or styles[column] == look.palette.muted:
            chars[column] = ":" if look.charset == "ascii" else "┊"
            styles[column] = look.palette.foreground


def place_across(ticks: Sequence[tuple[int, str]], left: int, width: int) -> tuple[list[int], str]:
    """The columns of the x ticks that have room for a label, and the row of labels.

    `left` is the cell of the first column; a label never leaves the row of `width` cells.
    """
    taken: list[tuple[int, int, int, str]] = []
    gap = 1 if width < NARROW else 2
    for column, label in ticks:
        size = cell_len(label)
        start = max(0, min(left + column - (size - 1) // 2, width - size))
        if all(start >= stop + gap or start + size + gap <= begin for begin, stop, *_ in taken):
            taken.append((start, start + size, column, label))
    row, at = "", 0
    for start, stop, _, label in sorted(taken):
        row += " " * (start - at) + label
        at = stop
    return [column for _, _, column, _ in taken], row
