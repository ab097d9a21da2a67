"""The expectations of a cell with a defence: of corrections that are affine, and of one filter.

Such a correction adds to every item the same part of what the sum lacks: f' = f + c (1 - Σf)/d,
with c its `spreads`. Means go through it as they are, and Σ_v Var f'_v = Σ_v Var f_v - c (2 - c)
Var[Σf] / d. Other corrections bend, and have no closed form here.

The filter drops exactly the users who support all targets: Cao, Jia, Gong, USENIX Security 2021,
section 6.2, FIAD against fakes who all support all targets. With them go the genuine users who do
so by chance, and the targets end below what they had. For f_T = 0 the gain that is left is r [(q -
q^r) / (1 - q^r) - q] / (p - q). Where a fake supports a random number of targets, as under local
hashing, the sets that are dropped follow from the draw, and nothing is said. Of a screen of pairs
the alarm rate is known, where it comes from the targets.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from ..base.sampling import Floats
from ..cell import Cell
from ..defences import Correction
from ..defences.fiad import FIAD
from ..defences.pairs import Pairs
from ..law.linear import round_to_zero
from ..law.moments import Moments
from .gains import target_sum_variance
from .support import fake_support, foreseen


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
        if share == 0 and cell.sifted is cell and undefended["gain"]:
            expected["recovered"] = 0.0
    if variances is None:
        return expected
    sums = sum_variances(cell.sifted) if share else (0.0, 0.0)
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
        if not foreseen(cell, group) or group.sent < 1:
            return genuine, None
        law = group.strategy.item_support(protocol, group.targets, every)
        if law is None:
            return genuine, None
        fakes += group.count * law.variance / everyone**2
    return genuine, (1 - cell.share) ** 2 * genuine + fakes


UNTOLD: Final = 1e-3
"""An alarm rate that may be larger by more than this is not told."""


def sifted_metrics(cell: Cell) -> dict[str, float | None]:
    """The closed forms of such a cell; none where it is another one."""
    if len(cell.filters) != 1 or cell.attack is None or cell.rounds:
        return {}
    step = cell.filters[0]
    if isinstance(step, Pairs):
        return _alarm_rate(cell, step)
    if any(step.kind != "none" for step in cell.corrections):
        return {}
    fakes = fake_support(cell.sifted)
    if fakes is None or not isinstance(step, FIAD) or not cell.targets.size:
        return {}
    if fakes.variance or (fakes.rates[cell.targets] < 1).any():
        return {}
    held = cell.population.frequencies[cell.targets]
    if not step.drops_targets(cell.pure, held, cell.users, cell.malicious):
        return {}
    p, q, r = cell.pure.p, cell.pure.q, held.size
    every = held.sum() * p * q ** (r - 1) + (1 - held.sum()) * q**r
    left = ((q + held * (p - q) - every) / (1 - every) - q) / (p - q)
    return {
        "gain_after": float(left.sum() - held.sum()),
        "target_frequency_after": float(left.sum()),
        "recall": 1.0,
        "false_positive_rate": float(every),
        "reports_kept": float(cell.users * (1 - every)),
        "alarm_rate": 1.0,
    }


def _alarm_rate(cell: Cell, step: Any) -> dict[str, float | None]:
    """The probability that a pair of targets alarms, where other pairs hardly ever do."""
    protocol, r, (group, *others) = cell.sifted.pure, cell.targets.size, cell.sifted.fakes
    if others or group.sent < 1 or r < 2 or not foreseen(cell, group):
        return {}
    every = np.arange(protocol.domain_size)
    outside = np.setdiff1d(every, cell.targets)
    laws = [
        group.strategy.item_support(protocol, group.targets, counted)
        for counted in (cell.targets, outside, every)
    ]
    known = [law for law in laws if law is not None]
    if len(known) < len(laws):
        return {}
    rates = known[0].rates
    if np.ptp(rates[cell.targets]) > 1e-12 or (outside.size and np.ptp(rates[outside]) > 1e-12):
        return {}

    def power(held: Floats, either: float, both: float) -> float:
        chance: float = step.power(protocol, held, either, both, cell.users, cell.malicious)
        return chance

    inside, beyond, all_ = (law.variance for law in known)
    target = float(rates[cell.targets[0]])
    held = cell.population.frequencies[cell.targets]
    alarmed = power(held, 2 * target, paired(r, target, inside))
    if outside.size:
        other, n = float(rates[outside[0]]), outside.size
        mixed = (all_ - inside - beyond) / (2 * r * n) + target * other
        chance = r * n * power(np.zeros(2), target + other, mixed)
        if n > 1:
            pairs = n * (n - 1) / 2
            chance += pairs * power(np.zeros(2), 2 * other, paired(n, other, beyond))
        if min(chance, 1 - alarmed) > UNTOLD:
            return {}
    return {"alarm_rate": alarmed}


def paired(items: int, rate: float, variance: float) -> float:
    """The probability that a report supports both of two items, any of these.

    rate : that it supports one. variance : of the number of them that it supports.
    """
    mean = items * rate
    return (variance + mean**2 - mean) / (items * (items - 1))
