"""Axes and what may be drawn in them: limits, ticks, and the gate that makes data safe to draw.

Pure numbers: values to axis space (a log axis: decimal logarithms) to the unit box to dots of the
raster. `sanitise` is what stands in front of plotext.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from ...text import format as fmt
from ..series import Axis, Series

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..series import Numbers

    Floats = NDArray[np.float64]

MAX_POINTS = 4000
"""No more points of one series than this are handed to plotext."""

_FAR = 1e9  # box widths; further out is drawn the same, and floats keep their precision
_HUGE = 1e300
_TINY = 1e-280


class Scale(Struct, frozen=True):
    """An axis with its limits, in axis space (a log axis: decimal logarithms), and its cells.

    The unit interval runs from the middle of the first dot to the middle of the last one; each
    cell has `dots` of them. linear : of a symlog axis, as in `Axis`.
    """

    low: float
    high: float
    log: bool
    cells: int
    dots: int
    linear: float = 0.0

    def with_room(self, dots: float) -> Scale:
        """The axis with this number of dots more at each end, where marks stand on its limits."""
        more = (self.high - self.low) * dots / max(1, self.last - 2 * dots)
        return replace(self, low=self.low - more, high=self.high + more)

    def unit(self, values: Floats) -> Floats:
        """The values with the axis box at 0 … 1; NaN for what has no place on the axis."""
        import numpy as np

        with np.errstate(all="ignore"):
            placed = np.where(np.isfinite(values), np.clip(values, -_HUGE, _HUGE), np.nan)
            if self.log:
                placed = np.log10(np.where(placed > 0, placed, np.nan))
            if self.linear:
                placed = symlog(placed, self.linear)
            placed = (placed - self.low) / (self.high - self.low)
        return np.clip(placed, -_FAR, _FAR)

    def unit_of(self, value: float) -> float | None:
        """`unit` of one number; None where it is outside of the axis box."""
        if not math.isfinite(value) or (self.log and value <= 0):
            return None
        placed = math.log10(value) if self.log else value
        if self.linear:
            placed = float(symlog(value, self.linear))
        unit = (placed - self.low) / (self.high - self.low)
        # Room for rounding: a tick on the limit itself belongs to the axis.
        return min(1.0, max(0.0, unit)) if -1e-9 <= unit <= 1 + 1e-9 else None

    @property
    def last(self) -> int:
        """The index of the last dot."""
        return self.cells * self.dots - 1

    def dot(self, unit: float) -> int:
        """The dot that shows a place in the unit interval."""
        return math.floor(unit * self.last + 0.5)

    def cell(self, value: float) -> int | None:
        """The cell that shows a value, counted from the low end; None if it is off the axis."""
        unit = self.unit_of(value)
        return None if unit is None else self.dot(unit) // self.dots

    def value(self, cell: int) -> float:
        """The value in the middle of a cell, counted from the low end."""
        dot = cell * self.dots + (self.dots - 1) / 2
        placed = self.low + dot / max(1, self.last) * (self.high - self.low)
        if self.linear:
            return math.copysign(self.linear * (10 ** abs(placed) - 1), placed)
        return 10.0**placed if self.log else placed


def symlog(values: Any, linear: float) -> Any:
    """Values in the space of a symlog axis: sign(v) · log₁₀(1 + |v| / linear)."""
    import numpy as np

    return np.sign(values) * np.log1p(np.abs(values) / linear) / math.log(10)


def floats(values: Numbers) -> Floats:
    import numpy as np

    return np.asarray(values, dtype=float).reshape(-1)


def limits(axis: Axis, values: Iterable[Floats]) -> tuple[float, float] | None:
    """The limits of an axis, in axis space; None if nothing can be shown on it."""
    import numpy as np

    low, high = math.inf, -math.inf
    for numbers in values:
        finite = np.isfinite(numbers)
        usable = numbers[finite & (numbers > 0)] if axis.log else numbers[finite]
        if usable.size:
            low, high = min(low, float(usable.min())), max(high, float(usable.max()))
    if low > high:
        return None
    low, high = max(low, -_HUGE), min(high, _HUGE)
    fixed = [
        None if end is None or not math.isfinite(end) or (axis.log and end <= 0) else end
        for end in (axis.low, axis.high)
    ]
    ends = [data if end is None else end for end, data in zip(fixed, (low, high), strict=True)]
    if axis.log:
        ends = [math.log10(end) for end in ends]
    elif axis.linear:
        ends = [float(symlog(end, axis.linear)) for end in ends]
    start, stop = ends
    if start > stop:
        # Limits that exclude all the data: keep the one asked for, and show a span beside it.
        if fixed[0] is not None and fixed[1] is not None:
            start, stop = stop, start
        elif fixed[0] is not None:
            stop = start
        else:
            start = stop
    if not stop - start > max(_TINY, 1e-12 * max(abs(start), abs(stop))):
        half = 0.5 if axis.log else 0.1 * abs(start) if abs(start) > _TINY else 1.0
        return start - half, stop + half
    margin = (stop - start) * (0.03 if axis.log else 0.04)
    if fixed[0] is None and not (not axis.log and 0 <= start < 0.3 * stop):
        start -= margin
    elif fixed[0] is None:
        start = 0.0
    if fixed[1] is None:
        stop += margin if axis.log or not (start < 0 and stop == 0) else 0
    return start, stop


# --- Ticks -----------------------------------------------------------------------------------


class Tick(Struct, frozen=True):
    """A labelled place on an axis; `minor` ones give way."""

    value: float
    label: str
    minor: bool = False


def ticks(axis: Axis, low: float, high: float, most: int) -> list[Tick]:
    """At most about `most` ticks for limits in axis space; those of the axis itself come first.

    Linear axes: steps of 1, 2 or 5. Log axes: decades, with 2 and 5 between them where the axis
    shows less than two; below about half a decade, linear steps.
    """
    most = max(2, most)
    if axis.ticks is not None:
        return [Tick(float(value), label) for value, label in axis.ticks]
    if axis.linear:
        return symlog_ticks(axis.linear, low, high, most)
    if not axis.log:
        return linear_ticks(low, high, most)
    if high - low < 0.55:
        return [t for t in linear_ticks(10**low, 10**high, most) if t.value > 0]
    first, last = math.ceil(low - 1e-9), math.floor(high + 1e-9)
    if high - low >= 2:
        stride = next(
            s for s in (1, 2, 3, 5, 10, 20, 50, 100, 200, 500) if (last - first) / s < most
        )
        powers = [k for k in range(first, last + 1) if k % stride == 0]
        if len(powers) < 2 and max(-first, last) < 300:  # one label tells no scale
            powers = [first, last]
        return decades(powers, low, high)
    return [
        Tick(m * 10.0**k, _number(m * 10.0**k), minor=m != 1)
        for k in range(first - 1, last + 1)
        for m in (1, 2, 5)
        if low - 1e-9 <= math.log10(m) + k <= high + 1e-9
    ]


def decades(powers: Iterable[int], low: float, high: float) -> list[Tick]:
    """Powers of ten; written out where those between the limits are short."""
    plain = math.ceil(low - 1e-9) >= 0 and math.floor(high + 1e-9) <= 4
    return [Tick(10.0**k, str(10**k) if plain else fmt.power_of_ten(k)) for k in powers]


def symlog_ticks(linear: float, low: float, high: float, most: int) -> list[Tick]:
    """Zero, and the decades beyond `linear` on both sides; zero and the outermost come first."""
    first = math.ceil(math.log10(linear) - 1e-9)
    placed = [Tick(0.0, "0")]
    for sign, end in ((1, high), (-1, -low)):
        if end <= 0:
            continue
        last = math.floor(math.log10(linear * (10**end - 1)) + 1e-9)
        stride = max(1, math.ceil((last - first + 1) / max(1, most)))
        for power in range(last, first - 1, -stride):
            words = _number(10.0**power) if -3 < power < 4 else fmt.power_of_ten(power)
            placed.append(Tick(sign * 10.0**power, words if sign > 0 else f"-{words}"))
    return placed


def linear_ticks(low: float, high: float, most: int) -> list[Tick]:
    if not math.isfinite(high - low):  # the limits are further apart than a float reaches
        return [Tick(low, fmt.short(low))]
    power = math.floor(math.log10((high - low) / most))
    for step in (m * 10.0**k for k in (power - 1, power, power + 1) for m in (1, 2, 5)):
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last - first <= most:
            break
    if not 0 <= last - first <= most:  # the limits differ by less than floats can tell
        return [Tick(low, fmt.short(low))]
    return linear_steps(step, low, high)


def linear_steps(step: float, low: float, high: float) -> list[Tick]:
    """The multiples of a step between two limits."""
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    values = [index * step for index in range(first, last + 1)]
    largest = max((abs(v) for v in values), default=0.0)
    if largest and (largest < 1e-3 or largest >= 1e6):
        return [Tick(v, _number(v)) for v in values]
    places = max(0, -math.floor(math.log10(step) + 1e-9))
    return [Tick(v, fmt.fixed(v, places)) for v in values]


def _number(value: float) -> str:
    """`0.002`, `500`, `2·10⁻⁵`."""
    text = fmt.short(value, 6)
    if value and not 1e-3 <= abs(value) < 1e6:
        mantissa, _, power = f"{value:.5e}".partition("e")
        mantissa = mantissa.rstrip("0").rstrip(".")
        times = {"1": "", "-1": "-"}.get(mantissa, f"{mantissa}·")
        text = times + fmt.power_of_ten(int(power))
    return text


# --- The gate --------------------------------------------------------------------------------


class Sane(Struct, frozen=True):
    """The part of a series that can be drawn, in box units (0 … 1 on both axes), all finite.

    `points`: (n, 2). `lines`: (n, 4), one segment x0, y0, x1, y1 each, in drawing order.
    `bars`: (n, 4), x, y of the point, then the low and high end of its error bar.
    """

    points: Floats
    lines: Floats
    bars: Floats


def sanitise(series: Series, x: Scale, y: Scale) -> Sane:
    """The series as plotext may have it: finite, on the axes, cut to the box, and not too much.

    Thinning keeps, for each column of dots, the first, last, lowest and highest point of a line,
    and one of the points that share a dot: the picture stays the same.
    """
    import numpy as np

    count = min(len(series.x), len(series.y))
    xs, ys = floats(series.x)[:count], floats(series.y)[:count]
    u, v = x.unit(xs), y.unit(ys)
    empty = np.empty((0, 4))
    points, lines, bars = np.empty((0, 2)), empty, empty
    if series.style == "points":
        inside = (u >= 0) & (u <= 1) & (v >= 0) & (v <= 1)  # False for NaN
        points = one_per_dot(np.column_stack((u[inside], v[inside])), x, y)
    elif count and series.style != "band":
        lines = _clip(_thin(np.column_stack((u, v)), x))
    if series.error is not None and count:
        error = np.full(count, np.nan)
        widths = np.abs(floats(series.error)[:count])
        error[: widths.size] = widths
        with np.errstate(all="ignore"):
            bottom, top = y.unit(ys - error), y.unit(ys + error)
        # On a log axis an interval that reaches zero or below goes down to the edge of the box.
        bottom = np.where(np.isnan(bottom) & np.isfinite(error) & y.log, -1.0, bottom)
        wide = error >= 0 if series.style == "band" else error > 0  # a band is also a line
        fine = (u >= 0) & (u <= 1) & np.isfinite(v) & (bottom <= 1) & (top >= 0) & wide
        ends = np.clip(np.column_stack((bottom, top)), 0, 1)
        bars = np.column_stack((u, np.clip(v, 0, 1), ends))[fine]
    return Sane(points, lines, bars)


def one_per_dot(points: Floats, x: Scale, y: Scale) -> Floats:
    """Points in the middle of their dots, each dot once, at most `MAX_POINTS` spread evenly."""
    import numpy as np

    across, up = max(1, x.last), max(1, y.last)
    dots = np.floor(points * (across, up) + 0.5).astype(np.int64)
    which = np.unique(dots[:, 0] * (up + 1) + dots[:, 1])  # by column
    if len(which) > MAX_POINTS:
        which = which[np.linspace(0, len(which) - 1, MAX_POINTS).round().astype(int)]
    thinned: Floats = np.column_stack((which // (up + 1) / across, which % (up + 1) / up))
    return thinned


def one_per_cell(points: Floats, x: Scale, y: Scale) -> Floats:
    """One of the points in each cell: where a whole character stands for a point."""
    import numpy as np

    column = np.floor(points[:, 0] * x.last + 0.5) // x.dots
    row = np.floor(points[:, 1] * y.last + 0.5) // y.dots
    first = np.unique(column * y.cells + row, return_index=True)[1]
    thinned: Floats = points[first]
    return thinned


def _thin(points: Floats, x: Scale) -> Floats:
    """A line with, for each run of points in one column, its first, lowest, highest and last."""
    import numpy as np

    count = len(points)
    if count <= 4:
        return points
    broken = np.isnan(points).any(axis=1)
    column = np.clip(np.floor(np.nan_to_num(points[:, 0]) * x.last + 0.5), -1, x.last + 1)
    column[broken] = -2
    starts = np.flatnonzero(np.r_[True, column[1:] != column[:-1]])
    run = np.zeros(count, dtype=int)
    run[starts[1:]] = 1
    run = np.cumsum(run)
    by_height = np.lexsort((points[:, 1], run))  # within each run: lowest first, highest last
    ends = np.r_[starts[1:], count] - 1
    kept = np.unique(np.concatenate((starts, ends, by_height[starts], by_height[ends])))
    if len(kept) > MAX_POINTS:  # a line that goes to and fro in x, or is full of holes
        kept = kept[np.linspace(0, len(kept) - 1, MAX_POINTS).round().astype(int)]
    thinned: Floats = points[kept]
    return thinned


def _clip(points: Floats) -> Floats:
    """The line through the points, cut to the unit box (Liang-Barsky, all segments at once).

    A point between two NaNs is kept, as a segment of no length.
    """
    import numpy as np

    finite = np.isfinite(points[:, 0]) & np.isfinite(points[:, 1])
    joined = finite[:-1] & finite[1:]
    alone = finite & ~np.r_[False, joined] & ~np.r_[joined, False]
    order = np.r_[np.flatnonzero(joined), np.flatnonzero(alone)]
    start = np.r_[points[:-1][joined], points[alone]]
    stop = np.r_[points[1:][joined], points[alone]]
    ahead = np.argsort(order, kind="stable")
    start, stop = start[ahead], stop[ahead]
    change = stop - start
    enter, leave = np.zeros(len(start)), np.ones(len(start))
    visible: NDArray[np.bool_] = np.ones(len(start), dtype=bool)
    for axis in (0, 1):
        for direction, distance in ((-1, start[:, axis]), (1, 1 - start[:, axis])):
            speed = direction * change[:, axis]
            with np.errstate(all="ignore"):
                at = distance / speed
            enter = np.where(speed < 0, np.maximum(enter, at), enter)
            leave = np.where(speed > 0, np.minimum(leave, at), leave)
            visible &= (speed != 0) | (distance >= 0)
    visible &= enter <= leave
    start, change = start[visible], change[visible]
    enter, leave = enter[visible, None], leave[visible, None]
    cut = np.column_stack((start + enter * change, start + leave * change))
    inside: Floats = np.clip(cut, 0, 1)
    return inside
