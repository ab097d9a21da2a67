"""The distribution of one report of dBitFlip: its weights for targets and for other items."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...base.sampling import Counts
from ...law.support import ItemSupport, Support


@dataclass(frozen=True)
class InclusionChances:
    """The probabilities that a report contains the bits of one item, and of two items.

    target, other : of a target, of another item. targets, others, mixed : of two targets, of two
    other items, of one of each.
    """

    target: float
    other: float
    targets: float
    others: float
    mixed: float

    @classmethod
    def uniform(cls, size: int, items: int) -> InclusionChances:
        """The inclusion probabilities of a uniform subset of `size` of all `items` bits."""
        one, two = _pick_chances(size, items)
        return cls(one, one, two, two, two)

    @classmethod
    def first(cls, size: int, items: int, r: int) -> InclusionChances:
        """The inclusion probabilities of a report with as many targets' bits as fit, else uniform
        bits.

        size : the bits of a report. items : d. r : the number of targets.
        """
        inside = min(r, size)
        target, targets = _pick_chances(inside, r)
        other, others = _pick_chances(size - inside, items - r)
        return cls(target, other, targets, others, target * other)


def _pick_chances(size: int, items: int) -> tuple[float, float]:
    """The probabilities that a uniform random subset holds one given item, and two given items."""
    if not items:
        return 0.0, 0.0
    one = size / items
    return one, one * (size - 1) / (items - 1) if items > 1 else 0.0


@dataclass(frozen=True)
class Weights(Support):
    """The joint distribution of a report's weights for r targets and for the other items.

    target, other : the mean weight of a target, and of another item. spread, other_spread : the
    variances of these weights. variance, other_variance, covariance : those of the two sums.
    """

    spread: float
    other_spread: float

    def by_item(self, domain_size: int, targets: Counts, counted: Counts) -> ItemSupport:
        spread = np.full(domain_size, self.other_spread)
        spread[targets] = self.spread
        return replace(super().by_item(domain_size, targets, counted), spread=spread)

    def counted_variance(self, r: int, others: int, inside: int, outside: int) -> float:
        within = _part(inside, r, self.spread, self.variance)
        beyond = _part(outside, others, self.other_spread, self.other_variance)
        if not (inside and outside):
            return within + beyond
        return within + beyond + 2 * inside * outside / (r * others) * self.covariance


def _part(counted: int, items: int, spread: float, variance: float) -> float:
    """The variance of the sum of some of these items' weights, from that of all."""
    if counted in (0, items):
        return variance if counted else 0.0
    pair = (variance - items * spread) / (items * (items - 1))
    return counted * spread + counted * (counted - 1) * pair
