"""The tab Screening: whether fakes are among the reports of a collection that is opened."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...charts.series import Axis, Bar, Bars, Plot, Series
from ...questions.inputs import Ask, Steps
from ...questions.report_options import ScreenOptions
from ...questions.sheet import Answer, Figure, curves, figure, listed
from ...text import format as text
from ..rated import SHORT
from ..screened import HEADS, PROVED, Screening
from .collection import opened, screened_of

COLUMNS: Final = 5
"""Columns of the table of screens that there is room for: `ldptui screen` has all."""


def answer(options: ScreenOptions, ask: Ask) -> Steps:
    """The verdicts of all screens, and the estimates before and after what they name."""
    collection = opened(options, ask)
    files = text.plural(len(collection.reports), "file")
    yield f"screening {files}, and simulated collections for the rates of filters"
    found = screened_of(collection, options.simulated)
    title = f"{collection.title}, {text.plural(found.reports, 'report')}"
    verdict = found.verdict
    return Answer(
        listed(title, HEADS[:COLUMNS], [row[:COLUMNS] for row in found.cells]),
        verdict=[f"{verdict[:1].upper()}{verdict[1:]}.", *_named(found)],
        notes=[" ".join([PROVED, *SHORT.splitlines()])],
        figures=[*_pairs(found), _changed(found) if found.items else _powers(found)],
    )


def _named(found: Screening) -> Iterator[str]:
    """What the screens name, a sentence each."""
    for one, other, z in found.pairs[:3]:
        yield f"{one} and {other} go together {text.short(z, 3)} standard errors too often."
    if len(found.pairs) > 3:
        yield f"So do {text.count(len(found.pairs) - 3)} more pairs."


def _pairs(found: Screening) -> Iterator[Figure]:
    """The pairs nearest to their limits, or beyond them."""
    if not found.nearest.size:
        return
    shares = found.nearest.tolist()
    over = sum(share > 1 for share in shares)
    ranks = tuple(range(1, len(shares) + 1))
    plot = Plot(
        "Pairs of items beside what honest reports explain",
        Axis("rank of the pair"),
        Axis("support beyond, in limits"),
        (
            Series("beyond", ranks[:over], shares[:over], "attacked", "points"),
            Series("within", ranks[over:], shares[over:], "clean", "points"),
        ),
        ((1.0, "alarm"),),
        note="each pair's support beyond what its two items explain, as a share of its limit",
    )
    yield curves(plot, "pair", "rank")


def _changed(found: Screening) -> Figure:
    """The suspicious items' estimates without the suspicious reports; a mark: with them."""
    rows = found.changes
    bars = tuple(Bar(label, after, before=before, target=True) for label, before, after in rows)
    chart = Bars(
        "Estimates without the suspicious reports",
        bars,
        note="before: from all reports; the bar: without the suspicious ones",
    )
    return figure(chart, ("", "item", "all reports", "without"), [("", *row) for row in rows])


def _powers(found: Screening) -> Figure:
    """The power of each screen that has one; a mark: its false-alarm rate."""
    told = [each for each in found.screens if each.power is not None]
    bars = tuple(Bar(each.kind, float(each.power or 0.0), true=each.false_alarm) for each in told)
    chart = Bars(
        "Power against 1 % of fakes (MGA on rare items)", bars, item="screen", value="power",
        truth="false",
    )  # fmt: skip
    rows = [("", each.kind, each.power, each.false_alarm) for each in told]
    return figure(chart, ("", "screen", "power", "false alarms"), rows)
