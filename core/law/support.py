"""The support of one report: the law that every closed form of an attack is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from ..base.sampling import Counts, Floats


@dataclass(frozen=True)
class Support:
    """The means and variances of the support of one report for a set of r targets and for the other
    items.

    Given the number of targets that it supports, they are a uniform subset of all targets, and the
    other items that it supports a uniform subset of all others.

    target, other : probability that it supports a given target / a given other item.
    variance : variance of the number of targets that it supports.
    other_variance, covariance : variance of the number of other items that it supports, and the
        covariance of both numbers.
    """

    target: float
    other: float
    variance: float
    other_variance: float
    covariance: float

    def by_item(self, domain_size: int, targets: Counts, counted: Counts) -> ItemSupport:
        """The support of each item, with the variance for the counted items."""
        rates, aimed = np.full(domain_size, self.other), np.zeros(domain_size, dtype=np.bool_)
        rates[targets], aimed[targets] = self.target, True
        r, inside = targets.size, int(np.count_nonzero(aimed[counted]))
        variance = self.counted_variance(r, domain_size - r, inside, counted.size - inside)
        return ItemSupport(rates, variance)

    def counted_variance(self, r: int, others: int, inside: int, outside: int) -> float:
        """The variance of the number supported among `inside` of the r targets and `outside` other
        items.
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
    """The support of a report that supports exactly one item, a target with probability `hit`."""
    others, variance = domain_size - r, hit * (1 - hit)
    return Support(hit / r, (1 - hit) / others if others else 0.0, variance, variance, -variance)


@dataclass(frozen=True, eq=False)
class ItemSupport:
    """The mean support of each item by one fake report, and the variance of the counted items' sum.

    rates : float64[d], its mean support of each item: the probability that it supports it, less
        the probability that it speaks against it.
    variance : variance of the number of counted targets that it supports.
    spread : float64[d], the variance of its support of each item; left out where no report speaks
        against an item, as it is that of a probability there.
    """

    rates: Floats
    variance: float
    spread: Floats | None = None

    @property
    def variances(self) -> Floats:
        """float64[d], the variance of one report's support of each item."""
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
    """A difference of terms of this size, with rounding errors set to 0, and never -0."""
    return difference + 0.0 if abs(difference) > CANCELLED * size else 0.0


def linear_gain(
    said: float, total: float, truth: float, share: float, p: float = 1.0, q: float = 0.0
) -> float:
    """The expected shift β (E − θ) of an estimate by a share β of fakes, each with mean
    contribution E.

    said : Σ W s, what one fake says. total : Σ W. truth : θ, the estimate without the fakes.
    """
    gap = p - q
    moved = share * ((said - q * total) / gap - truth)
    return round_to_zero(moved, share * ((abs(said) + q * abs(total)) / gap + abs(truth)))


def most_said(
    weights: Floats, low: float = 0.0, high: float = 1.0, votes: int | None = None
) -> float:
    """The largest contribution of one report to a weighted sum Σ W s over items.

    weights : float64[k], W. low, high : the least and the largest that a report says of a support.
    votes : of how many supports it says `high` at most; None: of any number.
    """
    for_it = np.sort(np.maximum(weights, 0))[::-1][:votes]
    return float(low * weights.sum() + (high - low) * for_it.sum())
