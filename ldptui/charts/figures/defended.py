"""The gain in spite of the defence beside the gain without one, over the axis of the curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ldptui.core.view import CellView

from ..series import Axis, Plot, Series, Tone
from .measurement import Measurement, closed_forms, gain_after_of, grouped
from .points import points_of

if TYPE_CHECKING:
    from ..curves import Curve

DEFENDED: Final = "defended"


def defended_groups(
    curves: Sequence[Curve], cells: Sequence[CellView], key: str
) -> tuple[list[str], list[list[Measurement]]]:
    """The names of the curves with a gain in spite of a defence, and what was measured of it."""
    groups, _ = grouped(curves, cells, [gain_after_of(cell, key) for cell in cells])
    found = [(curve, points) for curve, points in zip(curves, groups, strict=True) if points]
    names = [f"{curve.label}, {DEFENDED}" if len(curves) > 1 else DEFENDED for curve, _ in found]
    return names, [points for _, points in found]


def with_defended(
    plot: Plot, curves: Sequence[Curve], cells: Sequence[CellView], key: str, tones: Sequence[Tone]
) -> Plot:
    """The plot with the defended gain of every curve that has one; the y-axis holds it.

    tones : those of the curves; empty where there is one curve, whose gain has a tone of its own.
    """
    after = [gain_after_of(cell, key) for cell in cells]
    groups, _ = grouped(curves, cells, after)
    added = list[Series]()
    for number, (curve, points) in enumerate(zip(curves, groups, strict=True)):
        if not points:
            continue
        tone: Tone = tones[number % len(tones)] if tones else "target"
        label = f"{curve.label}, {DEFENDED}" if tones else DEFENDED
        xs, ys = closed_forms(points)
        if ys:
            added.append(Series(f"{label}, closed form", xs, ys, tone, "dotted", legend=False))
        added.append(points_of(label, points, tone))
    if not added:
        return plot
    return replace(plot, series=(*plot.series, *added), y=_holding(plot.y, added))


def _holding(axis: Axis, added: Sequence[Series]) -> Axis:
    """The axis wide enough for these series; a log axis has no place for what is not above 0."""
    values = [float(y) for series in added for y in series.y if y > 0 or not axis.log]
    if not values or axis.low is None or axis.high is None:
        return axis
    return replace(axis, low=min(axis.low, *values), high=max(axis.high, *values))
