"""Tells which robust intervals hold what is true, of many items at once."""

from __future__ import annotations

import numpy as np

from ..base.sampling import Floats
from ..law.pure import BoolArray, PureProtocol
from .robust import (
    CONFIDENCE,
    ballot_of,
    deviation,
    marginal_set,
    normal_factors,
    robust_intervals,
    skewed_at,
)


def covered(
    protocol: PureProtocol, estimates: Floats, truth: Floats, reports: int, share: float
) -> BoolArray:
    """bool[trials, d]: whether `robust_intervals` hold the honest frequencies float64[d].

    estimates : float64[trials, d], from all N reports. Each interval is the marginal set with the
    least noise of all items at least, and with the most of them at most: its own noise is asked
    only where what is true lies between.
    """
    ballot = ballot_of(protocol)
    low, high = marginal_set(ballot.means(np.zeros(1)), share, ballot)
    away = estimates / (1 - share)
    away -= truth
    lowest, highest = ballot.means(np.array([estimates.min(), estimates.max()]))
    least, most = 0.0, np.inf
    if protocol.least_support < 0 or not skewed_at(np.array([lowest, highest]), reports).any():
        ends = np.array([lowest, min(max(0.5, lowest), highest), highest])
        noise = deviation(protocol, ends, reports) / (ballot.gap * (1 - share))
        one_sided, two_sided = normal_factors(CONFIDENCE)
        least, most = one_sided * noise.min(), two_sided * noise.max()

    def within(away: Floats, truth: Floats, noise: float) -> BoolArray:
        above, below = away <= noise - low, away >= -high - noise
        return np.asarray((above | (truth >= 1)) & (below | (truth <= 0)))  # ends are clipped

    held = within(away, truth, least)
    (left,) = (~held.ravel()).nonzero()
    left = left[within(away.ravel()[left], truth[left % truth.size], most)]
    if left.size:
        means, truth = ballot.means(estimates.ravel()[left]), truth[left % truth.size]
        low, high = robust_intervals(protocol, means, reports, share)
        held.ravel()[left] = (low <= truth) & (truth <= high)
    return held
