"""The estimates of single trials: a mark for each, in rows of items, around the closed form."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from ldptui.core.view import TrialEstimates

from ...text import format as fmt
from ...text.interval import NORMAL_95
from ..chart_data import ChartData
from ..series import Axis, Plot, Series, Tone
from .frame import Frame, FrameView, Room, add_to_title
from .intervals import intervals_view
from .limits import steady_limits
from .setting_words import base_words
from .table import ChartTable, TableColumn, Value

ARMS: Final[dict[str, tuple[str, Tone]]] = {
    "clean": ("before", "clean"),
    "attacked": ("after", "attacked"),
    "attacked_defended": ("after, defended", "series-3"),
}
"""The arms from top to bottom of an item's row, with their names and colours."""
SPREAD: Final = 0.25
"""Half the height that an item's arms take, of the distance between two items."""


AROUND: Final = 7
"""Rows of the picture that hold no item: title, legend, three of the axis, two of the note."""
ROWS: Final = 2
"""Rows that an item takes."""


def frame(data: ChartData, _: Mapping[str, str]) -> Frame | str:
    """The chart of the estimates of all trials, and beside it the intervals of one trial."""
    seen = data.by_trial
    if seen is None:
        return ""

    def draw(at: int | None, room: Room) -> Plot:
        plot = trials_plot(seen, _items(room[1]), None if at is None else at - 1)
        return add_to_title(plot, data.cell_words)

    def click(place: tuple[float, float], room: Room) -> tuple[int, int] | None:
        found = estimate_at(seen, _items(room[1]), *place)
        return None if found is None else (found[0] + 1, found[1])

    table = add_to_title(trials_table(seen), data.cell_words)
    views = {"": FrameView("trials", draw, click=click)}
    if (known := intervals_view(data)) is not None:
        views["intervals"] = known
    return Frame(table, views, column=0, picks=True, aside=base_words(data.scenario))


def _items(rows: int) -> int:
    """The items that have room in a picture of this number of rows."""
    return max(2, (rows - AROUND) // ROWS)


def trials_plot(seen: TrialEstimates, most: int, at: int | None = None) -> Plot:
    """The estimates of single trials, items in rows, with the closed form's 95 % range of one
    estimate as lines.

    most : the number of items that have room, targets first.
    at : the trial whose estimates are highlighted.
    """
    count = min(len(seen.items), max(1, most))
    rows = [float(count - 1 - row) for row in range(count)]
    heights = _heights(seen)
    series: list[Series] = []
    for arm, height in heights.items():
        name, tone = ARMS[arm]
        if arm in seen.expected:
            series.append(_intervals(seen.expected[arm][:count], rows, height))
        xs = [x for estimates in seen.arms[arm][:count] for x in estimates]
        ys = [row + height for row in rows for _ in range(seen.trials)]
        series.append(Series(name, xs, ys, tone, "points", cloud=False))
    if at is not None:
        chosen = [(seen.arms[arm][row][at], rows[row] + height)
                  for arm, height in heights.items() for row in range(count)]  # fmt: skip
        xs, ys = ([pair[side] for pair in chosen] for side in (0, 1))
        series.append(Series(f"trial {at + 1}", xs, ys, "target", "points", cloud=False))
    series.append(Series("true", seen.true[:count], rows, "true", "points", cloud=False))
    known = [bound for arm in heights for pair in seen.expected.get(arm, ())[:count]
             for bound in _ends(*pair)]  # fmt: skip
    drawn = [x for each in series for x in each.x if math.isfinite(x)]
    low, high = steady_limits([*known, *seen.true[:count]], drawn)
    return Plot(
        "Estimates of single trials",
        Axis("frequency, as one server would estimate it", low=low, high=high),
        Axis("item", low=-0.5, high=count - 0.5, ticks=_ticks(seen, rows), bands=count),
        tuple(series),
        note=_note(seen, count),
    )


def estimate_at(seen: TrialEstimates, most: int, x: float, y: float) -> tuple[int, int] | None:
    """The trial and the row of the estimate nearest to a position of the plot; None if there is
    none.
    """
    count = min(len(seen.items), max(1, most))
    row = count - 1 - round(y)
    if row not in range(count):
        return None
    heights = _heights(seen)
    arm = min(heights, key=lambda name: abs(count - 1 - row + heights[name] - y))
    estimates = seen.arms[arm][row]
    return min(range(len(estimates)), key=lambda trial: abs(estimates[trial] - x)), row


def _heights(seen: TrialEstimates) -> dict[str, float]:
    """The place of each arm within an item's row."""
    names = [name for name in ARMS if name in seen.arms]
    step = 2 * SPREAD / max(1, len(names) - 1)
    return {name: SPREAD - step * at if len(names) > 1 else 0.0 for at, name in enumerate(names)}


def _ends(mean: float, sigma: float) -> tuple[float, float]:
    return mean - NORMAL_95 * sigma, mean + NORMAL_95 * sigma


def _intervals(
    expected: Sequence[tuple[float, float]], rows: Sequence[float], height: float
) -> Series:
    """The series of lines over the middle 95 % of single estimates in each row."""
    xs = [x for pair in expected for x in (*_ends(*pair), math.nan)]
    ys = [y for row in rows for y in (row + height, row + height, math.nan)]
    return Series("", xs, ys, "muted", "line", legend=False)


def _ticks(seen: TrialEstimates, rows: Sequence[float]) -> list[tuple[float, str]]:
    """The names of the items, in the upper half of their rows."""
    labels = [f"{'▸ ' if at < seen.targets else ''}{label}" for at, label in enumerate(seen.labels)]
    places = [row + SPREAD / 2 for row in rows]
    return sorted(zip(places, labels, strict=False))


def _note(seen: TrialEstimates, count: int) -> str:
    many = f"one of the first {fmt.count(seen.trials)} trials" if seen.trials > 1 else "one trial"
    notes = [f"a mark is {many}"]
    if seen.targets:
        notes.append("▸ targets")
    notes.append("lines: 95 % by the closed form" if seen.expected else "no 95 % closed form")
    if count < len(seen.items):
        notes.append(f"{count} of {len(seen.items)} items shown")
    return "; ".join(notes)


def trials_table(seen: TrialEstimates) -> ChartTable:
    """The table of trials and items: the estimates in each arm, and the attacked one in
    units of σ.
    """
    arms = [name for name in ARMS if name in seen.arms]
    sigmas = [sigma for pairs in seen.expected.values() for _, sigma in pairs]
    number = TableColumn("", min(6, fmt.decimals(sigmas)))
    last = next((name for name in reversed(arms) if name in seen.expected), "")
    heads = [TableColumn("trial"), TableColumn("item"), replace(number, name="true")]
    heads += [replace(number, name=ARMS[name][0]) for name in arms]
    heads += [TableColumn("z", 2, sign=True)] if last else []
    rows: list[tuple[Value, ...]] = []
    for trial in range(seen.trials):
        for at, label in enumerate(seen.labels):
            estimates = [seen.arms[name][at][trial] for name in arms]
            score: list[Value] = []
            if last:
                mean, sigma = seen.expected[last][at]
                score = [(seen.arms[last][at][trial] - mean) / sigma if sigma else None]
            rows.append((trial + 1, label, seen.true[at], *estimates, *score))
    return ChartTable("Estimates of single trials", tuple(heads), tuple(rows))
