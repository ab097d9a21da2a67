"""The closed form of heavy hitters: how likely a prefix survives each level. An approximation.

An estimate is taken as normal. A prefix survives a level where it beats the k-th largest of the
other candidates, which is taken as normal too: at the median τ where the others above it are
k - 1/2 on average, with the variance Σ P(1-P) / (Σ φ)² of such a sample quantile, P being the
chances to be above τ and φ their densities there. Candidates are weighed by the chance that
their parents survived, and levels multiply as if they were independent. Cao, Jia, Gong 2021 give no
closed form; this one is ours.

Fakes who choose their own groups take the best ones. A target is named if it survives every level.
With a share β of fakes in its group its estimate is (1 - β) f + β (s - q)/(p - q) on average,
against a threshold (1 - β) τ, so that it survives with probability Φ of the difference over the
standard deviation σ of both; f, τ and σ are those without the attack. The fakes are shared out so
that Σ_T Π_j Φ is largest, by L-BFGS from two starts: all groups alike, and β_j = gap/(a + gap),
which just lifts a target to the threshold in every group and is best where there is no noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...attacks import Fakes
from ...base.sampling import Floats
from ...kernels.threads import one_thread
from ...law.pure import Items, item_variance
from ...metrics import METRICS
from ...metrics.conclusions.hitters import rank_weights
from .groups import GroupedFakes, Oracle, mean_rates
from .prefixes import Prefixes, candidate_counts

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


@dataclass(frozen=True, eq=False)
class Lifts:
    """The targets at each level, float64[G, r] each.

    gaps : from a target up to the threshold, without fakes. lifts : the estimate that fakes alone
    would give it. stds : of the difference.
    """

    gaps: Floats
    lifts: Floats
    stds: Floats

    def named(self, shares: Floats) -> tuple[float, Floats]:
        """The targets named for these shares of fakes in the groups, and the derivative."""
        from scipy.special import log_ndtr

        beta = shares[:, None]
        z = (beta * self.lifts - (1 - beta) * self.gaps) / self.stds
        logs = log_ndtr(z)
        each = np.exp(logs.sum(axis=0))
        steep = np.exp(-(z**2) / 2 - logs) / np.sqrt(2 * np.pi)
        slopes = (steep * (self.lifts + self.gaps) / self.stds) @ each
        return float(each.sum()), np.asarray(slopes)


def best_weights(
    prefixes: Prefixes,
    oracle: Oracle,
    frequencies: Floats,
    users: int,
    fakes: Sequence[Fakes],
) -> tuple[float, ...]:
    """The shares of the fakes in the groups."""
    from scipy.optimize import minimize

    groups, malicious = len(prefixes.lengths), sum(part.count for part in fakes)
    even = np.full(groups, 1 / groups)
    if not malicious:
        return tuple(even.tolist())
    lifts = _lifts(prefixes, oracle, frequencies, users, fakes)
    genuine = users / groups

    def lost(chosen: Floats) -> tuple[float, Floats]:
        weights = np.exp(chosen - chosen.max())
        weights /= weights.sum()
        fake = malicious * weights
        named, slopes = lifts.named(fake / (fake + genuine))
        by_weight = slopes * malicious * genuine / (fake + genuine) ** 2
        return -named, -weights * (by_weight - weights @ by_weight)

    gaps, above = lifts.gaps.mean(axis=1), lifts.lifts.mean(axis=1)
    lifted = np.where((gaps > 0) & (above > 0), gaps / np.maximum(above + gaps, 1e-12), 0)
    starts = [even, 0.9 * lifted / lifted.sum() + 0.1 * even] if lifted.sum() > 0 else [even]
    with one_thread():
        solutions = [minimize(lost, np.log(start), jac=True, method="L-BFGS-B") for start in starts]
    chosen = min(solutions, key=lambda result: float(result.fun)).x
    weights = np.exp(chosen - chosen.max())
    return tuple((weights / weights.sum()).tolist())


def _lifts(
    prefixes: Prefixes,
    oracle: Oracle,
    frequencies: Floats,
    users: int,
    fakes: Sequence[Fakes],
) -> Lifts:
    targets = np.unique(np.concatenate([part.targets for part in fakes]))
    groups = len(prefixes.levels)
    alike = [GroupedFakes(part, np.full(groups, part.count)) for part in fakes]
    gaps, lifts, stds = [], [], []
    expected = expected_levels(prefixes, oracle, frequencies, users, ())
    for level, clean in zip(prefixes.levels, expected, strict=True):
        at = np.searchsorted(level.held, prefixes.cut(prefixes.codes[targets], level.number))
        protocol = oracle.at(level.number)
        rates, _ = mean_rates(prefixes, oracle, level.number, alike)
        # A level that keeps all its candidates has no threshold.
        border = np.maximum(clean.threshold.median[at], -1e6)
        gaps.append(border - clean.estimates.means[at])
        lifts.append((rates[at] - protocol.q) / (protocol.p - protocol.q))
        stds.append(np.sqrt(clean.estimates.variances[at] + clean.threshold.variance[at]))
    return Lifts(np.array(gaps), np.array(lifts), np.array(stds))
