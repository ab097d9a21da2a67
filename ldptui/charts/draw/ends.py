"""The names at the right ends of lines; lines that cannot be told apart share a name."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ..series import Plot, Series
from .axes import Scale, floats

if TYPE_CHECKING:
    from .axes import Floats

MOVED: Final = 4
"""Rows that a name stands away from the end of its line at most."""

FLOOR_NAME: Final = 0.6
"""The part of the width that the name of a floor takes at most."""
AWAY: Final = 1.5
"""Rows from the name of a floor to the next curve, at least."""


@dataclass(frozen=True)
class End:
    """The series of a name, by their places in the plot, and the height where their line ends.

    at : from 0 at the bottom of the axis to 1 at its top.
    """

    series: tuple[int, ...]
    at: float


def ends_of(plot: Plot, x: Scale, y: Scale, apart: float) -> list[End]:
    """The ends of the named lines of a plot, from the top.

    apart : the part of the height by which two lines differ somewhere if they can be told apart.
    """
    named: list[tuple[list[int], Floats, Floats]] = []
    for number, series in enumerate(plot.series):
        if (
            not series.end
            or series.style == "floor"
            or not (placed := _placed(series, x, y))[0].size
        ):
            continue
        for numbers, *other in named:
            if _together(placed, (other[0], other[1]), apart):
                numbers.append(number)
                break
        else:
            named.append(([number], *placed))
    ends = [End(tuple(numbers), min(1.0, max(0.0, float(v[-1])))) for numbers, _, v in named]
    return sorted(ends, key=lambda end: -end.at)


def name_of(plot: Plot, end: End) -> str:
    """The names of the series that end there: "OUE, OLH"."""
    return ", ".join(dict.fromkeys(plot.series[number].end for number in end.series))


def places(wanted: Sequence[int], taken: Collection[int], rows: int) -> list[int] | None:
    """A free row for each name, in order and near the one that is wanted; None for want of room.

    wanted : rows from the top, rising. taken : rows that have a label.
    """
    free = [row for row in range(rows) if row not in taken]
    if len(wanted) > len(free):
        return None
    found: list[int] = []
    for at, row in enumerate(wanted):
        left = len(wanted) - at - 1  # names that need rows below
        above = found[-1] if found else -1
        usable = [each for each in free[: len(free) - left] if each > above]
        if not usable:
            return None
        found.append(min(usable, key=lambda each: abs(each - row)))
    near = all(abs(at - row) <= MOVED for at, row in zip(found, wanted, strict=True))
    return found if near else None


def floor_is_named(plot: Plot, x: Scale, y: Scale) -> bool:
    """Return whether the name of a floor has room at its right end, away from every curve."""
    import numpy as np

    floors = [series for series in plot.series if series.style == "floor" and len(series.x)]
    for floor in floors:
        u, v = _placed(floor, x, y)
        size = (len(floor.end) + 3) / max(1, x.cells)
        if not u.size or size > FLOOR_NAME:
            return False
        there = np.linspace(max(0.0, u[-1] - size), u[-1], x.cells)
        for series in plot.series:
            s, t = _placed(series, x, y)
            if series is floor or not s.size:
                continue
            near = np.abs(np.interp(there, s, t, left=9, right=9) - v[-1]) * y.cells
            if near.min() < AWAY:
                return False
    return bool(floors)


def _placed(series: Series, x: Scale, y: Scale) -> tuple[Floats, Floats]:
    """The points of a line in the unit box, by x: those that have a place on both axes."""
    import numpy as np

    count = min(len(series.x), len(series.y))
    u, v = x.unit(floats(series.x)[:count]), y.unit(floats(series.y)[:count])
    shown = np.isfinite(u) & np.isfinite(v) & (u >= -1e-9) & (u <= 1 + 1e-9)
    order = u[shown].argsort(kind="stable")
    return u[shown][order], v[shown][order]


def _together(one: tuple[Floats, Floats], other: tuple[Floats, Floats], apart: float) -> bool:
    """Return whether two lines are nowhere so far apart, where both are."""
    import numpy as np

    (u, v), (s, t) = one, other
    both = (u >= s[0] - 1e-9) & (u <= s[-1] + 1e-9)
    if not both.any():
        return False
    return bool(np.abs(v[both] - np.interp(u[both], s, t)).max() < apart)
