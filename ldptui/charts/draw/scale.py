"""One axis in cells: its limits, its scale, and ticks on whole cells that are equally far apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from ...text import format as fmt
from ..series import Axis

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

STEPS: Final = (1, 2, 2.5, 5)
DECADES: Final = (1, 2, 3, 5, 10, 20, 50, 100)
FAR: Final = 1e9
"""Places in cells beyond which nothing is told apart."""
HUGE: Final = 1e300
DIGITS: Final = (range(1, 10), (1, 2, 3, 5), (1, 2, 5), (1, 3), (1,))
"""The digits of a decade that have ticks, where each has room."""
ENOUGH: Final = 3
"""Powers of ten that tell enough of a log axis."""
SLACK: Final = 1e-9


class Scale(Struct, frozen=True):
    """The scale of an axis over a number of cells, with its ticks.

    log, linear : as in `Axis`.
    first : the transformed value in the middle of cell 0.
    step : the transformed width of one cell.
    ticks : the cell and the label of each tick.
    """

    log: bool
    linear: float
    first: float
    step: float
    cells: int
    ticks: tuple[tuple[int, str], ...] = ()

    def places(self, values: Any) -> Floats:
        """The positions of values in cells, 0 in the middle of the first; NaN for values off the
        scale.
        """
        import numpy as np

        with np.errstate(all="ignore"):
            found = (bend(values, self.log, self.linear) - self.first) / self.step
        placed: Floats = np.clip(found, -FAR, FAR)
        return placed

    def place(self, value: float) -> float:
        """The position of one value in cells; NaN if the scale has none."""
        if not math.isfinite(value) or (self.log and value <= 0):
            return math.nan
        bent = math.log10(value) if self.log else value
        if self.linear:
            size = abs(value) / self.linear
            bent = math.copysign(size if size <= 1 else 1 + math.log10(size), value)
        return max(-FAR, min(FAR, (bent - self.first) / self.step))

    def cell(self, value: float) -> int | None:
        """The index of the cell that shows a value; None if it is off the axis."""
        place = self.place(value)
        return round(place) if -0.5 <= place < self.cells - 0.5 else None

    def value(self, place: float) -> float:
        """The value at a position in cells."""
        return unbend(self.first + place * self.step, self.log, self.linear)


def bend(values: Any, log: bool, linear: float) -> Floats:
    """Values transformed to the axis: linear, logarithmic, or symlog with a linear part up to
    `linear`.
    """
    import numpy as np

    found: Floats = np.asarray(values, dtype=float)
    found = np.where(np.isfinite(found), np.clip(found, -HUGE, HUGE), np.nan)
    with np.errstate(all="ignore"):
        if log:
            return np.log10(np.where(found > 0, found, np.nan))
        if linear:
            size = np.abs(found) / linear
            bent: Floats = np.sign(found) * np.where(size <= 1, size, 1 + np.log10(size))
            return bent
    return found


def unbend(bent: float, log: bool, linear: float) -> float:
    """The value at a transformed position of the axis."""
    if linear:
        size = abs(bent) if abs(bent) <= 1 else 10.0 ** (abs(bent) - 1)
        return math.copysign(linear * size, bent)
    return float(10.0 ** min(bent, 300)) if log else bent


def fit_scale(axis: Axis, values: Sequence[Any], cells: int, apart: int) -> Scale | None:
    """The scale that fits all values into `cells`, with ticks at least `apart` cells from each
    other; None if no value can be drawn.

    values : arrays of the data; limits of the axis itself take precedence.
    """
    import numpy as np

    ends = _ends(axis, values)
    if ends is None:
        return None
    low, high = ends
    if axis.linear and max(-low, high) <= 1:  # nothing is beyond its linear part
        return fit_scale(replace(axis, linear=0.0), values, cells, apart)
    cells = max(1, cells)
    if 0 < axis.bands <= cells:  # each band has the same whole number of cells
        step = (high - low) / axis.bands / (cells // axis.bands)
        even = Scale(False, 0.0, low + step / 2, step, cells - cells % axis.bands)
        return replace(even, ticks=_own_ticks(axis, even))
    plain = Scale(axis.log, axis.linear, low, max((high - low) / max(1, cells - 1), 1e-300), cells)
    if axis.ticks is not None:
        return replace(plain, ticks=_own_ticks(axis, plain))
    if axis.log or axis.linear:
        return replace(plain, ticks=_power_ticks(axis, plain, apart))
    known = [each[np.isfinite(each)] for each in map(np.asarray, values)]
    is_whole = high - low > 1 and all((each == np.round(each)).all() for each in known)
    return _even_scale(low, high, cells, apart, is_whole) or plain


def zoom_axis(axis: Axis, values: Sequence[Any], factor: float, at: float | None) -> Axis:
    """The axis zoomed around a value; around its middle if the value is None."""
    ends = _ends(axis, values)
    if ends is None or factor <= 1:
        return axis
    low, high = ends
    half = (high - low) / 2 / factor
    middle = (low + high) / 2
    if at is not None and math.isfinite(bent := float(bend(at, axis.log, axis.linear))):
        middle = min(max(bent, low + half), high - half)
    near, far = (unbend(middle + sign * half, axis.log, axis.linear) for sign in (-1, 1))
    return replace(axis, low=near, high=far)


def _ends(axis: Axis, values: Sequence[Any]) -> tuple[float, float] | None:
    """The limits of an axis after its transformation: its own, else those of the data."""
    import numpy as np

    own = [
        None if end is None or not math.isfinite(end) or (axis.log and end <= 0) else end
        for end in (axis.low, axis.high)
    ]
    data = np.concatenate([np.empty(0), *(np.ravel(each) for each in values if None in own)])
    data = bend(data, axis.log, axis.linear)
    data = data[np.isfinite(data)]
    if None in own and not data.size:
        return None
    ends = [
        float(bend(end, axis.log, axis.linear)) if end is not None else float(pick(data))
        for end, pick in zip(own, (np.min, np.max), strict=True)
    ]
    low, high = min(ends), max(ends)
    if own[0] is None and not axis.log and 0 < low < 0.3 * high:
        low = 0.0
    if high - low <= 1e-12 * max(1e-280, abs(low), abs(high)):
        half = 0.5 if axis.log else 0.1 * abs(low) or 1.0
        low, high = low - half, high + half
    return low, high


def _even_scale(low: float, high: float, cells: int, apart: int, is_whole: bool) -> Scale | None:
    """The scale with the smallest unit whose ticks are a whole number of cells apart.

    is_whole : True if only whole numbers get ticks.
    """
    span = high - low
    power = math.floor(math.log10(span / cells))
    best = (math.inf, 0.0, 1.0, 0, 0)
    for m, step in ((m, m * 10.0**p) for p in range(power, power + 3) for m in STEPS):
        if is_whole and step % 1:
            continue
        most = int(cells * step / span) + 1
        for every in range(most, max(apart, most - 3) - 1, -1):  # the largest that holds the data
            first = math.floor(low * every / step + SLACK)
            if math.ceil(high * every / step - SLACK) - first >= cells:
                continue
            fewer = max(0.0, 1 - 1.6 * apart / every)  # than the ticks that there is room for
            count = (first + cells - 1) // every - -(-first // every) + 1
            bare = (0.5 if count < 2 else 0.2 * (count == 2)) * (cells > 3 * apart)
            score = step / every * (1 + 0.5 * fewer + bare) * (1.3 if m == 2.5 else 1)
            if score < best[0] * (1 - SLACK):
                best = (score, step / every, step, every, first)
    _, unit, step, every, first = best
    if not every:
        return None
    numbers = range(math.ceil(first / every), (first + cells - 1) // every + 1)
    labels = _linear_labels([number * step for number in numbers], step)
    ticks = tuple((n * every - first, label) for n, label in zip(numbers, labels, strict=True))
    return Scale(False, 0.0, first * unit, unit, cells, ticks)


def _power_ticks(axis: Axis, scale: Scale, apart: int) -> tuple[tuple[int, str], ...]:
    """The ticks of a logarithmic or symlog axis: every power of ten, or every second, …, with room
    for each.

    If a logarithmic axis has few powers, there are ticks between them; a symlog axis has one at the
    greatest power on each side of zero.
    """
    low, high = scale.first, scale.first + (scale.cells - 1) * scale.step
    numbers = range(math.ceil(low - SLACK), math.floor(high + SLACK) + 1)
    ends = {*numbers[:1], *numbers[-1:]} if axis.linear else set[int]()
    powers = [
        [unbend(number, axis.log, axis.linear)
         for number in numbers if not number % every or number in ends]
        for every in DECADES if every < max(2, 2 * len(numbers))
    ]  # fmt: skip
    labelled = [_power_labels(each) for each in powers]
    is_far = 4 * apart * scale.step <= 1 and low >= -2 and high < 5  # apart, written in decimals
    if axis.log and (is_far or len(powers[0]) < ENOUGH):
        decades = range(math.floor(low), math.floor(high) + 1)
        finer = ([digit * 10.0**power for power in decades for digit in each] for each in DIGITS)
        labelled = [*([(value, fmt.short(value)) for value in each] for each in finer), *labelled]
    known = [_own_ticks(replace(axis, ticks=each), scale) for each in labelled]
    gaps = [min((b - a for (a, _), (b, _) in pairwise(each)), default=apart) for each in known]
    apart = min(apart, max(gaps))  # where a symlog axis has no room for its ends, as near as can be
    with_room = [each for each, gap in zip(known, gaps, strict=True) if gap >= apart]
    return next((each for each in with_room if len(each) > 1), max(with_room, key=len))


def _own_ticks(axis: Axis, scale: Scale) -> tuple[tuple[int, str], ...]:
    """The ticks given with an axis, in their cells."""
    placed = [(scale.cell(value), label) for value, label in axis.ticks or ()]
    return tuple((cell, label) for cell, label in placed if cell is not None)


def _linear_labels(values: Sequence[float], step: float) -> list[str]:
    """The labels of ticks, all written with the same decimals."""
    most = max((abs(value) for value in values if abs(value) > SLACK * step), default=0.0)
    if step >= 1e-4 and most < 1e6:
        places = max(0, -math.floor(math.log10(step) + SLACK)) + (f"{step:.1e}"[:3] == "2.5")
        return [fmt.fixed_decimals(value, places if step < 10 else 0) for value in values]
    return [fmt.short(value) for value in values]


def _power_labels(values: Sequence[float]) -> list[tuple[float, str]]:
    """Powers of ten with their labels, all written in one way."""
    sizes = [abs(value) for value in values if value]
    if not sizes or (min(sizes) >= 0.01 * (1 - SLACK) and max(sizes) < 1e5):
        return [(value, fmt.short(value)) for value in values]
    return [(value, _power(value)) for value in values]


def _power(value: float) -> str:
    sign = "-" * (value < 0)
    return f"{sign}{fmt.power_of_ten(round(math.log10(abs(value))))}" if value else "0"
