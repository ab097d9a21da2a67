"""Any chart, or a sentence in its place, as strips."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from textual.strip import Strip

from ..rows import (
    Look,
    Row,
    centred,
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


def draw(chart: Chart, look: Look) -> list[Strip]:
    """The chart as exactly `height` strips of exactly `width` cells, whatever the data.

    With the charset "ascii" every character is ASCII, with "block" no braille is used. Too small a
    size shows as much as fits; no drawable data, or no plotext, a sentence that says so.
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


def message(text: str, look: Look) -> list[Strip]:
    """A muted sentence in the middle of `height` strips of `width` cells."""
    rows = centred(look.clean(text), look)
    return [strip(row, look.width, look.charset) for row in rows]
