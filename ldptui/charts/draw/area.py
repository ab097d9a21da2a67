"""The data area of a plot, and what stands around it: heading, ticks, names at the right, notes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace
from rich.cells import cell_len

from ..rows import NO_DATA, Charset, Look, Row, crop, length
from ..series import Plot
from .axes import Scale, Tick, floats, limits, ticks
from .legend import (
    Entry,
    ends_of,
    floor_is_named,
    flow,
    name_of,
    on_whole_rows,
    places,
    sentence,
    shortened,
    with_legend,
)
from .marks import DOTS, Mark, alike, marks_of, style_in
from .shapes import REACH

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .axes import Floats

TOO_SMALL = "too small for this chart"

MAX_TICKS = 10
LOW: Final = 13
"""Below this height no two rows say the same."""
BESIDE: Final = 26
"""Cells that the labels of the levels leave to the data and the labels of y, at least."""
NAMED: Final = 4
"""Times the cells of the names at the ends of lines that a picture with such names is wide."""
TOGETHER: Final = 0.5
"""Rows by which lines differ somewhere if they can be told apart."""
LEVELS: Final[Mapping[Charset, str]] = {"ascii": "- -", "braille": "┈┈"}
"""The lines of levels in the legend."""


class Area(Struct, frozen=True):
    """The data area of a plot, and what stands around it: above, below, left and right.

    margin : cells of the labels at the left. beside : the labels at the right, of levels and of the
    ends of lines, by their rows. right : their cells. names_floor : whether a floor has its name
    inside.
    """

    x: Scale
    y: Scale
    marks: Sequence[Mark]
    heading: list[Row]
    y_ticks: Sequence[tuple[int, str]]
    beside: Mapping[int, Row]
    margin: int
    right: int
    has_rule: bool
    has_labels: bool
    x_label: str
    note: list[Row]
    names_floor: bool


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
    names, inside = _right(plot, x_limits, y_limits, marks, look)
    above = heading(plot, marks, look, named=names > 0, inside=inside)
    spare = look.height - len(above) - 3
    has_rule, has_labels = spare >= 1, spare >= 2
    x_label = look.clean(plot.x.label) if spare >= 3 else ""
    if look.height < LOW and x_label in look.clean(plot.title):
        x_label = ""  # the title says it, and each row counts
    words = "; ".join(filter(None, (alike(plot, marks, look), plot.note)))
    most = min(2, spare - 3) if look.height < LOW else spare - 3
    unnamed = replace(plot, y=replace(plot.y, label=""))
    ways = [plot] if plot.title else [plot, unnamed]  # words around it say what it shows
    for way in ways:
        rows_above = heading(way, marks, look, named=names > 0, inside=inside)
        noted, left = _noted(rows_above, words, look)
        if left != words:
            above, words, spare = noted, left, spare + len(above) - len(noted)
            break
    note = sentence(words, look, most)
    rows = look.height - len(above) - has_rule - has_labels - bool(x_label) - len(note)
    y, y_ticks = _y_axis(plot, y_limits, rows, look)
    rows = y.cells
    if margin is None:
        margin = max((cell_len(label) for _, label in y_ticks), default=0)
        margin = margin if width - margin >= 12 else 0
    beside: dict[int, Row] = {
        row: [(label, look.palette.muted)]
        for row, label in _level_rows(plot, y, rows, look).items()
    }
    right = _beside(plot, look) if beside else 0
    if names and (placed := _end_rows(plot, x_limits, y, beside, look)) is not None:
        beside |= placed
        right = max(right, names)
    columns = width - margin - 1 - right
    if rows < 2 or columns < 4:
        return TOO_SMALL
    x = _x_axis(plot, x_limits, columns, look)
    return Area(
        x, y, marks, above, y_ticks, beside, margin, right, has_rule, has_labels, x_label, note,
        inside,
    )  # fmt: skip


def _x_axis(plot: Plot, ends: tuple[float, float], columns: int, look: Look) -> Scale:
    """The axis across; marks at its ends are whole."""
    room = REACH[0] if look.charset == "braille" else 0.0
    return Scale(*ends, plot.x.log, columns, DOTS[look.charset][0], plot.x.linear).with_room(room)


def _y_axis(
    plot: Plot, ends: tuple[float, float], rows: int, look: Look
) -> tuple[Scale, list[tuple[int, str]]]:
    """The axis upwards with its ticks, which stand on whole rows where they are evenly apart."""
    room = REACH[1] if look.charset == "braille" else 0.0
    if all(series.style != "points" for series in plot.series):
        room = min(1, room)  # lines need less room than marks
    banded = 0 < plot.y.bands <= rows
    if banded:
        rows, room = rows - rows % plot.y.bands, -0.5  # from edge to edge of the dots
    y = Scale(*ends, plot.y.log, rows, DOTS[look.charset][1], plot.y.linear).with_room(room)
    most = min(MAX_TICKS, rows // (2 if plot.y.log else 3))
    fitted = None if banded else on_whole_rows(y, most)
    if fitted is not None and (plot.y.log or plot.y.ticks is None):
        y, found = fitted
    if fitted is None or plot.y.ticks is not None:
        found = ticks(plot.y, y.low, y.high, most)
    return y, in_view(found, y, look.width // 4, look)


def _noted(above: list[Row], words: str, look: Look) -> tuple[list[Row], str]:
    """The heading with the note at the right of its last row, where that has room for it."""
    for text in (look.clean(words), look.clean(shortened(words))):
        space = look.width - (length(above[-1]) if above else look.width) - cell_len(text)
        if text and space >= 3:
            return [*above[:-1], [*above[-1], (" " * space, ""), (text, look.palette.muted)]], ""
    return above, words


def _right(
    plot: Plot,
    x_limits: tuple[float, float],
    y_limits: tuple[float, float],
    marks: Sequence[Mark],
    look: Look,
) -> tuple[int, bool]:
    """The cells that the names at the ends of lines take, 0 where the legend has them; and whether
    a floor has its name at its edge.
    """
    if not any(series.end for series in plot.series):
        return 0, False
    rows = look.height - len(heading(plot, marks, look, named=True, inside=True)) - 3
    if rows < 4:
        return 0, False
    y, _ = _y_axis(plot, y_limits, rows, look)
    inside = floor_is_named(plot, _x_axis(plot, x_limits, look.width * 3 // 4, look), y)
    # A level may take a row.
    taken: dict[int, Row] = {row: [] for row in _level_rows(plot, y, y.cells, look)}
    placed = _end_rows(plot, x_limits, y, taken, look) or {}
    size = max((length(row) + 1 for row in placed.values()), default=0)
    return (size if look.width >= max(NAMED * size, size + BESIDE) else 0), inside


def _end_rows(
    plot: Plot,
    x_limits: tuple[float, float],
    y: Scale,
    taken: Mapping[int, Row],
    look: Look,
) -> dict[int, Row] | None:
    """The names at the ends of lines by their rows; None where some would stand too far away."""
    x = _x_axis(plot, x_limits, look.width, look)
    ends = ends_of(plot, x, y, TOGETHER / max(1, y.cells))
    rows = places([y.cells - 1 - y.dot(end.at) // y.dots for end in ends], taken, y.cells)
    if rows is None:
        return None
    found: dict[int, Row] = {}
    for row, end in zip(rows, ends, strict=True):
        style = style_in(plot, plot.series[end.series[0]], look).removeprefix("dim ")
        found[row] = [(look.clean(name_of(plot, end)), style)]
    return found


def _beside(plot: Plot, look: Look) -> int:
    """The cells that the labels of the levels take at the right; 0 where the legend has them.

    They take no more than an eighth of the width, or a fifth where a row counts more, or where
    there are several: in the legend these look alike.
    """
    names = _level_names(plot, look)
    size = max((cell_len(name) + 1 for name in names), default=0)
    share = 5 if look.height < LOW or len(names) > 1 else 8
    return size if look.width >= max(share * size, size + BESIDE) else 0


def series_entries(
    plot: Plot, marks: Sequence[Mark], look: Look, *, named: bool = False, inside: bool = False
) -> list[Entry]:
    """The series in a legend, without those that have their names in the picture.

    named : at the ends of lines. inside : in a floor.
    """
    ends = {series.end for series in plot.series if (inside if series.style == "floor" else named)}
    entries = []
    for series, mark in zip(plot.series, marks, strict=True):
        label = series.label.removeprefix(f"{series.end}, ") if series.end in ends else series.label
        if series.legend and label and label not in ends:
            style = style_in(plot, series, look)
            entries.append(Entry(mark.sample, style, look.clean(label), look.palette.foreground))
    return entries


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
    *,
    named: bool = False,
    inside: bool = False,
) -> list[Row]:
    """Title, y label and legend: one to four rows, as the height allows, more only for entries
    that would be lost. Without a title, as words around the chart say what it shows, the legend
    comes before the label of y.

    named : whether the series have their names at the ends of their lines. inside : whether a floor
    has its name inside.
    """
    most = sum(look.height >= rows for rows in (5, 8, LOW, 16))
    if not most:
        return []
    entries = series_entries(plot, marks, look, named=named, inside=inside)
    if not _beside(plot, look):
        entries += level_entries(plot, look)
    above = [(plot.title, look.strong), (plot.y.label, look.palette.muted)]
    words = [(text, style) for long, style in above if (text := look.clean(long))]
    rows = [row for text, style in words for row in flow([[(text, style)]], look.width, 0)][:most]
    if entries and not plot.title:
        most = 1
    return with_legend(rows, entries, look, gap=3, most=most, limit=max(most, look.height // 2))
