"""Charts onto the axes of matplotlib, in the looks of a paper.

Colours of Okabe and Ito, which differ for colour-blind readers and in greyscale; each series has a
mark and dashes of its own besides. Closed forms lie behind the points; the first series has full
marks and the others hollow ones, so that points of one place are all seen.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from operator import sub
from typing import Any, Final

from msgspec.structs import replace

from ..series import Axis, Bars, Chart, Grid, Plot, Series, Tone
from .heat import DECADES
from .lettering import LINE, SIZE, balance_lines, tick, width_of, with_powers
from .plot_layout import TOGETHER, end_rows

SHADES: Final = 64
"""Colours of a map."""
POWERS: Final = 7
"""Most powers of ten at a symlog axis."""
APART: Final = 36.0
"""Points from one number at the x-axis to the next, at least."""
PADDING: Final = 0.025
"""The part of an axis that lies beyond its limits, so that no mark lies on the other axis."""
GAP: Final = 4.0
"""Points between the numbers of two columns of a map."""
TONES: Final[Mapping[Tone, str]] = {
    "true": "#000000", "clean": "#0072b2", "measured": "#d55e00", "attacked": "#d55e00",
    "theory": "#444444", "target": "#cc79a7", "muted": "#8c8c8c", "series-0": "#0072b2",
    "series-1": "#d55e00", "series-2": "#000000", "series-3": "#009e73", "series-4": "#cc79a7",
    "series-5": "#b88a00",
}  # fmt: skip
MARKS: Final = (
    ("o", 2.8), ("s", 4.0), ("^", 4.4), ("D", 3.4), ("v", 4.4), ("x", 3.4), ("+", 4.2), ("<", 4.4),
    (">", 4.4),
)  # fmt: skip
"""The marks with their sizes in points."""
SEVERAL, MANY = 60, 400
"""Points of a series from which on their marks are smaller, and dots or crosses."""
CLOUDS: Final = {"o": ".", "s": "x"}
"""The marks of very many points in place of others, which would be blots."""
DASHES: Final = ("-", "--", "-.", (0, (5, 1, 1, 1, 1, 1)), (0, (3, 1)), (0, (1, 1)))

Entries = dict[str, Any]
"""The labels of a legend with what is drawn beside them."""


def draw_chart(axes: Any, chart: Chart, width: float, height: float) -> Entries:
    """Draw a chart of about `width` × `height` points into matplotlib axes and return its legend
    entries.
    """
    match chart:
        case Plot():
            return _draw_plot(axes, chart, width, height)
        case Grid():
            return _draw_grid(axes, chart, width, height)
        case Bars():
            return _draw_bars(axes, chart)
    raise AssertionError(chart)


# --- Curves and points -------------------------------------------------------------------------


def _draw_plot(axes: Any, plot: Plot, width: float, height: float) -> Entries:
    entries: Entries = {}
    beneath: dict[Tone, list[Any]] = {}  # lines that points of their colour name
    lines = points = 0
    for series in plot.series:
        if series.style == "floor":
            entries[series.label] = axes.fill_between(
                series.x, series.y, color=TONES[series.tone], alpha=0.25, linewidth=0, zorder=0
            )
            continue
        if series.style == "points":
            drawn = _draw_points(axes, series, points)
            points += 1
            if series.legend and beneath.get(series.tone):
                drawn = (beneath[series.tone].pop(0), drawn)
        elif series.style == "band":
            drawn = _draw_band(axes, series)
        else:
            counted = series.style == "line" and len(series.x) > 0 and _is_told(series)
            drawn = _draw_line(axes, _clip_series(series, plot), lines)
            lines += counted
            if not series.legend and len(series.x):
                beneath.setdefault(series.tone, []).append(drawn)
        if series.legend and series.label:
            entries.setdefault(series.label, drawn)
    for value, _ in plot.levels:
        axes.axhline(value, color="#8c8c8c", linewidth=0.4, zorder=0)
    _scale(axes, "x", plot.x, width, max(2, int(width / APART)))
    _scale(axes, "y", plot.y, height, 6)
    plain = not plot.x.log and not plot.x.linear and plot.x.ticks is None
    if plain and all(float(x).is_integer() for series in plot.series for x in series.x):
        axes.xaxis.get_major_locator().set_params(integer=True)
    return entries


def name_ends(axes: Any, plot: Plot, height: float) -> set[str]:
    """Write the names of lines at their right ends and return these names; empty if there is no
    room.

    Lines that coincide over their whole length share a name.
    """
    rows, ends = max(1, int(height / LINE)), list[tuple[list[float], str, Tone]]()
    for series in plot.series:
        known = [float(y) for y in series.y if math.isfinite(y) and (y > 0 or not plot.y.log)]
        if series.end and series.style != "floor" and len(known) > 1:  # a point has no end
            places = [known[-1], known[0], known[len(known) // 2]]
            ends.append(([rows * _height(axes, y) - 0.5 for y in places], series.end, series.tone))
    merged: list[tuple[list[float], list[str], Tone]] = []
    for places, name, tone in sorted(ends, key=lambda end: -end[0][0]):
        near = (each for each in merged if max(map(abs, map(sub, each[0], places))) < TOGETHER)
        if (beside := next(near, None)) is None:
            merged.append((places, [name], tone))
        elif name not in beside[1]:
            beside[1].append(name)
    found = end_rows([places[0] for places, _, _ in merged], rows)
    for row, (_, names, tone) in zip(found or (), merged, strict=False):
        axes.annotate(
            ", ".join(names), (1.0, (row + 0.5) / rows), xycoords="axes fraction",
            xytext=(3, 0), textcoords="offset points", va="center", fontsize=SIZE,
            color=TONES[tone],
        )  # fmt: skip
    return {name for _, names, _ in merged for name in names} if found else set()


def _height(axes: Any, y: float) -> float:
    """The fraction of the axes' height at which a line ends, between 0 and 1."""
    at = axes.transData.transform((axes.get_xlim()[1], y))
    return min(1.0, max(0.0, float(axes.transAxes.inverted().transform(at)[1])))


