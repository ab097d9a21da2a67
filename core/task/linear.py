"""The closed forms of an estimate that is linear in reports: what one report says on average.

Where an estimate is the mean of a number g(y) of each report y, a share β of fakes moves it by
β (E[g(y)] - θ), θ the estimate without them: the law of one report is all that it takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from ..attacks import Fakes
from ..base.sampling import Floats
from ..cell import Cell
from ..law.law import Ask
from ..law.numbers import Sums, TellsNumbers
from ..law.pure import Supporting


@dataclass(frozen=True)
class Told:
    """The mean and the variance of what a fake's report says, where the range is [-1, 1].

    The number of fakes of each kind is fixed, so that their variances add up.
    """

    mean: float
    variance: float


def fakes_told(cell: Cell) -> Told | None:
    """What one report of the fakes says; 0 without an attack, None where it is not known."""
    protocol, mean, variance = _telling(cell), 0.0, 0.0
    for fakes in cell.fakes:
        law = fakes.strategy.item_support(cast("Supporting", protocol), fakes.targets, cell.targets)
        if law is None:
            return None
        weight = fakes.count / cell.malicious if cell.malicious else 1 / len(cell.fakes)
        says, spread = protocol.said_by(law.rates)
        mean, variance = mean + weight * says, variance + weight * spread
    return Told(mean, variance)


def expected_tallies(cell: Cell, fakes: Sequence[Fakes]) -> Floats:
    """float64[K], the expected number of reports of each kind, with these fakes."""
    protocol = _telling(cell)
    honest = protocol.law_of(Ask("honest", np.arange(cell.population.domain_size),
                                 held=cell.population.frequencies))  # fmt: skip
    laws = [(cell.users, _rates(honest))]
    for part in fakes:
        law = part.strategy.item_support(cast("Supporting", protocol), part.targets, cell.targets)
        laws.append((part.count, law.rates if law is not None else np.full(1, np.nan)))
    sums = (Sums(count * rates[None], count) for count, rates in laws)
    return np.asarray(sum(protocol.tallied(each)[0] for each in sums))


def _rates(law: Any) -> Floats:
    """The probabilities of reports of a law that a protocol of numbers has."""
    return np.asarray(law.support(np.empty(0, dtype=np.int64)).rates)


def clean_spread(cell: Cell) -> float:
    """n times the variance of the clean estimate: that of what one report says, on average."""
    return float(cell.population.frequencies @ _telling(cell).spread)


def _telling(cell: Cell) -> TellsNumbers:
    return cast("TellsNumbers", cell.protocol)
