"""A metric over an axis: of the items that a server names, or one in Python. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ldptui.core.view import CellView

from ...catalogue import metric_words
from ..series import Axis, Plot
from .curves import curve_plot, curve_table, line_of
from .measurement import along, grouped, metric_of
from .table import Table

if TYPE_CHECKING:
    from ..curves import Curve, Variable


def success_plot(
    curves: Sequence[Curve],
    cells: Sequence[CellView],
    axis: Variable,
    metric: str,
    *,
    overlays: Sequence[tuple[str, Sequence[CellView]]] = (),
    log_x: bool | None = None,
    log_y: bool = False,
) -> Plot:
    """A metric along the axis: its closed form through the cells, simulated means over it."""
    words, theory = metric_words(metric), _theory(curves)
    groups = grouped(curves, cells, [metric_of(cell, axis.key, metric) for cell in cells])
    lines = [
        line_of(curve.label, curve.x, curve.y, group)
        for curve, group in zip(curves, groups[0], strict=True)
    ]
    others = [
        (name, along([metric_of(cell, axis.key, metric) for cell in laid]))
        for name, laid in overlays
    ]
    title = f"{words.title} over the {axis.label}"
    least, most = _ends(metric, cells)
    room = () if log_y else (least, most)
    y = Axis(words.column or words.name, log=log_y)
    plot = curve_plot(title, y, lines, groups, others, axis, log_x, room, theory=theory)
    if plot.y.low is not None and plot.y.low < least == 0:  # of an interval: no mean is below 0
        plot = replace(plot, y=replace(plot.y, low=0.0), levels=())
    drawn = any(len(ys) for _, _, ys in lines)
    lined = f"lines: {theory}" if drawn and len(lines) > 1 else ""
    return replace(plot, note="; ".join(filter(None, (plot.note, lined))))


def _ends(metric: str, cells: Sequence[CellView]) -> tuple[float, float]:
    """The least and the largest value so far, measured or expected, 0 included: a linear axis."""
    measured = [cell.metrics[metric] for cell in cells if metric in cell.metrics]
    values = [value for each in measured for value in (each.mean, each.theory) if value]
    return min([0.0, *values]), max([0.0, *values])


def success_table(
    curves: Sequence[Curve],
    cells: Sequence[CellView],
    axis: Variable,
    metric: str,
    overlays: Sequence[tuple[str, Sequence[CellView]]] = (),
) -> Table:
    """The measured metric of each cell beside its closed form."""
    groups, _ = grouped(curves, cells, [metric_of(cell, axis.key, metric) for cell in cells])
    lines = [(curve.label, curve.x, curve.y, curve.std) for curve in curves]
    others = [
        (name, [metric_of(cell, axis.key, metric) for cell in laid]) for name, laid in overlays
    ]
    return curve_table(metric_words(metric).title, _theory(curves), axis, lines, groups, others)


def _theory(curves: Sequence[Curve]) -> str:
    """The name of the closed forms."""
    return "approximation" if any(curve.approximate for curve in curves) else "closed form"
