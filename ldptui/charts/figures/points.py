"""Measurements as the points of a plot, with their intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...text.interval import reach_95
from ..series import Series, Tone
from .measurement import Measurement


def points_of(
    label: str, measured: Sequence[Measurement], tone: Tone, *, bars: bool = True
) -> Series:
    """A point for each measurement; bars : False leaves the intervals out."""
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
        "points",
        errors if usable else None,
    )


def interval(point: Measurement) -> tuple[float, float]:
    """The ends of what is drawn for a measurement."""
    half = reach_95(point.trials) * point.error if point.error is not None else 0.0
    return point.y - half, point.y + half
