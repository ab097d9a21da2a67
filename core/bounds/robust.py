"""Robust intervals of the honest users' frequencies if some of the reports may be fake.

Of N reports at most a share β is fake, and a fake contributes to an item any value from `low` to
`high`. If all reports contribute ȳ on average, honest reports contribute between
(ȳ − β high)/(1 − β) and (ȳ − β low)/(1 − β): the *marginal set*, both of whose ends some fakes
reach. The *sharp set* is smaller: it holds if all reports together have the distribution of an
honest population, so that no defence detects anything, and is the undetectable bound inverted
(`undetectable`). Noise is added as Imbens and Manski do ("Confidence intervals for partially
identified parameters", Econometrica 2004). Our derivations of the sets are in `docs/reports.md`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import Any, Final, TypeAlias

import numpy as np

from ..base.errors import ScenarioError
from ..base.proportions import clopper_pearson
from ..base.sampling import Floats
from ..law.enumeration import every_report
from ..law.exchangeable import Exchangeable
from ..law.mechanism import lacking, name_of
from ..law.pure import BoolArray, PureProtocol, item_variance
from .programme import possible

Interval: TypeAlias = tuple[Floats, Floats]
"""The lower and the upper ends, float64[…] each."""

CONFIDENCE: Final = 0.95
"""The confidence of an interval, unless another one is asked for."""

FAR: Final = 12.0
"""Standard deviations between the ends of a set from which on the other end does not matter."""

STEPS: Final = 64
"""Halvings of a bisection: to the last digit of a double."""

KNOTS: Final = 4096
"""Knots of the factor of noise as a function of the distance: cubics between are right to 1e-13."""


@dataclass(frozen=True)
class Ballot:
    """The range of the contribution of one report to an item's count.

    p, q : its mean for the user's item, and for any other item. low, high : the smallest and the
    largest contribution that a server accepts. votes : the number of items to which one report can
    contribute `high`; None for any number. The defaults are those of a report that names its items
    openly, to a curator or an aggregator (a histogram has one vote, Prio3SumVec any number).
    """

    p: float = 1.0
    q: float = 0.0
    low: float = 0.0
    high: float = 1.0
    votes: int | None = None

    @property
    def gap(self) -> float:
        """p − q: by how much a report's mean contribution is larger for its user's own item."""
        return self.p - self.q

    @property
    def reach(self) -> float:
        """The width of the range of one report's contribution: high − low."""
        return self.high - self.low

    def frequencies(self, means: Floats) -> Floats:
        """float64[…]: the frequencies of items, given the reports' mean contribution to each."""
        return np.asarray((means - self.q) / self.gap)

    def means(self, frequencies: Floats) -> Floats:
        """float64[…]: the reports' mean contribution to items, given the items' frequencies."""
        return np.asarray(self.q + self.gap * frequencies)


def why_unbounded(protocol: Any) -> str | None:
    """The reason why one report's contribution has no known bound, to stand after "is"; None if it
    has a bound.
    """
    why = "whose reports support no items one by one"
    return lacking(protocol, PureProtocol, "supports", why)


def ballot_of(protocol: Any) -> Ballot:
    """The range of one report's contribution to an item's count; raises ScenarioError if it is
    unknown.
    """
    if not isinstance(protocol, PureProtocol):
        rule = f"must not be {why_unbounded(protocol)}: no support law bounds what a fake can say"
        raise ScenarioError(rule, key="protocol")
    votes = protocol.report_size if isinstance(protocol, Exchangeable) else None
    return Ballot(protocol.p, protocol.q, protocol.least_support, votes=votes)


def proved_ballot(protocol: PureProtocol) -> Ballot:
    """The range of a fake report's mean contribution if each report is proved to be drawn by the
    protocol.

    A fake chooses one item, to which its reports contribute p on average, and q to any other item.
    """
    return Ballot(protocol.p, protocol.q, protocol.q, protocol.p, votes=1)


