"""Differences between the estimates of groups of users, each tested beside all others.

If an item is equally frequent in two groups, their estimates differ by noise alone, of the
protocol's exact variance at the joint frequency. A normal distribution has too short tails for a
group with few reports that support an item. If no report speaks against items, counts are binomial,
and the signed root of the likelihood ratio, with the count moved half a report towards the expected
one, has tails no shorter than a normal distribution's. The smaller of both scores decides.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import NormalDist
from typing import Final

import numpy as np

from ..base.sampling import Counts, Floats
from ..law.moments import Unbiased
from ..law.pure import PureProtocol
from .variance import item_variances

FEW: Final = 100
"""Reports of a group that is compared, at least."""

_NORMAL: Final = NormalDist()


@dataclass(frozen=True)
class Difference:
    """A difference between two groups' frequencies that exceeds noise.

    Attributes
    ----------
    item
        The item.
    first, second
        The groups, by their positions.
    value
        The frequency in the first group less that in the second.
    std
        The standard error of the value.
    p_value
        The probability, at most, that any of all comparisons has such a score if the groups do not
        differ.
    """

    item: int
    first: int
    second: int
    value: float
    std: float
    p_value: float


def differences(
    protocol: Unbiased, counts: Sequence[Counts], users: Sequence[int], confidence: float
) -> tuple[list[Difference], int]:
    """The significant differences (jointly, at this confidence), clearest first; and the number of
    comparisons.

    Every item is compared between every two groups of at least FEW reports, and the threshold is
    corrected for all comparisons (Bonferroni).

    Parameters
    ----------
    protocol
        A protocol whose estimates have no bias.
    counts
        The support counts of each group, int64[d] each.
    users
        The number of reports of each group.
    confidence
        The probability, between 0 and 1, that no difference is reported if there is none.

    Examples
    --------
    >>> import numpy as np
    >>> import ldptui
    >>> grr = ldptui.protocol("grr", items=2, epsilon=1.0)
    >>> counts = [np.array([700, 300]), np.array([400, 600])]
    >>> found, comparisons = ldptui.theory.differences(grr, counts, [1000, 1000], 0.95)
    >>> [each.item for each in found], comparisons
    ([1, 0], 2)
    """
    pairs = list(combinations([at for at, n in enumerate(users) if n >= FEW], 2))
    comparisons = len(pairs) * protocol.domain_size
    if not comparisons:
        return [], 0
    threshold = -_NORMAL.inv_cdf((1 - confidence) / (2 * comparisons))
    estimates = [
        protocol.estimates(count[None], n).frequencies[0]
        for count, n in zip(counts, users, strict=True)
    ]
    differences = []
    for first, second in pairs:
        one, other = users[first], users[second]
        pooled = np.clip((one * estimates[first] + other * estimates[second]) / (one + other), 0, 1)
        spread = sum(item_variances(protocol, n, pooled) for n in (one, other))
        values = estimates[first] - estimates[second]
        scores = np.abs(values) / np.sqrt(spread)
        if _supports_or_is_silent(protocol):
            binomial = _binomial_scores(counts[first], one, counts[second], other)
            scores = np.minimum(scores, binomial)
        for item in np.flatnonzero(scores > threshold).tolist():
            own = sum(
                item_variances(protocol, n, np.clip(estimates[group], 0, 1))[item]
                for group, n in ((first, one), (second, other))
            )
            p_value = min(1.0, comparisons * math.erfc(float(scores[item]) / math.sqrt(2)))
            std = math.sqrt(float(own))
            differences.append(Difference(item, first, second, float(values[item]), std, p_value))
    return sorted(differences, key=lambda each: -abs(each.value) / each.std), comparisons


def _supports_or_is_silent(protocol: Unbiased) -> bool:
    """Return whether a count is the number of reports that support an item, and no difference."""
    if not isinstance(protocol, PureProtocol):
        return False
    nobody = protocol.perturb(np.empty(0, dtype=np.int64), np.random.default_rng(0))
    return protocol.supports(nobody).dtype == np.bool_


def _binomial_scores(first: Counts, one: int, second: Counts, other: int) -> Floats:
    """√(2G) of two binomial counts of the same rate, each half a report nearer to it."""
    rate = (first + second) / (one + other)
    off = first - one * rate
    nearer = one * rate + np.sign(off) * np.maximum(np.abs(off) - 0.5, 0)
    rest = first + second - nearer
    return np.sqrt(2 * (_divergence(nearer, one, rate) + _divergence(rest, other, rate)))


def _divergence(count: Floats, users: int, rate: Floats) -> Floats:
    """n times the Kullback-Leibler divergence of a share from a rate, at least 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        hits = np.where(count > 0, count * np.log(count / (users * rate)), 0.0)
        misses = users - count
        rest = np.where(misses > 0, misses * np.log(misses / (users * (1 - rate))), 0.0)
    return np.asarray(np.maximum(hits + rest, 0.0))
