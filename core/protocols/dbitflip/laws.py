"""The law of one report of dBitFlip, and the gain that fakes can hide among such reports.

The law gives weights to targets and to other items. The hidden gain is a closed form of ours.

A report has bits of a subset A of D items. With δ the shift of the frequencies, s = e^(ε/2), and
bits of A that are 1 just where an item loses, honest fakes of δ/β would send it with a probability
in proportion to

    β - Σ_{v in A} φ(δ_v),    φ(δ) = (1 - 1/s) max(0, δ) + (s - 1) max(0, -δ),

and no report is less likely. So fakes can hide as long as the D largest φ add up to at most β.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from typing import Final

import numpy as np

from ...base.sampling import Counts
from ...bounds.undetectable import Crowd
from ...law.support import ItemSupport, Support


@dataclass(frozen=True)
class InclusionChances:
    """The chances of the bit of a target, of another item, and of two items of each."""

    target: float
    other: float
    targets: float
    others: float
    mixed: float

    @classmethod
    def uniform(cls, size: int, items: int) -> InclusionChances:
        """The bits of a uniform subset of all items."""
        one, two = _pick_chances(size, items)
        return cls(one, one, two, two, two)

    @classmethod
    def first(cls, size: int, items: int, r: int) -> InclusionChances:
        """The bits of r targets, or of those there is room for; the rest are of other items."""
        inside = min(r, size)
        target, targets = _pick_chances(inside, r)
        other, others = _pick_chances(size - inside, items - r)
        return cls(target, other, targets, others, target * other)


def _pick_chances(size: int, items: int) -> tuple[float, float]:
    """The chances that a uniform subset has one item that is named, and two."""
    if not items:
        return 0.0, 0.0
    one = size / items
    return one, one * (size - 1) / (items - 1) if items > 1 else 0.0


@dataclass(frozen=True)
class Weights(Support):
    """The law of a report's weights, towards r targets; any two targets, or others, are alike.

    target, other : the mean weight of a target, and of another item. spread, other_spread : the
        variances. variance, other_variance, covariance : those of the two sums.
    """

    spread: float
    other_spread: float

    def by_item(self, domain_size: int, targets: Counts, counted: Counts) -> ItemSupport:
        rates, spread = np.full(domain_size, self.other), np.full(domain_size, self.other_spread)
        rates[targets], spread[targets] = self.target, self.spread
        r, inside = targets.size, np.intersect1d(targets, counted).size
        variance = self.counted_variance(r, domain_size - r, inside, counted.size - inside)
        return ItemSupport(rates, variance, spread)

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


STEPS: Final = 32
"""Newton's steps at most; three are usual."""

ROUNDING: Final = 1e-13


def hidden_loss(crowd: Crowd, epsilon: float, sampled: int) -> float:
    """The most that items can lose unseen to targets.

    Targets are best lifted alike, and other items lose up to a level, or all that they have: so the
    largest φ are as small as can be.
    """
    held, items, targets, share = crowd.held, crowd.items, crowd.targets, crowd.share
    s = math.exp(epsilon / 2)
    aim, falling = (1 - 1 / s) / targets, -held
    number = np.append(0, np.cumsum(items))
    mass = np.append(0.0, np.cumsum(items * held))

    def lost(level: float, most: int) -> tuple[float, int]:
        """The losses of the items that lose most, if all lose up to a level; its slope there."""
        capped = int(np.searchsorted(falling, -level, side="right"))
        above = min(most, int(number[capped]))
        below = float(np.interp(most, number, mass) - mass[capped]) if most > above else 0.0
        return above * level + below, above

    def over(level: float) -> tuple[float, float]:
        """By how much the D largest φ exceed β if items lose up to this level; its slope there."""
        total, slope = lost(level, int(number[-1]))
        lifted = aim * (share + total)
        before = 0
        if (s - 1) * level > lifted:
            before = int(number[np.searchsorted(falling, -lifted / (s - 1))])
        inside = min(targets, max(sampled - before, 0))
        largest, steep = lost(level, sampled - inside)
        excess = inside * lifted + (s - 1) * largest - share
        return excess, inside * aim * slope + (s - 1) * steep

    # Between two levels at which items run out the excess is convex, and a line nearly everywhere.
    within = bisect_left(held, True, key=lambda level: over(level)[0] <= 0)
    level = float(held[max(within - 1, 0)])
    for _ in range(STEPS):
        excess, slope = over(level)
        if excess <= ROUNDING * share:
            break
        level -= excess / slope
    return lost(level, int(number[-1]))[0]
