"""The task of a mean: users hold numbers, and the server estimates the mean of all of them.

Each item of the population stands for a number. What each report says is added up, so that every
closed form follows from the mean and the variance of what one report says.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal, cast

import numpy as np

from ..base.arms import ATTACKED, CLEAN
from ..base.errors import ScenarioError
from ..base.pulse import Pulse
from ..base.sampling import Floats
from ..cell import Cell, Counted
from ..collection.counts import block_counts
from ..law.capabilities import TellsNumbers, lacking
from ..law.pure import Mechanism, Supporting
from ..metrics import METRICS, Conclusion, measure
from ..metrics.mean import MeanConclusion
from ..metrics.results import Block, Fingerprints, Moments
from ..population import Population
from ..protocols import ProtocolSpec
from .numbers import OfNumbers


@dataclass(frozen=True)
class Mean(OfNumbers):
    """Histogram → counts of the reports → an estimate of the mean → metrics; once per arm.

    The d items are d numbers, as far apart, from low to high.
    """

    concludes: ClassVar[type[Conclusion]] = MeanConclusion

    kind: Literal["mean"] = "mean"

    def bound(self, protocol: ProtocolSpec, population: Population) -> Mechanism:
        """The protocol over the numbers of the items; raises ScenarioError."""
        mechanism = protocol.bind(population.domain_size, population.labels)
        why = lacking(mechanism, "mean_of", "whose reports tell frequencies of items and no mean")
        if why is not None:
            raise ScenarioError(f'must not be {why} with task.kind = "mean"', key="kind")
        return cast("Mechanism", replace(mechanism, low=self.low, high=self.high))

    def block(
        self,
        cell: Cell,
        number: int,
        trials: int,
        pulse: Pulse,
        shares: Counted | None = None,
    ) -> Block:
        marks = Fingerprints(trials)
        clean, attacked = block_counts(cell, number, trials, pulse, shares)
        marks.add(clean, attacked)
        everyone, told = cell.users + cell.malicious, _telling(cell).mean_of
        estimates = {
            CLEAN: self._number(told(clean, cell.users)),
            ATTACKED: self._number(told(attacked, everyone)),
        }
        conclusion = MeanConclusion(estimates, self.true_mean(cell), cell.attack is not None)
        arms = {arm: Moments.of(values[:, None]) for arm, values in estimates.items()}
        return Block(cell.index, number, measure(conclusion), marks.values, arms)

    def _number(self, told: Floats) -> Floats:
        """Numbers of the range, from those of [-1, 1] that the protocol knows."""
        return np.asarray((self.low + self.high) / 2 + self.half * told)

    def true_mean(self, cell: Cell) -> float:
        """The mean of the genuine users' numbers."""
        return float(self._number(cell.population.frequencies @ _telling(cell).values))

    def expected(self, cell: Cell) -> dict[str, float | None]:
        truth, spread = self.true_mean(cell), clean_spread(cell) * self.half**2
        expected = dict.fromkeys(METRICS) | {
            "mean_estimate_clean": truth,
            "mean_error_clean": 0.0,
            "mean_squared_error_clean": spread / cell.users,
        }
        fakes = fakes_told(cell)
        if fakes is None:
            return expected
        everyone = cell.users + cell.malicious
        shift = cell.share * (self.half * fakes.mean + (self.low + self.high) / 2 - truth)
        drawn = cell.users * spread + cell.malicious * fakes.variance * self.half**2
        expected |= {
            "mean_estimate": truth + shift,
            "mean_error": shift,
            "mean_squared_error": shift**2 + drawn / everyone**2,
        }
        return expected | ({} if cell.attack is None else {"mean_shift": shift})


@dataclass(frozen=True)
class Told:
    """What one report of a fake says, where the range is [-1, 1]: its mean and its variance.

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


def clean_spread(cell: Cell) -> float:
    """n times the variance of the clean estimate: that of what one report says, on average."""
    return float(cell.population.frequencies @ _telling(cell).spread)


def _telling(cell: Cell) -> TellsNumbers:
    return cast("TellsNumbers", cell.protocol)
