"""The intervals of the largest items side by side: if nobody is fake, and if a share is. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from msgspec.structs import replace

from ldptui.core.view import Ends

from ...text import format as fmt
from ..chart_data import ChartData
from ..series import Axis, Plot, Series
from .frame import Frame, FrameView, draw_plot
from .table import ChartTable, TableColumn

BESIDE: Final = 0.15
"""The place of an item's interval, left and right of the item's own."""
HEADS: Final = ("item", "estimate", "naive low", "naive high", "low", "high", "β*")


def intervals_plot(title: str, ends: Ends, true: Sequence[float] | None, note: str = "") -> Plot:
    """The naive interval of each item to the left of its rank, the robust interval to the right
    where a share is fake.

    true : the true frequencies, drawn as marks; None if unknown.
    """
    ranks = range(1, len(ends.labels) + 1)
    left, right = ([rank + side for rank in ranks] for side in (-BESIDE, BESIDE))
    half = (np.array(ends.naive_high) - ends.naive_low) / 2
    pairs = [(*each, math.nan) for each in zip(ends.low, ends.high, strict=True)]
    series = [
        Series("if nobody is fake", left, ends.estimates, "clean", "points", half, cloud=False)
    ]
    if ends.share:
        robust = np.repeat(right, 3), np.array(pairs).ravel()
        series.append(Series(f"up to {fmt.percent(ends.share)} fake", *robust, "attacked"))
    if true is not None:
        series.append(Series("true", [*ranks], true, "true", "points", cloud=False))
    ticks = [(float(rank), label) for rank, label in zip(ranks, ends.labels, strict=True)]
    across = Axis("item, by its estimate", low=0.5, high=len(ticks) + 0.5, ticks=ticks)
    return Plot(title, across, Axis("frequency"), tuple(series), note=note)


def interval_rows(ends: Ends) -> list[tuple[str | float | None, ...]]:
    """The rows of the table of intervals, one for each item, with the columns of `HEADS`."""
    columns = (
        ends.labels, ends.estimates, ends.naive_low, ends.naive_high, ends.low, ends.high,
        ends.overturning,
    )  # fmt: skip
    return [*zip(*columns, strict=True)]


def frame(data: ChartData, _: Mapping[str, str]) -> Frame | str:
    """The chart, for paper, of the naive and robust intervals of one collection."""
    view = intervals_view(data)
    return "" if view is None or view.table is None else Frame(view.table, {"": view})


def intervals_view(data: ChartData) -> FrameView | None:
    """The view of the intervals of one collection of a run, with the true frequencies; None if the
    run has none.
    """
    ends = data.frequencies.ends if data.frequencies is not None else None
    if ends is None:
        return None
    inside = [
        sum(low <= true <= high for low, true, high in zip(lows, ends.true, highs, strict=True))
        for lows, highs in ((ends.low, ends.high), (ends.naive_low, ends.naive_high))
    ]
    note = f"the truth lies inside {inside[0]} of {len(ends.true)}"
    note += f", without regard to fakes inside {inside[1]}" * (ends.share > 0)
    plot = intervals_plot("What one collection still tells (95 %)", ends, ends.true, note)
    rows = tuple(
        (row[0], rank, *row[1:], true)
        for rank, (row, true) in enumerate(zip(interval_rows(ends), ends.true, strict=True), 1)
    )
    heads = [HEADS[0], "rank", *HEADS[1:], "true"]
    columns = tuple(TableColumn(head, None if head in ("item", "rank") else 4) for head in heads)
    title = f"Intervals of {fmt.count(ends.reports)} reports; β*: fakes that swap it with the next"
    table = ChartTable(title, columns, rows)

    def read(rank: int) -> ChartTable:
        return replace(table, rows=(rows[rank - 1],))

    return FrameView("intervals", draw_plot(plot), range(1, len(rows) + 1), read, table=table)
