"""The answer of `conclude`: what reports tell if a share of them may be fake."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ldptui.core.base.sampling import Floats
from ldptui.core.bounds.claims import Sum, above
from ldptui.core.reports.concluding import RobustConclusion
from ldptui.core.view import Ends

from ..charts.figures.intervals import HEADS, interval_rows, intervals_plot
from ..charts.series import Bar, Bars
from ..text import format as text
from .question_answer import Table
from .reports_input import ReportAnswer, misfit_words
from .sheet import Figure, figure

UNSEEN: Final = "fakes whose reports look like an honest population's cannot be seen"
DRAWN: Final = 10
"""Items of the chart: the largest estimates."""
SHOWN: Final = 20
"""Items of a printed table, at most."""
LISTED: Final = 1000
"""Items of the table of a form, at most."""


@dataclass(frozen=True, eq=False, repr=False)
class ConcludeAnswer(RobustConclusion, ReportAnswer):
    """The answer of `conclude`: what reports show if at most a share of them is fake.

    Attributes
    ----------
    labels
        The names of the d items.
    reports
        N, the number of reports.
    share
        The largest share of fakes that is assumed.
    estimates
        float64[d], the estimated frequencies.
    low, high
        float64[d], the ends of intervals that cover whatever the fakes report.
    naive_low, naive_high
        float64[d], the same if nobody were fake.
    sharp
        True if low and high assume that all reports together look honest.
    confidence
        The confidence of each interval and bound.
    claims
        The claims, each with `text` and `overturning` (`share`, `low`).
    floor
        The smallest number of fakes, with `fakes`, `share` and `items`; None without reports
        and counts.
    misfit
        The count that honest reports of the protocol hardly ever have; None if there is none.
    overturned
        A function of a claim of `ldptui.core.bounds.claims`: the share of fakes that overturns it.
    collection
        The reports that were read, with `protocol`, `labels` and `files`.
    is_strict
        True if a misfit is a failure.
    """

    @property
    def title(self) -> str:
        return f"{super().title}{', sharp' * self.sharp}"

    @property
    def unfit(self) -> NDArray[np.bool_]:
        """bool[d]: the items whose reports fit no frequency, even if up to `share` of them are
        fake.
        """
        below = (self.high <= 0) & (self.estimates < 0)
        return np.asarray(below | ((self.low >= 1) & (self.estimates > 1)))

    @property
    def doubt(self) -> str | None:
        return None if self.misfit is None else misfit_words(self.misfit, self.labels)

    @property
    def findings(self) -> Iterator[str]:
        """The answer, a sentence for each claim, and the fakes."""
        first, fakes = int(np.argmax(self.estimates)), text.percent(self.share)
        low, high = text.short(float(self.low[first]), 3), text.short(float(self.high[first]), 3)
        if self.floor is not None and self.floor.share > self.share:
            proved = f"At least {text.percent(self.floor.share)} of the reports are fake"
            item = f"with up to {fakes}, item {self.labels[first]} would be"
            yield f"{proved}, more than the {fakes} assumed: {item} held by {low} to {high}."
        else:
            item = f"item {self.labels[first]} is held by {low} to {high}"
            yield f"If up to {fakes} of the reports are fake, {item}."
        sure = text.percent(self.confidence)
        said = (self._claims(sure), self._unfit(sure), self._fakes(sure))
        yield from (f"{words}." for each in said for words in each)

    def _claims(self, sure: str) -> Iterator[str]:
        for each in self.claims:
            beta, low = each.overturning.share, each.overturning.low
            if not each.overturning.stands:
                yield f"{each.text}: noise alone may overturn it"
                continue
            stands = "" if low > self.share else f", so {text.percent(self.share)} may overturn it"
            yield (
                f"{each.text}: it takes {text.percent(beta)} of fakes to overturn it, "
                f"at least {text.percent(low)} ({sure}){stands}"
            )

    def _unfit(self, sure: str) -> Iterator[str]:
        for item in np.flatnonzero(self.unfit)[:SHOWN].tolist():
            wrong = text.short(float(self.estimates[item]))
            yield (
                f"{self.labels[item]}: no frequency fits an estimate of {wrong}, "
                f"with {text.percent(self.share)} of fakes neither ({sure})"
            )

    def _fakes(self, sure: str) -> Iterator[str]:
        floor = self.floor
        if floor is None:
            yield "Fakes: estimates do not tell how many there are at least; reports do"
        elif not floor.fakes:
            yield f"Fakes: nothing is proved; {UNSEEN}"
        else:
            shown = ", ".join(self.labels[item] for item in floor.items[:SHOWN])
            more = ", …" * (floor.items.size > SHOWN)
            what = f"{'all' if floor.every else 'none'} of {shown}{more}"
            yield (
                f"Fakes: at least {text.percent(floor.share)} of the reports ({sure}), "
                f"as {text.count(floor.seen)} support {what}; {UNSEEN}"
            )

    @property
    def notes(self) -> Iterator[str]:
        sure = text.percent(self.confidence)
        yield f"each interval covers its item with {sure}; naive: only where nobody is fake"
        yield "β*: the share of fakes that overturns an item's lead over the next one"
        if self.sharp:
            yield "sharp: if all reports together look like an honest population's"
        if len(self.labels) > SHOWN:
            yield f"the largest of {text.count(len(self.labels))} items; --format csv has all"

    def _ends(self, count: int) -> Ends:
        """The intervals of the items with the largest estimates, and what overturns each lead."""
        order = np.argsort(-self.estimates, kind="stable")[: count + 1].tolist()
        ahead = np.array([1.0, -1.0])
        leads = {
            item: self.overturned(above(Sum(np.array([item, after]), ahead))).share
            for item, after in pairwise(order)
        }
        items = order[:count]

        def of(column: Floats) -> tuple[float, ...]:
            return tuple(column[items].tolist())

        return Ends(
            self.reports, self.share, tuple(self.labels[item] for item in items),
            (), of(self.estimates), of(self.naive_low), of(self.naive_high), of(self.low),
            of(self.high), tuple(map(leads.get, items)),
        )  # fmt: skip

    def table(self, is_brief: bool = False) -> Table:
        rows, unfit = interval_rows(self._ends(LISTED if is_brief else SHOWN)), self.unfit
        if is_brief or not unfit.any():
            return HEADS, rows
        none = {self.labels[item] for item in np.flatnonzero(unfit)}
        return HEADS, [
            (*row[:4], "none fits", "none fits", *row[6:]) if row[0] in none else row
            for row in rows
        ]

    def rows(self) -> list[dict[str, Any]]:
        """A row for each item: item, estimate, low, high, naive_low, naive_high.

        Where no frequency fits, low and high are None.
        """
        names = ("low", "high", "naive_low", "naive_high")
        columns = {"item": self.labels, "estimate": self.estimates.tolist()}
        columns |= {name: getattr(self, name).tolist() for name in names}
        for item in np.flatnonzero(self.unfit).tolist():
            columns["low"][item] = columns["high"][item] = None
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    records = rows

    def document(self) -> dict[str, Any]:
        return {
            "share": self.share,
            "items": self.rows(),
            "claims": [
                {
                    "claim": each.text, "overturning_share": each.overturning.share,
                    "low": each.overturning.low,
                }
                for each in self.claims
            ],
            "fakes": {
                "at_least": 0.0 if self.floor is None else self.floor.share,
                "confidence": self.confidence,
            },
        }  # fmt: skip

    def figures(self) -> Iterator[Figure]:
        """Yields the charts: the intervals of the largest items (naive left, robust
        right), and β*.
        """
        ends = self._ends(DRAWN)
        shown = [(row[0], rank, *row[1:]) for rank, row in enumerate(interval_rows(ends), 1)]
        yield figure(intervals_plot(self.title, ends, None), ("", "rank", *HEADS[1:]), shown)
        bars = [
            Bar(claimed.text, claimed.overturning.share, true=self.share, target=True)
            for claimed in self.claims
        ]
        bars += [
            Bar(label, share, true=self.share)
            for label, share in zip(ends.labels, ends.overturning, strict=True)
            if share is not None
        ]
        title = "Share of fakes that overturns a claim, or a lead over the next item"
        chart = Bars(title, tuple(bars), item="item", value="β*", truth="β")
        rows = [("", bar.label, bar.value, self.share) for bar in bars]
        yield figure(chart, ("", "item", "β*", "β"), rows)