def honest_mean(
    mean: Floats | float, share: float, low: float = 0.0, high: float = 1.0
) -> Interval:
    """The range of the mean of honest reports if the mean of all reports is `mean`, float64[…].

    share : β, that of the fakes among all reports, below 1. low, high : the range of a fake report.
    Both ends are reached, by fakes who all report `high` and by fakes who all report `low`.
    """
    mean = np.asarray(mean, dtype=np.float64)
    return (mean - share * high) / (1 - share), (mean - share * low) / (1 - share)


def marginal_set(means: Floats, share: float, ballot: Ballot) -> Interval:
    """The interval of each item's honest frequency, whatever a share β of fakes sends; not clipped
    to [0, 1].

    means : float64[…], the mean contribution of all reports to each item. Its width is β (high −
    low)/((1 − β)(p − q)).
    """
    # What `honest_mean` leaves to honest reports, read as `Ballot.frequencies` does, in one step.
    scale = (1 - share) * ballot.gap
    middle, others = means / scale, (1 - share) * ballot.q
    low, high = ((share * said + others) / scale for said in (ballot.high, ballot.low))
    return middle - low, middle - high


def sharp_set(frequencies: Floats, share: float, protocol: Exchangeable) -> Interval:
    """The interval of each item's honest frequency if fakes' reports are undetectable; not clipped
    to [0, 1].

    frequencies : float64[d], the estimates from all reports. The set of all honest f with (1 − β) M
    f ≤ M g, report by report, of a histogram g: with δ = g − (1 − β) f, the items that a report
    supports have a sum of δ of at least −L, L = β π(1 − p)/(p − π).
    """
    size = protocol.report_size
    rate = protocol.q if size is None else size / protocol.domain_size
    most = share * rate * (1 - protocol.p) / (protocol.p - rate)
    items = frequencies.size
    gains = share + (most if size is None else most * (items - 1) / size)
    fallen = most + (0.0 if size is None else _held_back(frequencies, share + most, size))
    return (frequencies - gains) / (1 - share), (frequencies + fallen) / (1 - share)


def _held_back(frequencies: Floats, total: float, size: int) -> Floats | float:
    """float64[d]: what the least of the other items gain where one item falls most.

    A report supports that item and `size` − 1 others, which are those that gain least. Each other
    item gains up to a level t, or what it seems to hold, so that all but the least gain `total`
    together: no other way leaves the least ones more.
    """
    few = size - 1
    if not few:
        return 0.0
    own = np.maximum(frequencies, 0.0)
    held = np.sort(own)
    sums = np.append(0.0, np.cumsum(held))
    among = np.searchsorted(held, own) < few
    first = few + among  # the place of the first that is not one of the least others

    def up_to(level: Floats) -> Floats:
        """Σ min(g, t) over all items."""
        at = np.searchsorted(held, level)
        return np.asarray(sums[at] + (held.size - at) * level)

    def of_least(level: Floats) -> Floats:
        """Σ min(g, t) over the least others, which are `first` items, less the item itself."""
        at = np.minimum(np.searchsorted(held, level), first)
        return np.asarray(sums[at] + (first - at) * level - among * np.minimum(own, level))

    low, high = np.zeros(held.size), np.full(held.size, held[-1])
    for _ in range(STEPS):
        level = (low + high) / 2
        enough = up_to(level) - np.minimum(own, level) - of_least(level) >= total
        low, high = np.where(enough, low, level), np.where(enough, level, high)
    return of_least(high)


def conditional_set(protocol: PureProtocol, frequencies: Floats, share: float) -> Interval:
    """The sharp set of a protocol: in closed form, or by two linear programmes for each item.

    frequencies : float64[d]. Raises ScenarioError if the reports cannot be enumerated, or are too
    many.
    """
    if isinstance(protocol, Exchangeable):
        return sharp_set(frequencies, share, protocol)
    listed = every_report(protocol)
    if listed is None:
        raise ScenarioError(
            f"must be left out for {name_of(protocol)}, whose reports are too many to list "
            f"over {frequencies.size} items",
            key="sharp",
        )
    return possible(listed.probabilities, frequencies, share)


