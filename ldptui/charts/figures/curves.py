"""Gain and error over an axis: closed forms as lines, what was measured as points; their tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias

from msgspec.structs import replace

from ldptui.core.view import CellView

from ...catalogue import swept_kinds
from ...text import format as fmt
from ...text.interval import with_reach
from ..series import TONES, Axis, Plot, Series, Tone
from .beside import defended_groups, held_against, with_bounds, with_defended, with_edge
from .frequencies import OVERLAID
from .measurement import (
    MANY,
    Coordinates,
    Over,
    Quantity,
    steady_limits,
    symlog_limits,
)
from .table import MEASURED, Column, Table, Value, finite

if TYPE_CHECKING:
    from ..curves import Curve

Line: TypeAlias = tuple[str, Sequence[float], Sequence[float]]
"""Label, x and y of a closed form."""

BIT_SUPPORT: Final = "bits, before decoding"
"""The name of the gain of targets where their bits are counted and not decoded."""

COINCIDE: Final = "within 1 %"
"""Said of curves that cannot be told apart."""

LEAST_SPAN: Final = 1.1
"""A y-axis of curves reaches over a tenth of their size to both sides at least."""


def gain_plot(over: Over, *, bounds: bool = False, is_shaded: bool = True) -> Plot:
    """The gain along the axis: closed forms as lines, simulated means with 95% intervals.

    A curve that has no values has those of its cells: the closed form of bits is not cheap.
    The gains that no server can notice have an edge, below which it is shaded or not; bounds : all
    lines that gains are held against are dotted in its place. The gain in spite of a defence has
    points too.
    """
    bounding = [line for line in held_against(over.curves) if bounds or line.hidden]
    curves = [curve for curve in over.curves if not curve.line]
    over = replace(over.numbered(), curves=curves)
    at = Coordinates(over.axis.key, "gain")
    groups = at.grouped(over)
    lines = lines_of(at, curves, groups[0])
    # Room for the noise of some twenty trials, which matters where the gain is next to nothing.
    room = [
        y + sign * std / 2
        for curve in curves
        for y, std in zip(curve.y, curve.std, strict=True)
        for sign in (1, -1)
    ]
    room = [*([] if over.linear else room), *(y for line in bounding for y in line.y)]
    plot = curve_plot(
        at,
        "Gain of the attack",
        "gain, total over the targets (after - before)",
        lines,
        groups,
        over,
        room,
        [(curve.x, curve.support) for curve in curves],
    )
    tones = TONES[: len(curves)] if len(curves) > 1 else ()
    plot = with_defended(plot, over, tones)
    if not bounds:
        return with_edge(plot, bounding, is_shaded=is_shaded)
    maximal = any(curve.parameters.get("attack.kind") == "mga" for curve in curves)
    return with_bounds(plot, bounding, tones, maximal)


def lines_of(
    at: Coordinates, curves: Sequence[Curve], groups: Sequence[Sequence[CellView]]
) -> list[Line]:
    """The closed forms: those of the cells where a curve has no values."""
    lines = []
    for curve, cells in zip(curves, groups, strict=True):
        y = curve.std if at.root else curve.y
        known = (curve.x, y) if any(map(math.isfinite, y)) else at.closed_forms(cells)
        lines.append((curve.label, *known))
    return lines


LEFT_OUT: Final = "other protocols: only where chosen or swept"
"""The note of a chart of the protocols that are compared where a scenario sweeps none."""

ROUNDS: Final = "campaign.rounds"
POOLED: Final = "lines: one round; points: all rounds pooled"
"""The note of a chart of the error of a campaign."""


def error_plot(over: Over, quantity: Quantity = "mse") -> Plot:
    """The error without attack along the axis, a line and its simulated points a protocol."""
    from ..curves import FLOOR  # the lab's screen imports this module, and not core

    floor = [curve for curve in over.curves if curve.label == FLOOR]
    curves = [curve for curve in over.curves if curve.label != FLOOR]
    over = replace(over, curves=curves, cells=over.cells.without_attack)
    at = Coordinates(over.axis.key, "mse_clean", quantity == "std")
    groups = at.grouped(over)
    lines = lines_of(at, curves, groups[0])
    bounds = [(each.label, each.x, each.y if quantity == "mse" else each.std) for each in floor]
    words = "mean squared error" if quantity == "mse" else "standard deviation"
    plot = curve_plot(
        at,
        "Error without attack",
        f"{words} of a frequency",
        lines,
        groups,
        over if over.log_y is not None else replace(over, log_y=True),
        [y for _, _, ys in bounds for y in ys],
    )
    least = (Series(*bound, "muted", "dotted", end=bound[0]) for bound in bounds)
    plot = replace(plot, series=(*plot.series, *least))
    rounds = any(cell.parameters.get(ROUNDS, 1) > 1 for group in groups[0] for cell in group)
    all_known = {kind.upper() for kind in swept_kinds("protocol", "")}
    left = LEFT_OUT if all_known == {curve.label for curve in curves} else ""
    return replace(plot, note="; ".join(filter(None, (plot.note, POOLED * rounds, left))))


def curve_plot(
    at: Coordinates,
    title: str,
    label: str,
    lines: Sequence[Line],
    groups: tuple[list[list[CellView]], list[CellView]],
    over: Over,
    room: Sequence[float] = (),
    support: Sequence[tuple[Sequence[float], Sequence[float]]] = (),
    theory: str = "closed form",
) -> Plot:
    """`label` is the y-axis's, `lines` are label, x and y of the closed forms.

    `room` : what the y-axis has to hold too. `support` : x and y of each line before decoding,
    empty where nothing is decoded. `theory` : the name of a line that is alone.
    """
    axis, y = over.axis, Axis(label, log=bool(over.log_y), linear=over.linear)
    log_x = axis.log if over.log_x is None else over.log_x
    points, stale = groups
    overlays = [(name, at.along(laid)) for name, laid in over.overlays]
    known = [v for _, _, ys in lines for v in ys] + [v for _, ys in support for v in ys]
    arrived = [y for group in points for cell in group for y in at.interval(cell)]
    arrived += [at.y(cell) for _, group in overlays for cell in group]
    arrived += [at.y(cell) for cell in stale] if not known else []
    low, high = steady_limits([*known, *room, *_around(known, log=y.log)], arrived, log=y.log)
    if y.linear:
        low, high = symlog_limits([*known, *room, *arrived], y.linear)
    levels = ((0.0, ""),) if not y.log and low is not None and low < 0 < (high or 0) else ()
    notes = _notes(points, overlays)
    if y.log and any(value <= 0 for value in (*known, *arrived)):
        notes.append("values ≤ 0 have no place on a log axis")
    return Plot(
        f"{title} over the {axis.label}",
        Axis(axis.label, log=log_x, low=axis.start(log_x), high=axis.high),
        replace(y, low=low, high=high),
        (*_curve_series(at, lines, points, support, theory), *_other_series(at, stale, overlays)),
        levels=levels,
        note="; ".join(notes),
    )


def _curve_series(
    at: Coordinates,
    lines: Sequence[Line],
    points: Sequence[Sequence[CellView]],
    support: Sequence[tuple[Sequence[float], Sequence[float]]],
    theory: str,
) -> Iterator[Series]:
    """The closed forms, those before decoding, and the simulated points of each."""
    single = len(lines) == 1

    def tone(number: int, alone: Tone) -> Tone:
        return alone if single else TONES[number % len(TONES)]

    for number, (label, xs, ys) in enumerate(lines):
        name = f"{label}, {theory}" if single else label
        # Where there are points, their markers name the series; the line runs through them.
        has_points = 0 < len(points[number]) < MANY and not single
        in_legend = not has_points and not (single and points[number] and not len(ys))
        yield Series(name, xs, ys, tone(number, "theory"), legend=in_legend, end=label)
    named = False
    for number, (xs, ys) in enumerate(support):
        if ys:
            shade = tone(number, "muted")
            yield Series(BIT_SUPPORT, xs, ys, shade, "dotted", legend=not named)
            named = True
    for number, measured in enumerate(points):
        if measured:
            name = "simulated" if single else lines[number][0]
            drawn = at.series(name, measured, tone(number, "measured"))
            named_by_line = drawn.style == "band" and not single and len(lines[number][1]) > 0
            yield replace(drawn, legend=not named_by_line)
    if not single and any(points) and any(len(ys) for _, _, ys in lines):
        yield Series(f"line = {theory}", (), (), "muted")


def _other_series(
    at: Coordinates,
    stale: Sequence[CellView],
    overlays: Sequence[tuple[str, Sequence[CellView]]],
) -> Iterator[Series]:
    """The points of other settings and of other runs."""
    if stale:
        yield at.series("other settings", stale, "muted", bars=False)
    for (name, laid), tone in zip(overlays, OVERLAID, strict=False):
        if laid:
            yield at.series(name, laid, tone)


def _notes(
    points: Sequence[Sequence[CellView]],
    overlays: Sequence[tuple[str, Sequence[CellView]]],
) -> list[str]:
    """The sentences below the curves; where there is little room, the last give way."""
    notes = []
    trials = sorted({point.trials for group in points for point in group})
    what = "bands" if any(len(group) >= MANY for group in points) else "points"
    if trials and trials[-1] == 1:
        notes.append(f"{what}: one trial")
    elif trials:
        many = " … ".join(map(fmt.count, dict.fromkeys((trials[0], trials[-1]))))
        notes.append(f"{what}: mean of {many} trials ± 95 %")
    empty = ", ".join(name for name, group in overlays if not group)
    if empty:
        notes.append(f"{empty}: no points over this axis")
    return [note for note in notes if note]


def _around(values: Sequence[float], *, log: bool) -> tuple[float, ...]:
    """Values that keep an axis from being all noise, where those of a curve hardly differ."""
    usable = [v for v in values if math.isfinite(v) and (v > 0 or not log)]
    if not usable:
        return ()
    low, high = min(usable), max(usable)
    if log:
        middle = math.sqrt(low * high)
        return middle / LEAST_SPAN, middle * LEAST_SPAN
    middle, half = (low + high) / 2, max(abs(low), abs(high)) * (LEAST_SPAN - 1)
    return middle - half, middle + half


def coinciding(lines: Sequence[Line]) -> str:
    """The curves that cannot be told apart by eye: `OUE = OLH within 1 %`; "" for none."""
    groups: list[list[int]] = []
    for number, (_, _, ys) in enumerate(lines):
        for group in groups:
            pairs = list(zip(ys, lines[group[0]][2], strict=False))
            both = [(a, b) for a, b in pairs if math.isfinite(a) and math.isfinite(b)]
            if both and all(abs(a - b) <= 0.01 * max(abs(a), abs(b)) for a, b in both):
                group.append(number)
                break
        else:
            groups.append([number])
    same = [" = ".join(lines[number][0] for number in group) for group in groups if len(group) > 1]
    return f"{', '.join(same)} {COINCIDE}" if same else ""


def gain_table(over: Over) -> Table:
    """The measured gain of each cell beside its closed form; closed forms alone without cells.

    Each line that gains are held against has a column, those that no server can tell first.
    """
    against = sorted(held_against(over.curves), key=lambda line: not line.hidden)
    curves = [curve for curve in over.curves if not curve.line]
    over, at = replace(over.numbered(), curves=curves), Coordinates(over.axis.key, "gain")
    groups, _ = at.grouped(over)
    lines = [(curve.label, curve.x, curve.y, curve.std) for curve in curves]
    labels, after, left = defended_groups(over, at, groups)
    lines += [(label, (), (), ()) for label in labels]
    placed = [*((at, group) for group in groups),
              *((replace(at, metric="gain_after"), group) for group in after)]  # fmt: skip
    return curve_table(
        "Gain", "closed form", over, at, lines, placed, std="± one run",
        support=any(curve.support for curve in curves),
        against=[(line.label, dict(zip(line.x, line.y, strict=True))) for line in against],
        left=left,
    )  # fmt: skip


def error_table(over: Over, quantity: Quantity = "mse") -> Table:
    """The measured error of each cell beside its closed form."""
    at = Coordinates(over.axis.key, "mse_clean", quantity == "std")
    over = replace(over, cells=over.cells.without_attack)
    groups = [(at, group) for group in at.grouped(over)[0]]
    lines = [(c.label, c.x, c.y if quantity == "mse" else c.std, c.std) for c in over.curves]
    words = "Mean squared error" if quantity == "mse" else "Standard deviation"
    return curve_table(words, "closed form", over, at, lines, groups, powers=True)


def curve_table(
    title: str,
    quantity: str,
    over: Over,
    at: Coordinates,
    lines: Sequence[tuple[str, Sequence[float], Sequence[float], Sequence[float]]],
    groups: Sequence[tuple[Coordinates, Sequence[CellView]]],
    std: str = "",
    support: bool = False,
    powers: bool = False,
    against: Sequence[tuple[str, Mapping[float, float]]] = (),
    left: Mapping[tuple[str, float], float] = MappingProxyType({}),
) -> Table:
    """`std`: the name of the column of the deviation of one run; `support`: bits too.

    powers : each number with a power of ten; else with the decimals that the errors have.
    against : the names and the values by x of lines, which have a column each. left : the part of
    the gain that is left, by series and x.
    """
    if not powers:
        found = [own.estimate(cell).standard_error for own, group in groups for cell in group]
        errors = [error for error in found if error]
        places = min(6, fmt.decimals(errors or [v for _, _, _, stds in lines for v in stds]))
        number, error = Column("", places), Column("", places)
    else:
        number, error = Column("", digits=4), Column("", digits=2)
    axis = over.axis
    columns = [Column("series"), Column(axis.symbol)]
    columns += [replace(number, name=quantity), replace(number, name=MEASURED)]
    columns += [replace(error, name="± error"), Column("z", 2, sign=True), Column("trials")]
    columns += [Column("% of gain", 1)] if left else []
    columns += [replace(number, name=BIT_SUPPORT)] if support else []
    columns += [replace(number, name=name, spare=True) for name, _ in against]
    columns += [replace(error, name=std, spare=bool(against))] if std else []
    rows: list[tuple[Value, ...]] = []

    def add(label: str, x: float, numbers: tuple[Value, ...], bits: Value, one: float) -> None:
        row = [label, int(x) if axis.integer else x, *numbers]
        row += [left.get((label, x))] if left else []
        row += [bits] if support else []
        row += [finite(line.get(x, math.nan)) for _, line in against]
        rows.append((*row, *([finite(one)] if std else [])))

    for (label, xs, ys, stds), (own, group) in zip(lines, groups, strict=True):
        spread = dict(zip(xs, stds, strict=True))
        for cell in group:
            x = own.x(cell)
            add(label, x, own.numbers(cell), own.support(cell), spread.get(x, math.nan))
        if not group and any(map(math.isfinite, ys)):
            for x, y in zip(xs, ys, strict=True):
                add(label, x, (finite(y), *[None] * 4), None, spread[x])
    for label, laid in over.overlays:
        for cell in at.along(laid):
            add(label, at.x(cell), at.numbers(cell), at.support(cell), math.nan)
    trials = [cell.trials for _, group in groups for cell in group]
    return Table(with_reach(f"{title} over {axis.symbol}", trials), tuple(columns), tuple(rows))
