"""Panels of plots side by side: one legend above, one label and one note below all of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from ..rows import Charset, Palette, Row, centred, clean, length
from ..series import Panels, Plot
from .legend import Entry, sentence, with_legend
from .marks import marks_of, style_in
from .plots import level_entries, plot_place, plot_rows

LEAST: Final = 22
"""Cells of width that a panel has at least."""
LOWEST: Final = 8
"""Rows of height that it has at least where panels stand one below the other."""
GAP: Final = 1


@dataclass(frozen=True)
class _Layout:
    """The panels that have room, and the cells that each has; above and below them, words.

    across : panels in a row of them. size : their width and height.
    """

    shown: tuple[Plot, ...]
    across: int
    size: tuple[int, int]
    head: list[Row]
    foot: list[Row]


def panel_rows(
    panels: Panels, width: int, height: int, palette: Palette, charset: Charset
) -> list[Row]:
    """The panels in one row, or in more where there is height; some where there is room for some.

    What is left out is said in the note.
    """
    at = _layout(panels, width, height, palette, charset)
    size, rows = at.size
    label = centred(clean(panels.plots[0].x.label, charset), width, 1, palette.muted)
    drawn: list[Row] = []
    for first in range(0, len(at.shown), at.across):
        band = [
            plot_rows(_bare(plot), size, rows, palette, charset)
            for plot in at.shown[first : first + at.across]
        ]
        for line in range(rows):
            drawn.append(_joined([panel[line : line + 1] for panel in band], size))
    return [*at.head, *drawn, *label, *at.foot]


def panel_place(
    panels: Panels, x: int, y: int, width: int, height: int, palette: Palette, charset: Charset
) -> tuple[float, float] | None:
    """x and y of the panel at a cell of the picture; None beside the panels."""
    at = _layout(panels, width, height, palette, charset)
    size, rows = at.size
    (column, left), (row, top) = divmod(x, size + GAP), divmod(y - len(at.head), max(1, rows))
    number = row * at.across + column
    if row < 0 or column >= at.across or number >= len(at.shown):
        return None
    return plot_place(_bare(at.shown[number]), left, top, size, rows, palette, charset)


def _layout(panels: Panels, width: int, height: int, palette: Palette, charset: Charset) -> _Layout:
    plots = panels.plots
    head = _heading(panels, width, height, palette, charset, width)
    across = max(1, min(len(plots), (width + GAP) // (LEAST + GAP)))
    spare = height - len(head) - 2
    down = max(1, min(-(-len(plots) // across), spare // LOWEST))
    across = -(-min(len(plots), across * down) // down)
    shown = plots[: across * down]
    left = len(plots) - len(shown)
    note = f"{len(shown)} of {len(plots)} shown, f picks; {panels.note}" if left else panels.note
    foot = sentence(clean(note, charset), width, palette.muted, 1 if left or height >= 12 else 0)
    size = (width - GAP * (across - 1)) // across
    head = _heading(panels, width, height, palette, charset, size)
    rows = (height - len(head) - len(foot) - 1) // down
    return _Layout(shown, across, (size, rows), head, foot)


def _bare(plot: Plot) -> Plot:
    """The plot without what all panels share."""
    series = tuple(replace(each, legend=False) for each in plot.series)
    y = replace(plot.y, label="")
    levels = tuple((value, "") for value, _ in plot.levels)
    x = replace(plot.x, label="")
    return replace(plot, series=series, x=x, y=y, levels=levels, note="")


def _joined(lines: list[list[Row]], size: int) -> Row:
    """The same line of each panel, each in `size` cells."""
    row: Row = []
    for at, line in enumerate(lines):
        if at:
            row.append((" " * GAP, ""))
        spans = line[0] if line else []
        row += [*spans, (" " * max(0, size - length(spans)), "")]
    return row


def _heading(
    panels: Panels, width: int, height: int, palette: Palette, charset: Charset, size: int
) -> list[Row]:
    """The title, what y is, and an entry for each series that any panel has.

    size : the width of a panel, in which marks have their size.
    """
    entries: dict[str, Entry] = {}
    for plot in panels.plots:
        for series, mark in zip(plot.series, marks_of(plot, charset, size), strict=True):
            label = clean(series.label, charset)
            if series.legend and label and label not in entries:
                entries[label] = Entry(
                    mark.sample,
                    style_in(plot, series, palette),
                    label,
                    palette.foreground,
                )
        for entry in level_entries(plot, palette, charset):
            entries.setdefault(entry.label, entry)
    most = 1 if height < 12 else 2 if height < 18 else 3
    words = [(panels.title, f"bold {palette.foreground}"), (panels.plots[0].y.label, palette.muted)]
    rows: list[Row] = [[(clean(text, charset)[:width], style)] for text, style in words][:most]
    return with_legend(
        rows,
        list(entries.values()),
        width,
        gap=3,
        most=most,
        limit=max(most, height // 4),
        muted=palette.muted,
    )
