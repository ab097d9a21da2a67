"""Charts for paper, as vector graphics: the one gate to matplotlib (the extra `plot`).

Colours of Okabe and Ito, which differ for colour-blind readers and in greyscale; each series has a
mark and dashes of its own besides. Closed forms lie behind the points.
"""

from __future__ import annotations

import io
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from core.files import whole_file

from ..series import Axis, Bars, Chart, Grid, Panels, Plot, Series, Tone
from .compact import compact
from .heat import DECADES
from .latex import in_pgf

FORMATS: Final = ("svg", "pdf", "png", "pgf")
WIDTHS: Final = {1: 84.0, 2: 174.0}
"""Millimetres of one column of a paper, and of two."""
INCH: Final = 25.4
LABEL: Final = 30
"""Letters of a line of an axis label."""
LETTER: Final = 0.06
"""Inches of a letter of a number or a name at an axis."""
SHARE: Final = 0.6
"""The part of a map's width that its columns have at least."""
SHADES: Final = 64
"""Colours of a map."""
DPI: Final = 300
SHAPE: Final = 0.62
"""The height of a chart by its width."""
POWERS: Final = 7
"""Most powers of ten at a symlog axis."""
PANEL: Final = 0.9
"""That of one of several."""
NUMBER: Final = 0.5
"""Inches of a map's width that a column needs for its numbers."""
TONES: Final[Mapping[Tone, str]] = {
    "true": "#000000", "clean": "#0072b2", "attacked": "#d55e00", "theory": "#444444",
    "target": "#cc79a7", "muted": "#8c8c8c", "series-0": "#0072b2", "series-1": "#d55e00",
    "series-2": "#000000", "series-3": "#009e73", "series-4": "#cc79a7", "series-5": "#b88a00",
}  # fmt: skip
MARKS: Final = "os^Dvx+<>"
CLOUDS: Final = {"o": ".", "s": "x"}
"""The marks of very many points in place of others, which would be blots."""
DASHES: Final = ("-", "--", "-.", (0, (5, 1, 1, 1, 1, 1)), (0, (3, 1)), (0, (1, 1)))
STYLE: Final[Any] = {
    "font.size": 7.0, "axes.linewidth": 0.5, "lines.linewidth": 0.9, "lines.markersize": 3.0,
    "xtick.major.width": 0.5, "ytick.major.width": 0.5, "svg.fonttype": "none",
    "font.sans-serif": ["DejaVu Sans"],
    "svg.hashsalt": "ldptui", "pdf.fonttype": 42, "axes.spines.top": False,
    "axes.spines.right": False, "legend.frameon": False,
}  # fmt: skip


def write_figure(chart: Chart, path: Path, *, columns: int, caption: str, embedded: str) -> None:
    """Write a chart as wide as one or two columns of a paper; the suffix says in which format.

    caption : stands below it. embedded : a text that the file keeps. Raises ImportError without
    matplotlib, FileError where the file, which appears whole or not at all, cannot be written.
    """
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(STYLE):
        width = WIDTHS[columns] / INCH
        plots = chart.plots if isinstance(chart, Panels) else (chart,)
        across = min(len(plots), 3 if columns == 2 else 2)
        down = -(-len(plots) // across)
        height = min(9.0, max(2.1, width * _shape(chart) * down / across + 0.5))
        figure = Figure(figsize=(width, height), layout="constrained", facecolor="white")
        grid = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False)
        places = list(grid.flat)
        for place, plot in zip(places, plots, strict=False):
            _draw(place, plot)
        for place in places[len(plots) :]:
            place.set_axis_off()
        entries: dict[str, Any] = {}
        for place in places:
            for handle, label in zip(*place.get_legend_handles_labels(), strict=True):
                entries.setdefault(label, handle)
        if entries:
            figure.legend(entries.values(), entries.keys(), loc="outside upper center",
                          ncols=min(4, len(entries)), fontsize=6)  # fmt: skip
        if isinstance(chart, Panels):
            _name_panels(figure, places, chart.plots, across)
        lines = textwrap.fill("; ".join(filter(None, (chart.note, caption))), round(width * 22))
        figure.supxlabel(lines, fontsize=5, color="#555555")
        _save(figure, path, embedded)


