"""The tab Estimates: what the reports of a collection that is opened tell, with intervals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from ldptui.core.law.capabilities import lacking
from ldptui.core.law.numbers import tells_numbers
from ldptui.core.reports.counted import Counted

from ...charts.series import Bar, Bars
from ...questions.inputs import Ask, Steps
from ...questions.report_options import EstimateOptions
from ...questions.sheet import Answer, Figure, figure, listed
from ...text import format as text
from ..collected import Frequencies, estimate
from ..numbers import estimate_numbers
from .collection import Opened, counted_of, opened

LISTED: Final = 1000
"""Rows of the table, and bars, at most: the largest estimates."""


def answer(options: EstimateOptions, ask: Ask) -> Steps:
    """The estimates of all items, the largest first."""
    collection = opened(options, ask)
    yield f"counting the reports of {_files(collection)}"
    total = counted_of(collection)
    if tells_numbers(collection.protocol):
        return _of_numbers(options, collection, total)
    top = None if options.top is None else min(options.top, collection.protocol.domain_size)
    found = estimate(
        total,
        collection.protocol,
        corrections=[*options.correct],
        confidence=options.confidence,
        top=top,
        simultaneous=options.simultaneous,
    )
    order = np.argsort(-found.values, kind="stable")[: top or LISTED]
    heads, rows = _rows(found, order.tolist())
    title = f"{collection.title}, {text.plural(found.reports, 'report')}"
    return Answer(
        listed(title, heads, rows),
        verdict=[*_verdict(found, order.tolist())],
        notes=[*_notes(found)],
        figures=(_chart(found, order.tolist(), title),),
    )


def _of_numbers(options: EstimateOptions, collection: Opened, total: Counted) -> Answer:
    """The mean of the users' numbers, and how they are distributed where reports tell it."""
    protocol: Any = collection.protocol
    parts = options.parts if lacking(protocol, "chances", "") is None else None
    found = estimate_numbers(
        total, protocol, confidence=options.confidence, share=options.share, parts=parts
    )
    title = f"{collection.title}, {text.plural(found.reports, 'report')}"
    shares: list[list[Any]] = [
        [f"{text.short(row['low'])} … {text.short(row['high'])}", row["share"]]
        for row in found.rows()
    ]
    rows = [["mean", found.mean], ["standard error", found.std],
            ["low end of its interval", found.low], ["high end", found.high], *shares]  # fmt: skip
    bars = tuple(Bar(part, share) for part, share in shares)
    heads = ("part", "share of the users")
    drawn = [figure(Bars(title, bars, item="part", value="share"), heads, shares)] * bool(bars)
    sure, robust = text.percent(found.confidence), ""
    if found.share is not None:
        robust = f", whatever {text.percent(found.share)} of the reports say"
    reach = (found.high - found.low) / 2
    return Answer(
        listed(title, ["quantity", "value"], rows),
        verdict=[f"The mean of the users' numbers is {text.estimate(found.mean, reach)}."],
        notes=[f"the interval holds the mean with {sure}{robust}",
               *(["shares of the users in parts of the range, fitted by EMS"] if bars else [])],
        figures=tuple(drawn),
    )  # fmt: skip


def _files(collection: Opened) -> str:
    number = len(collection.reports)
    return collection.reports[0].name if number == 1 else f"{text.count(number)} files"


def _half(found: Frequencies) -> np.ndarray | None:
    """float64[d], the half-widths that are drawn: of all intervals together where asked for."""
    if found.simultaneous and found.half is not None:
        return found.half
    return None if found.std is None else found.width * found.std


def _rows(found: Frequencies, items: list[int]) -> tuple[list[str], list[list[str | float]]]:
    """The heads and the rows of the table."""
    half, sure = _half(found), found.in_top
    heads = ["item", "estimate", *(["low", "high"] if half is not None else [])]
    heads += [f"in the top {found.top}"] if sure is not None else []
    rows: list[list[str | float]] = []
    for item in items:
        value = float(found.values[item])
        row: list[str | float] = [found.labels[item], value]
        row += [] if half is None else [value - float(half[item]), value + float(half[item])]
        row += [] if sure is None else [float(sure[item])]
        rows.append(row)
    return heads, rows


def _verdict(found: Frequencies, items: list[int]) -> Iterator[str]:
    half, first = _half(found), items[0]
    value = float(found.values[first])
    told = text.estimate(value, None if half is None else float(half[first]))
    yield f"{found.labels[first]} has the largest estimate: {told}."
    if found.misfit is not None:
        yield f"{found.misfit[:1].upper()}{found.misfit[1:]}."


def _notes(found: Frequencies) -> Iterator[str]:
    if found.std is None:
        yield "no intervals: the noise has no closed form" + " after a correction" * bool(
            found.corrections
        )
        return
    sure = text.percent(found.confidence)
    if found.simultaneous and found.half is not None:
        yield f"the intervals cover all {text.count(found.values.size)} items with {sure}"
    else:
        yield f"each interval covers its item with {sure}, where nobody cheats"
    if found.values.size > LISTED:
        yield f"the {text.count(LISTED)} largest of {text.count(found.values.size)} items"


def _chart(found: Frequencies, items: list[int], title: str) -> Figure:
    """A bar for each item with its interval; the cursor reads its ends."""
    heads, rows = _rows(found, items)
    half = _half(found)
    bars = tuple(
        Bar(
            found.labels[item],
            float(found.values[item]),
            None if half is None else float(half[item]),
        )
        for item in items
    )
    rest = "" if len(items) == found.values.size else "smaller estimates have no bar"
    return figure(Bars(title, bars, rest=rest), ("", *heads), [("", *row) for row in rows])
