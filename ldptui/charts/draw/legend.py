"""Legends and notes in rows, and the names at the right ends of lines."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from ..rows import Look, Row, length, wrapped
from ..series import Plot, Series
from .axes import Scale, Tick, decades, floats, linear_steps

if TYPE_CHECKING:
    from .axes import Floats


SHORT: Final = {
    "not detected": "undetected",
    "falsely detected": "false",
    "after the attack": "after",
    "after, closed form": "closed form",
    "other settings": "others",
    "targets": "T",
    "line = closed form": "closed form",
    "proved, or kept back": "or kept back",
    "target ": "",
    "points: mean of ": "points: ",
    "bands: mean of ": "bands: ",
}
"""The first words of labels and of notes, long and short; short ones where long have no room."""


def shortened(label: str) -> str:
    """The label in short words."""
    for long, short in SHORT.items():
        if label.startswith(long):
            return short + label.removeprefix(long)
    return label


class Entry(Struct, frozen=True):
    """A mark, what it stands for, and the styles of both."""

    mark: str
    style: str
    label: str
    text_style: str

    def row(self, *, short: bool = False) -> Row:
        label = shortened(self.label) if short else self.label
        return [(f"{self.mark} ", self.style), (label, self.text_style)]


def joined(pieces: Sequence[Row], gap: int) -> Row:
    """The pieces side by side in one row."""
    return [span for piece in pieces for span in ((" " * gap, ""), *piece)][1:]


def flow(pieces: Sequence[Row], width: int, gap: int, *, ordered: bool = True) -> list[Row]:
    """The pieces side by side, `gap` cells between them, in rows of at most `width` cells.

    A piece wider than a row is broken between words of its last span. ordered : False if a piece
    may stand in an earlier row that has room for it.
    """
    rows: list[Row] = []
    for piece in pieces:
        first, *more = _broken(piece, width)
        open_rows = range(max(0, len(rows) - 1) if ordered else 0, len(rows))
        at = next((at for at in open_rows if length(rows[at]) + gap + length(first) <= width), None)
        if at is not None and (not more or at == len(rows) - 1):
            rows[at] = joined((rows[at], first), gap)
        else:
            rows.append(list(first))
        rows += more
    return rows


def _broken(piece: Row, width: int) -> list[Row]:
    *before, (text, style) = piece
    indent = length(before)
    if indent + length(piece[-1:]) <= width:
        return [piece]
    first, *more = wrapped(text, max(1, width - indent)) or [""]
    return [[*before, (first, style)], *([(" " * indent + line, style)] for line in more)]


def sentence(text: str, look: Look, most: int) -> list[Row]:
    """A note in at most `most` rows, broken after its commas and semicolons where that does."""
    text = look.clean(text)
    if not text or most < 1:
        return []
    pieces: list[Row] = [[(part, look.palette.muted)] for part in re.split(r"(?<=[;,]) ", text)]
    rows = flow(pieces, look.width, 1)
    if len(rows) > most:
        words: list[Row] = [[(line, look.palette.muted)] for line in wrapped(text, look.width)]
        rows = words if len(words) <= most else rows
    return cut(rows, most, look)


def cut(rows: list[Row], most: int, look: Look) -> list[Row]:
    """The first `most` rows; where some are left out, the last one says so."""
    if len(rows) <= most or most < 1:
        return rows[:most]
    last = rows[most - 1]
    while last and length(last) + 2 > look.width:
        last = last[:-1]
    return [*rows[: most - 1], [*last, (" …", look.palette.muted)]]


def with_legend(
    rows: Sequence[Row],
    entries: Sequence[Entry],
    look: Look,
    *,
    gap: int,
    most: int,
    limit: int,
) -> list[Row]:
    """The heading's rows and the legend: at the right of the last row it fits in, or below them.

    most : rows of all that a heading has; short words, and then up to `limit` rows, come before an
    entry is lost.
    """
    kept = [list(row) for row in rows]
    if not entries:
        return kept
    pieces = [entry.row() for entry in entries]
    line = joined(pieces, gap)
    for row in reversed(kept):
        space = look.width - length(row) - length(line)
        if space >= gap:
            row += [(" " * space, ""), *line]
            return kept
    if len(kept) == most:
        kept.pop()  # the legend tells more than the y label
    lines = flow(pieces, look.width, gap, ordered=False)
    if len(kept) + len(lines) > most:
        short = [entry.row(short=True) for entry in entries]
        tight = [flow(each, look.width, min(gap, 2), ordered=False) for each in (pieces, short)]
        lines = min(tight, key=len)  # short words only where they save a row
    return kept + cut(lines, max(1, limit - len(kept)), look)


MOVED: Final = 4
"""Rows that a name stands away from the end of its line at most."""

FLOOR_NAME: Final = 0.6
"""The part of the width that the name of a floor takes at most."""
AWAY: Final = 1.5
"""Rows from the name of a floor to the next curve, at least."""


class End(Struct, frozen=True):
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
            drawn = np.interp(there, s, t, left=9, right=9)
            if series.style == "points":  # nothing is drawn between them
                drawn = t[s >= there[0]]
            if np.abs(drawn - v[-1]).min(initial=9) * y.cells < AWAY:
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


DECADES: Final = (1, 2, 3, 5, 10, 20, 50, 100)
"""Decades from one tick of a log axis to the next."""
WASTE: Final = 1.15
"""Of axes whose lengths differ by less than this factor the one with most ticks is taken."""


def on_whole_rows(scale: Scale, most: int) -> tuple[Scale, list[Tick]] | None:
    """The axis a little wider, and its ticks: a whole number of rows apart, each on the same dot.

    most : ticks at most. None for a symlog axis, whose ticks are not evenly apart, for less than
    two decades of a log axis, and where there is no room for two ticks.
    """
    span = scale.high - scale.low
    if scale.linear or scale.cells < 4 or not 0 < span < math.inf:
        return None
    if scale.log and span < 2:
        return None
    fits = [
        (step, fitted)
        for step in _steps(scale, span, max(2, most))
        for rows in range(scale.cells, 0, -1)
        if (fitted := _fitted(scale, step, rows)) is not None
    ]
    if not fits:
        return None
    least = min(fit.high - fit.low for _, fit in fits)
    near = [(step, fit) for step, fit in fits if fit.high - fit.low <= WASTE * least]
    step, best = min(near, key=lambda fit: (fit[0], fit[1].high - fit[1].low))
    return best, _ticks(best, step)


def _ticks(scale: Scale, step: float) -> list[Tick]:
    """The multiples of the step on the axis."""
    if not scale.log:
        return linear_steps(step, scale.low, scale.high)
    first, last = math.ceil(scale.low / step - 1e-9), math.floor(scale.high / step + 1e-9)
    powers = (at * round(step) for at in range(first, last + 1))
    return decades(powers, scale.low, scale.high)


def _steps(scale: Scale, span: float, most: int) -> Iterator[float]:
    """The steps that give from two ticks to the most."""
    if scale.log:
        yield from (step for step in DECADES if span / most <= step <= span)
        return
    power = math.floor(math.log10(span / most))
    for step in (m * 10.0**k for k in (power, power + 1, power + 2) for m in (1, 2, 5)):
        if span / most <= step <= span / 2:
            yield step


def _fitted(scale: Scale, step: float, rows: int) -> Scale | None:
    """The axis with this number of rows from tick to tick; None where its limits do not fit."""
    dot = step / (rows * scale.dots)
    if dot * scale.last < scale.high - scale.low:
        return None
    first = math.ceil(scale.low / step - 1e-9) * step
    below = math.ceil((first - scale.low) / dot - 1e-9)
    below += ((scale.dots - 1) // 2 - below) % scale.dots  # the tick's own dot in its row
    low = first - below * dot
    high = low + scale.last * dot
    return replace(scale, low=low, high=high) if high >= scale.high - 1e-9 * step else None
