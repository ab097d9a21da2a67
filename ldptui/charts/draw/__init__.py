"""Any chart as strips of cells: plots, bars, heat maps and panels of plots, painted in one way.

plotext puts the dots of plots, and nothing else; titles, legends, axes and labels are set here.
"""

from __future__ import annotations

from msgspec.structs import replace
from textual.strip import Strip

from ..rows import Look, Row, strip
from ..series import Chart, Grid, Panels, Place, Plot
from .bars import bar_place, bar_rows
from .heat import heat_place, heat_rows
from .panels import panel_place, panel_rows
from .plot_layout import plot_place, plot_rows, zoom_plot


def draw(chart: Chart, look: Look) -> list[Strip]:
    """The chart as exactly `height` strips of exactly `width` cells, whatever the data.

    With the charset "ascii" every character is ASCII. A small size shows as much as fits; without
    drawable data there is a sentence that says so.
    """
    look = look.with_size(max(0, look.width), max(0, look.height))
    rows: list[Row] = []
    if look.width and look.height:
        match chart:
            case Plot():
                rows = plot_rows(chart, look)
            case Panels():
                rows = panel_rows(chart, look)
            case Grid():
                rows = heat_rows(chart, look)
            case _:
                rows = bar_rows(chart, look)
    rows = (rows + [[] for _ in range(look.height)])[: look.height]
    return [strip(row, look.width, look.charset) for row in rows]


def place_at(chart: Chart, x: int, y: int, look: Look) -> Place | None:
    """The data point at a cell of a chart's picture; None outside the data."""
    match chart:
        case Plot():
            return plot_place(chart, x, y, look)
        case Panels():
            return panel_place(chart, x, y, look)
        case Grid():
            return heat_place(chart, x, y, look)
        case _:
            return bar_place(chart, y, look)


def zoom_chart(chart: Plot | Panels, factor: float) -> Plot | Panels:
    """The chart over a part of its x-axis, around its cursor, else around the middle."""
    if isinstance(chart, Plot):
        return zoom_plot(chart, factor)
    return replace(chart, plots=tuple(zoom_plot(plot, factor) for plot in chart.plots))


def warm_up() -> None:
    """Import what the first plot needs, so that it appears without delay; thread-safe."""
    import numpy
    import plotext