# Noise.

SKEWED: Final = 0.05
"""The skewness of the number of reports that support an item from which on intervals are exact."""


def deviation(protocol: PureProtocol, means: Floats, reports: int) -> Floats:
    """float64[…]: an upper bound on the standard deviation of N reports' mean contribution to each
    item.

    For reports that support an item or do not, √(c(1 − c)/N), with c their mean contribution: fakes
    add to the noise of the honest reports, and never reduce it. For reports that also speak against
    items, the deviation at frequency 1.
    """
    if protocol.least_support < 0:
        spoken = (protocol.p - protocol.q) ** 2 * (item_variance(protocol, 1, 1.0) + 1)
        return np.full_like(means, np.sqrt(spoken / reports))
    made = np.asarray(means * (1 - means))
    np.maximum(made, 0.0, out=made)
    made /= reports
    return np.sqrt(made, out=made)


def with_noise(ends: Interval, noise: Floats | float, confidence: float) -> Interval:
    """The interval widened for noise, so that it covers the true value with this probability at
    least.

    noise : float64[…], the standard deviation of each end. Widened by z standard deviations with
    Φ(z + Δ/σ) − Φ(−z) = confidence, Δ the width: less than for an interval around one number, as
    the true value is near one of both ends at most.
    """
    low, high = ends
    moved = noise * noise_factor(high - low, noise, confidence)
    return low - moved, high + moved


def noise_factor(distance: Floats, noise: Floats | float, confidence: float) -> Floats | float:
    """The z of Imbens and Manski for intervals of a given width, whose ends have a given standard
    deviation.

    float64[…]; one number if all intervals are wide, or all have width 0.
    """
    one_sided, two_sided = normal_factors(confidence)
    if (distance > FAR * noise).all() and np.all(noise > 0):
        return one_sided
    distance = distance / np.where(noise > 0, noise, np.inf)
    if not distance.any():
        return two_sided
    at = np.minimum(distance, FAR) * (KNOTS / FAR)
    knot = np.minimum(at.astype(np.intp), KNOTS - 1)
    at -= knot
    zero, one, two, three = _factors(confidence)
    return np.asarray(zero[knot] + at * (one[knot] + at * (two[knot] + at * three[knot])))


@lru_cache(maxsize=4)
def normal_factors(confidence: float) -> tuple[float, float]:
    """The smallest z (two distant ends) and the largest z (a single point) of Imbens and Manski."""
    normal = NormalDist()
    return normal.inv_cdf(confidence), normal.inv_cdf((1 + confidence) / 2)


@lru_cache(maxsize=4)
def _factors(confidence: float) -> Floats:
    """float64[4, KNOTS]: the cubics of `noise_factor` from each knot to the next.

    Their values and slopes at the knots are those of z, where Φ(z + Δ) − Φ(−z) = confidence.
    """
    from scipy.special import ndtr

    apart = np.linspace(0, FAR, KNOTS + 1)
    low, high = (np.full(apart.shape, factor) for factor in normal_factors(confidence))
    for _ in range(STEPS):
        z = (low + high) / 2
        enough = ndtr(z + apart) - ndtr(-z) >= confidence
        low, high = np.where(enough, low, z), np.where(enough, z, high)
    ends = np.exp(-((high + apart) ** 2) / 2)
    slope = -ends / (ends + np.exp(-(high**2) / 2)) * FAR / KNOTS
    rise, first, last = np.diff(high), slope[:-1], slope[1:]
    return np.stack([high[:-1], first, 3 * rise - 2 * first - last, first + last - 2 * rise])


def skewed_at(means: Floats, reports: int) -> BoolArray:
    """bool[…]: whether the number of supporting reports is so small or large that its distribution
    is skewed.
    """
    return np.asarray((1 - 2 * means) ** 2 > SKEWED**2 * reports * means * (1 - means))


