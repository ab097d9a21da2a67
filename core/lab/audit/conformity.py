"""Agreement of a client's reports with those of the protocol that it claims to follow."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from ...base.sampling import Floats
from ...law.capabilities import draws_seeds
from ...law.together import tells_together
from ..repeats import largest, likeliest, marks, too_many
from .evidence import Evidence, Supported
from .monte_carlo import clopper_pearson

LEAST: Final = 20
"""Reports of both samples in a cell of a chi-square, at least; rarer ones are joined."""


def homogeneous(first: Floats, second: Floats) -> tuple[float, float]:
    """Whether two tables float64[rows, k] of counts are of one law, row by row: Pearson.

    Returns the p-value and the statistic in standard deviations of its law.
    """
    from scipy.special import chdtrc

    totals = first.sum(axis=1, keepdims=True), second.sum(axis=1, keepdims=True)
    there = (totals[0] > 0).ravel() & (totals[1] > 0).ravel()
    first, second = first[there], second[there]
    if not len(first):
        return 1.0, 0.0
    rare = first + second < LEAST
    pooled = [np.where(rare, table, 0.0).sum(axis=1, keepdims=True) for table in (first, second)]
    first, second = (
        np.hstack([np.where(rare, 0.0, table), rest])
        for table, rest in zip((first, second), pooled, strict=True)
    )
    both = first + second
    kept = both >= LEAST / 2
    sizes = (np.where(kept, table, 0.0).sum(axis=1, keepdims=True) for table in (first, second))
    one, other = sizes
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.sqrt(other / one)
        terms = np.where(kept, (first * ratio - second / ratio) ** 2 / both, 0.0)
    usable = np.isfinite(ratio.ravel()) & (ratio.ravel() > 0)
    statistic = float(terms[usable].sum())
    freedom = int(np.maximum(kept[usable].sum(axis=1) - 1, 0).sum())
    if freedom < 1:
        return 1.0, 0.0
    return float(chdtrc(freedom, statistic)), (statistic - freedom) / np.sqrt(2 * freedom)


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
    """The chi-square of every part of a report, and of the parts together, all paid for."""
    starts, tests = seen.lens.starts.tolist(), list[tuple[float, str]]()
    for at, (start, end) in enumerate(itertools.pairwise(starts)):
        p_value, _ = homogeneous(seen.table[:, start:end], seen.reference[:, start:end])
        whole = seen.lens.examples is not None
        tests.append((p_value, "the law of the report" if whole else f"column {at + 1}"))
    if seen.joint.shape[1]:
        p_value, _ = homogeneous(seen.joint, seen.joint_reference)
        tests.append((p_value, "the items that a report supports together"))
    p_value, worst = min(tests)
    return Agreement(min(1.0, p_value * len(tests)), worst, len(tests))


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