def _is_told(series: Series) -> bool:
    """False for series without any entry in a legend, such as intervals."""
    return series.legend or series.tone != "muted"


def _clip_series(series: Series, plot: Plot) -> Series:
    """The series without points that a logarithmic axis cannot show."""
    pairs = [
        (x, y)
        for x, y in zip(series.x, series.y, strict=True)
        if (x > 0 or not plot.x.log) and (not y <= 0 or not plot.y.log)
    ]
    return replace(series, x=[x for x, _ in pairs], y=[y for _, y in pairs])


def _draw_line(axes: Any, series: Series, number: int) -> Any:
    dashes = DASHES[number % len(DASHES)] if len(series.x) and _is_told(series) else "-"
    dashes = ":" if series.style == "dotted" else dashes
    broad = {} if _is_told(series) else {"linewidth": 2.2, "alpha": 0.45}
    look = {"color": TONES[series.tone], "linestyle": dashes, "zorder": 1, **broad}
    (line,) = axes.plot(series.x, series.y, **look)
    return line


def _draw_points(axes: Any, series: Series, number: int) -> Any:
    """Draw points with their intervals; very many of them as small dots or crosses in
    one artist.
    """
    mark, size = MARKS[number % len(MARKS)]
    many, colour = len(series.x) > MANY, TONES[series.tone]
    full = number == 0 or series.tone in ("true", "target")
    if many:
        mark, size = CLOUDS.get(mark, mark), 1.2
    elif len(series.x) > SEVERAL:
        size *= 0.65
    points, caps, intervals = axes.errorbar(
        series.x, series.y, yerr=series.error, fmt=mark, color=colour, markersize=size,
        markerfacecolor=colour if full or many else "none",
        markeredgewidth=0.25 if many else 0.7,
        elinewidth=0.5, capsize=1.5 if series.error is not None else 0, linestyle="none",
        zorder=2, rasterized=many,
        clip_on=len(series.x) == 0,  # a mark at the rim is whole; no mark would be at the origin
    )  # fmt: skip
    for artist in (*caps, *intervals):  # which may be longer than the axis
        artist.set_clip_on(True)
    return _entry(points) if many else points


