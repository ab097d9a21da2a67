"""The closed forms of what is still concluded if as many reports may be fake as are.

A robust end is a function of how many reports support its item. That number is about normal, and
the mean of the end over it is a sum over nodes: exact but for what is cut off at 0 and 1, and for
rounding of the sum. The share that overturns the lead of the first item is linear in the supports,
and exact where nobody doubts who the first two are. How often all of an interval's two ends
hold, and how many fakes a test proves, have no closed form: a normal law is not exact enough in its
tails.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ..base.sampling import Floats
from ..bounds.robust import ballot_of, robust_intervals
from ..cell import Cell

NODES: Final = np.linspace(-8.0, 8.0, 1601)
"""The nodes of a standard normal law."""
WEIGHTS: Final = np.exp(-(NODES**2) / 2) / np.exp(-(NODES**2) / 2).sum()

CERTAIN: Final = 7.0
"""Standard deviations of two estimates together from which on their order is certain."""


def robust_metrics(cell: Cell, estimates: Floats, variances: Floats) -> dict[str, float | None]:
    """The closed forms of robust_low, robust_high and overturning_share of a pure protocol.

    estimates, variances : float64[d], of the attacked estimates.
    """
    protocol = cell.pure
    ballot, reports = ballot_of(protocol), cell.users + cell.malicious
    said, spread = ballot.means(estimates), ballot.gap * np.sqrt(variances)
    expected: dict[str, float | None] = {}
    if cell.targets.size:
        at = cell.targets
        means = np.clip(said[at] + NODES[:, None] * spread[at], protocol.least_support, 1.0)
        ends = robust_intervals(protocol, means, reports, cell.malicious / reports)
        low, high = (float((WEIGHTS @ end).mean()) for end in ends)
        expected |= {"robust_low": low, "robust_high": high}
    first = np.argsort(-said, kind="stable")[:3]
    gaps, wide = -np.diff(said[first]), spread[first]
    if (gaps > CERTAIN * (wide[:-1] + wide[1:])).all() and gaps.size:
        expected["overturning_share"] = float(gaps[0] / ballot.reach)
    return expected
