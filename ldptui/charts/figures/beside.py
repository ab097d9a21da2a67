"""What stands beside the curves of a chart: bounds, and the defended gain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal

from msgspec.structs import replace

from ldptui.core.view import CellView

from ..series import Axis, Plot, Series, Tone
from .measurement import Coordinates, Over

if TYPE_CHECKING:
    from ..curves import Curve


TONES: Final[tuple[Tone, ...]] = (
    "series-1",
    "series-2",
    "series-5",
    "series-0",
    "series-3",
    "series-4",
)
"""The colours that are least like those of a curve alone and of its points come first."""

LEAST_NOTICED: Final = "no server can notice less than this"


def held_against(curves: Sequence[Curve]) -> list[Curve]:
    """The lines among the curves of a gain, without that of an attack which is a curve itself."""
    shown = {(curve.parameters.get("attack.kind"), curve.parameters.get("protocol.kind"))
             for curve in curves if not curve.line}  # fmt: skip
    return [
        curve
        for curve in curves
        if curve.line and (curve.line, curve.parameters.get("protocol.kind")) not in shown
    ]


def with_edge(plot: Plot, lines: Sequence[Curve], *, is_shaded: bool) -> Plot:
    """The plot with the edge below which no server notices an attack, the floor shaded or not."""
    below = next((line for line in lines if line.hidden and any(line.y)), None)
    if below is None:
        return plot
    style: Literal["floor", "dotted"] = "floor" if is_shaded else "dotted"
    end = LEAST_NOTICED if is_shaded else "no server notices"  # in the room at the end of a line
    edge = Series(LEAST_NOTICED, below.x, below.y, "muted", style, end=end)
    return replace(plot, series=(*plot.series, edge))


def with_bounds(
    plot: Plot, lines: Sequence[Curve], used: Sequence[Tone], maximal: bool = False
) -> Plot:
    """The plot with the lines dotted, in colours that its curves do not have; zero is a level.

    maximal : whether MGA is a curve itself, so that no line of it is missed.
    """
    tones = [tone for tone in TONES if tone not in used] or TONES
    dotted = [
        Series(line.label, line.x, line.y, tones[at % len(tones)], "dotted", end=line.label)
        for at, line in enumerate(line for line in lines if any(line.y))
    ]
    notes = [plot.note] if plot.note else []
    if lines and not any(line.line == "mga" for line in lines) and not maximal:
        notes.append("MGA: no line over this many items")
    none = tuple((0.0, line.label) for line in lines if not any(line.y) and not plot.y.log)
    series = (*plot.series, *dotted)
    return replace(plot, series=series, levels=none or plot.levels, note="; ".join(notes))


DEFENDED: Final = "defended"


def defended_groups(
    over: Over, at: Coordinates, gains: Sequence[Sequence[CellView]]
) -> tuple[list[str], list[list[CellView]], dict[tuple[str, float], float]]:
    """The names of the curves with a gain in spite of a defence, and the cells that measured it.

    at : the gain, which the cells of `gains` have. Besides, by name and x, the percents of it that
    are left.
    """
    after = replace(at, metric="gain_after")
    curves, (groups, _) = over.curves, after.grouped(over)
    names, measured, left = list[str](), list[list[CellView]](), dict[tuple[str, float], float]()
    for curve, points, undefended in zip(curves, groups, gains, strict=True):
        if points:
            names.append(f"{curve.label}, {DEFENDED}" if len(curves) > 1 else DEFENDED)
            measured.append(points)
            whole = {at.x(cell): at.y(cell) for cell in undefended}
            left |= {(names[-1], x): 100 * after.y(cell) / whole[x] for cell in points
                     if whole.get(x := at.x(cell))}  # fmt: skip
    return names, measured, left


def with_defended(plot: Plot, over: Over, tones: Sequence[Tone]) -> Plot:
    """The plot with the defended gain of every curve that has one; the y-axis holds it.

    tones : those of the curves; empty where there is one curve, whose gain has a tone of its own.
    """
    after = Coordinates(over.axis.key, "gain_after")
    curves, (groups, _) = over.curves, after.grouped(over)
    added = list[Series]()
    for number, (curve, points) in enumerate(zip(curves, groups, strict=True)):
        if not points:
            continue
        tone: Tone = tones[number % len(tones)] if tones else "series-1"
        label = f"{curve.label}, {DEFENDED}" if tones else DEFENDED
        xs, ys = after.closed_forms(points)
        if ys:
            added.append(Series(f"{label}, closed form", xs, ys, tone, "dotted", legend=False))
        added.append(after.series(label, points, tone))
    if not added:
        return plot
    return replace(plot, series=(*plot.series, *added), y=_holding(plot.y, added))


def _holding(axis: Axis, added: Sequence[Series]) -> Axis:
    """The axis wide enough for these series; a log axis has no place for what is not above 0."""
    values = [float(y) for series in added for y in series.y if y > 0 or not axis.log]
    if not values or axis.low is None or axis.high is None:
        return axis
    return replace(axis, low=min(axis.low, *values), high=max(axis.high, *values))