def _entry(cloud: Any) -> Any:
    """A legend entry for a cloud of points, with a mark of readable size."""
    from matplotlib.lines import Line2D

    return Line2D([], [], color=cloud.get_color(), marker=cloud.get_marker(), linestyle="none")


def _draw_band(axes: Any, series: Series) -> Any:
    """The means of very many measurements as a line within their intervals."""
    import numpy as np

    means, halves = np.asarray(series.y, float), np.asarray(series.error, float)
    look = {"color": TONES[series.tone], "linewidth": 0.5, "zorder": 2}
    (line,) = axes.plot(series.x, means, **look)
    axes.fill_between(
        series.x, means - halves, means + halves, color=TONES[series.tone], alpha=0.25,
        linewidth=0, zorder=0,
    )  # fmt: skip
    return line


def _scale(axes: Any, name: str, axis: Axis, room: float, numbers: int) -> None:
    """The scale of an axis, its limits, its numbers and its name."""
    from matplotlib.ticker import MaxNLocator

    of_axes = getattr(axes, f"{name}axis")
    set_label, set_scale, set_limits, set_ticks = (
        getattr(axes, f"set_{name}{part}") for part in ("label", "scale", "lim", "ticks")
    )
    set_label(balance_lines(axis.label.replace(" - ", " − "), room))
    if axis.log:
        set_scale("log")
        if axis.low and axis.high and axis.high >= 10 * axis.low:  # its powers of ten are enough
            of_axes.set_minor_formatter("")
    elif axis.linear:
        set_scale("symlog", linthresh=axis.linear)
        of_axes.get_major_locator().set_params(numticks=POWERS)
    elif axis.ticks is None:
        of_axes.set_major_locator(MaxNLocator(numbers, steps=[1, 2, 2.5, 5, 10]))
    if axis.low is not None and axis.high is not None:
        if axis.ticks is None or axis.log:
            set_limits(*_pad_limits(of_axes.get_transform(), axis.low, axis.high))
        else:
            set_limits(axis.low, axis.high)
    if axis.ticks is not None:
        set_ticks([at for at, _ in axis.ticks], [with_powers(label) for _, label in axis.ticks])
        set_ticks([], minor=True)


def _pad_limits(scale: Any, low: float, high: float) -> tuple[float, float]:
    """Limits that are a little wider, on the scale of their axis."""
    start, end = scale.transform([low, high])
    more = PADDING * (end - start)
    low, high = scale.inverted().transform([start - more, end + more])
    return float(low), float(high)


# --- Maps --------------------------------------------------------------------------------------


def _draw_grid(axes: Any, grid: Grid, width: float, height: float) -> Entries:
    from matplotlib import colormaps

    values = [[float("nan") if value is None else value for value in row] for row in grid.values]
    edges = [
        [place - 0.5 for place in range(len(names) + 1)] for names in (grid.columns, grid.rows)
    ]
    colours = colormaps["cividis"].resampled(SHADES)
    picture = axes.pcolormesh(*edges, values, cmap=colours, norm=_norm(grid), edgecolors="white",
                              linewidth=0.4)  # fmt: skip
    axes.invert_yaxis()
    bar = axes.figure.colorbar(picture, ax=axes)
    bar.set_label(balance_lines(grid.title, height))
    if picture.norm.__class__.__name__ == "Normalize":
        bar.formatter = tick
    if (linear := getattr(picture.norm, "linthresh", 0.0)) > 0:  # numbers next to 0 lie on it
        within = (at for at in bar.get_ticks() if bar.vmin <= at <= bar.vmax)
        bar.set_ticks([at for at in within if not at or abs(at) >= 10 * linear])
    row, column = grid.nouns if any(grid.nouns) else (grid.row, grid.column)
    room = (0.8 * width - max(map(width_of, grid.rows), default=0)) / max(1, len(grid.columns))
    slanted = max(map(width_of, grid.columns), default=0) + GAP > room
    turned = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"} if slanted else {}
    axes.set_xticks(range(len(grid.columns)), grid.columns, **turned)
    axes.set_yticks(range(len(grid.rows)), grid.rows)
    axes.set_xlabel(balance_lines(column, width))
    axes.set_ylabel(balance_lines(row, height))
    _write_numbers(axes, picture, grid, room)
    sides = list(_border(grid.inside)) if grid.line else []
    for colour, thickness in (("white", 2.6), ("#d55e00", 1.3)):
        for xs, ys in sides:
            (line,) = axes.plot(xs, ys, color=colour, linewidth=thickness, clip_on=False,
                                solid_capstyle="projecting")  # fmt: skip
    return {f"around: {grid.line}": line} if sides else {}


