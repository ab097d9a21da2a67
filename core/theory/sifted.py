"""The expectations behind a filter that drops exactly the users who support all targets.

Cao, Jia, Gong, USENIX Security 2021, section 6.2: FIAD against fakes who all support all targets.
With them go the genuine users who do so by chance, and the targets end below what they had. For
f_T = 0 the gain that is left is r [(q - q^r) / (1 - q^r) - q] / (p - q). Where a fake supports a
random number of targets, as under local hashing, the sets that are dropped follow from the draw,
and nothing is said.
"""

from __future__ import annotations

from typing import Any

from ..cell import Cell
from .support import fake_support


def sifted_metrics(cell: Cell) -> dict[str, float | None]:
    """The closed forms of such a cell; none where it is another one."""
    if len(cell.filters) != 1 or cell.attack is None or cell.rounds:
        return {}
    if any(step.kind != "none" for step in cell.corrections):
        return {}
    step: Any = cell.filters[0]
    fakes = fake_support(cell.sifted)
    if fakes is None or not hasattr(step, "drops_targets") or not cell.targets.size:
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
