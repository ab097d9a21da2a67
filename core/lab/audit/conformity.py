"""Agreement of a client's reports with those of the protocol that it claims to follow."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from ...base.sampling import Floats
from ...law.together import tells_together
from ...law.twice import draws_seeds
from ..repeats import largest, likeliest, marks, too_many
from .evidence import Evidence, Supported
from .monte_carlo import clopper_pearson

LEAST: Final = 20
"""Reports of both samples in a cell of a chi-square, at least; rarer ones are joined."""
SKEWED: Final = 0.1
"""Skewness of a sum that is taken for normal, at most."""


def homogeneous(first: Floats, second: Floats) -> float:
    """The p-value of two tables float64[rows, k] of counts that are of one law, row by row.

    Pearson's chi-square of all rows together.
    """
    from scipy.special import chdtrc

    rare = first + second < LEAST
    pooled = [np.where(rare, table, 0.0).sum(axis=1, keepdims=True) for table in (first, second)]
    first, second = (
        np.hstack([np.where(rare, 0.0, table), rest])
        for table, rest in zip((first, second), pooled, strict=True)
    )
    both = first + second
    kept = both >= LEAST / 2
    one, other = (np.where(kept, table, 0.0).sum(axis=1) for table in (first, second))
    usable = (one > 0) & (other > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.sqrt(other / one)[:, None]
        terms = np.where(kept, (first * ratio - second / ratio) ** 2 / both, 0.0)
    freedom = int(np.maximum(kept[usable].sum(axis=1) - 1, 0).sum())
    return float(chdtrc(freedom, float(terms[usable].sum()))) if freedom else 1.0


def farthest(first: Floats, second: Floats) -> tuple[float, int]:
    """The p-value of the row whose two means are farthest apart, all rows paid for, and the row.

    first, second : float64[rows, k], counts of the levels 0 … k - 1. A row counts where the sums of
    its levels are nearly normal: where their skewness is at most SKEWED.
    """
    from scipy.special import erfc

    levels = np.arange(first.shape[1])
    numbers = np.stack([first.sum(axis=1), second.sum(axis=1)])
    both = first + second
    with np.errstate(divide="ignore", invalid="ignore"):
        away = levels - (both @ levels / numbers.sum(axis=0))[:, None]
        variance, third = ((both * away**power).sum(axis=1) / both.sum(axis=1) for power in (2, 3))
        skewness = np.abs(third) / np.sqrt(variance**3 * numbers.min(axis=0))
        gap = first @ levels / numbers[0] - second @ levels / numbers[1]
        z = np.abs(gap) / np.sqrt(variance * (1 / numbers).sum(axis=0))
    usable = (numbers.min(axis=0) >= LEAST) & (skewness <= SKEWED)
    z = np.where(usable, z, 0.0)
    row = int(z.argmax())
    return min(1.0, float(erfc(z[row] / math.sqrt(2))) * max(1, int(usable.sum()))), row


@dataclass(frozen=True)
class Agreement:
    """Agreement of a client's reports with those of a protocol, in law.

    p_value : the probability that reports of that protocol are as far off, at most. worst : the
    part of a report that is farthest off. comparisons : the parts that were compared.
    """

    p_value: float
    worst: str
    comparisons: int


def agreement(seen: Evidence) -> Agreement:
    """The tests of every part of a report, and of what it says of items, all paid for.

    Half of the error is that of the parts, half that of what reports say, where that is known.
    """
    names = seen.claim.names(seen.lens, seen.raw[0][1], seen.watched)
    starts = seen.lens.starts.tolist()
    columns = [
        (homogeneous(seen.table[:, start:end], seen.reference[:, start:end]), name)
        for name, (start, end) in zip(names, itertools.pairwise(starts), strict=True)
    ]
    tests = [(p_value * len(columns), name) for p_value, name in columns]
    if seen.joint.shape[1]:
        said = list(_said(seen, names[0]))
        tests = [(p_value * 2, name) for p_value, name in tests]
        tests += [(p_value * 2 * len(said), name) for p_value, name in said]
    p_value, worst = min(tests)
    return Agreement(min(1.0, p_value), worst, len(tests))


def _said(seen: Evidence, first: str) -> Iterator[tuple[float, str]]:
    """The tests of what reports say of items. first : the name of the first column."""
    together = homogeneous(seen.joint, seen.joint_reference)
    yield together, "the items that a report supports together"
    whole, honest = (table.sum(axis=0)[None] for table in (seen.own, seen.own_reference))
    yield farthest(whole, honest)[0], "what a report says of its own item"
    p_value, item = farthest(seen.own, seen.own_reference)
    yield p_value, f"what reports of item {item} say of it"
    if seen.lens.examples is None:
        p_value, part = farthest(seen.parts, seen.parts_reference)
        yield p_value, f"what reports with {first} = {seen.lens.shown(part)} say of their own item"


@dataclass(frozen=True)
class Interval:
    """A number with its bounds. told : what it should be; None where that is not known."""

    value: float
    low: float
    high: float
    told: float | None = None


def own_rate(seen: Supported, told: float | None, error: float) -> Interval:
    """p: the chance that a report supports its own item, all items together."""
    hits, of = int(seen.own.sum()), seen.reports
    low, high = clopper_pearson(hits, of, error / 2)
    return Interval(hits / of, float(low), float(high), told)


def other_rate(seen: Supported, told: float | None, error: float) -> Interval:
    """q: the chance that a report supports a given other item. Its bounds are normal.

    The supports of one report depend on each other, so that the variance is that of their number.
    """
    from scipy.special import ndtri

    of, others = seen.reports, len(seen.held) - 1
    mean = seen.others / of
    spread = max(seen.squares / of - mean * mean, 0.0) + 1 / of
    half = -float(ndtri(error / 2)) * np.sqrt(spread / of)
    low, high = max(0.0, mean - half) / others, min(float(others), mean + half) / others
    return Interval(mean / others, low, high, told)


@dataclass(frozen=True)
class Bias:
    """The largest bias of the estimate of an item, in frequency, with bounds for all items.

    each : the bias of every item's estimate.
    """

    item: int
    value: float
    low: float
    high: float
    each: tuple[float, ...] = field(default=(), repr=False)

    @property
    def found(self) -> bool:
        """Whether 0 is outside the bounds."""
        return self.low > 0 or self.high < 0


def bias(seen: Supported, p: float, q: float, error: float) -> Bias:
    """The bias of each item's estimate (C/n − q)/(p − q) from the items that were reported.

    Its noise is that of n_v (p(1−p)) + (n − n_v) q(1−q); Bonferroni over the items.
    """
    from scipy.special import ndtri

    of = seen.reports
    scale = of * (p - q)
    values = (seen.counts - of * q) / scale - seen.held / of
    noise = np.sqrt(seen.held * p * (1 - p) + (of - seen.held) * q * (1 - q)) / scale
    worst = int(np.abs(values / noise).argmax())
    half = -float(ndtri(error / (2 * len(values)))) * noise[worst]
    value = float(values[worst])
    return Bias(worst, value, value - half, value + half, tuple(values.tolist()))


def kept_raw(seen: Supported, told: float, error: float) -> list[int]:
    """The items that are never perturbed: all their reports support them, too many for p."""
    whole = (seen.held > 0) & (seen.own == seen.held)
    chance = seen.held * np.log(told) if told > 0 else np.full(len(seen.held), -np.inf)
    return np.flatnonzero(whole & (chance < np.log(error / len(seen.held)))).tolist()


@dataclass(frozen=True)
class Repeats:
    """Reports, or seeds of hash functions, that are alike. seeds : whether they are seeds."""

    seeds: bool
    alike: int
    of: int


def repeats(seen: Evidence, error: float) -> Repeats | None:
    """The reports that come too often for independent ones; None where none does. Proved."""
    protocol = seen.claim.protocol
    if not tells_together(protocol):
        return None
    kept = np.concatenate([reports for _, reports in seen.raw])
    alike = largest(marks(protocol, kept))
    if alike < too_many(len(kept), likeliest(protocol), error):
        return None
    return Repeats(draws_seeds(protocol), alike, len(kept))


DENOMINATORS: Final = (*(1 << k for k in range(1, 11)), 10, 100, 1000)
"""Denominators of chances that a client with coarse coins has."""


def coarse(p: Interval, q: Interval) -> int | None:
    """The denominator of both chances where they are multiples of a coarse fraction; else None.

    That both bounds hold a multiple by chance has a probability of 1 % at most, and at least one of
    the chances is not what it should be.
    """
    if p.told is None or q.told is None:
        return None
    if p.low <= p.told <= p.high and q.low <= q.told <= q.high:
        return None
    for of in sorted(DENOMINATORS):
        both = [rate for rate in (p, q) if rate.low > 0 and rate.high < 1]
        chance = np.prod([min(1.0, of * (rate.high - rate.low)) for rate in both])
        held = all(round(rate.value * of) / of >= rate.low for rate in both)
        held &= all(round(rate.value * of) / of <= rate.high for rate in both)
        if held and both and chance <= 0.01:
            return of
    return None
