"""The closed form of heavy hitters: how likely a prefix survives each level. An approximation.

An estimate is taken as normal. A prefix survives a level where it beats the k-th largest of the
other candidates, which is taken as normal too: at the median τ where the others above it are
k - 1/2 on average, with the variance Σ P(1-P) / (Σ φ)² of such a sample quantile, P being the
chances to be above τ and φ their densities there. Candidates are weighed by the chance that
their parents survived, and levels multiply as if they were independent. Cao, Jia, Gong 2021 give no
closed form; this one is ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...base.sampling import Floats
from ...law.pure import Items, item_variance
from ...metrics import METRICS
from ...metrics.hitters import rank_weights
from .fakes import GroupedFakes, mean_rates
from .levels import candidate_counts
from .oracles import Oracle
from .prefixes import Prefixes

STEPS = 48
"""Halvings of an interval in which a threshold is looked for."""
HEAD = 512
"""Prefixes that stand for themselves; less frequent ones are put together by their estimates."""
TAIL = 64
"""Groups of prefixes that are put together."""
LEAST = 1e-9
"""Chances below are 0: an approximation by normal variables does not know them."""
LONELY = 16
"""Rivals that a grid of thresholds is made finer for."""


@dataclass(frozen=True, eq=False)
class Rivals:
    """The candidates of a level: how likely each is one, and mean and variance of its estimate."""

    weights: Floats
    means: Floats
    variances: Floats

    def joined(self, others: Rivals) -> Rivals:
        """The candidates of this level with more of them."""
        return Rivals(
            np.append(self.weights, others.weights),
            np.append(self.means, others.means),
            np.append(self.variances, others.variances),
        )

    def gathered(self) -> Rivals:
        """The rivals with all but the largest put together in a few groups."""
        if self.means.size <= HEAD + TAIL:
            return self
        order = np.argsort(-self.means, kind="stable")
        head, tail = order[:HEAD], order[HEAD:]
        starts = np.arange(TAIL) * tail.size // TAIL
        sizes = np.diff(starts, append=tail.size)

        def sums(values: Floats) -> Floats:
            return np.add.reduceat(values[tail], starts)

        return Rivals(
            np.append(self.weights[head], sums(self.weights)),
            np.append(self.means[head], sums(self.means) / sizes),
            np.append(self.variances[head], sums(self.variances) / sizes),
        )


@dataclass(frozen=True, eq=False)
class Threshold:
    """The k-th largest of some estimates, as a normal variable."""

    median: Floats
    variance: Floats

    def beaten(self, mean: Floats, variance: Floats) -> Floats:
        """The probability that estimates of these means and variances are above it."""
        from scipy.special import ndtr

        return np.asarray(ndtr((mean - self.median) / np.sqrt(variance + self.variance)))


def threshold(rivals: Rivals, mean: Floats, variance: Floats, own: Floats, k: int) -> Threshold:
    """The threshold for each of some candidates, which are no rivals to themselves.

    mean, variance : float64[x], of their estimates. own : their weights among the rivals.
    """
    from scipy.special import ndtr

    # Without a candidate of weight 1 at most, the median lies between two of all rivals.
    grid = _grid(rivals, _exceeded(rivals, k + 0.5), _exceeded(rivals, k - 0.5))
    stds, own_std = np.sqrt(rivals.variances), np.sqrt(variance)
    scaled = (rivals.means - grid[:, None]) / stds
    chance = ndtr(scaled)
    above, scatter = chance @ rivals.weights, (chance * (1 - chance)) @ rivals.weights
    density = _bell(scaled) @ (rivals.weights / stds)
    own_above = own[:, None] * ndtr((mean[:, None] - grid) / own_std[:, None])
    left = above - own_above - (k - 0.5)  # falls along the grid
    after = np.clip((left > 0).sum(axis=1), 1, grid.size - 1)
    rows = np.arange(mean.size)
    first, second = left[rows, after - 1], left[rows, after]
    part = np.clip(first / np.where(first > second, first - second, 1.0), 0, 1)

    def between(values: Floats) -> Floats:
        return np.asarray(values[after - 1] * (1 - part) + values[after] * part)

    median = between(grid)
    z = (mean - median) / own_std
    own_scatter, own_density = own * ndtr(z) * ndtr(-z), own * _bell(z) / own_std
    spread = np.maximum(between(scatter) - own_scatter, 0)
    slope = np.maximum(between(density) - own_density, 1e-150)
    return Threshold(median, spread / slope**2)


def _exceeded(rivals: Rivals, number: float) -> float:
    """The value that this number of rivals are above on average; the lowest where none is."""
    from scipy.special import ndtr

    stds = np.sqrt(rivals.variances)
    low, high = float((rivals.means - 9 * stds).min()), float((rivals.means + 9 * stds).max())
    for _ in range(STEPS):
        middle = (low + high) / 2
        if ndtr((rivals.means - middle) / stds) @ rivals.weights > number:
            low = middle
        else:
            high = middle
    return high


def _grid(rivals: Rivals, low: float, high: float) -> Floats:
    """Values from low to high, closer where the estimate of a lonely rival may lie."""
    stds = np.sqrt(rivals.variances)
    near = np.flatnonzero((rivals.means > low - 4 * stds) & (rivals.means < high + 4 * stds))
    steps = rivals.means[near[:LONELY], None] + stds[near[:LONELY], None] * np.linspace(-4, 4, 17)
    fine = np.concatenate([np.linspace(low, high, 65), np.clip(steps.reshape(-1), low, high)])
    return np.unique(fine)


def _bell(x: Floats) -> Floats:
    return np.asarray(np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi))


def thresholds(
    means: Floats, variances: Floats, weights: Floats, rest: Rivals, k: int
) -> Threshold:
    """The threshold for each of u candidates, whose estimates have these means and variances.

    weights : how likely each is a candidate at all. rest : candidates besides these.
    """
    median, spread = np.full(means.size, -np.inf), np.zeros(means.size)
    if weights.sum() + rest.weights.sum() <= k:
        return Threshold(median, spread)
    rivals = Rivals(weights, means, variances).gathered().joined(rest)
    order = np.argsort(-means, kind="stable")
    # Those far below are too unlikely to survive for their own weight to matter.
    head, tail = order[:HEAD], order[HEAD:]
    own = threshold(rivals, means[head], variances[head], weights[head], k)
    median[head], spread[head] = own.median, own.variance
    if tail.size:
        first = tail[:1]
        common = threshold(rivals, means[first], variances[first], np.zeros(1), k)
        median[tail], spread[tail] = common.median, common.variance
    return Threshold(median, spread)


@dataclass(frozen=True, eq=False)
class Estimates:
    """The estimates of a level: of each prefix that items have, then of any other one.

    held : float64[u + 1], true frequencies. users : n/G, the genuine ones of the group.
    share : β of its fakes. rates, spreads : mean and variance of a fake's support for each prefix.
    means, variances : of the estimates.
    """

    held: Floats
    users: float
    share: float
    rates: Floats
    spreads: Floats
    means: Floats
    variances: Floats


@dataclass(frozen=True, eq=False)
class ExpectedLevel:
    """A level as it is expected.

    threshold : of each prefix that items have, float64[u].
    survived : float64[d], how likely the prefix of each item survives all levels up to this one.
    """

    estimates: Estimates
    threshold: Threshold
    survived: Floats

    @property
    def survival(self) -> Floats:
        """float64[u], how likely the prefix of each item survives this level."""
        return self.threshold.beaten(self.estimates.means[:-1], self.estimates.variances[:-1])


def expected_levels(
    prefixes: Prefixes,
    oracle: Oracle,
    frequencies: Floats,
    users: int,
    fakes: Sequence[GroupedFakes],
) -> list[ExpectedLevel]:
    """The levels of one arm.

    users : n of all groups together. frequencies : float64[d], the true ones.
    """
    survived, levels = np.ones(prefixes.codes.size), []
    candidates = candidate_counts(prefixes.lengths, prefixes.k)
    for level, count in zip(prefixes.levels, candidates, strict=True):
        held = np.append(np.add.reduceat(frequencies[level.order], level.starts), 0.0)
        estimates = _estimates(prefixes, oracle, level.number, held, users, fakes)
        means, variances = estimates.means, estimates.variances
        # All items of a prefix have one parent.
        weights = survived[level.order[level.starts]]
        others = np.array([max(0.0, count - float(weights.sum()))])
        rest = Rivals(others, means[-1:], variances[-1:])
        border = thresholds(means[:-1], variances[:-1], weights, rest, prefixes.k)
        of_items = np.empty(prefixes.codes.size)
        ends = np.append(level.starts[1:], prefixes.codes.size)
        of_items[level.order] = np.repeat(
            border.beaten(means[:-1], variances[:-1]), ends - level.starts
        )
        survived = survived * of_items
        levels.append(ExpectedLevel(estimates, border, survived))
    return levels


def _estimates(
    prefixes: Prefixes,
    oracle: Oracle,
    number: int,
    held: Floats,
    users: int,
    fakes: Sequence[GroupedFakes],
) -> Estimates:
    """The estimates of a level, from the true frequencies of its prefixes."""
    protocol, groups = oracle.at(number), len(prefixes.lengths)
    genuine = users / groups
    malicious = float(sum(part.counts[number] for part in fakes))
    share, gap = malicious / (genuine + malicious), protocol.p - protocol.q
    rates, spreads = mean_rates(prefixes, oracle, number, fakes)
    means = (1 - share) * held + share * (rates - protocol.q) / gap
    # Of the n users some are drawn for the group, without putting any back.
    drawn = held * (1 - held) * (1 - 1 / groups) / genuine
    variances = (1 - share) ** 2 * (item_variance(protocol, genuine, held) + drawn)
    variances += share * spreads / ((genuine + malicious) * gap**2)
    return Estimates(held, genuine, share, rates, spreads, means, variances)


def expected_metrics(
    clean: Floats, attacked: Floats, targets: Items, hitters: Items, size: int
) -> dict[str, float | None]:
    """The closed form of each metric, from how likely items survive in both arms.

    targets, hitters : items; the hitters from the most frequent on. size : of an answer.
    """
    clean, attacked = (np.where(chances < LEAST, 0.0, chances) for chances in (clean, attacked))
    expected: dict[str, float | None] = dict.fromkeys(METRICS)
    named = attacked[-1]
    named_hitters = float(named[hitters].sum())
    expected["hitter_precision"] = named_hitters / size
    expected["hitter_recall"] = named_hitters / hitters.size
    expected["hitter_f1"] = 2 * named_hitters / (size + hitters.size)
    expected["ncr"] = float(named[hitters] @ rank_weights(hitters.size))
    expected["hitter_levels"] = float(attacked[:, hitters].sum(axis=0).mean())
    expected["hitter_recall_clean"] = float(clean[-1][hitters].mean())
    expected["ncr_clean"] = float(clean[-1][hitters] @ rank_weights(hitters.size))
    if targets.size:
        expected["targets_in_top_k"] = float(named[targets].sum())
        expected["target_levels"] = float(attacked[:, targets].sum(axis=0).mean())
    return expected