def _norm(grid: Grid) -> Any:
    """The scale of the colours: logarithmic if the values span two decades."""
    from matplotlib.colors import LogNorm, Normalize, SymLogNorm

    known = [value for row in grid.values for value in row if value is not None]
    sizes = [abs(value) for value in known if value]
    if not sizes or max(sizes) < DECADES * min(sizes):
        return Normalize()
    if min(known) > 0:
        return LogNorm()
    least = max(min(sizes), max(sizes) / DECADES)
    return SymLogNorm(least, vmin=min(known), vmax=max(known))


def _write_numbers(axes: Any, picture: Any, grid: Grid, room: float) -> None:
    """Write the numbers into the cells if all of them fit, light on dark and dark on light."""
    known = {(row, column): value for row, line in enumerate(grid.values)
             for column, value in enumerate(line) if value is not None}  # fmt: skip
    for digits in (3, 2):
        texts = {place: tick(float(f"{value:.{digits}g}")) for place, value in known.items()}
        if max(map(width_of, texts.values()), default=0) + GAP <= room:
            break
    else:
        return
    for (row, column), text in texts.items():
        red, green, blue, _ = picture.cmap(picture.norm(grid.values[row][column]))
        light = 0.299 * red + 0.587 * green + 0.114 * blue > 0.5
        axes.text(column, row, text, ha="center", va="center", fontsize=SIZE,
                  color="black" if light else "white")  # fmt: skip


def _border(inside: Sequence[Sequence[bool]]) -> Iterator[tuple[tuple[float, float], ...]]:
    """Yields the sides between a cell inside and one outside, as x and y of both ends."""
    places = {(row, column) for row, line in enumerate(inside)
              for column, within in enumerate(line) if within}  # fmt: skip
    for row, column in sorted(places):
        left, right, top, bottom = column - 0.5, column + 0.5, row - 0.5, row + 0.5
        if (row, column - 1) not in places:
            yield (left, left), (top, bottom)
        if (row, column + 1) not in places:
            yield (right, right), (top, bottom)
        if (row - 1, column) not in places:
            yield (left, right), (top, top)
        if (row + 1, column) not in places:
            yield (left, right), (bottom, bottom)


# --- Bars --------------------------------------------------------------------------------------


def _draw_bars(axes: Any, bars: Bars) -> Entries:
    shown = bars.bars[::-1]
    places = range(len(shown))
    drawn = axes.barh(places, [bar.value for bar in shown], color=TONES["clean"], height=0.7,
                      zorder=1, xerr=[bar.error or 0.0 for bar in shown],
                      error_kw={"elinewidth": 0.5})  # fmt: skip
    true = [(bar.true, place) for place, bar in zip(places, shown, strict=True)
            if bar.true is not None]  # fmt: skip
    (marks,) = axes.plot([value for value, _ in true], [place for _, place in true], "D",
                         color="black", markersize=2.5, zorder=2)  # fmt: skip
    axes.set_yticks(places, [bar.label for bar in shown])
    axes.set_xlabel(bars.unit or bars.value)
    return {bars.value: drawn, bars.truth: marks}
