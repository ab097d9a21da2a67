"""Numbers of real users: their reports, and the mean and the distribution that reports tell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any, cast

import numpy as np

from ldptui.core.base.errors import ScenarioError, check_among, got
from ldptui.core.base.numbers import first_outside, range_rule
from ldptui.core.base.pulse import no_pulse
from ldptui.core.base.ranges import ALPHA, SHARE
from ldptui.core.base.sampling import Counts, Floats
from ldptui.core.base.secure import generator
from ldptui.core.bounds.robust import robust_mean
from ldptui.core.law.capabilities import lacking
from ldptui.core.law.numbers import TellsNumbers, fitted, misfit
from ldptui.core.law.pure import LocalMechanism, Reports, Rng
from ldptui.core.reports.arguments import local, number, switch, whole, words
from ldptui.core.reports.counted import Counted, counted

from ..text import format as text
from ..text import table
from .table import Framed

FITS = ("ems", "em")
"""How a distribution is found from reports of numbers."""

ALARMING = 6.0
"""The misfit by EM from which on reports are hardly those of any honest users."""


@dataclass(frozen=True, eq=False)
class Numbers(Framed):
    """The mean of the users' numbers, and their distribution where it was asked for.

    Attributes
    ----------
    mean
        The estimate, right on average.
    std
        Its standard deviation, from the reports, with that of the users' own numbers in it.
    reports
        n, their number.
    span
        The ends of the range.
    confidence
        That of the intervals.
    low, high
        The ends of the interval of the mean, normal, so for many reports; with `share` they hold
        whatever that share of the reports says.
    share
        The share of fakes that is reckoned with; None for none.
    distribution
        float64[parts], the share of the users in each equal part of the range; None where it was
        not asked for.
    fit
        How the distribution was found, "ems" or "em".
    misfit
        The chi-square of the reports that the fit expects, less its mean, in its standard
        deviations; None without a distribution.
    """

    mean: float
    std: float
    reports: int
    span: tuple[float, float]
    confidence: float
    low: float
    high: float
    share: float | None = None
    distribution: Floats | None = None
    fit: str | None = None
    misfit: float | None = None

    @property
    def edges(self) -> Floats | None:
        """float64[parts + 1], the ends of the parts; None without a distribution."""
        if self.distribution is None:
            return None
        return np.linspace(*self.span, self.distribution.size + 1)

    def rows(self) -> list[dict[str, Any]]:
        """A row for each part of the range: low, high, share; none without a distribution.

        Examples
        --------
        >>> from ldptui import perturb, protocol
        >>> sw = protocol("sw", low=0, high=10, epsilon=2.0)
        >>> found = estimate_numbers(perturb([1.0, 9.0] * 500, sw), sw, parts=5)
        >>> [row["high"] for row in found.rows()]
        [2.0, 4.0, 6.0, 8.0, 10.0]
        """
        edges = self.edges
        if self.distribution is None or edges is None:
            return []
        columns = edges[:-1].tolist(), edges[1:].tolist(), self.distribution.tolist()
        return [
            {"low": low, "high": high, "share": share}
            for low, high, share in zip(*columns, strict=True)
        ]

    def document(self) -> dict[str, Any]:
        """Plain values, for JSON.

        Examples
        --------
        >>> from ldptui import perturb, protocol
        >>> sr = protocol("sr", low=0, high=10, epsilon=2.0)
        >>> estimate_numbers(perturb([1.0] * 500, sr), sr).document()["reports"]
        500
        """
        parts: dict[str, Any] = {}
        if self.distribution is not None:
            parts = {"fit": self.fit, "misfit": self.misfit, "parts": self.rows()}
        return {
            "reports": self.reports,
            "range": list(self.span),
            "mean": self.mean,
            "std": self.std,
            "confidence": self.confidence,
            "share": self.share,
            "low": self.low,
            "high": self.high,
            **parts,
        }

    def __repr__(self) -> str:
        sure = text.percent(self.confidence)
        robust = "" if self.share is None else f", if up to {text.percent(self.share)} is fake"
        count = text.plural(self.reports, "report")
        places = text.decimals([self.std])
        low, high = (text.fixed(end, places) for end in (self.low, self.high))
        lines = [
            f"the mean of {count} in [{text.short(self.span[0])}, {text.short(self.span[1])}]",
            "",
            f"mean      {text.estimate(self.mean, self.std)} (standard error)",
            f"interval  {low} … {high} ({sure}{robust})",
        ]
        edges = self.edges
        if self.distribution is not None and edges is not None and self.fit is not None:
            rows = [
                [f"{text.short(row['low'])} … {text.short(row['high'])}", f"{row['share']:.5f}"]
                for row in self.rows()
            ]
            lines += [
                "",
                table.plain_table(["part", f"share by {self.fit.upper()}"], rows).rstrip(),
            ]
        if self.alarm is not None:
            lines += ["", self.alarm]
        return "\n".join(lines)

    @property
    def alarm(self) -> str | None:
        """A sentence where the reports are hardly those of any honest users; None else.

        By the likeliest fit alone: a smoothed one of many reports expects other ones than came.
        """
        if self.misfit is None or self.fit != "em" or self.misfit < ALARMING:
            return None
        errors = text.short(self.misfit, 2)
        return (
            f"the reports fit no distribution of numbers: chi-square is {errors} standard "
            "deviations too large; another ε, another client, or fakes"
        )


def perturb(
    numbers: Any, protocol: LocalMechanism, rng: Rng | None = None, *, clip: bool = False
) -> Reports:
    """Honest reports of users who hold these numbers.

    Parameters
    ----------
    numbers
        float64[n], of the range of the protocol: `protocol("pm", low=0, high=100, …)`.
    protocol
        As `protocol` makes it.
    rng
        A generator for simulations; without it coins of the operating system.
    clip
        Take the nearer end for numbers outside the range.

    Raises
    ------
    ScenarioError
        With the row, from 0 on, of the first number that is outside, or none.

    Examples
    --------
    >>> from ldptui import protocol
    >>> sw = protocol("sw", low=0, high=100, epsilon=1.0)
    >>> perturb([3.5, 99, 12], sw).shape
    (3,)
    """
    telling = telling_of(protocol)
    try:
        if np.iscomplexobj(numbers):
            raise TypeError
        held = np.asarray(numbers, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ScenarioError(f"must be numbers, {got(type(numbers).__name__)}", "numbers") from None
    if held.ndim != 1 or np.ma.is_masked(numbers):
        raise ScenarioError("must be numbers in one dimension, all there", key="numbers")
    low, high = telling.low, telling.high
    wrong = np.isnan(held) if switch(clip, "clip") else None
    at = first_outside(held, low, high) if wrong is None else int(wrong.argmax())
    if at is not None and (wrong is None or wrong.any()):
        rule = f"row {at} {range_rule(low, high, 'clip=True takes the nearer end')}"
        raise ScenarioError(f"{rule}, {got(float(held[at]))}", key="numbers")
    return told(protocol, np.clip(held, low, high), generator(rng))


def told(protocol: LocalMechanism, numbers: Floats, rng: Rng) -> Reports:
    """Honest reports of numbers of the range of a protocol."""
    telling = cast("TellsNumbers", protocol)
    places = (2 * numbers - telling.low - telling.high) / (telling.high - telling.low)
    return telling.tell(np.clip(places, -1.0, 1.0), rng)


def telling_of(protocol: Any) -> TellsNumbers:
    """A protocol of numbers with its range; raises ScenarioError for a protocol of items."""
    why = lacking(local(protocol), "tell", "whose users hold items and no numbers")
    if why is not None:
        raise ScenarioError(f"must not be {why}", key="protocol.kind")
    return cast("TellsNumbers", protocol)


def estimate_numbers(
    reports: Reports | Iterator[Reports] | Counted,
    protocol: LocalMechanism,
    *,
    confidence: float = 0.95,
    share: float | None = None,
    parts: int | None = None,
    fit: str = "ems",
) -> Numbers:
    """The mean of the users' numbers, and their distribution, from reports.

    Parameters
    ----------
    reports
        As `perturb` makes them; or batches of them, as `read_reports` gives; or their counts.
    protocol
        With its range, `protocol("pm", low=0, high=100, …)`.
    confidence
        The confidence of the interval, in (0, 1).
    share
        The interval holds whatever this share of the reports says.
    parts
        Estimate the distribution over this many equal parts of the range too, with `fit`.
    fit
        "ems", smoothed, or "em", the likeliest.

    Raises
    ------
    ScenarioError
        For a protocol of items, for reports that it does not send, for none at all, and where
        reports tell no distribution (SR).

    Examples
    --------
    >>> from ldptui import protocol
    >>> pm, rng = protocol("pm", low=0, high=100, epsilon=2.0), np.random.default_rng(0)
    >>> found = estimate_numbers(perturb(rng.uniform(20, 60, 100_000), pm, rng), pm)
    >>> bool(found.low < 40 < found.high), round(found.std, 1)
    (True, 0.1)
    """
    telling = telling_of(protocol)
    sure = number(confidence, "confidence", ALPHA)
    total = reports if isinstance(reports, Counted) else counted(reports, telling)
    if total.reports < 1:
        raise ScenarioError("must be at least one, got none", key="reports")
    mean, spread = telling.said_by(total.counts / total.reports)
    middle, half = (telling.low + telling.high) / 2, (telling.high - telling.low) / 2
    std = float(np.sqrt(max(spread, 0.0) / total.reports))
    width = NormalDist().inv_cdf((1 + sure) / 2) * std
    ends = mean - width, mean + width
    if share is not None:
        share = number(share, "share", SHARE)
        low, high = robust_mean(
            np.array([mean]), np.array([spread]), telling.reach, total.reports, share, sure
        )
        ends = float(low[0]), float(high[0])
    found = Numbers(
        middle + half * mean,
        half * std,
        total.reports,
        (telling.low, telling.high),
        sure,
        middle + half * ends[0],
        middle + half * ends[1],
        share,
    )
    return found if parts is None else _distributed(found, telling, total.counts, parts, fit)


def _distributed(
    found: Numbers, protocol: TellsNumbers, counts: Counts, parts: int, fit: str
) -> Numbers:
    """What was found, with the distribution over parts of the range; raises ScenarioError."""
    parts = whole(parts, "parts", 2)
    check_among(words(fit, "fit"), FITS, "fit")
    why = lacking(protocol, "chances", "whose reports tell no distribution")
    if why is not None:
        raise ScenarioError(f"must be left out for {why}", key="parts")
    over: Any = protocol
    over = replace(over, domain_size=parts, cells=True)
    fits = fitted(over, counts[None], fit == "ems", no_pulse)
    off = float(misfit(over, counts[None], fits)[0])
    return replace(found, distribution=fits[0], fit=fit, misfit=off)
