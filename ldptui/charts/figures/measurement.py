"""Measurements of cells as points of curves, and round limits of an axis."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from ldptui.core.base.summary import Estimate
from ldptui.core.view import CellView

from ...session.cells import Cells
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


class Over(Struct, frozen=True):
    """Curves over a variable, the cells that were measured along it, and how both are shown.

    overlays : the cells of other runs, by name. has_others : whether the cells of other settings
    are drawn where there are none of the curves. log_x, log_y : None for the usual scale.
    linear : above 0 for a symlog y-axis.
    """

    curves: Sequence[Curve]
    cells: Cells
    axis: Variable
    overlays: Sequence[tuple[str, Cells]] = ()
    log_x: bool | None = None
    log_y: bool | None = None
    linear: float = 0.0
    has_others: bool = True

    def numbered(self) -> Over:
        """With a number for each list of targets, where lists are on the axis."""
        key, axis = self.axis.key, self.axis
        if not axis.lists:
            return self

        overlays = [(name, laid.placed(key, axis.place_of)) for name, laid in self.overlays]
        return replace(self, cells=self.cells.placed(key, axis.place_of), overlays=overlays)


MANY: Final = 30
"""Measurements from which a curve of them is a line within a band: points would hide it."""


class Coordinates(Struct, frozen=True):
    """The place of measured cells in a chart: the value of a key, and an estimate over it.

    metric : the name of the estimate. root : its square root is drawn.
    """

    key: str
    metric: str
    root: bool = False

    def x(self, cell: CellView) -> float:
        return float(cell.parameters[self.key])

    def y(self, cell: CellView) -> float:
        mean = self.estimate(cell).mean
        assert mean is not None
        return mean

    def estimate(self, cell: CellView) -> Estimate:
        """Mean ± standard error and closed form, on the scale of the chart."""
        measured = cell.metrics[self.metric]
        if not self.root or measured.mean is None:
            return measured
        error, theory = measured.standard_error, measured.theory
        root = math.sqrt(max(0.0, measured.mean))
        # √y, whose error to first order is that of y over 2√y.
        error = None if error is None else error * (0.5 / root if root else 0.0)
        theory = None if theory is None else math.sqrt(max(0.0, theory))
        return Estimate(root, error, theory, measured.doubt)

    def half(self, cell: CellView) -> float | None:
        """Half of the 95 % interval of the mean; None for one trial."""
        error = self.estimate(cell).standard_error
        return None if error is None else reach_95(cell.trials) * error

    def interval(self, cell: CellView) -> tuple[float, float]:
        """The ends of what is drawn for a cell."""
        y, half = self.y(cell), self.half(cell) or 0.0
        return y - half, y + half

    def support(self, cell: CellView) -> float | None:
        """The closed form of bits, before decoding."""
        bits = cell.bits if self.metric == "gain" else None
        return None if bits is None else bits.get("bit_support_gain")

    def numbers(self, cell: CellView) -> tuple[float | int | None, ...]:
        """The closed form, and what was measured, as a row of a table has them."""
        found = self.estimate(cell)
        return found.theory, found.mean, found.standard_error, found.z, cell.trials

    def placed(self, cells: Iterable[CellView]) -> list[CellView]:
        """The cells that have a place."""
        return [
            cell
            for cell in cells
            if isinstance(cell.parameters.get(self.key), int | float)
            and (measured := cell.metrics.get(self.metric)) is not None
            and measured.mean is not None
        ]

    def along(self, cells: Cells) -> list[CellView]:
        """The cells along the axis; those of another axis all have one x: they are no curve."""
        found = self.placed(cells.along(self.key))
        return found if len({self.x(cell) for cell in found}) > 1 else []

    def grouped(self, over: Over) -> tuple[list[list[CellView]], list[CellView]]:
        """The measured cells of each curve; where none has any, those of other settings."""
        groups = [self.placed(over.cells.group(each.parameters, self.key)) for each in over.curves]
        has_own = any(groups) or not over.has_others
        return groups, [] if has_own else self.along(over.cells)

    def closed_forms(self, cells: Iterable[CellView]) -> tuple[list[float], list[float]]:
        """x and the closed form of the cells that have one, by x."""
        forms = ((self.x(cell), self.estimate(cell).theory) for cell in cells)
        points = sorted((x, theory) for x, theory in forms if theory is not None)
        return [x for x, _ in points], [y for _, y in points]

    def series(
        self, label: str, cells: Sequence[CellView], tone: Tone, *, bars: bool = True
    ) -> Series:
        """A point for each cell, or a band of many; bars : False leaves the intervals out."""
        if bars and len(cells) >= MANY:
            cells = sorted(cells, key=self.x)
        errors = [math.nan if half is None else half for half in map(self.half, cells)]
        usable = bars and any(math.isfinite(error) and error > 0 for error in errors)
        return Series(
            label,
            [*map(self.x, cells)],
            [*map(self.y, cells)],
            tone,
            "band" if usable and len(cells) >= MANY else "points",
            errors if usable else None,
        )
