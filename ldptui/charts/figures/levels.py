"""Heavy hitters level by level: the prefixes that survive, before and after the attack."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ...text import format as fmt
from ...text.interval import INTERVAL, reach_95
from ..chart_data import ChartData
from ..series import Axis, Plot, Series, Tone
from .frame import Frame, plain_frame
from .table import MEASURED, ChartTable, TableColumn, Value

Details = Mapping[str, Any]
GROUPS: Final[tuple[tuple[str, str, str, Tone], ...]] = (
    ("hitters", "clean", "true hitters before", "clean"),
    ("hitters", "attacked", "true hitters after", "attacked"),
    ("targets", "clean", "targets before", "muted"),
    ("targets", "attacked", "targets after", "target"),
)
"""The prefixes that are counted, and the arm, with their name and colour."""


def frame(data: ChartData, _: Mapping[str, str]) -> Frame | str:
    """The chart of the prefixes that survive each level."""
    details = data.run.levels if data.run is not None else None
    if details is None:
        return ""
    return plain_frame(survivors_table(details), survivors_plot(details), least=4)


def survivors_table(details: Details) -> ChartTable:
    """The table of the mean numbers of surviving prefixes: a row for each level, group of prefixes
    and arm.
    """
    rows: list[tuple[Value, ...]] = []
    for level in details["levels"]:
        sizes = level["level"], level["bits"], level["candidates"]
        for group, arm, words, _ in GROUPS:
            measured = level[arm][group]
            if measured["mean"]:
                rows.append((words, *sizes, measured["mean"], measured["standard_error"]))
    columns = (TableColumn("prefixes"), TableColumn("level"), TableColumn("bits λ"),
               TableColumn("candidates"), TableColumn(MEASURED, 3),
               TableColumn("± error", 3))  # fmt: skip
    trials = fmt.count(details["trials"])
    return ChartTable(f"Survivors of each level, mean of {trials} trials", columns, tuple(rows))


def survivors_plot(details: Details) -> Plot:
    """The mean number of prefixes that survive each level."""
    levels, trials = details["levels"], details["trials"]
    xs = [float(level["level"]) for level in levels]
    points, most = list[Series](), 1.0
    for group, arm, name, tone in GROUPS:
        measured = [level[arm][group] for level in levels]
        means = [each["mean"] for each in measured]
        if group == "targets" and not any(level["target_prefixes"] for level in levels):
            continue
        errors = [reach_95(trials) * (each["standard_error"] or 0.0) for each in measured]
        points.append(Series(name, xs, means, tone, "points", errors))
        most = max(most, *map(sum, zip(means, errors, strict=True)))
    shown = f"mean of {fmt.count(trials)} trials {INTERVAL}" if trials > 1 else "one trial"
    return Plot(
        "Survivors over the levels",
        Axis("level", low=0.5, high=len(levels) + 0.5),
        Axis("prefixes that survive", low=0.0, high=1.05 * most),
        tuple(points),
        note=f"points: {shown}; the table has the candidates, Items has each item",
    )
