"""The expectations of a cell with a defence: of corrections that are affine.

Such a correction adds to every item the same part of what the sum lacks: f' = f + c (1 - Σf)/d,
with c its `spreads`. Means go through it as they are, and Σ_v Var f'_v = Σ_v Var f_v - c (2 - c)
Var[Σf] / d. Other corrections bend, and have no closed form here, as filters have none.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..cell import Cell
from ..defences import Correction
from ..law.moments import Moments
from ..law.support import round_to_zero
from .gains import is_aim_known, target_sum_variance


def spread(cell: Cell) -> float | None:
    """The share c of the missing mass that all corrections together add; None if one is no such."""
    kept = 1.0
    for step in (*cell.filters, *cell.corrections):
        share = step.spreads if isinstance(step, Correction) else None
        if share is None:
            return None
        kept *= 1 - share
    return 1 - kept


def defended_metrics(
    cell: Cell,
    undefended: Mapping[str, float | None],
    means: Moments | None,
    variances: Moments | None,
) -> dict[str, float | None]:
    """The closed forms of the defended metrics of a cell; none where there is no closed form.

    undefended : those without the defence. means, variances : of the estimates of what users are
    asked to send and filters read, before the corrections.
    """
    share = spread(cell) if cell.defences else None
    if share is None or means is None:
        return {}
    expected: dict[str, float | None] = {}
    clean, attacked = means[0], means[1]
    before = clean + share * (1 - clean.sum()) / clean.size
    after = None if attacked is None else attacked + share * (1 - attacked.sum()) / clean.size
    if cell.targets.size and after is not None:
        reached = float(after[cell.targets].sum())
        expected["target_frequency_after"] = reached
        held = before[cell.targets]
        size = float(np.abs(held).sum() + np.abs(after[cell.targets]).sum())
        expected["gain_after"] = round_to_zero(reached - float(held.sum()), size)
        if share == 0 and cell.sifted_cell is cell and undefended["gain"]:
            expected["recovered"] = 0.0
    if variances is None:
        return expected
    sums = sum_variances(cell.sifted_cell) if share else (0.0, 0.0)
    less = share * (2 - share) / clean.size**2
    truth = cell.population.frequencies
    if sums[0] is not None:
        error = float(((before - truth) ** 2 + variances[0]).mean()) - less * sums[0]
        expected["mse_clean_after"] = error
        without = undefended["mse_clean"]
        expected["collateral"] = None if without is None else round_to_zero(error - without, error)
    if after is not None and variances[1] is not None and sums[1] is not None:
        error = float(((after - truth) ** 2 + variances[1]).mean()) - less * sums[1]
        expected["mse_after"] = error
    return expected


def sum_variances(cell: Cell) -> tuple[float | None, float | None]:
    """Var[Σf] of the estimates of all items, before and after the attack; None where not known.

    The reports of a pure protocol are independent, but for those of users who keep an answer.
    """
    if not cell.is_pure or (cell.memory is not None and cell.rounds):
        return None, None
    protocol, d = cell.pure, cell.population.domain_size
    every, truth = np.arange(d), cell.population.frequencies
    genuine = target_sum_variance(protocol, every, truth, cell.users) / cell.users
    fakes, everyone = 0.0, (cell.users + cell.malicious) * (protocol.p - protocol.q)
    for group in cell.fakes:
        if not is_aim_known(cell, group) or group.sent < 1:
            return genuine, None
        law = group.strategy.item_support(protocol, group.targets, every)
        if law is None:
            return genuine, None
        fakes += group.count * law.variance / everyone**2
    return genuine, (1 - cell.share) ** 2 * genuine + fakes


def pair_probability(items: int, rate: float, variance: float) -> float:
    """The probability that a report supports both of two items, any of these.

    rate : that it supports one. variance : of the number of them that it supports.
    """
    mean = items * rate
    return (variance + mean**2 - mean) / (items * (items - 1))
