"""The expectations of a cell with a defence: of corrections that are affine.

Such a correction adds to every item the same part of the missing mass: f' = f + c (1 - Σf)/d,
with c its `spreads`. Means are corrected alike, and Σ_v Var f'_v = Σ_v Var f_v - c (2 - c)
Var[Σf] / d. Other corrections are not linear and have no closed form here, nor have filters.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ..base.sampling import Floats
from ..cell import Cell
from ..defences import Correction
from ..law.longitudinal import Memoising
from ..law.moments import Moments
from .expected import arm_means, arm_variances, mean_square
from .gains import is_aim_known, target_sum_variance


def correction_share(cell: Cell) -> float | None:
    """The share c of the missing mass that all corrections together add; None if a defence is not
    such a correction.
    """
    kept = 1.0
    for step in (*cell.filters, *cell.corrections):
        share = step.spreads if isinstance(step, Correction) else None
        if share is None:
            return None
        kept *= 1 - share
    return 1 - kept


@lru_cache(maxsize=4)
def defended_estimates(cell: Cell) -> Moments | None:
    """The expected estimates after the corrections, float64[d], before and after the attack; None
    if unknown.
    """
    share = correction_share(cell) if cell.defences else None
    means = arm_means(cell.sifted_cell)
    if share is None or means is None:
        return None
    clean, attacked = means
    return add_missing(clean, share), None if attacked is None else add_missing(attacked, share)


def add_missing(estimates: Floats, share: float) -> Floats:
    """The estimates plus, in equal parts, this share of the missing mass 1 - Σf; float64[d]."""
    return np.asarray(estimates + share * (1 - estimates.sum()) / estimates.size)


def defended_error(cell: Cell, attacked: bool) -> float | None:
    """The expected mean squared error over the items after the corrections; None if unknown."""
    means, variances = defended_estimates(cell), arm_variances(cell.sifted_cell)
    share = correction_share(cell)
    if means is None or variances is None or share is None:
        return None
    mean, variance = means[attacked], variances[attacked]
    lost = sum_variances(cell.sifted_cell)[attacked] if share else 0.0
    if mean is None or variance is None or lost is None:
        return None
    return mean_square(cell, mean, variance) - share * (2 - share) / mean.size**2 * lost


def keeps_estimates(cell: Cell) -> bool:
    """Whether the defence leaves the estimates unchanged."""
    return correction_share(cell) == 0 and cell.sifted_cell is cell


def sum_variances(cell: Cell) -> tuple[float | None, float | None]:
    """The variance of the sum of all items' estimates, before and after the attack; None if
    unknown.

    The reports of a pure protocol are independent, unless their users memoise an answer.
    """
    if not cell.is_pure or (isinstance(cell.protocol, Memoising) and cell.rounds):
        return None, None
    protocol, d = cell.pure, cell.population.domain_size
    every, truth = np.arange(d), cell.population.frequencies
    genuine = target_sum_variance(protocol, every, truth, cell.users) / cell.users
    fakes, everyone = 0.0, (cell.users + cell.malicious) * (protocol.p - protocol.q)
    for group in cell.fakes:
        if not is_aim_known(cell, group) or group.sent < 1:
            return genuine, None
        law = group.item_support(protocol, every)
        if law is None:
            return genuine, None
        fakes += group.count * law.variance / everyone**2
    return genuine, (1 - cell.share) ** 2 * genuine + fakes


def pair_probability(items: int, rate: float, variance: float) -> float:
    """The probability that a report supports both items of a pair, any two of `items` items.

    rate : the probability that it supports one item. variance : of the number of these items that
    it supports.
    """
    mean = items * rate
    return (variance + mean**2 - mean) / (items * (items - 1))
