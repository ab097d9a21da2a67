"""Round limits of an axis, which stand still while the trials of a run come in."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final

from ..curves import Variable
from ..series import Axis

LEAST_SPAN: Final = 1.1
"""A y-axis of curves reaches over a tenth of their size to both sides at least."""


def axis_over(variable: Variable, xs: Iterable[float], *, log: bool) -> Axis:
    """The x-axis of a variable, widened over these points if they are beyond its range."""
    ends = variable.start(log), variable.high, *(x for x in xs if x > 0 or not log)
    return Axis(variable.label, log=log, low=min(ends), high=max(ends))


def steady_limits(
    known: Iterable[float], arrived: Iterable[float], *, log: bool = False
) -> tuple[float | None, float | None]:
    """Round axis limits around the values known before a run, widened only if measured values
    exceed them.
    """
    usable = [v for v in known if math.isfinite(v) and (v > 0 or not log)]
    data = [v for v in arrived if math.isfinite(v) and (v > 0 or not log)]
    if not usable:
        usable = data
    if not usable:
        return None, None
    around = _round_log if log else _round_linear
    low, high = around(min(usable), max(usable))
    outside = [v for v in data if not low <= v <= high]
    if outside:
        low, high = around(min(low, *outside), max(high, *outside))
    return low, high


def symlog_limits(values: Iterable[float], linear: float) -> tuple[float, float]:
    """Limits of a symlog axis at 1, 2 or 5 times powers of ten: zero is always on it."""
    usable = [v for v in values if math.isfinite(v)]
    low, high = min(usable, default=0.0), max(usable, default=0.0)
    return (-round_up(max(-low, linear)) if low < 0 else 0.0), round_up(max(high, linear))


def anchor_values(values: Sequence[float], *, log: bool) -> tuple[float, ...]:
    """Values that widen an axis if a curve hardly varies, so that noise does not fill it."""
    usable = [v for v in values if math.isfinite(v) and (v > 0 or not log)]
    if not usable:
        return ()
    low, high = min(usable), max(usable)
    if log:
        middle = math.sqrt(low * high)
        return middle / LEAST_SPAN, middle * LEAST_SPAN
    middle, half = (low + high) / 2, max(abs(low), abs(high)) * (LEAST_SPAN - 1)
    return middle - half, middle + half


def _round_linear(low: float, high: float) -> tuple[float, float]:
    size = high - low or abs(high) or 1.0
    step = round_up(size / 20)
    start, stop = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
    return (start, stop) if start < stop else (start - step, stop + step)


def _round_log(low: float, high: float) -> tuple[float, float]:
    start, stop = round_down(low), round_up(high)
    return (start, stop) if start < stop else (start / 2, stop * 2)


def round_up(value: float) -> float:
    """The least of 1, 2, 5 times a power of ten that is not below the value."""
    power = 10.0 ** math.floor(math.log10(value))
    return next((m * power for m in (1, 2, 5) if m * power >= value * (1 - 1e-9)), 10 * power)


def round_down(value: float) -> float:
    """The greatest of 1, 2, 5 times a power of ten that is not above the value."""
    power = 10.0 ** math.floor(math.log10(value) + 1e-9)
    return next((m * power for m in (5, 2) if m * power <= value * (1 + 1e-9)), power)
