"""A plot as rows of styled text: lines, marks with whiskers, bands, a floor, names at line ends."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace
from rich.cells import cell_len

from ..rows import NO_DATA, Look, Row, crop, length, title_rows, wrap_words
from ..series import Plot, Series
from .canvas import Canvas
from .marks import Mark, covered_words, crowded_columns, marks_of
from .scale import Scale, fit_scale, zoom_axis

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

NAMED: Final = 50
"""Columns from which lines have their names at their ends."""
TOGETHER: Final = 0.5
"""Rows by which the ends of two lines differ if each has a name of its own."""
BELOW_FIRST: Final = ("floor", "band", "dotted", "line", "points")


class PlotLayout(Struct, frozen=True):
    """The layout of a plot: the positions of its axes, legend, names and data.

    names : the names at the ends of lines, by row from the bottom.
    marks : the look of each series.
    """

    head: list[Row]
    foot: list[Row]
    margin: int
    x: Scale
    y: Scale
    names: dict[int, Row]
    has_label: bool
    marks: Sequence[Mark]


def plot_rows(plot: Plot, look: Look, margin: int | None = None) -> list[Row]:
    """The rows of a plot.

    margin : columns for the labels of y, 0 for none, None for as many as needed.
    """
    at = lay_out(plot, look, margin)
    if at is None:
        return title_rows(plot.title, NO_DATA, look)
    painted = _paint(plot, at, look)
    muted, (side, tick) = look.palette.muted, "|+" if look.charset == "ascii" else "│┤"
    ticks = dict(at.y.ticks)
    body: list[Row] = []
    for row, cells in zip(range(at.y.cells - 1, -1, -1), painted, strict=True):
        label = look.clean(ticks.get(row, "")) if at.margin > 1 else ""
        edge = tick if row in ticks else side
        shown = crop(label, at.margin - 1).rjust(at.margin - 1) if at.margin > 1 else ""
        body.append([(shown + edge, muted), *cells, *at.names.get(row, [])])
    cursor = None if plot.cursor is None else at.x.cell(plot.cursor)
    label = plot.x.label if at.has_label else ""
    if plot.title and at.head:
        drawn = {char for cells in painted for text, _ in cells for char in text}
        words, room = covered_words(at.marks, at.x, at.y, drawn), look.width - length(at.head[0])
        at.head[0].extend([(words.rjust(room), muted)] * (len(words) < room))
    return [*at.head, *body, *x_axis(at.x, label, at.margin, cursor, look), *at.foot]


def plot_place(
    plot: Plot, column: int, row: int, look: Look, margin: int | None = None
) -> tuple[float, float] | None:
    """x and y of the data at a cell of the picture; None outside the data."""
    at = lay_out(plot, look, margin)
    if at is None:
        return None
    across, up = column - at.margin, len(at.head) + at.y.cells - 1 - row
    inside = across in range(at.x.cells) and up in range(at.y.cells)
    return (at.x.value(across), at.y.value(up)) if inside else None


def zoom_plot(plot: Plot, factor: float) -> Plot:
    """The plot over a part of its x-axis, around its cursor, else around the middle."""
    xs = [floats(series.x) for series in plot.series]
    return replace(plot, x=zoom_axis(plot.x, xs, factor, plot.cursor))


def lay_out(
    plot: Plot, look: Look, margin: int | None = None, *, named: bool = True
) -> PlotLayout | None:
    """The layout of a plot's parts in a picture; None if nothing fits.

    named : True if lines may have their names at their ends.
    """
    has_names = any(each.end for each in plot.series) or any(label for _, label in plot.levels)
    named = named and has_names and look.width >= NAMED
    notes = (plot.note, *floor_words(plot, look))
    marks = marks_of(plot, look)
    head, foot = heading(plot, marks, look, named), note_rows("; ".join(filter(None, notes)), look)
    has_label = bool(plot.x.label) and look.height >= 10
    room = look.height - 2 - has_label
    while room - len(head) - len(foot) < 3 and (head or foot):
        (foot or head).pop()
    rows = max(1, room - len(head) - len(foot))
    if (left_out := plot.y.bands - rows) > 0:  # a row holds one item: marks of two are one's
        shown = replace(first_bands(plot, rows), note=f"{left_out} more not drawn; {plot.note}")
        return lay_out(shown, look, margin, named=named)
    y = fit_height(plot, rows)
    xs = [floats(series.x) for series in plot.series]
    ends = fit_scale(plot.x, xs, max(2, look.width - 2), 9)
    if y is None or ends is None:
        return None
    names = place_names(plot, marks, ends, y, look) if named else {}
    if names is None:
        return lay_out(plot, look, margin, named=False)
    left = margin_of(y, look) if margin is None else max(1, margin)
    right = max((length(row) for row in names.values()), default=0)
    cells = max(1, look.width - left - right)
    widest = max((cell_len(look.clean(text)) for _, text in ends.ticks), default=1)
    x = fit_scale(plot.x, xs, cells, max(6 if cells < 40 else 9, widest + 2))
    assert x is not None  # as with more cells
    return PlotLayout(head, foot, left, x, y, names, has_label, marks)


def fit_height(plot: Plot, rows: int) -> Scale | None:
    """The scale of a plot's y-axis in rows."""
    apart = 2 if rows < 12 or plot.y.log or plot.y.linear else 3
    return fit_scale(plot.y, _heights(plot), rows, apart)


