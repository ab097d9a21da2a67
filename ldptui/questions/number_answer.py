"""The answer about numbers that reports of real users tell: their mean and their distribution."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ldptui.core.reports.numbers import Numbers

from ..charts.series import Bar, Bars
from ..text import format as text
from .question_answer import Table
from .reports_input import ReportAnswer
from .sheet import Figure, figure


@dataclass(frozen=True, eq=False, repr=False)
class NumberAnswer(Numbers, ReportAnswer):
    """The estimated mean of the users' numbers, and their distribution if requested.

    Attributes
    ----------
    mean
        The estimate, right on average.
    std
        Its standard deviation, from the reports; it includes that of the users' own numbers.
    reports
        n, the number of reports.
    span
        The ends of the range of the users' numbers.
    confidence
        The confidence of the intervals.
    low, high
        The ends of the normal interval of the mean, for many reports; with `share` it covers
        whatever that share of the reports is.
    share
        The largest share of fakes that is assumed; None if none is.
    distribution
        float64[parts], the share of the users in each equal part of the range; None if it was
        not requested.
    fit
        How the distribution was found, "ems" or "em".
    misfit
        The chi-square of the reports that the fit expects, less its mean, in its standard
        deviations; None without a distribution.
    collection
        The reports that were read, with `protocol` and `files`.
    is_strict
        True if a misfit is a failure.
    """

    @property
    def alarm(self) -> str | None:
        """A warning if hardly any honest population would send these reports; else None."""
        if not self.is_far:
            return None
        return (
            f"the reports fit no distribution of numbers: chi-square is "
            f"{text.short(self.misfit or 0.0, 2)} standard deviations too large; another ε, "
            "another client, or fakes"
        )

    doubt = alarm

    @property
    def findings(self) -> Iterator[str]:
        reach = (self.high - self.low) / 2
        yield f"The mean of the users' numbers is {text.estimate(self.mean, reach)}."

    @property
    def notes(self) -> Iterator[str]:
        robust = ""
        if self.share is not None:
            robust = f", whatever {text.percent(self.share)} of the reports say"
        yield f"the interval holds the mean with {text.percent(self.confidence)}{robust}"
        if self.fit is not None:
            yield f"shares of the users in parts of the range, fitted by {self.fit.upper()}"

    def _shares(self) -> list[tuple[str, float]]:
        return [
            (f"{text.short(row['low'])} … {text.short(row['high'])}", row["share"])
            for row in self.parts()
        ]

    def table(self, is_brief: bool = False) -> Table:
        del is_brief
        return ["quantity", "value"], [
            ("mean", self.mean), ("standard error", self.std),
            ("low end of its interval", self.low), ("high end", self.high), *self._shares(),
        ]  # fmt: skip

    def rows(self) -> list[dict[str, Any]]:
        """A row for each part of the range: low, high, share; without parts one of the mean."""
        if self.distribution is not None:
            return self.parts()
        return [{key: getattr(self, key) for key in ("reports", "mean", "std", "low", "high")}]

    records = rows

    def document(self) -> dict[str, Any]:
        parts: dict[str, Any] = {}
        if self.distribution is not None:
            parts = {"fit": self.fit, "misfit": self.misfit, "parts": self.parts()}
        names = ("mean", "std", "confidence", "share", "low", "high")
        known = {name: getattr(self, name) for name in names}
        return {"reports": self.reports, "range": list(self.span), **known, **parts}

    def figures(self) -> Iterator[Figure]:
        """Yields a bar for each part of the range; without parts, one for the mean with its
        interval.
        """
        heads = ("", "part", "share of the users")
        if shares := self._shares():
            bars = tuple(Bar(part, share) for part, share in shares)
            chart = Bars(self.title, bars, item="part", value="share")
            yield figure(chart, heads, [("", *row) for row in shares])
