"""The task of a distribution: the shares of the users' numbers in equal parts of a range."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, cast

import numpy as np

from ..base.arms import ATTACKED, Arm
from ..base.flags import Flags
from ..base.sampling import Floats
from ..cell import Cell
from ..defences.corrections import project
from ..law.distributions import fit_distribution, misfit
from ..law.numeric_protocol import lack_of_distribution
from ..law.pure import Mechanism, PureProtocol
from ..metrics import Conclusion
from ..metrics.conclusions.number_conclusions import DistributionConclusion
from ..population import Population
from ..protocols import ProtocolSpec
from .number_tasks import ArmReports, OfNumbers


@dataclass(frozen=True)
class Distribution(OfNumbers):
    """The task "distribution": estimate the distribution of the users' numbers.

    The d items are equal parts of the range; users' numbers are uniform in each part.

    fit : how the distribution is fitted to reports of numbers, by EM with or without smoothing.
    With a pure protocol over the parts it is the projection of the estimates onto distributions
    (Norm-Sub), for either `fit`.
    """

    concludes: ClassVar[type[Conclusion]] = DistributionConclusion
    of_items: ClassVar[bool] = True

    fit: Literal["ems", "em"] = "ems"
    kind: Literal["distribution"] = "distribution"

    def bound(self, protocol: ProtocolSpec, population: Population) -> Mechanism:
        """The protocol over the parts of the range.

        Raises ScenarioError for a protocol whose reports tell no distribution.
        """
        mechanism = protocol.over(population)
        if isinstance(mechanism, PureProtocol):
            return cast("Mechanism", mechanism)
        return self.with_range(mechanism, lack_of_distribution(mechanism), cells=True)

    def conclude_arms(
        self, cell: Cell, arms: Mapping[Arm, ArmReports], flags: Mapping[Arm, Flags]
    ) -> DistributionConclusion:
        numbers, truth = self.numbers(cell), cell.population.frequencies
        every = dict.fromkeys(arms.values())
        fits = {heard: self._estimate_distributions(cell, heard) for heard in every}
        means = {heard: np.asarray(found[0] @ numbers) for heard, found in fits.items()}
        step = float(numbers[1] - numbers[0])
        inside = numbers**2 + step**2 / 12  # of numbers that are even in their part
        squares = {heard: np.asarray(found[0] @ inside) for heard, found in fits.items()}
        return DistributionConclusion(
            {arm: means[heard] for arm, heard in arms.items()},
            float(truth @ numbers),
            cell.attack is not None,
            self.robust(cell, arms[ATTACKED]),
            flags,
            {arm: squares[heard] for arm, heard in arms.items()},
            {arm: fits[heard][0] for arm, heard in arms.items()},
            {arm: fits[heard][1] for arm, heard in arms.items()},
            truth,
            step,
        )

    def numbers(self, cell: Cell) -> Floats:
        """float64[d]: the middles of the parts of the range."""
        parts = cell.population.domain_size
        return np.asarray(self.low + (self.high - self.low) * (np.arange(parts) + 0.5) / parts)

    def _estimate_distributions(self, cell: Cell, heard: ArmReports) -> tuple[Floats, Floats]:
        """The distributions [trials, d], and the misfit of each, float64[trials]."""
        if isinstance(cell.protocol, PureProtocol):
            corrected = np.empty((len(heard.users), cell.population.domain_size))
            for users in np.unique(heard.users):  # one number, but where some keep a report back
                these = heard.users == users
                made = cell.protocol.estimates(heard.tallies[these], int(users))
                corrected[these] = project(made.frequencies)
            return corrected, np.full(len(corrected), np.nan)
        fits = fit_distribution(cell.protocol, heard.tallies, self.fit == "ems")
        return fits, misfit(cell.protocol, heard.tallies, fits)


TASKS = (Distribution,)
