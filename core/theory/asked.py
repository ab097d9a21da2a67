"""The expectation of the share of fakes that a filter estimates from two reports of every user."""

from __future__ import annotations

import math
from typing import cast

import numpy as np

from ..attacks import Fakes, pretends
from ..cell import Cell
from ..defences import asks_twice
from ..law.twice import AsksTwice, Sender


def asked_metrics(cell: Cell) -> dict[str, float | None]:
    """The closed forms of such a cell; none where it is another one.

    Reports of fakes who are not those that the server assumes coincide with another probability,
    and the estimate is off in proportion.
    """
    step = next(filter(asks_twice, cell.filters), None)
    if step is None:
        return {}
    protocol = cast("AsksTwice", cell.sifted.protocol)
    everyone, r = cell.users + cell.malicious, cell.targets.size
    deviation = step.deviation(protocol, r, everyone)
    metrics: dict[str, float | None] = {"share_estimate_std": deviation}
    if math.isinf(deviation):
        return {}
    if step.doubts(protocol, r, everyone) is not None:
        return metrics
    honest, assumed = step.chances(protocol, r)
    beyond = 0.0
    for fakes in cell.fakes:
        if not _uniform(fakes):
            return metrics
        law = fakes.strategy.report_law
        coincide = protocol.coincidence(Sender(step.compared, law, fakes.targets.size))
        beyond += fakes.count / everyone * (honest - coincide)
    return metrics | {"share_estimate": beyond / (honest - assumed)}


def _uniform(fakes: Fakes) -> bool:
    """Return whether their law is one of those known, all targets alike."""
    strategy = fakes.strategy
    if strategy.reacts or strategy.report_law not in ("random", "honest", "crafted"):
        return False
    return not pretends(strategy) or bool(np.ptp(strategy.weights(fakes.targets.size)) == 0)
