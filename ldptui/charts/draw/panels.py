"""Plots of the same series side by side, with one legend and one pair of axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ..rows import Look, Row, crop, length
from ..series import Panels, Plot
from .marks import marks_of
from .plot_layout import (
    fit_height,
    floor_words,
    legend_entries,
    legend_rows,
    margin_of,
    note_rows,
    plot_place,
    plot_rows,
)

LEAST: Final = 16
"""Cells of width that a panel has at least, without the labels at the left of all."""
LOWEST: Final = 8
"""Rows of height that it has at least where panels stand one below the other."""
GAP: Final = 1
MOST_KEPT: Final = 64
"""Panels whose rows are kept."""


class PanelLayout(Struct, frozen=True):
    """The layout of panels: their number in a row, and the size of each.

    across : the number of panels in a row.
    width, height : the size of a panel.
    margin : the cells of the labels of y, which the first panel of a row has in addition; None if
        each panel has its own.
    """

    shown: tuple[Plot, ...]
    across: int
    width: int
    height: int
    margin: int | None
    head: list[Row]
    foot: list[Row]


def panel_rows(panels: Panels, look: Look) -> list[Row]:
    """The rows of a picture of panels; the note names the panels left out."""
    at = lay_out_panels(panels, look)
    drawn, left_out = list[Row](), dict[str, None]()
    for first in range(0, len(at.shown), at.across):
        band, lines = at.shown[first : first + at.across], list[list[Row]]()
        for number, plot in enumerate(band):
            margin, size = _size_of(at, number, look)
            inset = " " * (margin or 0)
            title: Row = [(inset, ""), (crop(look.clean(plot.title), at.width), look.strong)]
            (_, *under), *rows = _rows_of(plot, size, margin)
            words, room = "".join(text for text, _ in under).strip(), size.width - length(title)
            if len(words) < room:
                title.append((words.rjust(room), look.palette.muted))
            elif words:
                left_out[words] = None
            lines.append([title, *rows])
        for row in range(at.height):
            drawn.append([])
            for number, picture in enumerate(lines):
                spans = picture[row] if row < len(picture) else []
                wide = _size_of(at, number, look)[1].width + GAP
                drawn[-1] += [*spans, (" " * (wide - length(spans)), "")]
    words = "".join(f"; {each}" for each in left_out)
    if at.foot and length(at.foot[-1]) + len(words) <= look.width:
        at.foot[-1].append((words, look.palette.muted))
    return [*at.head, *drawn, *at.foot]


_DRAWN: Final[dict[tuple[int, Look, int | None], tuple[Plot, list[Row]]]] = {}
"""The rows of the panels drawn last: of most of them a cursor changes nothing but the title."""


def _rows_of(plot: Plot, size: Look, margin: int | None) -> list[Row]:
    """The rows of a panel, first the marks that others cover, in the row of its title."""
    key = id(plot.series), size, margin
    kept, rows = _DRAWN.get(key, (None, []))
    if kept is None or kept.series is not plot.series or kept != replace(plot, title=kept.title):
        rows = plot_rows(_bare(plot), size, margin)
        if len(_DRAWN) >= MOST_KEPT:
            _DRAWN.clear()
        _DRAWN[key] = plot, rows
    return rows


def _size_of(at: PanelLayout, number: int, look: Look) -> tuple[int | None, Look]:
    """The margin of a panel of a row, and its size."""
    if at.margin is None:
        return None, look.with_size(at.width, at.height)
    margin = at.margin if not number else 1
    return margin, look.with_size(at.width + margin, at.height)


def panel_place(panels: Panels, x: int, y: int, look: Look) -> tuple[float, float] | str | None:
    """x and y of the panel at a cell of the picture; its title if panels have their own y-axis.

    None outside the panels.
    """
    at = lay_out_panels(panels, look)
    first, wide = (_size_of(at, number, look)[1].width + GAP for number in (0, 1))
    column, left = (0, x) if x < first else (1 + (x - first) // wide, (x - first) % wide)
    row, top = divmod(y - len(at.head), at.height)
    number = row * at.across + column
    if row < 0 or column >= at.across or number >= len(at.shown):
        return None
    if at.margin is None:
        return at.shown[number].title
    margin, size = _size_of(at, column, look)
    return plot_place(_bare(at.shown[number]), left, top, size, margin)


def lay_out_panels(panels: Panels, look: Look) -> PanelLayout:
    """The layout of panels in a picture."""
    plots = panels.plots
    head: list[Row] = []
    if panels.title and look.height >= 6:
        head = [[(crop(look.clean(panels.title), look.width), look.strong)]]
    entries: dict[str, Row] = {}
    for plot in plots:
        for name, entry in legend_entries(marks_of(plot, look), look, named=False).items():
            entries.setdefault(name, entry)
    if look.height >= LOWEST:
        head += legend_rows(look.clean(plots[0].y.label), entries, look)
    spare = look.height - len(head) - 1
    if panels.own is not None:
        across = max(1, min(len(plots), look.width // panels.own[0]))
        down = max(1, min(-(-len(plots) // across), spare // panels.own[1]))
        foot = note_rows(panels.note, look)
        width = (look.width - GAP * (across - 1)) // across
        height = (look.height - len(head) - len(foot)) // down
        return PanelLayout(plots[: across * down], across, width, height, None, head, foot)
    margin = _margin_of(plots, look.with_size(max(LEAST, look.width // 2), max(LOWEST, spare)))
    across = max(1, min(len(plots), (look.width - margin + 1 + GAP) // (LEAST + 1 + GAP)))
    down = max(1, min(-(-len(plots) // across), spare // LOWEST))
    across = -(-min(len(plots), across * down) // down)
    shown = plots[: across * down]
    left = len(plots) - len(shown)
    note = f"{len(shown)} of {len(plots)} shown, f picks; {panels.note}" if left else panels.note
    words = dict.fromkeys(word for plot in plots for word in floor_words(plot, look))
    foot = note_rows("; ".join(filter(None, (note, *words))), look)
    height = max(4, (look.height - len(head) - len(foot)) // down)
    margin = _margin_of(plots, look.with_size(max(LEAST, look.width // across), height))
    width = max(4, (look.width - margin - (1 + GAP) * (across - 1)) // across)
    return PanelLayout(shown, across, width, height, margin, head, foot)


def _margin_of(plots: Sequence[Plot], size: Look) -> int:
    """The cells of the labels of y in a panel of this size."""
    return margin_of(fit_height(plots[0], max(1, size.height - 3)), size)


def _bare(plot: Plot) -> Plot:
    """The plot without labels, legend and note, which all panels share, and an empty title."""
    series = tuple(replace(each, label="", legend=False, end="") for each in plot.series)
    levels = tuple((value, "") for value, _ in plot.levels)
    x, y = replace(plot.x, label=""), replace(plot.y, label="")
    return replace(plot, title=" ", series=series, x=x, y=y, levels=levels, note="")
