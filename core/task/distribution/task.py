"""The distribution of numbers: reports → counts → a fit, or estimates projected → metrics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, cast

import numpy as np

from ...base.arms import ATTACKED, CLEAN, Arm
from ...base.errors import ScenarioError
from ...base.pulse import Pulse
from ...base.sampling import Counts, Floats
from ...cell import Cell, Counted
from ...collection.counts import block_counts
from ...defences.simplex import project
from ...law.capabilities import lacking
from ...law.pure import Mechanism, is_pure
from ...metrics import METRICS, Conclusion, measure
from ...metrics.distribution import DistributionConclusion
from ...metrics.results import Block, Fingerprints, Moments
from ...population import Population
from ...protocols import ProtocolSpec
from ..numbers import OfNumbers
from .fitting import fitted, misfit


@dataclass(frozen=True)
class Distribution(OfNumbers):
    """Histogram → counts of the reports → an estimated distribution → metrics; once per arm.

    The d items are equal parts of the range, in each of which users hold any number, all alike.
    fit : how the distribution is found from reports of numbers. Of a pure protocol over the parts
    it is the projection of the estimates onto distributions (Norm-Sub), whatever this says.
    """

    concludes: ClassVar[type[Conclusion]] = DistributionConclusion

    fit: Literal["ems", "em"] = "ems"
    kind: Literal["distribution"] = "distribution"

    def bound(self, protocol: ProtocolSpec, population: Population) -> Mechanism:
        """The protocol over the parts of the range; raises ScenarioError."""
        mechanism: Any = protocol.bind(population.domain_size, population.labels)
        if is_pure(mechanism):
            return cast("Mechanism", mechanism)
        why = lacking(mechanism, "chances", "whose reports tell no distribution of numbers")
        if why is not None:
            rule = f'must not be {why} with task.kind = "distribution"'
            raise ScenarioError(rule, key="kind")
        return cast("Mechanism", replace(mechanism, low=self.low, high=self.high, cells=True))

    def size(self, cell: Cell) -> int:
        return cell.population.domain_size

    def truth(self, cell: Cell) -> Floats | None:
        return cell.population.frequencies

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
        made = {CLEAN: self._estimated(cell, clean, cell.users, pulse)}
        made[ATTACKED] = (
            made[CLEAN]
            if attacked is clean
            else self._estimated(cell, attacked, cell.users + cell.malicious, pulse)
        )
        conclusion = DistributionConclusion(
            {arm: each[0] for arm, each in made.items()},
            {arm: each[1] for arm, each in made.items()},
            cell.population.frequencies,
            self.numbers(cell),
            cell.attack is not None,
        )
        return Block(cell.index, number, measure(conclusion), marks.values, _moments(conclusion))

    def numbers(self, cell: Cell) -> Floats:
        """float64[d], the middles of the parts of the range."""
        parts = cell.population.domain_size
        return np.asarray(self.low + 2 * self.half * (np.arange(parts) + 0.5) / parts)

    def _estimated(
        self, cell: Cell, counts: Counts, users: int, pulse: Pulse
    ) -> tuple[Floats, Floats]:
        """The distributions [trials, d], and the misfit of each, float64[trials]."""
        if is_pure(cell.protocol):
            found = project(cell.protocol.estimates(counts, users).frequencies)
            return found, np.full(len(found), np.nan)
        fits = fitted(cell.protocol, counts, self.fit == "ems", pulse)
        return fits, misfit(cell.protocol, counts, fits)

    def expected(self, cell: Cell) -> dict[str, float | None]:
        """No closed forms: no fit is linear in the reports."""
        return dict.fromkeys([*METRICS, *cell.metrics])


def _moments(conclusion: DistributionConclusion) -> Mapping[Arm, Moments]:
    estimates = conclusion.estimates
    before = Moments.of(estimates[CLEAN])
    same = estimates[ATTACKED] is estimates[CLEAN]
    return {CLEAN: before, ATTACKED: before if same else Moments.of(estimates[ATTACKED])}
