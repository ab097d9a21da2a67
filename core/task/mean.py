"""The task of a mean: users hold numbers, and the server estimates the mean of all of them.

Each item of the population stands for a number. What each report says is added up, so that every
closed form follows from the mean and the variance of what one report says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from ..base.arms import ATTACKED, Arm
from ..base.flags import Flags
from ..base.pulse import Pulse
from ..base.sampling import Floats
from ..cell import Cell
from ..defences import Tallied, reads_numbers
from ..law.linear import linear_gain
from ..law.numbers import heard_mean, heard_squares
from ..law.pure import Mechanism
from ..metrics import METRICS, Conclusion
from ..metrics.mean import MeanConclusion
from ..population import Population
from ..protocols import ProtocolSpec
from .numbers import Heard, OfNumbers, clean_spread, expected_tallies, fakes_told, telling


@dataclass(frozen=True)
class Mean(OfNumbers):
    """Histogram → counts of the reports → an estimate of the mean → metrics; once per arm.

    The d items are d numbers, as far apart, from low to high.
    """

    concludes: ClassVar[type[Conclusion]] = MeanConclusion

    kind: Literal["mean"] = "mean"

    def bound(self, protocol: ProtocolSpec, population: Population) -> Mechanism:
        """The protocol over the numbers of the items; raises ScenarioError."""
        mechanism = protocol.over(population)
        return self.ranged(mechanism, "said", "whose reports tell frequencies of items and no mean")

    def concluded(
        self, cell: Cell, arms: Mapping[Arm, Heard], flags: Mapping[Arm, Flags], pulse: Pulse
    ) -> MeanConclusion:
        pulse()
        protocol, made, squares = telling(cell), {}, {}
        for heard in dict.fromkeys(arms.values()):
            told = heard_mean(protocol, heard.tallies)[0]
            made[heard] = self.number(told)
            squares[heard] = self.square(told, heard_squares(protocol, heard.tallies))
        return MeanConclusion(
            {arm: made[heard] for arm, heard in arms.items()},
            self.true_mean(cell),
            cell.attack is not None,
            self.robust(cell, arms[ATTACKED]),
            flags,
            {arm: squares[heard] for arm, heard in arms.items()},
        )

    def true_mean(self, cell: Cell) -> float:
        """The mean of the genuine users' numbers."""
        return float(self.number(cell.population.frequencies @ telling(cell).values))

    def expected(self, cell: Cell) -> dict[str, float | None]:
        truth, spread = self.true_mean(cell), clean_spread(cell) * self.half**2
        expected = dict.fromkeys([*METRICS, *cell.metrics]) | {
            "mean_estimate_clean": truth,
            "mean_error_clean": 0.0,
            "mean_squared_error_clean": spread / cell.users,
            "second_moment_clean": self._squared(cell, expected_tallies(cell, ())),
        }
        fakes = fakes_told(cell)
        if fakes is None:
            return expected
        everyone = cell.users + cell.malicious
        told = float(cell.population.frequencies @ telling(cell).values)
        shift = self.half * linear_gain(fakes.mean, 0.0, told, cell.share)
        drawn = cell.users * spread + cell.malicious * fakes.variance * self.half**2
        expected |= {
            "mean_estimate": truth + shift,
            "mean_error": shift,
            "mean_squared_error": shift**2 + drawn / everyone**2,
            "second_moment": self._squared(cell, expected_tallies(cell, cell.fakes)),
        }
        expected |= {} if cell.attack is None else {"mean_shift": shift}
        return expected | self._after(cell, truth)

    def _squared(self, cell: Cell, tallies: Floats) -> float | None:
        """The mean of squares that expected reports tell; None where they tell none."""
        protocol, heard = telling(cell), tallies[None]
        mean, _ = heard_mean(protocol, heard)
        (found,) = self.square(mean, heard_squares(protocol, heard))
        return None if np.isnan(found) else float(found)

    def _after(self, cell: Cell, truth: float) -> dict[str, float | None]:
        """What defences leave of the expected reports: of many, as a bias of theirs does not hang
        on how many there are. Empty where one of them is not foretold."""
        steps = [step for step in cell.defences if reads_numbers(step)]
        if not cell.defences or not all(step.foretold for step in steps):
            return {}
        protocol = telling(cell)
        clean = expected_tallies(cell, ())
        fakes = (cell.sifted if cell.verifier else cell).fakes
        made = []
        for tallies in (clean, expected_tallies(cell, fakes)):
            left = tallies[None]
            for step in steps:
                left = step.left(Tallied(protocol, left)).tallies
            made.append(float(self.number(heard_mean(protocol, left)[0])[0]))
        before, after = made
        before = truth if np.isclose(before, truth, rtol=0, atol=1e-12 * self.half) else before
        expected: dict[str, float | None] = {
            "mean_estimate_clean_after": before,
            "mean_error_clean_after": before - truth,
            "mean_estimate_after": after,
            "mean_error_after": after - truth,
        }
        return expected | ({} if cell.attack is None else {"mean_shift_after": after - before})
