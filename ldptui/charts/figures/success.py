"""A metric over an axis, and the gain in panels where it has many series. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal

from msgspec.structs import replace

from ldptui.core.view import CellView

from ...catalogue import metric_words
from ...text.swept import setting_word
from ..series import Panels, Plot
from .curves import coinciding, curve_plot, curve_table, gain_plot, lines_of
from .measurement import Coordinates, Over
from .table import Table

if TYPE_CHECKING:
    from ..curves import Curve


def success_plot(over: Over, metric: str) -> Plot:
    """A metric along the axis: its closed form through the cells, simulated means over it."""
    words, theory = metric_words(metric), "closed form"
    at = Coordinates(over.axis.key, metric)
    groups = at.grouped(over)
    lines = lines_of(at, over.curves, groups[0])
    least, most = _ends(metric, [cell for group in groups[0] for cell in group])
    room = () if over.log_y else (least, most)
    label = words.column or words.name
    plot = curve_plot(at, words.title, label, lines, groups, over, room, theory=theory)
    if plot.y.low is not None and plot.y.low < least == 0:  # of an interval: no mean is below 0
        plot = replace(plot, y=replace(plot.y, low=0.0), levels=())
    drawn = len(lines) > 1 and any(len(ys) for _, _, ys in lines)
    if drawn and not any(groups[0]):  # with points the legend says it
        plot = replace(plot, note="; ".join(filter(None, (plot.note, f"lines: {theory}"))))
    return plot


def _ends(metric: str, cells: Sequence[CellView]) -> tuple[float, float]:
    """The least and the largest value so far, measured or expected, 0 included: a linear axis."""
    measured = [cell.metrics[metric] for cell in cells if metric in cell.metrics]
    values = [value for each in measured for value in (each.mean, each.theory) if value]
    return min([0.0, *values]), max([0.0, *values])


def success_table(over: Over, metric: str) -> Table:
    """The measured metric of each cell beside its closed form."""
    at, title = Coordinates(over.axis.key, metric), metric_words(metric).title
    groups = [(at, group) for group in at.grouped(over)[0]]
    lines = [(curve.label, curve.x, curve.y, curve.std) for curve in over.curves]
    return curve_table(title, "closed form", over, at, lines, groups)


MOST_IN_ONE: Final = 4
"""Series that one plot holds; more stand in panels."""
WIDE_SPAN: Final = 30.0
"""Ratio of the largest to the smallest curve from which one linear axis hides the smallest."""
DECADES: Final = 1e6
"""A symlog axis reaches over six decades at most."""
KEY: Final = "protocol.kind"
Scale = Literal["linear", "log", "symlog"]


def gain_chart(
    over: Over, *, at: int = -1, bounds: bool = False, is_shaded: bool = True
) -> Plot | Panels:
    """The gain in one plot, or in panels; at : the panel that is shown alone, -1 for all.

    bounds : all lines that gains are held against are drawn. No series is left out.
    """
    parts = panels_of(over.curves)
    if len(parts) < 2:
        return gain_plot(over, bounds=bounds, is_shaded=is_shaded)
    plots = []
    for name, part in parts.items():
        shorter = [_without(name, curve) for curve in part]
        plot = gain_plot(
            replace(over, curves=shorter, has_others=False), bounds=bounds, is_shaded=is_shaded
        )
        plots.append(replace(plot, title=name))
    lows = [each.y.low for each in plots if each.y.low is not None]
    highs = [each.y.high for each in plots if each.y.high is not None]
    low, high = min(lows, default=None), max(highs, default=None)
    levels = ((0.0, ""),) if low is not None and low < 0 < (high or 0.0) and not over.log_y else ()
    shared = [replace(each, y=replace(each.y, low=low, high=high), levels=levels) for each in plots]
    title = f"Gain of the attack over the {over.axis.label}"
    named = {
        name: coinciding([(curve.label, curve.x, curve.y) for curve in part])
        for name, part in parts.items()
    }
    same = [f"{name}: {words}" for name, words in named.items() if words]
    note = "; ".join(filter(None, [*same, plots[0].note]))
    if at >= 0:
        alone = shared[at % len(shared)]
        return replace(alone, title=f"{title}, {alone.title}")
    return Panels(title, tuple(shared), note)


def panels_of(curves: Sequence[Curve]) -> dict[str, list[Curve]]:
    """The curves of each panel by its name: a panel for each protocol, or each defence besides.

    One panel where the curves are few, or where each would have one curve alone.
    """
    gains = [curve for curve in curves if not curve.line]
    parts = {"": gains}
    for key in _named(gains):
        if max(map(len, parts.values())) <= MOST_IN_ONE:
            break
        finer: dict[str, list[Curve]] = {}
        for name, part in parts.items():
            for curve in part:
                finer.setdefault(f"{name} {_word(key, curve)}".strip(), []).append(curve)
        if len(finer) < len(gains):
            parts = finer
    return parts


def _named(curves: Sequence[Curve]) -> list[str]:
    """The keys whose values the names of the curves have, the attack's last."""
    keys = [
        key
        for key in (curves[0].parameters if curves else ())
        if all(_word(key, curve) in curve.label.split() for curve in curves)
        and len({_word(key, curve) for curve in curves}) > 1
    ]
    return sorted(keys, key=lambda key: (key != KEY, key.startswith("attack.")))


def _word(key: str, curve: Curve) -> str:
    """The value of a key as the name of a curve has it."""
    return setting_word(curve.parameters, key)


def linear_part(curves: Sequence[Curve], *, log_x: bool = False) -> float:
    """The end of the linear part of a symlog axis; 0 where a linear axis shows all curves.

    log_x : over a logarithmic axis a curve shall be seen at its low end too.
    """
    known = [
        [abs(y) for y in curve.y if math.isfinite(y) and y] for curve in curves if not curve.line
    ]
    sizes = [max(each) for each in known if each]
    lows = [min(each) for each in known if each]
    for least in (sizes, lows) if log_x else (sizes,):
        if sizes and max(sizes) >= WIDE_SPAN * min(least):
            return float(10.0 ** math.floor(math.log10(max(min(least), max(sizes) / DECADES))))
    return 0.0


def scale_of(curves: Sequence[Curve], *, log_x: bool = False) -> Scale:
    """The scale of a gain on which every curve is seen; symlog only where it has zeros or signs."""
    if not linear_part(curves, log_x=log_x):
        return "linear"
    known = [y for curve in curves if not curve.line for y in curve.y if math.isfinite(y)]
    return "symlog" if min(known) <= 0 else "log"


def _without(name: str, curve: Curve) -> Curve:
    """The curve with the name of its panel left out of its own."""
    left = name.split()
    words = [word for word in curve.label.split() if word not in left]
    return replace(curve, label=" ".join(words) or curve.label)
