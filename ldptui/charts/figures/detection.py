"""A filter's score: its distribution in both groups of users, and its ROC curve. Pure."""

from __future__ import annotations

from typing import Final

from ...session.snapshot import Detection
from ...text import format as fmt
from ..series import Axis, Plot, Series, Tone
from .table import Column, Table

CHANCE: Final = (0.0, 1.0)


def scores_plot(seen: Detection, *, note: str = "") -> Plot:
    """The share of each group of users by their score, in one trial."""
    groups: tuple[tuple[tuple[int, ...], str, Tone], ...] = (
        (seen.genuine, "genuine users", "clean"),
        (seen.fakes, "fake users", "attacked"),
    )
    series = tuple(
        Series(label, seen.scores, _shares(counts), tone, cloud=False)
        for counts, label, tone in groups
        if sum(counts)
    )
    trial = f"one trial: {fmt.count(sum(seen.genuine))} genuine, {fmt.count(sum(seen.fakes))} fake"
    equal = "every report has the same score" if len(seen.scores) == 1 else ""
    return Plot(
        f"Score of {seen.kind}",
        Axis(f"score: {seen.meaning}" if seen.meaning else "score"),
        Axis("share of the group", low=0.0),
        series,
        note="; ".join(filter(None, (trial, equal, note))),
    )


def roc_plot(seen: Detection, *, note: str = "") -> Plot:
    """Caught fakes over flagged genuine users, for every threshold of the score."""
    if seen.area is None:
        return Plot(
            "ROC curve", Axis("flagged genuine users"), Axis("flagged fakes"), (),
            note="; ".join(filter(None, ("no fakes", note))),
        )  # fmt: skip
    series = [
        Series("every threshold", seen.wrong, seen.caught, "attacked", cloud=False),
        Series("chance", CHANCE, CHANCE, "muted", "dotted"),
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
        note="; ".join(filter(None, ("one trial", note))),
    )


def detection_table(seen: Detection) -> Table:
    """Both groups by score, highest first, with the rates where all from there on are flagged."""
    rows, wrong, caught = [], 0, 0
    genuine, fakes = sum(seen.genuine), sum(seen.fakes)
    for score, right, fake in reversed(
        list(zip(seen.scores, seen.genuine, seen.fakes, strict=True))
    ):
        wrong, caught = wrong + right, caught + fake
        rates = wrong / genuine if genuine else None, caught / fakes if fakes else None
        rows.append((score, right, fake, *rates))
    heads = ("score", "genuine", "fakes", "genuine flagged", "fakes flagged")
    columns = (Column(heads[0]), Column(heads[1]), Column(heads[2]), Column(heads[3], 4),
               Column(heads[4], 4))  # fmt: skip
    return Table(f"score of {seen.kind}, one trial", columns, tuple(rows))


def _shares(counts: tuple[int, ...]) -> tuple[float, ...]:
    total = sum(counts)
    return tuple(count / total for count in counts)
