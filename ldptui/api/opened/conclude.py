"""The tab Conclude: what reports still tell if a share of them may be fake, as β is typed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final, TypeAlias

import numpy as np

from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.pulse import no_pulse
from ldptui.core.base.sampling import Floats
from ldptui.core.bounds.claims import Sum, above
from ldptui.core.cell import Cell
from ldptui.core.collection.counts import block_counts
from ldptui.core.lab.concluding import Heard, heard_counts
from ldptui.core.law.pure import sends_reports
from ldptui.core.theory.evidence import of_cell
from ldptui.core.view import Ends

from ...charts.figures.intervals import HEADS, interval_rows, intervals_plot
from ...charts.series import Bar, Bars
from ...questions.collection import RUN
from ...questions.inputs import Ask, Steps
from ...questions.report_options import ConcludeOptions
from ...questions.sheet import Answer, Figure, figure, listed
from ...text import format as text
from ..collected import misfit_words
from ..concluded import Conclusions, concludable, conclude, concluded_of, heard_reports
from .collection import Opened, opened
from .estimate import LISTED

DRAWN: Final = 10
"""Items of the chart: the largest estimates."""
Heading: TypeAlias = tuple[str, Conclusions, Floats | None]
"""A title, what is concluded, and float64[d], the true frequencies where they are known."""


def answer(options: ConcludeOptions, ask: Ask) -> Steps:
    """The intervals of all items, the largest estimates first, and what overturns their ranks."""
    if options.subject == RUN:
        yield "drawing a trial of the scenario"
        title, found, truth = _run(options, ask)
    else:
        collection = opened(options, ask)
        yield f"reading {text.count(len(collection.reports))} files"
        title, found, truth = _files(options, collection)
    title = f"{title}, {text.plural(found.reports, 'report')}"
    order = np.argsort(-found.estimates, kind="stable")[:LISTED].tolist()
    overturning = _overturning(found)
    rows = interval_rows(_ends(found, order, overturning))
    first = order[:DRAWN]
    return Answer(
        listed(title, HEADS, rows),
        verdict=[*_verdict(found, order, truth)],
        notes=[*_notes(found)],
        figures=(
            _intervals(_ends(found, first, overturning), first, title, truth),
            _shares(found, first, overturning),
        ),
    )


def _files(options: ConcludeOptions, collection: Opened) -> Heading:
    concludable(collection.protocol, collection.labels)
    heard = _heard(collection, options.confidence)
    asked = {**_asked(options), "labels": collection.labels}
    found = conclude(heard, collection.protocol, sharp=options.sharp, trust=options.trust, **asked)
    return collection.title, found, None


def _asked(options: ConcludeOptions) -> dict[str, Any]:
    """The options that conclusions of every kind take."""
    return {
        "share": options.share, "claims": options.claims, "confidence": options.confidence,
    }  # fmt: skip


@lru_cache(maxsize=2)
def _heard(collection: Opened, confidence: float) -> Heard:
    """The counts and the floor of all its reports, kept until a file changes; raises LdpError."""
    pure: Any = collection.protocol
    return heard_reports([*collection.reports], pure, confidence, collection.labels)


def _run(options: ConcludeOptions, ask: Ask) -> Heading:
    """The conclusions from the first trial of the scenario's first cell, attacked."""
    cell = ask.cell("").peak
    if cell.python_code:
        raise ScenarioError("must be files: the scenario has code in Python", key="subject")
    found = _of_run(cell, options)
    title = str(cell.parameters["protocol.kind"]).upper()
    title = f"{title}, trial 1 with {text.percent(cell.share)} fake"
    return title, found, cell.population.histogram / cell.users


def _of_run(cell: Cell, options: ConcludeOptions) -> Conclusions:
    """The conclusions from the first trial of a cell."""
    if sends_reports(cell.protocol):
        try:
            concludable(cell.local, None)
        except ScenarioError as error:
            rule = f"must be files: the protocol {error.rule}"
            raise ScenarioError(rule, key="subject") from error
    elif not cell.concludes:
        rule = "must be files: the protocol withholds bins, whose frequencies are not known"
        raise ScenarioError(rule, key="subject")
    if options.sharp and (cell.trust.proves or not sends_reports(cell.protocol)):
        rule = f"must be off with the trust {cell.trust.kind}: its fakes always look honest"
        raise ScenarioError(rule, key="sharp")
    counts, reports = _trial(cell), cell.users + cell.malicious
    floor = (
        heard_counts(cell.pure, counts, reports, options.confidence).floor if cell.is_pure else None
    )
    evidence = of_cell(cell, cell.protocol.estimates(counts, reports).frequencies)
    labels = cell.population.labels or [*map(str, range(cell.population.domain_size))]
    asked = {**_asked(options), "labels": labels, "sharp": options.sharp}
    return concluded_of(evidence, asked.pop("share"), floor=floor, **asked)


