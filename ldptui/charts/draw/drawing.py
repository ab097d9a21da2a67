"""Any chart as strips: a plot, bars, a heat map, or panels side by side."""

from __future__ import annotations

import contextlib
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace
from textual.strip import Strip

from ..rows import NO_DATA, Charset, Look, Row, Span, centred, crop, length, pad, strip, titled
from ..series import Chart, Grid, Panels, Place, Plot
from .area import LOW, area_of, level_entries, series_entries
from .bars import bar_place, bar_rows
from .heat import (
    LABEL,
    Layout,
    heat_rows,
    inside,
    layout,
    number,
    sizes_of,
    some,
    step_of,
    title_with_steps,
)
from .legend import Entry, sentence, with_legend
from .marks import marks_of
from .plots import plot_place, plot_rows

SHADES: Final[dict[Charset, str]] = {"braille": " ░▒▓█", "ascii": " .:+#"}
"""From nothing to the largest of all numbers; each shade says as much as a colour would."""
SWATCH: Final = 2
"""Cells of a shade in the legend, and beside a number at least; more where there is room."""
WIDEST: Final = 20
TALLEST: Final = 8
"""Lines of a shade at most; the number stands beside the middle one."""
INSIDE: Final[dict[Charset, str]] = {"braille": "•", "ascii": "*"}
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
        lines = heat_rows(grid, look)
    else:
        at = _columns(grid, look)
        lines = _shaded(grid, at, look)
    note = _note(grid, at, look)
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
    at = Layout(rows, some(len(grid.columns), columns), label, 2, cell, 2)
    left = look.height - at.top - 1 - len(_note(grid, at, look))
    return replace(at, halves=2 * min(TALLEST, max(1, left // len(rows))))


def _swatch(grid: Grid, room: int) -> int:
    """The cells of a shade."""
    return min(WIDEST, max(SWATCH, room // len(grid.columns) - _digits(grid) - 3))


def _digits(grid: Grid) -> int:
    return max(len(number(value)) for row in grid.values for value in row)


def _shaded(grid: Grid, at: Layout, look: Look) -> list[Row]:
    sizes, shades, digits = sizes_of(grid), SHADES[look.charset], _digits(grid)
    cell, swatch = at.wide, min(WIDEST, at.wide - digits - 3)
    heads = [pad(look.clean(grid.columns[each]), cell - 2, right=True) for each in at.columns]

    def tint(below: bool) -> str:
        return look.palette.clean if below else look.palette.attacked

    def scale(step: int, below: bool) -> Span:
        return shades[1 + step] * SWATCH, tint(below)

    lines: list[Row] = [
        title_with_steps(grid, sizes, look, len(shades) - 1, scale),
        [(pad(look.clean(grid.row), at.left), look.palette.muted),
         (" " * 2 + (" " * 2).join(heads), look.palette.muted)],
    ]  # fmt: skip
    for row in at.rows:
        line: Row = [(pad(look.clean(grid.rows[row]), at.left), look.palette.foreground)]
        bare: Row = [(" " * at.left, "")]  # a line of the shades alone
        closing = ""
        for column in at.columns:
            value = grid.values[row][column]
            shade = "" if value is None else shades[_shade(value, sizes)] * swatch
            gap = (closing + " " * cell)[: cell - digits - swatch - 1]
            tinted = tint(value is not None and value < 0)
            line.append((gap + pad(shade, swatch), tinted))
            bare.append((" " * len(gap) + pad(shade, swatch + digits + 1), tinted))
            looked_at = grid.cursor == (grid.rows[row], grid.columns[column])
            mark = INSIDE[look.charset] if grid.line and inside(grid, row, column) else ""
            opening, closing = ("[", "]") if looked_at else (" ", mark)
            line.append((opening + number(value).rjust(digits), look.palette.foreground))
        line.append((closing, look.palette.foreground))
        high = at.halves // 2
        above = (high - 1) // 2
        lines += [*[bare] * above, line, *[bare] * (high - 1 - above)]
    return lines


def _shade(value: float, sizes: Sequence[float]) -> int:
    """The shade of a number, from 1 to 4, by its size among the sorted `sizes`; 0 for a zero."""
    return 1 + step_of(value, sizes, 4) if value else 0


def _note(grid: Grid, at: Layout, look: Look) -> list[str]:
    """The key of the columns, the number of what is left out, and the note of the chart."""
    mark = "line" if _coloured(look) else INSIDE[look.charset]
    across = f"across: {grid.column}"
    hidden = [
        f"{len(whole) - len(shown)} {what} left out"
        for whole, shown, what in (
            (grid.rows, at.rows, "rows"), (grid.columns, at.columns, "columns"),
        )
        if len(whole) > len(shown)
    ]  # fmt: skip
    line = [f"{mark}: {grid.line}"] if grid.line else []
    note = "; ".join([across, *line, *hidden, *filter(None, [grid.note])])
    return textwrap.wrap(look.clean(note), look.width)


LEAST: Final = 17
"""Cells of width that a panel has at least, without the labels at the left of all."""
LOWEST: Final = 8
"""Rows of height that it has at least where panels stand one below the other."""
GAP: Final = 1
TALL: Final = 24
"""From this height the note may have more than one line,"""
LINES: Final = 12
"""one for each of this many rows."""


class _Layout(Struct, frozen=True):
    """The panels that have room, and the cells that each has; above and below them, words.

    across : panels in a row of them. size : the width of a panel, and its height. margin : cells
    that the first panel of a row has besides, for the labels of the axis that all share.
    """

    shown: tuple[Plot, ...]
    across: int
    size: tuple[int, int]
    margin: int
    head: list[Row]
    label: list[Row]
    foot: list[Row]


def panel_rows(panels: Panels, look: Look) -> list[Row]:
    """The panels in one row, or in more where there is height; some where there is room for some.

    What is left out is said in the note.
    """
    at = _layout(panels, look)
    size, rows = at.size
    drawn: list[Row] = []
    for first in range(0, len(at.shown), at.across):
        band = at.shown[first : first + at.across]
        widths = [size + at.margin * (not each) for each in range(len(band))]
        titles: list[Row] = [[(look.clean(plot.title), look.strong)]
                             for plot in band]  # fmt: skip
        titles[0].insert(0, (" " * at.margin, ""))
        drawn.append(_joined(titles, widths))
        pictures = [
            plot_rows(_bare(plot), look.sized(size, rows - 1), margin=wide - size)
            for plot, wide in zip(band, widths, strict=True)
        ]
        for line in range(rows - 1):
            drawn.append(_joined([next(iter(p[line : line + 1]), []) for p in pictures], widths))
    return [*at.head, *drawn, *at.label, *at.foot]


def panel_place(panels: Panels, x: int, y: int, look: Look) -> tuple[float, float] | None:
    """x and y of the panel at a cell of the picture; None beside the panels."""
    at = _layout(panels, look)
    size, rows = at.size
    (column, left), (row, top) = divmod(x - at.margin, size + GAP), divmod(y - len(at.head), rows)
    number = row * at.across + column
    if row < 0 or column not in range(at.across) or number >= len(at.shown):
        return None
    margin = at.margin * (not column)
    plot = _bare(at.shown[number])
    return plot_place(plot, left + margin, top - 1, look.sized(size, rows - 1), margin=margin)


def _layout(panels: Panels, look: Look) -> _Layout:
    plots = panels.plots
    head = _heading(panels, look, look.width)
    words = look.clean(plots[0].x.label) if look.height >= LOW else ""  # the notes tell more
    label = centred(words, look.sized(look.width, 1)) if words else []
    spare = look.height - len(head) - len(label) - 1
    margin = _margin(plots[0], look.sized(look.width, max(LOWEST, spare)))
    across = max(1, min(len(plots), (look.width - margin + GAP) // (LEAST + GAP)))
    down = max(1, min(-(-len(plots) // across), spare // LOWEST))
    across = -(-min(len(plots), across * down) // down)
    shown = plots[: across * down]
    left = len(plots) - len(shown)
    note = f"{len(shown)} of {len(plots)} shown, f picks; {panels.note}" if left else panels.note
    lines = look.height // LINES if look.height >= TALL else int(left > 0 or look.height >= LOWEST)
    foot = sentence(note, look, lines)
    size = (look.width - margin - GAP * (across - 1)) // across
    head = _heading(panels, look, size)
    rows = max(1, (look.height - len(head) - len(label) - len(foot)) // down)
    return _Layout(shown, across, (size, rows), margin, head, label, foot)


def _margin(plot: Plot, look: Look) -> int:
    """The cells of the labels of y."""
    area = area_of(_bare(plot), look)
    return 0 if isinstance(area, str) else area.margin


def _bare(plot: Plot) -> Plot:
    """The plot without what all panels share."""
    series = tuple(replace(each, legend=False) for each in plot.series)
    y = replace(plot.y, label="")
    levels = tuple((value, "") for value, _ in plot.levels)
    x = replace(plot.x, label="")
    return replace(plot, title="", series=series, x=x, y=y, levels=levels, note="")


def _joined(lines: list[Row], widths: list[int]) -> Row:
    """The same line of each panel, each in its cells."""
    row: Row = []
    for at, (spans, width) in enumerate(zip(lines, widths, strict=True)):
        if at:
            row.append((" " * GAP, ""))
        row += [*spans, (" " * max(0, width - length(spans)), "")]
    return row


def _heading(panels: Panels, look: Look, size: int) -> list[Row]:
    """The title, what y is, and an entry for each series that any panel has.

    size : the width of a panel, in which marks have their size.
    """
    entries: dict[str, Entry] = {}
    for plot in panels.plots:
        named = series_entries(plot, marks_of(plot, look.sized(size, look.height)), look)
        for entry in (*named, *level_entries(plot, look)):
            entries.setdefault(entry.label, entry)
    most = 1 if look.height < LOW else 2 if look.height < 18 else 3
    words = [(panels.title, look.strong), (panels.plots[0].y.label, look.palette.muted)]
    rows: list[Row] = [[(look.clean(text)[: look.width], style)] for text, style in words if text]
    rows = rows[:most]
    return with_legend(
        rows,
        list(entries.values()),
        look,
        gap=3,
        most=most,
        limit=max(most, look.height // 4),
    )


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def warm_up() -> None:
    """Import what a plot needs, so that the first one does not wait; safe in a thread."""
    import numpy  # noqa: F401

    with contextlib.suppress(ImportError, OSError):
        import plotext  # noqa: F401


def draw(chart: Chart, look: Look) -> list[Strip]:
    """The chart as exactly `height` strips of exactly `width` cells, whatever the data.

    With the charset "ascii" every character is ASCII. Too small a size shows as much as
    fits; no drawable data, or no plotext, a sentence that says so.
    """
    look = look.sized(max(0, look.width), max(0, look.height))
    rows: list[Row] = []
    if not look.width or not look.height:
        pass
    elif isinstance(chart, Plot):
        rows = plot_rows(chart, look)
    elif isinstance(chart, Panels):
        rows = panel_rows(chart, look)
    elif isinstance(chart, Grid):
        rows = grid_rows(chart, look)
    else:
        rows = bar_rows(chart, look)
    rows = rows[: look.height] + [[] for _ in range(look.height - len(rows))]
    return [strip(row, look.width, look.charset) for row in rows]


def place_at(chart: Chart, x: int, y: int, look: Look) -> Place | None:
    """The place in a chart's data at a cell of its picture; None beside the data."""
    if isinstance(chart, Plot):
        return plot_place(chart, x, y, look)
    if isinstance(chart, Grid):
        return grid_place(chart, x, y, look)
    if isinstance(chart, Panels):
        return panel_place(chart, x, y, look)
    return bar_place(chart, y, look)