def clip_interval(ends: Interval) -> Interval:
    """The part of an interval within [0, 1]."""
    low, high = (np.minimum(np.maximum(end, 0.0), 1.0) for end in ends)
    return low, high


def intervals(
    ballot: Ballot, ends: Interval, share: float, spread: Floats | float, confidence: float
) -> Interval:
    """Intervals in [0, 1] around the identified intervals, widened for nearly normal noise.

    spread : float64[…], the standard deviation of the mean contribution of all reports to each
    item. For a curator or an aggregator the ballot is `Ballot()` or `Ballot(votes=1)`, and the
    spread that of its noise, over N.
    """
    return clip_interval(with_noise(ends, spread / (ballot.gap * (1 - share)), confidence))


def exact_intervals(
    ballot: Ballot,
    ends: Interval,
    share: float,
    spread: Floats,
    reports: int,
    confidence: float,
) -> Interval:
    """Robust intervals by Clopper and Pearson, for reports that support an item or do not.

    Honest reports support an item at different rates, p and q, and their number is less dispersed
    than a binomial one of the mean rate (Hoeffding, "On the distribution of the number of successes
    in independent trials", 1956): the ends cover at least as often.
    """
    from scipy.special import ndtr

    honest = reports * (1 - share)
    apart = (ends[1] - ends[0]) * ballot.gap * (1 - share)
    z = noise_factor(apart, spread, confidence)
    fewest, most = (np.clip(ballot.means(end), 0.0, 1.0) * honest for end in ends)
    tail = ndtr(-z)
    low, _ = clopper_pearson(fewest, honest, tail)
    _, high = clopper_pearson(most, honest, tail)
    return clip_interval((ballot.frequencies(low), ballot.frequencies(high)))


def robust_intervals(
    protocol: PureProtocol,
    means: Floats,
    reports: int,
    share: float,
    confidence: float = CONFIDENCE,
    sharp: bool = False,
    ballot: Ballot | None = None,
) -> Interval:
    """Intervals in [0, 1] that cover each honest frequency, whatever a share β of fakes sends.

    means : float64[d], the mean contribution of N reports to each item: C/N. sharp : whether all
    reports together look honest; raises ScenarioError if the protocol's sharp set cannot be
    computed. ballot : the range of one fake's contribution; None for that of a report.
    """
    ballot = ballot or ballot_of(protocol)
    ends = marginal_set(means, share, ballot)
    if sharp:
        ends = conditional_set(protocol, ballot.frequencies(means), share)
    spread = deviation(protocol, means, reports)
    low, high = intervals(ballot, ends, share, spread, confidence)
    # Of few supports a normal end is too near; their skewness says how few are few.
    if (
        protocol.least_support == 0
        and skewed_at(np.array([means.min(), means.max()]), reports).any()
    ):
        skewed = skewed_at(means, reports)
        rare, which = means[skewed], None
        ends = (ends[0][skewed], ends[1][skewed])
        if not sharp:  # many items have the same few supports, and then the same ends
            rare, which = np.unique(rare, return_inverse=True)
            ends = marginal_set(rare, share, ballot)
        spread = deviation(protocol, rare, reports)
        exact = exact_intervals(ballot, ends, share, spread, reports, confidence)
        low[skewed], high[skewed] = exact if which is None else (end[which] for end in exact)
    return low, high


def robust_mean(
    mean: Floats,
    spread: Floats,
    reach: float,
    reports: int,
    share: float,
    confidence: float = CONFIDENCE,
) -> Interval:
    """Intervals in [-1, 1] that cover the honest users' mean, whatever a share of fakes sends.

    mean : float64[…], the mean of N reports, each a number from -reach to reach. spread :
    float64[…], the variance of one report; fakes add to it and never reduce it.
    """
    ends = honest_mean(mean, share, -reach, reach)
    low, high = with_noise(ends, np.sqrt(spread / reports) / (1 - share), confidence)
    return np.clip(low, -1.0, 1.0), np.clip(high, -1.0, 1.0)
