"""The one place where a statistical tolerance is made.

Every function returns a `Verdict`: true unless a correct program gives data so far from the claim
in less than one of 10^9 runs. Tests write `assert budget.mean(...)`, and for a mutant
`assert not budget.mean(...)`. A claim about many numbers shares the same 10^-9 (Bonferroni).

Only closed forms are compared with: nothing here estimates a variance from the data it judges.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

FALSE_ALARM = 1e-9

LEAST_EXPECTED = 25
"""Cells of a chi-square with a smaller expectation are pooled. The usual 5 is for 5 % tails; this
far out, Pearson's statistic of a handful of reports is too often too large."""

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Verdict:
    """The agreement of data with a claim; true where they agree.

    p_value : the probability that a correct program is at least as far off; a bound for joint
        claims.
    about : the claim, and the place where the data are farthest from it.
    """

    p_value: float
    about: str

    def __bool__(self) -> bool:
        return self.p_value >= FALSE_ALARM

    def __and__(self, other: Verdict) -> Verdict:
        """Both claims, on one budget."""
        worse = min(self, other, key=lambda verdict: verdict.p_value)
        return Verdict(2 * worse.p_value, worse.about)


def proportion(hits: ArrayLike, of: ArrayLike, p: ArrayLike) -> Verdict:
    """`hits` of `of` independent events happened, each of probability p. Exact binomial tails."""
    hits, of, p = np.broadcast_arrays(np.asarray(hits), np.asarray(of), np.asarray(p, dtype=float))
    tails = np.minimum(stats.binom.cdf(hits, of, p), stats.binom.sf(hits - 1, of, p))
    return _family(2 * tails, lambda at: f"{hits.flat[at]} of {of.flat[at]} at p = {p.flat[at]}")


def mean(values: ArrayLike, expected: ArrayLike, variance: ArrayLike) -> Verdict:
    """Independent values, along the first axis, have this mean; `variance` is that of one value.

    A variance of 0 claims that every value is `expected`, to rounding.
    """
    values = np.asarray(values, dtype=float)
    expected, variance, _ = np.broadcast_arrays(expected, variance, values[0])
    certain = variance == 0
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (values.mean(axis=0) - expected) / np.sqrt(variance / len(values))
    equal = np.isclose(values, expected, rtol=1e-9, atol=1e-12).all(axis=0)
    p_values = np.where(certain, equal, 2 * stats.norm.sf(np.abs(z)))
    return _family(
        p_values,
        lambda at: f"mean of {len(values)} is {z.flat[at]:.2f} deviations from {expected.flat[at]}",
    )


def spread(values: ArrayLike, expected: ArrayLike, variance: ArrayLike) -> Verdict:
    """Independent values, along the first axis, scatter about `expected` with this variance.

    Σ (x - expected)² / variance is chi-square: for values that are sums of many small parts.
    """
    values = np.asarray(values, dtype=float)
    expected, variance, _ = np.broadcast_arrays(expected, variance, values[0])
    certain = variance == 0
    with np.errstate(divide="ignore", invalid="ignore"):
        squares = ((values - expected) ** 2).sum(axis=0) / variance
    tails = np.minimum(stats.chi2.cdf(squares, len(values)), stats.chi2.sf(squares, len(values)))
    equal = np.isclose(values, expected, rtol=1e-9, atol=1e-12).all(axis=0)
    ratio = squares / len(values)
    return _family(
        np.where(certain, equal, 2 * tails),
        lambda at: f"variance is {ratio.flat[at]:.3f} times {variance.flat[at]}",
    )


def moments(samples: ArrayLike, expected: ArrayLike, covariance: ArrayLike) -> Verdict:
    """Vectors [trials, d] have this mean [d] and covariance [d, d].

    Looks along every axis, every sum of two axes (their covariance) and the sum of all.
    """
    samples = np.asarray(samples, dtype=float)
    axes = np.eye(samples.shape[1])
    pairs = [axes[u] + axes[v] for u, v in combinations(range(len(axes)), 2)]
    directions = np.array([*axes, *pairs, np.ones(len(axes))])
    covariance = np.asarray(covariance, dtype=float)
    variance = np.einsum("ki,ij,kj->k", directions, covariance, directions)
    variance[variance < 1e-9 * np.abs(covariance).max(initial=0.0)] = 0.0  # zero, but for rounding
    seen, wanted = samples @ directions.T, directions @ np.asarray(expected, dtype=float)
    return mean(seen, wanted, variance) & spread(seen, wanted, variance)


def law(observed: ArrayLike, probabilities: ArrayLike) -> Verdict:
    """The frequencies of the outcomes follow these probabilities. Pearson's chi-square."""
    observed = np.asarray(observed, dtype=float).ravel()
    probabilities = np.asarray(probabilities, dtype=float).ravel()
    total = observed.sum()
    expected = total * probabilities
    if observed[probabilities == 0].any():
        return Verdict(0.0, "an impossible outcome was seen")
    if abs(probabilities.sum() - 1) > 1e-9:
        raise ValueError(f"probabilities add up to {probabilities.sum()!r}")
    rising = np.argsort(expected)
    # Pool from the rarest on, until the pool and every cell after it are large enough.
    reached = np.cumsum(expected[rising])
    pooled = int(np.flatnonzero(reached >= LEAST_EXPECTED)[0]) + 1
    pooled = max(pooled, int((expected < LEAST_EXPECTED).sum()))
    seen = np.append(observed[rising[pooled:]], observed[rising[:pooled]].sum())
    wanted = np.append(expected[rising[pooled:]], expected[rising[:pooled]].sum())
    if seen.size == 1:
        return Verdict(1.0, "one outcome")
    statistic = float(((seen - wanted) ** 2 / wanted).sum())
    freedom = seen.size - 1
    return Verdict(
        float(stats.chi2.sf(statistic, freedom)),
        f"chi-square {statistic:.1f} at {freedom} degrees of freedom",
    )


def _family(p_values: Floats, about: Callable[[int], str]) -> Verdict:
    p_values = np.asarray(p_values, dtype=float)
    if np.isnan(p_values).any():
        return Verdict(0.0, "not a number")
    at = int(p_values.argmin())
    return Verdict(float(p_values.flat[at]) * p_values.size, about(at))
