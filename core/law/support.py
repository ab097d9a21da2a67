"""The support of items by one report, from which the closed forms of attacks follow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from ..base.sampling import Counts, Floats


@dataclass(frozen=True)
class Support:
    """The means and variances of the support of one report, for r targets and for the other items.

    The targets that the report supports are a uniform subset of all targets, given their number;
    likewise for the other items.

    target, other : the probability that it supports a given target, and a given other item.
    variance : of the number of targets that it supports.
    other_variance : of the number of other items that it supports.
    covariance : of both numbers.
    """

    target: float
    other: float
    variance: float
    other_variance: float
    covariance: float

    def by_item(self, domain_size: int, targets: Counts, counted: Counts) -> ItemSupport:
        """The expected support of each of the d items, with the variance of the number of supported
        items in `counted`.

        targets, counted : int64[…], distinct items.
        """
        rates, aimed = np.full(domain_size, self.other), np.zeros(domain_size, dtype=np.bool_)
        rates[targets], aimed[targets] = self.target, True
        r, inside = targets.size, int(np.count_nonzero(aimed[counted]))
        variance = self.counted_variance(r, domain_size - r, inside, counted.size - inside)
        return ItemSupport(rates, variance)

    def counted_variance(self, r: int, others: int, inside: int, outside: int) -> float:
        """The variance of the number of items that one report supports, in a set of `inside` of the
        r targets and `outside` of the `others` other items.
        """
        within = _subset_variance(r, inside, self.target, self.variance)
        beyond = _subset_variance(others, outside, self.other, self.other_variance)
        if not (inside and outside):
            return within + beyond
        return within + beyond + 2 * inside * outside / (r * others) * self.covariance


def _subset_variance(items: int, counted: int, rate: float, variance: float) -> float:
    """Variance of the number of `counted` items in a uniform subset of all, of random size."""
    if counted in (0, items):
        return variance if counted else 0.0
    mean = items * rate
    # The law of total variance: hypergeometric, given the size.
    mixed = items * mean - variance - mean**2
    spread = counted * (items - counted) / (items**2 * (items - 1)) * mixed
    return spread + (counted / items) ** 2 * variance


def one_item_support(hit: float, r: int, domain_size: int) -> Support:
    """The support of a report for exactly one item, which is one of r targets with probability
    `hit`.
    """
    others, variance = domain_size - r, hit * (1 - hit)
    return Support(hit / r, (1 - hit) / others if others else 0.0, variance, variance, -variance)


@dataclass(frozen=True, eq=False)
class ItemSupport:
    """The expected support of each item by one report, and the variance of the support of a set of
    items.

    rates : float64[d], the expected support of each item: the probability that the report supports
    the item, less the probability that it opposes the item.
    variance : of the number of counted items that the report supports.
    spread : float64[d], the variance of the support of each item; None if no report opposes an
    item, as the variance then follows from the probability.
    """

    rates: Floats
    variance: float
    spread: Floats | None = None

    @property
    def variances(self) -> Floats:
        """float64[d]: the variance of one report's support of each item."""
        return self.rates * (1 - self.rates) if self.spread is None else self.spread


# What fakes do to an estimate that is linear in what reports say: one formula.
#
# The server estimates θ~ = Σ W (s̄ − q)/(p − q), s̄ what all reports say of each support on
# average: whether they support an item, a node of a tree, a key with a sign; or, with p = 1 and q
# = 0, what each report says of a number. A share β of fakes moves it by β (E − θ), E what one of
# them makes of θ~. We derive it.

CANCELLED: Final = 1e-12
"""A difference that is smaller than this share of what it is made of is rounding."""


def round_to_zero(difference: float, size: float) -> float:
    """The difference of two numbers of about `size`, or 0 if it is a rounding error; never -0."""
    return difference + 0.0 if abs(difference) > CANCELLED * size else 0.0


def linear_gain(
    said: float, total: float, truth: float, share: float, p: float = 1.0, q: float = 0.0
) -> float:
    """The expected shift β (E − θ) of a linear estimate by a share β of fakes, where E is a fake's
    expected contribution.

    said : Σ W s, the weighted sum of a fake's supports s. total : Σ W, the sum of the weights.
    truth : θ, the estimate without fakes. p, q : as of a pure protocol.
    """
    gap = p - q
    moved = share * ((said - q * total) / gap - truth)
    return round_to_zero(moved, share * ((abs(said) + q * abs(total)) / gap + abs(truth)))


def most_said(
    weights: Floats, low: float = 0.0, high: float = 1.0, votes: int | None = None
) -> float:
    """The largest weighted sum Σ W s of one report's supports s.

    weights : float64[k], W. low, high : the least and the largest support of an item. votes : the
    largest number of items that have support `high`; None if any number may.
    """
    for_it = np.sort(np.maximum(weights, 0))[::-1][:votes]
    return float(low * weights.sum() + (high - low) * for_it.sum())
