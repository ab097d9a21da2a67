"""Numbers of real users: their reports, and the estimated mean and distribution."""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any, Final, cast

import numpy as np

from ..base.errors import ScenarioError, got
from ..base.number_column import first_outside, range_rule
from ..base.sampling import Floats
from ..base.secure import generator
from ..bounds.robust import robust_mean
from ..law.distributions import fit_distribution, misfit
from ..law.mechanism import lacking
from ..law.numeric_protocol import NumericProtocol, lack_of_distribution
from ..law.pure import LocalMechanism, Reports, Rng
from .arguments import local, switch
from .report_counts import Counted

ALARMING: Final = 6.0
"""The misfit by EM from which on reports are hardly those of any honest users."""


@dataclass(frozen=True, eq=False, repr=False)
class Numbers:
    """The estimated mean of the users' numbers, and their distribution if requested.

    mean : the estimate, unbiased. std : its standard deviation, estimated from the reports; it
    includes the spread of the users' own numbers. reports : n. span : the ends of the range.
    confidence : of the intervals. low, high : the ends of the interval of the mean, normal, so for
    many reports; with `share` they hold whatever that share of the reports says. distribution :
    float64[parts], the share of the users in each equal part of the range; None if not requested.
    fit : "ems" or "em", how the distribution was fitted. misfit : the chi-square of the reports
    that the fit expects, less its mean, in its standard deviations; None without a distribution.
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
        """float64[parts + 1]: the ends of the parts; None without a distribution."""
        if self.distribution is None:
            return None
        return np.linspace(*self.span, self.distribution.size + 1)

    @property
    def is_far(self) -> bool:
        """Whether the reports are unlikely for every honest population; only known for `fit` "em".

        A smoothed fit of many reports is far from the reports even of honest users.
        """
        return self.misfit is not None and self.fit == "em" and self.misfit >= ALARMING

    def parts(self) -> list[dict[str, Any]]:
        """A row for each part of the range: low, high, share; [] without a distribution."""
        edges = self.edges
        if self.distribution is None or edges is None:
            return []
        columns = edges[:-1].tolist(), edges[1:].tolist(), self.distribution.tolist()
        return [
            {"low": low, "high": high, "share": share}
            for low, high, share in zip(*columns, strict=True)
        ]


def numbers_protocol(protocol: Any) -> NumericProtocol:
    """The protocol, if it is one of numbers; raises ScenarioError for a protocol of items."""
    why = lacking(local(protocol), NumericProtocol, "tell", "whose users hold items and no numbers")
    if why is not None:
        raise ScenarioError(f"must not be {why}", key="protocol.kind")
    return cast("NumericProtocol", protocol)


def perturb_numbers(protocol: LocalMechanism, numbers: Floats, rng: Rng) -> Reports:
    """Honest reports of numbers float64[n], clipped to the protocol's range."""
    telling = cast("NumericProtocol", protocol)
    places = (2 * numbers - telling.low - telling.high) / (telling.high - telling.low)
    return telling.tell(np.clip(places, -1.0, 1.0), rng)


def perturb(
    numbers: Any, protocol: LocalMechanism, rng: Rng | None = None, *, clip: bool = False
) -> Reports:
    """Honest reports of users with these numbers.

    Parameters
    ----------
    numbers
        float64[n], of the range of the protocol: `protocol("pm", low=0, high=100, …)`.
    protocol
        As `protocol` makes it.
    rng
        A generator for simulations; without it the operating system's generator draws.
    clip
        Whether numbers outside the range count as its nearer end.

    Raises
    ------
    ScenarioError
        For a value outside the range or missing, with its row, counted from 0.

    Examples
    --------
    >>> from ldptui import protocol
    >>> sw = protocol("sw", low=0, high=100, epsilon=1.0)
    >>> perturb([3.5, 99, 12], sw).shape
    (3,)
    """
    telling = numbers_protocol(protocol)
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
    return perturb_numbers(protocol, np.clip(held, low, high), generator(rng))


def estimate_mean(
    total: Counted, confidence: float, share: float | None, parts: int | None, fit: str
) -> Numbers:
    """The mean of the users' numbers, and their distribution over `parts` equal parts of the range.

    share : of fakes that the interval must tolerate, None for 0. parts : None for no distribution.
    Raises ScenarioError for a protocol of items, without a report, and if reports tell no
    distribution (SR).
    """
    telling = numbers_protocol(total.protocol)
    if total.reports < 1:
        raise ScenarioError("must be at least one, got none", key="reports")
    mean, spread = telling.said_by(total.counts / total.reports)
    middle, half = (telling.low + telling.high) / 2, (telling.high - telling.low) / 2
    std = float(np.sqrt(max(spread, 0.0) / total.reports))
    width = NormalDist().inv_cdf((1 + confidence) / 2) * std
    ends = mean - width, mean + width
    if share is not None:
        low, high = robust_mean(
            np.array([mean]), np.array([spread]), telling.reach, total.reports, share, confidence
        )
        ends = float(low[0]), float(high[0])
    numbers = Numbers(
        middle + half * mean, half * std, total.reports, (telling.low, telling.high), confidence,
        middle + half * ends[0], middle + half * ends[1], share,
    )  # fmt: skip
    if parts is None:
        return numbers
    why = lack_of_distribution(telling)
    if why is not None:
        raise ScenarioError(f"must be left out for {why}", key="parts")
    over: Any = telling
    over = replace(over, domain_size=parts, cells=True)
    fits = fit_distribution(over, total.counts[None], fit == "ems")
    off = float(misfit(over, total.counts[None], fits)[0])
    return replace(numbers, distribution=fits[0], fit=fit, misfit=off)
