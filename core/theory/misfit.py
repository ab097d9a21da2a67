"""Estimates that are impossible for honest users: signs that reports do not follow the protocol.

Unbiased estimates add up to 1 and lie in [0, 1], up to noise whose variance is known, for any items
of the users. A sum without noise, as that of GRR, shows nothing. A budget that is set too small
takes GRR's rare items below 0; one that is set too large contracts the estimates, as other users
would, and leaves no trace.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import Final

import numpy as np

from ..base.sampling import Floats
from ..law.pure import Supporting
from .gains import target_sum_variance
from .variance import item_variances

FAR: Final = 4.0
"""Standard errors from which on an estimate may be a misfit."""

CHANCE: Final = 0.01
"""The share of honest collections in which any of d + 1 estimates may seem a misfit: what is not
as rare, of so many, is none. Up to 300 items it is FAR alone that decides."""

LEAST_REPORTS: Final = 100
"""From here on a sum of independent bits is FAR off in less than CHANCE of the collections."""

ROUNDING: Final = 1e-9
"""Less is rounding: off the bound, and of a sum's variance beside those of its terms."""


TINY: Final = sys.float_info.min


@dataclass(frozen=True)
class ImpossibleEstimates:
    """An estimate that is impossible for honest users of the protocol.

    Attributes
    ----------
    item
        The item, None for the sum of all estimates.
    value
        The estimate.
    bound
        The smallest or largest possible true value.
    errors
        The standard errors between estimate and bound.
    chance
        The probability, at most, that noise takes any of all estimates as far; for normal noise.
    """

    item: int | None
    value: float
    bound: float
    errors: float
    chance: float


def misfit(protocol: Supporting, users: int, estimates: Floats) -> ImpossibleEstimates | None:
    """The most impossible of the estimates; None if all are possible.

    The standard errors are computed as if the estimates were the true frequencies.

    Parameters
    ----------
    protocol
        A protocol that supports items with its p and q.
    users
        n, the number of reports; always None for fewer than 100.
    estimates
        float64[d], not corrected.

    Examples
    --------
    >>> import numpy as np
    >>> import ldptui
    >>> oue = ldptui.protocol("oue", items=4, epsilon=1.0)
    >>> ldptui.theory.misfit(oue, 10_000, np.array([0.5, 0.5, 0.5, 0.5])).item is None  # Σ = 2
    True
    """
    if users < LEAST_REPORTS:
        return None
    near = np.clip(estimates, 0, 1)
    variances, every = item_variances(protocol, users, near), np.arange(estimates.size)
    held = near / near.sum() if near.any() else np.full(near.size, 1 / near.size)
    spread = target_sum_variance(protocol, every, held, users) / users
    off = np.abs(estimates - near)
    item = int(np.argmax(off / np.sqrt(np.maximum(variances, TINY))))
    tails = near.size + 2  # one of each item, two of the sum
    misfits = [
        _misfit(item, float(estimates[item]), float(near[item]), float(variances[item]), tails)
    ]
    if spread > ROUNDING * variances.sum():
        misfits.append(_misfit(None, float(estimates.sum()), 1.0, spread, tails))
    farthest = max(misfits, key=lambda each: each.errors)
    return farthest if farthest.errors > FAR and farthest.chance < CHANCE else None


def _misfit(
    item: int | None, value: float, bound: float, variance: float, tails: int
) -> ImpossibleEstimates:
    off = abs(value - bound)
    errors = off / math.sqrt(max(variance, TINY)) if off > ROUNDING else 0.0
    chance = min(1.0, tails * math.erfc(errors / math.sqrt(2)) / 2)
    return ImpossibleEstimates(item, value, bound, errors, chance)