def _name_panels(figure: Any, places: Sequence[Any], plots: Sequence[Plot], across: int) -> None:
    """The titles of panels; numbers and names of axes at the left and below the lowest ones."""
    for number, (place, plot) in enumerate(zip(places, plots, strict=False)):
        left, lowest = number % across == 0, number + across >= len(plots)
        place.set_title(plot.title, fontsize=7)
        place.tick_params(labelleft=left, labelbottom=lowest)
        if number // across < (len(plots) - 1) // across:
            place.set_xlabel("")
        if not left or len(plots) > across:
            place.set_ylabel("")
    if len(plots) > across:  # one name for all rows, which are low
        figure.supylabel(plots[0].y.label, fontsize=7)


def _shape(chart: Chart) -> float:
    """The height of a chart by its width."""
    if isinstance(chart, Grid):
        return min(SHAPE, 0.25 + 0.05 * len(chart.rows))
    if isinstance(chart, Bars):
        return max(SHAPE, 0.03 * len(chart.bars))
    return SHAPE if isinstance(chart, Plot) else PANEL


def _save(figure: Any, path: Path, embedded: str) -> None:
    drawn, form = io.BytesIO(), path.suffix.removeprefix(".")
    match form:
        case "svg":
            about = {"Description": embedded, "Date": None}
            figure.savefig(drawn, format=form, metadata=about)
            drawn = io.BytesIO(compact(drawn.getvalue().decode()).encode())
        case "pdf":
            about = {"Keywords": embedded, "CreationDate": None}
            figure.savefig(drawn, format=form, dpi=DPI, metadata=about)
        case "png":
            figure.savefig(drawn, format=form, dpi=DPI, metadata={"Description": embedded})
        case _:
            drawn.write(f"% {embedded}\n{in_pgf(figure)}".encode())
    with whole_file(path) as file:
        file.write(drawn.getvalue())


def _draw(axes: Any, chart: Chart) -> None:
    if isinstance(chart, Plot):
        _draw_plot(axes, chart)
    elif isinstance(chart, Grid):
        _draw_grid(axes, chart)
    elif isinstance(chart, Bars):
        _draw_bars(axes, chart)


def _draw_plot(axes: Any, plot: Plot) -> None:
    lines = points = 0
    for series in plot.series:
        if series.style == "points":
            _draw_points(axes, series, MARKS[points % len(MARKS)])
            points += 1
        elif series.style == "band":
            _draw_band(axes, series)
        else:
            named = len(series.x) == 0  # of the legend alone
            dashes = "-" if named else DASHES[lines % len(DASHES)]
            dashes = ":" if series.style == "dotted" else dashes
            lines += series.style == "line" and not named
            label = series.label if series.legend else "_"
            axes.plot(series.x, series.y, color=TONES[series.tone], linestyle=dashes, label=label,
                      zorder=1)  # fmt: skip
    for value, _ in plot.levels:
        axes.axhline(value, color="#8c8c8c", linewidth=0.4, zorder=0)
    _scale(axes, "x", plot.x)
    _scale(axes, "y", plot.y)
    plain = not plot.x.log and not plot.x.linear and plot.x.ticks is None
    if plain and all(float(x).is_integer() for series in plot.series for x in series.x):
        axes.xaxis.get_major_locator().set_params(integer=True)


def _draw_points(axes: Any, series: Series, mark: str) -> None:
    """Points with their intervals; very many of them as dots or crosses, drawn as one picture."""
    many = len(series.x) > 400
    mark = CLOUDS.get(mark, mark) if many else mark
    _, caps, intervals = axes.errorbar(
        series.x, series.y, yerr=series.error, fmt=mark,
        color=TONES[series.tone], markersize=1.2 if many else 3.0,
        markeredgewidth=0.25 if many else 0.5,
        elinewidth=0.5, capsize=1.5 if series.error is not None else 0, linestyle="none",
        label=series.label if series.legend else "_", zorder=2, rasterized=many, clip_on=False,
    )  # fmt: skip
    for artist in (*caps, *intervals):  # which may be longer than the axis
        artist.set_clip_on(True)


