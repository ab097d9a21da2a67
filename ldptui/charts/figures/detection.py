"""A filter's score: its distribution in both groups of users, and its ROC curve. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Final

from msgspec.structs import replace

from ldptui.core.view import Detection

from ...text import format as fmt
from ..chart_data import ChartData
from ..series import Axis, Plot, Series, Tone
from .frame import Frame, FrameView, Room, draw_plot
from .table import ChartTable, TableColumn, Value

CHANCE: Final = (0.0, 1.0)


def frame(data: ChartData, _: Mapping[str, str]) -> Frame | str:
    """The chart of a filter's scores of fake and genuine users, with the ROC curve."""
    seen = data.run.detection if data.run is not None else None
    if seen is None:
        return ""

    def draw_roc(at: float | None, _: Room) -> Plot:
        return replace(roc_plot(seen), cursor=None if at is None else _flagged_from(seen, at)[0])

    def nearest_rates(place: tuple[float, float], _: Room) -> tuple[float, int]:
        return min(seen.scores, key=lambda at: math.dist(_flagged_from(seen, at), place)), 0

    read = partial(score_table, seen)
    views = {
        "scores": FrameView("scores", draw_plot(scores_plot(seen)), seen.scores, read),
        "roc": FrameView("ROC", draw_roc, seen.scores, read, nearest_rates),
    }
    return Frame(detection_table(seen), views, least=2)


def scores_plot(seen: Detection) -> Plot:
    """The distribution of a filter's score over genuine and over fake users, in one trial."""
    groups: tuple[tuple[tuple[int, ...], str, Tone], ...] = (
        (seen.genuine, "genuine users", "clean"),
        (seen.fakes, "fake users", "attacked"),
    )
    series = tuple(
        Series(label, seen.scores, _shares(counts), tone, cloud=False)
        for counts, label, tone in groups
        if sum(counts)
    )
    most = max((max(each.y) for each in series if each.y), default=0.0)
    trial = f"one trial: {fmt.count(sum(seen.genuine))} genuine, {fmt.count(sum(seen.fakes))} fake"
    equal = "every report has the same score" if len(seen.scores) == 1 else ""
    return Plot(
        f"Score of {seen.kind}",
        Axis(f"score: {seen.meaning}" if seen.meaning else "score"),
        Axis("share of the group", low=0.0, high=1.0 if most > 0.5 else None),
        series,
        note="; ".join(filter(None, (trial, equal))),
    )


def roc_plot(seen: Detection) -> Plot:
    """The ROC curve: the share of fakes caught over the share of genuine users flagged."""
    if seen.area is None:
        return Plot(
            "ROC curve", Axis("flagged genuine users"), Axis("flagged fakes"), (),
            note="no fakes",
        )  # fmt: skip
    series = [  # without colours the last one hides those before it
        Series("chance", CHANCE, CHANCE, "muted", "dotted"),
        Series("every threshold", seen.wrong, seen.caught, "attacked", cloud=False),
    ]
    flagged = seen.flagged
    if flagged is not None:
        at = Series(
            f"{seen.kind} flags", (flagged[0],), (flagged[1],), "target", "points", cloud=False
        )
        series.append(at)
    return Plot(
        f"ROC curve, area {fmt.short(seen.area, 4)}",
        Axis("share of the genuine users flagged", low=0.0, high=1.0),
        Axis("share of the fakes flagged", low=0.0, high=1.0),
        tuple(series),
        note="one trial",
    )


def detection_table(seen: Detection) -> ChartTable:
    """Genuine and fake users by score, highest first, with the rates if all scores from there on
    are flagged.
    """
    rows, wrong, caught = [], 0, 0
    genuine, fakes = sum(seen.genuine), sum(seen.fakes)
    for score, right, fake in reversed(
        list(zip(seen.scores, seen.genuine, seen.fakes, strict=True))
    ):
        wrong, caught = wrong + right, caught + fake
        rates = wrong / genuine if genuine else None, caught / fakes if fakes else None
        rows.append((score, right, fake, *rates))
    heads = ("score", "genuine", "fakes", "genuine flagged", "fakes flagged")
    columns = (TableColumn(heads[0]), *(TableColumn(head, grouped=True) for head in heads[1:3]),
               *(TableColumn(head, 4) for head in heads[3:]))  # fmt: skip
    return ChartTable(f"score of {seen.kind}, one trial", columns, tuple(rows))


def score_table(seen: Detection, score: float) -> ChartTable:
    """A score in both groups of users: the share that has it, and the share flagged at this score
    or above.

    ± is the standard deviation of a share of these users, √(s (1 - s) / users).
    """
    at, rows = seen.scores.index(score), list[tuple[Value, ...]]()
    for name, counts in (("genuine users", seen.genuine), ("fake users", seen.fakes)):
        users = sum(counts)
        if users:
            shares = counts[at] / users, sum(counts[at:]) / users
            pairs = [part for share in shares for part in (share, _spread(share, users))]
            rows.append((name, score, counts[at], *pairs))
    heads = ("share", "± error", "flagged from here", "± error")
    columns = (TableColumn("group"), TableColumn("score"), TableColumn("users", grouped=True))
    return ChartTable("", (*columns, *(TableColumn(head, 4) for head in heads)), tuple(rows))


def _spread(share: float, users: int) -> float | None:
    """The standard deviation of a share; None for a share of 0 or 1."""
    return math.sqrt(share * (1 - share) / users) or None


def _flagged_from(seen: Detection, score: float) -> tuple[float, float]:
    """The shares of genuine users and of fakes with a score of at least this one."""
    at = seen.scores.index(score)
    wrong, caught = (
        sum(counts[at:]) / max(1, sum(counts)) for counts in (seen.genuine, seen.fakes)
    )
    return wrong, caught


def _shares(counts: tuple[int, ...]) -> tuple[float, ...]:
    total = sum(counts)
    return tuple(count / total for count in counts)
