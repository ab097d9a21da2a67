"""Round limits of an axis, and the half-width of the intervals that are drawn."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

NORMAL_95: Final = 1.959963984540054
"""Half-width of the interval that holds 95% of a normal law, in standard deviations."""

FEW_95: Final = (12.706204736174694, 4.302652729749462, 3.182446305283708)
"""Student's t of 1, 2 and 3 degrees of freedom that has 2.5 % above it."""

INTERVAL: Final = "± 95 % by Student's t"


def reach_95(trials: int) -> float:
    """Half-width in standard errors of the interval that holds the mean of a normal law with 95 %.

    Student's t of trials - 1 degrees of freedom, by Abramowitz and Stegun 26.7.5: within 0.04 %.
    """
    freedom = max(1, trials - 1)
    if freedom <= len(FEW_95):
        return FEW_95[freedom - 1]
    z = NORMAL_95
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + math.fsum(term / float(freedom) ** (at + 1) for at, term in enumerate(terms))


def steady_limits(
    known: Iterable[float], arrived: Iterable[float], *, log: bool = False
) -> tuple[float | None, float | None]:
    """Round limits around what is known before a run, widened only for data that leave them."""
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


def _round_linear(low: float, high: float) -> tuple[float, float]:
    size = high - low or abs(high) or 1.0
    step = round_up(size / 10)
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
    power = 10.0 ** math.floor(math.log10(value) + 1e-9)
    return next((m * power for m in (5, 2) if m * power <= value * (1 + 1e-9)), power)
