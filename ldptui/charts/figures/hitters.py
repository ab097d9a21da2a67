"""Charts of heavy hitters: who survives the levels, and the counts that the server names. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from ...text import format as fmt
from ...text.interval import INTERVAL, reach_95
from ..series import Axis, Plot, Series, Tone
from .levels import Details, items_table
from .table import Frame

GROUPS: Final[tuple[tuple[str, str, str, Tone], ...]] = (
    ("hitters", "clean", "true hitters before", "clean"),
    ("hitters", "attacked", "true hitters after", "attacked"),
    ("targets", "clean", "targets before", "muted"),
    ("targets", "attacked", "targets after", "target"),
)
"""The prefixes that are counted, and the arm, with their name and colour."""


def survivors_plot(details: Details, at: int | None = None) -> Plot:
    """The prefixes that survive each level: means as points, approximations as lines.

    at : the level that is looked at.
    """
    levels, trials = details["levels"], details["trials"]
    xs = [float(level["level"]) for level in levels]
    lines, points, most = list[Series](), list[Series](), 1.0
    for group, arm, name, tone in GROUPS:
        measured = [level[arm][group] for level in levels]
        means = [each["mean"] for each in measured]
        theory = [each["theory"] for each in measured]
        if group == "targets" and not any(level["attacked"][group]["theory"] for level in levels):
            continue
        known = [math.nan if value is None else value for value in theory]
        errors = [reach_95(trials) * (each["standard_error"] or 0.0) for each in measured]
        lines.append(Series(name, xs, known, tone, legend=False))
        points.append(Series(name, xs, means, tone, "points", errors))
        tops = [*(y for y in known if math.isfinite(y)), *map(sum, zip(means, errors, strict=True))]
        most = max(most, *tops)
    line = Series("line = approximation", (), (), "muted")
    shown = f"mean of {fmt.count(trials)} trials {INTERVAL}" if trials > 1 else "one trial"
    return Plot(
        "Survivors over the levels",
        Axis("level", low=0.5, high=len(levels) + 0.5, ticks=_numbers(levels)),
        Axis("prefixes that survive", low=0.0, high=1.05 * most),
        (*lines, *points, line),
        note=f"points: {shown}",
        cursor=None if at is None else float(at),
    )


def _numbers(levels: Sequence[Details]) -> list[tuple[float, str]]:
    """The levels that have a tick: all, or every second one, third one, …"""
    step = -(-len(levels) // 12)
    return [(float(level["level"]), str(level["level"])) for level in levels[::step]]


def counts_plot(details: Details) -> Plot:
    """The count of users that the server names for each watched item, over the true one.

    Both axes are logarithmic; the note says how many items have no place on them.
    """
    users = {"clean": details["users"], "attacked": details["users"] + details["malicious"]}
    series, values, placeless = list[Series](), list[float](), set[str]()
    for group, arm, name, tone in GROUPS[:2] + GROUPS[3:]:
        pairs = []
        for item in details["watched"]:
            if item["target"] == (group == "targets"):
                pair = item["true"], (item[arm]["estimate"] or 0.0) * users[arm]
                if min(pair) > 0:
                    pairs.append(pair)
                elif arm == "attacked":
                    placeless.add(item["item"])
        if pairs:
            xs, ys = zip(*pairs, strict=True)
            series.append(Series(name, xs, ys, tone, "points", cloud=False))
            values += [*xs, *ys]
    ends = (min(values) / 1.5, max(values) * 1.5) if values else (1.0, 10.0)
    notes = ["mean where an item is named"]
    if placeless:
        notes.append(f"{len(placeless)} of {len(details['watched'])} are not named or at 0")
    return Plot(
        "Estimated over true counts",
        Axis("true count of users", log=True, low=ends[0], high=ends[1]),
        Axis("estimated count of users", log=True, low=ends[0], high=ends[1]),
        (Series("estimated = true", ends, ends, "theory"), *series),
        note="; ".join(notes),
    )


def items_frame(details: Details | None) -> Frame | None:
    """The watched items with their counts; None before the first trial."""
    return None if details is None else Frame(items_table(details), counts_plot(details))
