"""Intervals of all items at once, and what they tell of ranks.

Normal intervals that all cover together with probability C: Šidák 1967, whatever their dependence,
for two-sided intervals of normal estimates. Where every interval covers, an item whose interval
lies above those of d - k others is among the k most frequent ones, so that naming all such items is
right with probability C at least: the confidence sets of ranks of Mogstad, Romano, Shaikh and
Wilhelm (Review of Economic Studies 2024), from simultaneous intervals of the values.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Final

import numpy as np

from ..base.sampling import Floats

_NORMAL: Final = NormalDist()

TINY: Final = 1e-300
"""In the place of a standard deviation of 0."""


def simultaneous_width(items: int, confidence: float) -> float:
    """The half-width, in standard deviations, of intervals that all cover with this probability.

    Parameters
    ----------
    items
        The number of intervals.
    confidence
        The probability, between 0 and 1, that all of them cover.

    Examples
    --------
    >>> import ldptui
    >>> round(ldptui.theory.simultaneous_width(500, 0.95), 2)
    3.88
    """
    each = -math.expm1(math.log(confidence) / items)  # the chance that one interval misses
    return -_NORMAL.inv_cdf(each / 2)


def simultaneous_confidence(items: int, width: float) -> float:
    """The probability that all intervals of this half-width cover; the inverse of the width.

    Parameters
    ----------
    items
        The number of intervals.
    width
        Their half-width, in standard deviations.

    Examples
    --------
    >>> import ldptui
    >>> round(ldptui.theory.simultaneous_confidence(1, 1.96), 3)
    0.95
    """
    if width <= 0:
        return 0.0
    return math.exp(items * math.log1p(-2 * _NORMAL.cdf(-width)))


def top_confidence(estimates: Floats, deviations: Floats, k: int) -> Floats:
    """The confidence that each item is among the k most frequent ones: float64[d].

    The largest confidence of simultaneous intervals at which the item's lies above those of d - k
    others; 0 where it does at none. To name all items with at least C is right with probability C.

    Parameters
    ----------
    estimates
        float64[d], right on average.
    deviations
        float64[d], their standard deviations.
    k
        The number of items to name.

    Examples
    --------
    >>> import numpy as np
    >>> import ldptui
    >>> ldptui.theory.top_confidence(np.array([0.6, 0.3, 0.1]), np.full(3, 0.03), 1).round(3)
    array([1., 0., 0.])
    """
    d = estimates.size
    if k >= d:
        return np.ones(d)
    confidences = np.zeros(d)
    for item in np.argsort(-estimates, kind="stable")[:k].tolist():
        apart = (estimates[item] - estimates) / np.maximum(deviations[item] + deviations, TINY)
        apart[item] = np.inf
        width = float(np.partition(apart, k - 1)[k - 1])  # d - k others are at least so far below
        confidences[item] = simultaneous_confidence(d, width)
    return confidences