@lru_cache(maxsize=2)
def _trial(cell: Cell) -> Any:
    """The counts of the cell's first trial, attacked."""
    return block_counts(cell, 0, 1, no_pulse)[1][0]


# What is shown.


def _overturning(found: Conclusions) -> dict[int, float]:
    """β* of "the item is held more than the next one" by item; the last one has none."""
    order = np.argsort(-found.estimates, kind="stable")[: LISTED + 1].tolist()
    ahead = np.array([1.0, -1.0])
    return {
        item: found.overturned(above(Sum(np.array([item, after]), ahead))).share
        for item, after in pairwise(order)
    }


def _ends(found: Conclusions, items: Sequence[int], overturning: dict[int, float]) -> Ends:
    """The intervals of some items; the true frequencies are not among them."""

    def of(column: Floats) -> tuple[float, ...]:
        return tuple(column[items].tolist())

    return Ends(
        found.reports, found.share, tuple(found.labels[item] for item in items), (),
        of(found.estimates), of(found.naive_low), of(found.naive_high), of(found.low),
        of(found.high), tuple(map(overturning.get, items)),
    )  # fmt: skip


def _verdict(found: Conclusions, items: Sequence[int], truth: Floats | None) -> Iterator[str]:
    first = items[0]
    low, high = text.short(float(found.low[first]), 3), text.short(float(found.high[first]), 3)
    yield (
        f"If up to {text.percent(found.share)} of the reports are fake, "
        f"{found.labels[first]} is held by {low} to {high}."
    )
    if truth is not None:
        robust, naive = (
            int(((low <= truth) & (truth <= high)).sum())
            for low, high in ((found.low, found.high), (found.naive_low, found.naive_high))
        )
        yield (
            f"Of {text.count(truth.size)} true frequencies {text.count(robust)} are inside, "
            f"{text.count(naive)} inside the naive intervals."
        )
    for sentence in found.sentences:
        yield f"{sentence[:1].upper()}{sentence[1:]}."
    if found.misfit is not None:
        words = misfit_words(found.misfit, found.labels)
        yield f"{words[:1].upper()}{words[1:]}."


def _notes(found: Conclusions) -> Iterator[str]:
    sure = text.percent(found.confidence)
    yield f"each interval covers its item with {sure}; naive: only where nobody is fake"
    yield "β*: the share of fakes that overturns an item's lead over the next one"
    if found.sharp:
        yield "sharp: if all reports together look like an honest population's"
    if len(found.labels) > LISTED:
        yield f"the {text.count(LISTED)} largest of {text.count(len(found.labels))} items"


def _intervals(ends: Ends, items: Sequence[int], title: str, truth: Floats | None) -> Figure:
    """The intervals of the largest items side by side: naive ones left, robust ones right."""
    true = None if truth is None else truth[items].tolist()
    rows = interval_rows(ends)
    heads = ("", "rank", *HEADS[1:], *(["true"] if true is not None else []))
    shown = [
        (row[0], rank, *row[1:], *([] if true is None else true[rank - 1 : rank]))
        for rank, row in enumerate(rows, 1)
    ]
    return figure(intervals_plot(title, ends, true), heads, shown)


def _shares(found: Conclusions, items: Sequence[int], overturning: dict[int, float]) -> Figure:
    """β* of the claims that were typed, and of each item's lead; a mark: the share typed."""
    bars = [
        Bar(claimed.text, claimed.overturning.share, true=found.share, target=True)
        for claimed in found.claims
    ]
    bars += [
        Bar(found.labels[item], overturning[item], true=found.share)
        for item in items
        if item in overturning
    ]
    chart = Bars(
        "Share of fakes that overturns a claim, or a lead over the next item",
        tuple(bars),
        item="item",
        value="β*",
        truth="β",
    )
    rows = [("", bar.label, bar.value, found.share) for bar in bars]
    return figure(chart, ("", "item", "β*", "β"), rows)