def margin_of(y: Scale | None, look: Look) -> int:
    """The columns for the labels of a y-axis and its line."""
    labels = (cell_len(look.clean(text)) for _, text in (y.ticks if y is not None else ()))
    return min(max(labels, default=0), look.width // 3) + 1


def first_bands(plot: Plot, count: int) -> Plot:
    """The plot with only the uppermost of its bands: an item's marks stand in its own row."""
    y = plot.y
    low, high = y.low or 0.0, y.high or 0.0  # an axis of bands has both
    low = high - count * (high - low) / y.bands
    return replace(plot, y=replace(y, low=low, bands=count))


def floats(values: object) -> Floats:
    import numpy as np

    found: Floats = np.asarray(values, dtype=float).reshape(-1)
    return found


def _heights(plot: Plot) -> list[Floats]:
    """The values that the y-axis shows: those of every series with its intervals, and levels."""
    import numpy as np

    found = [floats([value for value, _ in plot.levels])]
    for series in plot.series:
        y = floats(series.y)
        half = np.zeros(len(y)) if series.error is None else np.nan_to_num(floats(series.error))
        half = np.resize(half, len(y)) if len(half) else np.zeros(len(y))
        with np.errstate(over="ignore", invalid="ignore"):
            found += [y, y + half] if plot.y.log else [y - half, y + half]
    return found


# --- Words around the data -----------------------------------------------------------------------


def heading(plot: Plot, marks: Sequence[Mark], look: Look, named: bool) -> list[Row]:
    """The title, and the y-axis's label with the legend.

    named : True if lines have names at their ends.
    """
    title: list[Row] = []
    if plot.title and look.height >= 4:
        title = [[(crop(look.clean(plot.title), look.width), look.strong)]]
    if look.height < 7:
        return title
    entries, label = legend_entries(marks, look, named), look.clean(plot.y.label)
    rows = legend_rows(label, entries, look)
    if not plot.title and entries and len(rows) > 1:  # words around it say what y is
        rows = legend_rows("", entries, look)
    return [*title, *rows]


def floor_words(plot: Plot, look: Look) -> list[str]:
    """The explanation of a floor (points below the axis) for the note."""
    sample = ".." if look.charset == "ascii" else "⠌⠌"
    floors = (each.label for each in plot.series if each.style == "floor" and len(each.x))
    return [f"{sample} {label}" for label in floors if label]


def legend_entries(marks: Sequence[Mark], look: Look, named: bool) -> dict[str, Row]:
    """The sample and the name of each series that has no name at its end; points have one if there
    are any.
    """
    ends = _end_names(marks) if named else set()
    entries: dict[str, Row] = {}
    for mark in marks:
        series, label = mark.series, mark.series.label
        if series.style == "points" and not any(map(math.isfinite, series.y)):
            continue
        if series.end in ends:
            label = label.removeprefix(f"{series.end}, ")
        if series.legend and label and label not in ends and series.style != "floor":
            style = mark.style.removeprefix("dim ")
            sample = (f"{mark.sample} ", style)
            entries.setdefault(label, [sample, (look.clean(label), look.palette.foreground)])
    return entries


def legend_rows(label: str, entries: dict[str, Row], look: Look) -> list[Row]:
    """The title of the y-axis with the legend entries beside or below it, as many as fit."""
    muted = look.palette.muted
    rows: list[Row] = [[(crop(label, look.width), muted)]] if label else []
    line = [span for entry in entries.values() for span in (("   ", muted), *entry)]
    if rows and length(rows[0]) + length(line) <= look.width:
        gap = look.width - length(rows[0]) - length(line)
        return [[*rows[0], (" " * gap, muted), *line]]
    flowed: list[Row] = []
    for entry in entries.values():
        if flowed and length(flowed[-1]) + 3 + length(entry) <= look.width:
            flowed[-1] += [("   ", muted), *entry]
        else:
            flowed.append(list(entry))
    most = max(1, look.height // 6)
    if len(flowed) > most:
        flowed = [*flowed[: most - 1], [*flowed[most - 1], (" …", muted)]]
    return [*(rows if look.height >= 12 or not flowed else []), *flowed]


def note_rows(note: str, look: Look) -> list[Row]:
    """The note below a chart, in as many lines as its height allows."""
    most = 0 if look.height < 10 else 1 if look.height < 16 else 2 if look.height < 30 else 3
    lines = wrap_words(look.clean(note), look.width)
    if len(lines) > most > 0:
        lines[most - 1] = crop(" ".join(lines[most - 1 :]), look.width)
    return [[(line, look.palette.muted)] for line in lines[:most]]


def x_axis(scale: Scale, label: str, margin: int, cursor: int | None, look: Look) -> list[Row]:
    """The rows of the x-axis: the rule with ticks, their labels, and the title of the axis."""
    corner, line, tick, pointer = "+-+^" if look.charset == "ascii" else "└─┬▲"
    muted = look.palette.muted
    rule, width, free = [line] * scale.cells, margin + scale.cells, 0
    labels = [" "] * width
    for place, words in scale.ticks:
        text = crop(look.clean(words), width)
        start = max(0, min(margin + place - (len(text) - 1) // 2, width - len(text)))
        if start >= free:
            rule[place], free = tick, start + len(text) + 1
            labels[start : start + len(text)] = text
    before, at, after = "".join(rule), "", ""
    if cursor is not None:
        before, at, after = before[:cursor], pointer, before[cursor + 1 :]
    spans: Row = [(" " * (margin - 1) + corner + before, muted)]
    spans += [(at, look.palette.foreground), (after, muted)] if at else []
    rows: list[Row] = [spans, [("".join(labels), muted)]]
    if label:
        words = crop(look.clean(label), width)
        inset = margin + max(0, (scale.cells - cell_len(words)) // 2)
        rows.append([(" " * min(inset, width - cell_len(words)) + words, muted)])
    return rows


def _end_names(marks: Sequence[Mark]) -> set[str]:
    """The names at the ends of lines."""
    return {mark.series.end for mark in marks if mark.series.end and len(mark.series.x)}


def place_names(
    plot: Plot, marks: Sequence[Mark], x: Scale, y: Scale, look: Look
) -> dict[int, Row] | None:
    """The names at the ends of lines, by row; None if there are too few rows.

    Lines that end within half a row share a row. If points have the same name, their mark stands
    before it.
    """
    names, ends = _end_names(marks), list[tuple[float, str, str]]()
    own = {mark.series.label: mark.sample for mark in marks if mark.series.style == "points"}
    lines = {mark.sample for mark in marks
             if mark.series.style == "line" and mark.series.end in names}  # fmt: skip
    is_bare = len(lines) > 1 and (look.charset == "ascii" or not look.palette.has_colours)
    for mark in marks:
        series = mark.series
        if series.end in names and (placed := _last_place(series, x, y)) is not None:
            stroke = f"{mark.sample} " if is_bare and series.style in ("line", "dotted") else ""
            sample = f"{own[series.end]} " if series.end in own else ""
            words = stroke + sample + crop(look.clean(series.end), max(8, look.width // 4))
            style = mark.style.removeprefix("dim ")
            ends.append((placed, words, style))
    for value, label in plot.levels:
        place = y.place(value)
        if label and -0.5 <= place < y.cells - 0.5:
            ends.append((place, crop(look.clean(label), look.width // 4), look.palette.muted))
    room, merged = max(14, look.width // 6) + 6 * is_bare, list[tuple[float, Row]]()
    for place, name, style in sorted(ends, key=lambda end: -end[0]):
        if any(name == each for _, row in merged for each, _ in row):
            continue
        near = merged and merged[-1][0] - place < TOGETHER
        if near and length(merged[-1][1]) + 2 + cell_len(name) <= room:
            merged[-1][1].extend([(", ", look.palette.muted), (name, style)])
        else:
            merged.append((place, [(" ", style), (name, style)]))
    rows = end_rows([min(max(place, 0.0), y.cells - 1.0) for place, _ in merged], y.cells)
    return None if rows is None else dict(zip(rows, (row for _, row in merged), strict=True))


def _last_place(series: Series, x: Scale, y: Scale) -> float | None:
    """The height at which a line ends on the axes; None if it is entirely off the axes."""
    import numpy as np

    count = min(len(series.x), len(series.y))
    u, v = x.places(floats(series.x)[:count]), y.places(floats(series.y)[:count])
    fine = np.isfinite(u) & np.isfinite(v) & (u > -1) & (u < x.cells)
    if not fine.any():
        return None
    return float(v[fine][u[fine].argmax()])


# --- The data ------------------------------------------------------------------------------------


def _paint(plot: Plot, at: PlotLayout, look: Look) -> list[Row]:
    """The rows of the data: floor and bands below, then lines, then intervals and marks."""
    import numpy as np

    canvas = Canvas(at.x.cells, at.y.cells, look)
    clouds = [floats(mark.series.x) for mark in at.marks if mark.dots]
    crowded = crowded_columns(clouds, at.x)
    for mark in sorted(at.marks, key=lambda each: BELOW_FIRST.index(each.series.style)):
        series = mark.series
        count = min(len(series.x), len(series.y))
        if not count:
            continue
        y = floats(series.y)[:count]
        u, v = at.x.places(floats(series.x)[:count]), at.y.places(y)
        low = high = v
        if series.error is not None:
            half = np.abs(floats(series.error)[:count])
            with np.errstate(over="ignore", invalid="ignore"):
                low, high = at.y.places(y - half), at.y.places(y + half)
        if plot.y.log:  # an interval that reaches zero goes down to the edge
            low = np.where(np.isnan(low) & np.isfinite(v), -0.5, low)
        match series.style:
            case "floor":
                zero = -0.5 if plot.y.log else at.y.place(0.0)
                canvas.shade(u, np.full(count, zero), v, mark.style, sparse=True)
            case "band":
                canvas.shade(u, low, high, mark.style, sparse=False)
                order = u.argsort(kind="stable")
                canvas.line(u[order], v[order], mark.style)
            case "points":
                canvas.marks(u, v, low, high, mark.style, mark.glyph, mark.dots)
            case kind:
                over = crowded if series.tone == "true" else frozenset[int]()
                canvas.line(u, v, mark.style, mark.number, kind == "dotted", over)
    for value, _ in plot.levels:
        _draw_level(canvas, at, value, look)
    cursor = None if plot.cursor is None else at.x.cell(plot.cursor)
    for row in range(at.y.cells if cursor is not None else 0):
        sign = ":" if look.charset == "ascii" else "┊"
        canvas.text_below(cursor or 0, row, sign, look.palette.foreground)
    return canvas.rows()


def _draw_level(canvas: Canvas, at: PlotLayout, value: float, look: Look) -> None:
    """Draw a dotted line across the empty cells of a row."""
    row = at.y.cell(value)
    if row is None:
        return
    dot = round(float(canvas.dot(at.y.places(value), 1))) % canvas.dots[1]
    char = "-" if look.charset == "ascii" else "⡀⠄⠂⠁"[dot]
    for column in range(0, canvas.width, 2 if look.charset == "ascii" else 1):
        canvas.text_below(column, row, char, look.palette.muted)


def end_rows(heights: Sequence[float], rows: int) -> list[int] | None:
    """The row of each name, near its wanted height; None if there are too few rows."""
    if len(heights) > rows:
        return None
    found, last = list[int](), rows
    for below, height in zip(range(len(heights) - 1, -1, -1), heights, strict=True):
        last = max(below, min(last - 1, round(height)))
        found.append(last)
    return found
