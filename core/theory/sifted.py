"""The expectations behind a filter: one that drops exactly the users who support all targets.

Cao, Jia, Gong, USENIX Security 2021, section 6.2: FIAD against fakes who all support all targets.
With them go the genuine users who do so by chance, and the targets end below what they had. For
f_T = 0 the gain that is left is r [(q - q^r) / (1 - q^r) - q] / (p - q). Where a fake supports a
random number of targets, as under local hashing, the sets that are dropped follow from the draw,
and nothing is said. Of a screen of pairs the alarm rate is known, where it comes from the targets.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ..base.sampling import Floats
from ..cell import Cell
from ..defences import foretells_alarm, foretells_drops
from .support import fake_support, foreseen

UNTOLD: Final = 1e-3
"""An alarm rate that may be larger by more than this is not told."""


def sifted_metrics(cell: Cell) -> dict[str, float | None]:
    """The closed forms of such a cell; none where it is another one."""
    if len(cell.filters) != 1 or cell.attack is None or cell.rounds:
        return {}
    step = cell.filters[0]
    if foretells_alarm(step):
        return _alarm_rate(cell, step)
    if any(step.kind != "none" for step in cell.corrections):
        return {}
    fakes = fake_support(cell.sifted)
    if fakes is None or not foretells_drops(step) or not cell.targets.size:
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
