"""The closed forms of the mean of numbers, which is linear in the numbers that reports stand for.

Each follows from the mean and the variance of one report's number, in [-1, 1]; `expected_*` are in
the unit of the range.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

import numpy as np

from ..attacks import Fakes
from ..base.sampling import Floats
from ..cell import Cell
from ..defences import NumberStep, TalliedReports
from ..law.law import Ask
from ..law.mechanism import Mechanism
from ..law.numeric_protocol import NumericProtocol, heard_mean, heard_squares
from ..law.support import linear_gain
from ..metrics.conclusions.number_conclusions import MeanConclusion


@dataclass(frozen=True)
class ReportMoments:
    """The mean and the variance of the number in one fake report, in [-1, 1], averaged over the
    fakes.

    The number of fakes of each kind is fixed, so that their variances add up.
    """

    mean: float
    variance: float


def numeric_protocol(cell: Cell) -> NumericProtocol:
    """The cell's protocol for numbers."""
    return cast("NumericProtocol", cell.protocol)


def true_mean(cell: Cell) -> float:
    """The mean of the genuine users' numbers, in the unit of the range."""
    protocol = numeric_protocol(cell)
    return float(protocol.range_numbers(cell.population.frequencies @ protocol.values))


def clean_spread(cell: Cell, protocol: NumericProtocol | None = None) -> float:
    """n times the variance of the estimated mean without an attack, on the scale [-1, 1].

    protocol : the protocol to use instead of the cell's own.
    """
    return float(cell.population.frequencies @ (protocol or numeric_protocol(cell)).spread)


def mean_std(cell: Cell, protocol: Mechanism) -> float | None:
    """The standard deviation of the mean's estimate without an attack, under another protocol.

    In the unit of the range; None if no mean is estimated.
    """
    if cell.task.concludes is not MeanConclusion or not isinstance(protocol, NumericProtocol):
        return None
    half = numeric_protocol(cell).half_range
    return half * math.sqrt(clean_spread(cell, protocol) / cell.users)


def fake_report_moments(cell: Cell) -> ReportMoments | None:
    """The moments of one fake report's number; 0 without an attack, None if unknown."""
    protocol, mean, variance = numeric_protocol(cell), 0.0, 0.0
    for fakes in cell.fakes:
        law = fakes.item_support(protocol, cell.targets)
        if law is None:
            return None
        weight = fakes.count / cell.malicious if cell.malicious else 1 / len(cell.fakes)
        says, spread = protocol.said_by(law.rates)
        mean, variance = mean + weight * says, variance + weight * spread
    return ReportMoments(mean, variance)


def mean_biases(cell: Cell) -> tuple[float, float | None]:
    """The biases of the estimated mean, in the unit of the range: 0 without the attack, and with
    it; None if unknown.
    """
    fakes, protocol = fake_report_moments(cell), numeric_protocol(cell)
    if fakes is None:
        return 0.0, None
    said = float(cell.population.frequencies @ protocol.values)
    return 0.0, protocol.half_range * linear_gain(fakes.mean, 0.0, said, cell.share)


def mean_square_error(cell: Cell, attacked: bool) -> float | None:
    """The expected squared error of the estimated mean, bias² + variance; None if unknown."""
    scale, users = numeric_protocol(cell).half_range ** 2, cell.users
    spread, fakes, bias = clean_spread(cell) * scale, fake_report_moments(cell), mean_biases(cell)
    if not attacked:
        return spread / users
    if fakes is None or bias[1] is None:
        return None
    drawn = users * spread + cell.malicious * fakes.variance * scale
    return bias[1] ** 2 + drawn / (users + cell.malicious) ** 2


def expected_tallies(cell: Cell, fakes: Sequence[Fakes]) -> Floats:
    """float64[K]: the expected number of reports in each bin, with these fakes."""
    protocol = numeric_protocol(cell)
    honest: Any = protocol.law_of(Ask("honest", np.arange(cell.population.domain_size),
                                      held=cell.population.frequencies))  # fmt: skip
    laws = [(cell.users, np.asarray(honest.support(np.empty(0, dtype=np.int64)).rates))]
    for part in fakes:
        law = part.item_support(protocol, cell.targets)
        laws.append((part.count, law.rates if law is not None else np.full(1, np.nan)))
    return np.asarray(sum(count * rates for count, rates in laws))


def expected_second_moment(cell: Cell, attacked: bool) -> float | None:
    """The expected estimate of the mean of squares, in squares of the range's unit; None if the
    protocol gives none.
    """
    if attacked and fake_report_moments(cell) is None:
        return None
    protocol = numeric_protocol(cell)
    tallies = expected_tallies(cell, cell.fakes if attacked else ())[None]
    mean, _ = heard_mean(protocol, tallies)
    (found,) = protocol.range_squares(mean, heard_squares(protocol, tallies))
    return None if np.isnan(found) else float(found)


@lru_cache(maxsize=4)
def defended_biases(cell: Cell) -> tuple[float, float] | None:
    """The biases of the defended estimated mean before and after the attack, in the unit of the
    range; None if unknown.

    In the limit of many reports. None if a defence has no closed form.
    """
    steps = [step for step in cell.defences if isinstance(step, NumberStep)]
    known = fake_report_moments(cell) is not None and all(step.foretold for step in steps)
    if not cell.defences or not known:
        return None
    protocol, truth = numeric_protocol(cell), true_mean(cell)
    fakes = cell.sifted_cell.fakes
    biases = []
    for tallies in (expected_tallies(cell, ()), expected_tallies(cell, fakes)):
        left = tallies[None]
        for step in steps:
            left = step.left(TalliedReports(protocol, left)).tallies
        biases.append(float(protocol.range_numbers(heard_mean(protocol, left)[0])[0]) - truth)
    before, after = biases
    return 0.0 if abs(before) <= 1e-12 * protocol.half_range else before, after
