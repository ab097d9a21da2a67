"""Measurements of cells as points of curves, and round limits of an axis."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal

from ldptui.core.base.summary import Doubt, Estimate
from ldptui.core.view import CellView

from ...session.snapshot import IGNORED
from ...text.format import count
from ...text.interval import reach_95
from ..series import Series, Tone

if TYPE_CHECKING:
    from ..curves import Curve, Variable


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


def symlog_limits(values: Iterable[float], linear: float) -> tuple[float, float]:
    """Limits of a symlog axis at 1, 2 or 5 times powers of ten: zero is always on it."""
    usable = [v for v in values if math.isfinite(v)]
    low, high = min(usable, default=0.0), max(usable, default=0.0)
    return (-round_up(max(-low, linear)) if low < 0 else 0.0), round_up(max(high, linear))


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


Quantity = Literal["mse", "std"]


def same_settings(
    measured: Mapping[str, Any], wanted: Mapping[str, Any], besides: str = ""
) -> bool:
    """True where two cells of these parameters measure the same, whatever the key `besides`.

    A measured cell may give the length of a long list alone, in words.
    """
    left = {*IGNORED, besides}
    if "goal.metric" in wanted:
        left.add("attack.share")  # what it takes, found when it is simulated
    if measured.keys() - left != wanted.keys() - left:
        return False
    return all(key in left or same_value(measured[key], value) for key, value in wanted.items())


def same_value(measured: Any, wanted: Any) -> bool:
    """True where a measured cell has this value, a long list maybe by its length alone."""
    long = isinstance(wanted, list) and measured == f"{count(len(wanted))} values"
    return long or bool(measured == wanted)


def covered(
    cells: Sequence[CellView], wanted: Sequence[Mapping[str, Any]], *, whole: bool = False
) -> bool:
    """True where each of these settings was measured in one of the cells.

    whole : with all trials that it is to have.
    """
    known = [cell.parameters for cell in cells if cell.trials >= (cell.wanted if whole else 1)]
    return all(any(same_settings(cell, settings) for cell in known) for settings in wanted)


def belongs(parameters: Mapping[str, Any], curve: Curve) -> bool:
    """True where a cell of these parameters is a point of the curve, whatever its x."""
    return same_settings(parameters, curve.parameters, curve.key)


@dataclass(frozen=True)
class Measurement:
    """A simulated point of a curve: mean ± standard error, and the closed form of its cell.

    support : the closed form of bits, before decoding.
    """

    x: float
    y: float
    error: float | None
    theory: float | None
    trials: int
    support: float | None = None
    doubt: Doubt | None = None

    @property
    def numbers(self) -> tuple[float | int | None, ...]:
        """The closed form, and what was measured, as a row of a table has them."""
        return self.theory, self.y, self.error, self.z, self.trials

    @property
    def z(self) -> float | None:
        """The z-score of the mean, on the scale of the curve."""
        return Estimate(self.y, self.error, self.theory, self.doubt).z


def placed(cells: Sequence[CellView], axis: Variable) -> Sequence[CellView]:
    """The cells with a number for each list of targets, where lists are on the axis."""
    if not axis.lists:
        return cells
    return [
        replace(cell, parameters={**cell.parameters, axis.key: axis.place_of(value)})
        for cell in cells
        if (value := cell.parameters.get(axis.key)) is not None
    ]


def metric_of(cell: CellView, key: str, metric: str) -> Measurement | None:
    """The value of a metric that a cell measured; None where it has none."""
    x, measured = cell.parameters.get(key), cell.metrics.get(metric)
    if measured is None or measured.mean is None or not isinstance(x, int | float):
        return None
    bits = cell.bits if metric == "gain" else None
    support = None if bits is None else bits.get("bit_support_gain")
    error, theory = measured.standard_error, measured.theory
    return Measurement(float(x), measured.mean, error, theory, cell.trials, support, measured.doubt)


gain_of: Final = partial(metric_of, metric="gain")


def error_of(cell: CellView, key: str, quantity: Quantity) -> Measurement | None:
    """The error without attack that a cell measured."""
    point = metric_of(cell, key, "mse_clean")
    if point is None or quantity == "mse":
        return point
    root, theory = math.sqrt(max(0.0, point.y)), point.theory
    # √y, whose error to first order is that of y over 2√y.
    error = None if point.error is None else point.error * (0.5 / root if root else 0.0)
    theory = None if theory is None else math.sqrt(max(0.0, theory))
    return replace(point, y=root, error=error, theory=theory)


def along(measured: Sequence[Measurement | None]) -> list[Measurement]:
    """Measurements along the axis; those of another axis all have one x: they are no curve."""
    points = [point for point in measured if point is not None]
    return points if len({point.x for point in points}) > 1 else []


def closed_forms(measured: Sequence[Measurement]) -> tuple[list[float], list[float]]:
    """x and the closed form of the cells that have one, by x."""
    points = sorted((point.x, point.theory) for point in measured if point.theory is not None)
    return [x for x, _ in points], [y for _, y in points]


def grouped(
    curves: Sequence[Curve], cells: Sequence[CellView], measured: Sequence[Measurement | None]
) -> tuple[list[list[Measurement]], list[Measurement]]:
    """The measurements of each curve, and those that belong to none."""
    groups: list[list[Measurement]] = [[] for _ in curves]
    stale: list[Measurement] = []
    for cell, point in zip(cells, measured, strict=True):
        if point is None:
            continue
        at = next((i for i, curve in enumerate(curves) if belongs(cell.parameters, curve)), None)
        (stale if at is None else groups[at]).append(point)
    return groups, along(stale)


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
