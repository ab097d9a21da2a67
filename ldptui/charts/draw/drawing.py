"""Any chart, or a sentence in its place, as strips."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from textual.strip import Strip

from ..rows import (
    Charset,
    Palette,
    Row,
    centred,
    clean,
    strip,
)
from ..series import Chart, Grid, Panels, Place, Plot
from .bars import bar_place, bar_rows
from .grids import grid_place, grid_rows
from .panels import panel_place, panel_rows
from .plots import plot_place, plot_rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


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
        rows = plot_rows(chart, width, height, palette, charset)
    elif isinstance(chart, Panels):
        rows = panel_rows(chart, width, height, palette, charset)
    elif isinstance(chart, Grid):
        rows = grid_rows(chart, width, height, palette, charset)
    else:
        rows = bar_rows(chart, width, height, palette, charset)
    rows = rows[:height] + [[] for _ in range(height - len(rows))]
    return [strip(row, width, charset) for row in rows]


def place_at(
    chart: Chart, x: int, y: int, width: int, height: int, palette: Palette, charset: Charset
) -> Place | None:
    """The place in a chart's data at a cell of its picture; None beside the data."""
    if isinstance(chart, Plot):
        return plot_place(chart, x, y, width, height, palette, charset)
    if isinstance(chart, Grid):
        return grid_place(chart, x, y, width, height, palette, charset)
    if isinstance(chart, Panels):
        return panel_place(chart, x, y, width, height, palette, charset)
    return bar_place(chart, y, width, height, palette, charset)


def message(text: str, width: int, height: int, palette: Palette, charset: Charset) -> list[Strip]:
    """A muted sentence in the middle of `height` strips of `width` cells."""
    rows = centred(clean(text, charset), width, height, palette.muted)
    return [strip(row, width, charset) for row in rows]
