"""The distribution of numbers: true, and as it is estimated before and after the attack. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from ...text import format as fmt
from ..chart_data import ChartData
from ..series import Axis, Plot, Series, Tone
from .frame import Frame, plain_frame
from .table import ChartTable, TableColumn

ARMS: Final[tuple[tuple[str, str, Tone], ...]] = (
    ("clean", "before", "clean"),
    ("attacked", "after", "attacked"),
    ("attacked_defended", "defended", "theory"),
)
"""The arms that are drawn: their names, in the legend, and their tones."""


def frame(data: ChartData, chosen: Mapping[str, str]) -> Frame | str:  # noqa: ARG001
    """The chart of the share of users in each bin of the range of numbers, with the means.

    "" without numbers, a sentence if there are too many bins to draw.
    """
    found, cell = data.frequencies, data.base
    if found is None or cell is None or "task.low" not in cell.parameters:
        return ""
    if len(found.items) != found.domain_size:
        return "There are too many parts to draw each of them: 2 opens the number of items."
    low, high = (float(cell.parameters[f"task.{end}"]) for end in ("low", "high"))
    numbers = low + (np.arange(found.domain_size) + 0.5) * (high - low) / found.domain_size
    shift_of = cell.metrics.get("mean_shift")
    attacked = shift_of is not None and shift_of.mean is not None
    arms = [
        (legend, tone, np.array(found.arms[name].mean), found.arms[name].std)
        for name, legend, tone in ARMS
        if name in found.arms and (attacked or name == "clean")
    ]
    true = np.array(found.true)
    series = [Series("true", numbers, true, "true", "line")]
    series += [Series(legend, numbers, mean, tone, "points") for legend, tone, mean, _ in arms]
    means = [
        ("true", float(true @ numbers)),
        *((name, float(m @ numbers)) for name, _, m, _ in arms),
    ]
    said = ", ".join(f"{name} {fmt.short(mean)}" for name, mean in means)
    shift = f"; shift {fmt.short(means[2][1] - means[1][1], sign=True)}" if attacked else ""
    top = max(float(part.max()) for part in (true, *(mean for _, _, mean, _ in arms)))
    series += [
        Series("", [float(mean @ numbers)] * 2, [0.0, top], tone, "dotted", legend=False)
        for _, tone, mean, _ in arms
    ]
    plot = Plot(
        "Distribution of the users' numbers",
        Axis("number", low=low, high=high),
        Axis("share of the users in each part", low=0.0, high=1.05 * top),
        tuple(series),
        note=f"dotted: the means: {said}{shift}",
    )
    columns = [TableColumn("number", 4), TableColumn("true", 4)]
    cells: list[Any] = [numbers, true]
    for legend, _, mean, std in arms:
        columns += [TableColumn(legend, 4), TableColumn("±", digits=2)]
        error = [None] * mean.size if std is None else np.array(std) / np.sqrt(found.trials)
        cells += [mean, error]
    rows = tuple(zip(*(list(map(_plain, column)) for column in cells), strict=True))
    table = ChartTable("Share of the users in each part of the range", tuple(columns), rows)
    return plain_frame(table, plot, column=0)


def _plain(value: Any) -> float | None:
    return None if value is None else float(value)
