"""Claims about frequencies, and the share of fakes that overturns them.

A claim says that a weighted sum of frequencies is above a level: "A is more frequent than B", "v is
above x", "a and b together are above c and d"; or that an item is among the k most frequent ones.
It holds for every share of fakes below β*, the *overturning share*: if it were false, so many
reports, all contributing as much to the claim as one report can, would be needed. With S = Σ w ȳ
the sum of all reports' mean contributions, X its value at the level, and Y the largest contribution
of one fake,

    β* = (S − X)/(Y − X),

as honest reports contribute at least (S − βY)/(1 − β) on average. Our derivation; see
`docs/reports.md`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import TypeAlias

import numpy as np

from ..base.sampling import Floats
from ..law.pure import Items, PureProtocol
from ..law.support import most_said
from ..law.together import PairLaw, tells_together
from .robust import Ballot, deviation


@dataclass(frozen=True, eq=False)
class Sum:
    """A weighted sum of frequencies, Σ w f, that a claim compares with a level.

    items : int64[k], distinct. weights : float64[k], not all 0.
    """

    items: Items
    weights: Floats
    above: float = 0.0


@dataclass(frozen=True)
class Claim:
    """A claim about frequencies: a sum is above its level.

    of : the sum, from the mean contribution of all reports to each item, float64[d]. tests : the
    number of sums one of which must be overestimated if the claim is false.
    """

    of: Callable[[Floats], Sum]
    tests: int = 1


def above(claimed: Sum) -> Claim:
    """The claim that a sum is above its level."""
    return Claim(lambda _: claimed)


def in_top(item: int, k: int) -> Claim:
    """The claim that an item is among the k most frequent items.

    It is above the k-th of the other items. If the claim is false, k other items are at least as
    frequent, and one of them was underestimated.
    """

    def beyond_next(means: Floats) -> Sum:
        others = np.delete(np.arange(means.size), item)
        next_one = others[np.argsort(-means[others], kind="stable")[k - 1]]
        return Sum(np.array([item, next_one]), np.array([1.0, -1.0]))

    return Claim(beyond_next, k)


@dataclass(frozen=True)
class Overturning:
    """The share of fakes that overturns a claim.

    share : β*, 0 if the estimates contradict the claim. low : a lower bound on it, which is too
    large with probability 1 − confidence at most; 0 if noise alone could make the claim.
    """

    share: float
    low: float

    @property
    def stands(self) -> bool:
        """Whether the claim holds in spite of noise, without any fake user."""
        return self.low > 0


Noise: TypeAlias = Callable[[Sum, Floats], float]
"""The standard deviation of Σ w ȳ over the items of a sum, given all ȳ, float64[d]."""


def normal_quantile(chance: float) -> float:
    """The z that a normal variable exceeds, in standard deviations above its mean, with this
    probability.
    """
    return NormalDist().inv_cdf(1 - chance)


def overturning_share(
    claim: Claim,
    means: Floats,
    ballot: Ballot,
    noise: Noise,
    confidence: float = 0.95,
    quantile: Callable[[float], float] = normal_quantile,
) -> Overturning:
    """The share of fakes that overturns a claim, with a lower bound.

    means : float64[d], ȳ, the mean contribution of all reports to each item: C/N. noise : the
    result of `report_noise` or `independent`. quantile : of the noise, in standard deviations.
    """
    claimed = claim.of(means)
    level = float(ballot.q * claimed.weights.sum() + ballot.gap * claimed.above)
    spare = float(claimed.weights @ means[claimed.items]) - level
    # Y − X: where free bits allow it, a report says all that its votes can.
    reach = most_said(claimed.weights, ballot.low, ballot.high, ballot.votes) - level
    if reach <= 0:  # no population makes it true
        return Overturning(0.0, 0.0)
    z = quantile((1 - confidence) / claim.tests)
    low = (spare - z * noise(claimed, means)) / reach
    return Overturning(max(spare / reach, 0.0), max(low, 0.0))


def report_noise(protocol: PureProtocol, reports: int) -> Noise:
    """The noise of the estimates from N reports of a random sample of users.

    The largest possible noise if the joint support of items is unknown.
    """

    def of(claimed: Sum, means: Floats) -> float:
        said, weights = means[claimed.items], claimed.weights
        if protocol.least_support < 0:
            return float((np.abs(weights) * deviation(protocol, said, reports)).sum())
        held = np.clip((said - protocol.q) / (protocol.p - protocol.q), 0, 1)
        covariance = _both(protocol, said, held) - np.outer(said, said)
        np.fill_diagonal(covariance, said * (1 - said))
        return float(np.sqrt(np.maximum(weights @ covariance @ weights, 0.0) / reports))

    return of


def _both(protocol: PureProtocol, said: Floats, held: Floats) -> Floats:
    """float64[k, k]: how likely a report supports both of two items; else the least it can be."""
    least, most_likely = np.maximum(said[:, None] + said - 1, 0), np.minimum(said[:, None], said)
    if not tells_together(protocol):
        return least
    law = PairLaw.of(protocol)
    own = np.minimum(held[:, None] + held, 1)
    return np.clip(law.other + (law.own - law.other) * own, least, most_likely)


def independent(deviations: Floats) -> Noise:
    """Independent noise in each item, as curators and aggregators add. deviations : float64[d]."""

    def of(claimed: Sum, means: Floats) -> float:
        assert deviations.size == means.size
        return float(np.sqrt(claimed.weights**2 @ deviations[claimed.items] ** 2))

    return of