def _draw_band(axes: Any, series: Series) -> None:
    """The means of very many measurements as a line within their intervals."""
    import numpy as np

    means, halves = np.asarray(series.y, float), np.asarray(series.error, float)
    look = {"color": TONES[series.tone], "linewidth": 0.5, "zorder": 2}
    axes.plot(series.x, means, label=series.label if series.legend else "_", **look)
    axes.fill_between(
        series.x, means - halves, means + halves, color=TONES[series.tone], alpha=0.25,
        linewidth=0, zorder=0,
    )  # fmt: skip


def _scale(axes: Any, name: str, axis: Axis) -> None:
    getattr(axes, f"set_{name}label")(textwrap.fill(axis.label, LABEL))
    if axis.log:
        getattr(axes, f"set_{name}scale")("log")
        if axis.low and axis.high and axis.high >= 10 * axis.low:  # its powers of ten are enough
            getattr(axes, f"{name}axis").set_minor_formatter("")
    elif axis.linear:
        getattr(axes, f"set_{name}scale")("symlog", linthresh=axis.linear)
        getattr(axes, f"{name}axis").get_major_locator().set_params(numticks=POWERS)
    if axis.low is not None and axis.high is not None:
        getattr(axes, f"set_{name}lim")(axis.low, axis.high)
    if axis.ticks is not None:
        places, labels = [value for value, _ in axis.ticks], [label for _, label in axis.ticks]
        getattr(axes, f"set_{name}ticks")(places, labels)
        getattr(axes, f"set_{name}ticks")([], minor=True)


def _draw_grid(axes: Any, grid: Grid) -> None:
    from matplotlib import colormaps

    values = [[float("nan") if value is None else value for value in row] for row in grid.values]
    known = [value for row in grid.values for value in row if value is not None]
    wide = bool(known) and min(known) > 0 and max(known) >= DECADES * min(known)
    edges = [
        [place - 0.5 for place in range(len(names) + 1)] for names in (grid.columns, grid.rows)
    ]
    colours = colormaps["cividis"].resampled(SHADES)
    picture = axes.pcolormesh(*edges, values, cmap=colours, norm="log" if wide else None)
    axes.invert_yaxis()
    axes.figure.colorbar(picture, ax=axes, label=grid.title)
    room = axes.figure.get_figwidth() / max(1, len(grid.columns))
    slanted = max(map(len, grid.columns), default=0) * LETTER > SHARE * room
    turned = {"rotation": 45, "ha": "right"} if slanted else {}
    axes.set_xticks(range(len(grid.columns)), grid.columns, **turned)
    axes.set_yticks(range(len(grid.rows)), grid.rows)
    axes.set_xlabel(grid.column)
    axes.set_ylabel(grid.row)
    for row, line in enumerate(grid.values):
        for column, value in enumerate(line):
            if value is not None and room >= NUMBER:
                axes.text(column, row, f"{value:.3g}", ha="center", va="center", fontsize=5,
                          bbox={"color": "white", "pad": 0.6, "alpha": 0.8})  # fmt: skip
    for xs, ys in _border(grid.inside):
        axes.plot(xs, ys, color="#d55e00", linewidth=1.2, label=grid.line)


def _border(inside: Sequence[Sequence[bool]]) -> Iterator[tuple[tuple[float, float], ...]]:
    """The pieces of the line between cells inside of it and outside, as x and y of both ends."""
    for row, line in enumerate(inside):
        for column, within in enumerate(line):
            if column and within != line[column - 1]:
                yield (column - 0.5, column - 0.5), (row - 0.5, row + 0.5)
            if row and within != inside[row - 1][column]:
                yield (column - 0.5, column + 0.5), (row - 0.5, row - 0.5)


def _draw_bars(axes: Any, bars: Bars) -> None:
    shown = bars.bars[::-1]
    places = range(len(shown))
    axes.barh(places, [bar.value for bar in shown], color="#0072b2", height=0.7, zorder=1,
              xerr=[bar.error or 0.0 for bar in shown], error_kw={"elinewidth": 0.5},
              label=bars.value)  # fmt: skip
    true = [(bar.true, place) for place, bar in zip(places, shown, strict=True)
            if bar.true is not None]  # fmt: skip
    axes.plot([value for value, _ in true], [place for _, place in true], "D", color="black",
              markersize=2.5, label=bars.truth, zorder=2)  # fmt: skip
    axes.set_yticks(places, [bar.label for bar in shown])
    axes.set_xlabel(bars.unit or bars.value)
