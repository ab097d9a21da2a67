"""Panels of plots side by side: one legend above, one label and one note below all of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from ..rows import Look, Row, centred, length
from ..series import Panels, Plot
from .area import LOW, area_of, level_entries, series_entries
from .legend import Entry, sentence, with_legend
from .marks import marks_of
from .plots import plot_place, plot_rows

LEAST: Final = 17
"""Cells of width that a panel has at least, without the labels at the left of all."""
LOWEST: Final = 8
"""Rows of height that it has at least where panels stand one below the other."""
GAP: Final = 1
TALL: Final = 24
"""From this height the note may have more than one line,"""
LINES: Final = 12
"""one for each of this many rows."""


@dataclass(frozen=True)
class _Layout:
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
