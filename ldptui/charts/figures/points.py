"""Measurements as the points of a plot, with their intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from ...text.interval import reach_95
from ..series import Series, Tone
from .measurement import Measurement

MANY: Final = 30
"""Measurements from which a curve of them is a line within a band: points would hide it."""


def points_of(
    label: str, measured: Sequence[Measurement], tone: Tone, *, bars: bool = True
) -> Series:
    """A point for each measurement, or a band of many; bars : False leaves the intervals out."""
    if bars and len(measured) >= MANY:
        measured = sorted(measured, key=lambda point: point.x)
    errors = [
        reach_95(point.trials) * point.error if point.error is not None else math.nan
        for point in measured
    ]
    usable = bars and any(math.isfinite(error) and error > 0 for error in errors)
    return Series(
        label,
        [point.x for point in measured],
        [point.y for point in measured],
        tone,
        "band" if usable and len(measured) >= MANY else "points",
        errors if usable else None,
    )


def interval(point: Measurement) -> tuple[float, float]:
    """The ends of what is drawn for a measurement."""
    half = reach_95(point.trials) * point.error if point.error is not None else 0.0
    return point.y - half, point.y + half
