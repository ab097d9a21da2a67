"""The gain over an axis where it has many series: a panel for each protocol, one scale for all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ...session.snapshot import CellView
from ..series import Panels, Plot
from .curves import COINCIDE, gain_plot

if TYPE_CHECKING:
    from ..curves import Curve, Variable

MOST_IN_ONE: Final = 4
"""Series that one plot holds; more of several protocols have a panel for each of these."""
WIDE_SPAN: Final = 100.0
"""Ratio of the largest to the smallest curve from which one linear axis hides the smallest."""
DECADES: Final = 1e6
"""A symlog axis reaches over six decades at most."""
KEY: Final = "protocol.kind"


def gain_chart(
    curves: Sequence[Curve],
    cells: Sequence[CellView],
    axis: Variable,
    *,
    overlays: Sequence[tuple[str, Sequence[CellView]]] = (),
    log_x: bool | None = None,
    log_y: bool = False,
    linear: float = 0.0,
    at: int = -1,
) -> Plot | Panels:
    """The gain in one plot, or in panels; at : the panel that is shown alone, -1 for all.

    linear : above 0 for a symlog axis. No series is left out.
    """

    def plot(part: Sequence[Curve], own: Sequence[CellView]) -> Plot:
        return gain_plot(part, own, axis, overlays=overlays, log_x=log_x, log_y=log_y,
                         linear=linear)  # fmt: skip

    gains = [curve for curve in curves if not curve.line]
    kinds = kinds_of(gains)
    if len(gains) <= MOST_IN_ONE or len(kinds) < 2 or len(kinds) == len(gains):
        return plot(curves, cells)
    plots = []
    for kind in kinds:
        part = [_without(kind, curve) for curve in curves if curve.parameters.get(KEY) == kind]
        drawn = plot(part, [cell for cell in cells if cell.parameters.get(KEY) == kind])
        plots.append(replace(drawn, title=kind.upper()))
    lows = [each.y.low for each in plots if each.y.low is not None]
    highs = [each.y.high for each in plots if each.y.high is not None]
    low, high = min(lows, default=None), max(highs, default=None)
    levels = ((0.0, ""),) if low is not None and low < 0 < (high or 0.0) and not log_y else ()
    shared = [replace(each, y=replace(each.y, low=low, high=high), levels=levels) for each in plots]
    title = f"Gain of the attack over the {axis.label}"
    same = [
        f"{each.title}: {words}"
        for each in plots
        for words in each.note.split("; ")
        if COINCIDE in words
    ]
    first = [words for words in plots[0].note.split("; ") if words and COINCIDE not in words]
    note = "; ".join([*same, *first])
    if at >= 0:
        alone = shared[at % len(shared)]
        return replace(alone, title=f"{title}, {alone.title}")
    return Panels(title, tuple(shared), note)


def kinds_of(curves: Sequence[Curve]) -> list[str]:
    """The protocols of the curves, in order."""
    return list(dict.fromkeys(str(curve.parameters.get(KEY)) for curve in curves))


def linear_part(curves: Sequence[Curve]) -> float:
    """The end of the linear part of a symlog axis; 0 where a linear axis shows all curves."""
    sizes = []
    for curve in curves:
        if curve.line:
            continue
        known = [abs(y) for y in curve.y if math.isfinite(y) and y]
        if known:
            sizes.append(max(known))
    if not sizes or max(sizes) < WIDE_SPAN * min(sizes):
        return 0.0
    return float(10.0 ** math.floor(math.log10(max(min(sizes), max(sizes) / DECADES))))


def _without(kind: str, curve: Curve) -> Curve:
    """The curve with the name of the protocol left out of its own."""
    words = [word for word in curve.label.split() if word != kind.upper()]
    return replace(curve, label=" ".join(words) or curve.label)
