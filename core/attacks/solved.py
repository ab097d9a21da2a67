"""The attack that maximises the gain under the constraints of given defences.

Our derivation: `core.bounds.solver`, and `docs/theory.md`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, TypeAlias, cast

import numpy as np

from ..base.ranges import Range
from ..base.sampling import Floats
from ..bounds import solver
from ..bounds.solver import Programme
from ..defences.fiad import CHANCE, FIAD, SUPPORT, itemset_threshold
from ..defences.fiad import SIZE as SET_SIZE
from ..law.law import Ask, Lack, Law, LawName, SupportSizes
from ..law.pure import Items, Mechanism
from ..population import Population
from ..protocols.unary import IndependentBits
from .hidden import Hiding
from .strategy import Among, Promoting, Strategy, View

Constraint: TypeAlias = Literal["fiad", "size", "mass", "hidden"]
"""fiad : no set of targets in more reports than FIAD allows. size : the numbers of ones have the
law of honest reports (Diffstats). mass : all estimates together are at most 1 (ASD). hidden : all
reports together are those of honest users, which keeps to the others."""

SLACK = Range(0, 8)


@dataclass(frozen=True)
class SolvedGain(Promoting):
    """MGA that evades given defences: a linear programme finds the best reports within their
    constraints.

    constraints : the defences to evade, see `Constraint`. chance, min_support, max_size : the
    parameters of the frequent-itemset detection (FIAD) to evade. slack : the number of standard
    deviations by which the support of sets stays below FIAD's thresholds, for all sets of one size
    together.
    """

    constraints: tuple[Constraint, ...] = ("fiad", "size")
    chance: Annotated[float, CHANCE] = FIAD.chance
    min_support: Annotated[float, SUPPORT] = FIAD.min_support
    max_size: Annotated[int, SET_SIZE] = FIAD.max_size
    slack: Annotated[float, SLACK] = 3.0
    kind: Literal["solved"] = "solved"
    report_law: ClassVar[LawName] = "solved"

    def among(self, population: Population, count: int) -> Strategy:
        if "hidden" in self.constraints:
            return Hiding(population, count)
        return Solving(population, count, self)


@dataclass(frozen=True)
class Solving(Among):
    """A number of fakes among given genuine users, whose reports a linear programme finds."""

    attack: SolvedGain
    kind = SolvedGain.kind
    report_law: ClassVar[LawName] = SolvedGain.report_law

    def check(self, protocol: Mechanism, targets: Items) -> None:
        """Raise ScenarioError for a protocol without independent bits, or if no report satisfies
        the constraints.
        """
        self.require_law(protocol.law_of(Ask(self.report_law, targets)))
        solver.check(self.programme(cast("IndependentBits", protocol), targets))

    def answer(self, protocol: Any, view: View) -> Law | Lack:
        sizes = self.sizes(protocol, view.targets)
        law: Law | Lack = protocol.law_of(Ask(self.report_law, view.targets, sizes=sizes))
        return law

    def programme(self, protocol: IndependentBits, targets: Items) -> Programme:
        """The linear programme whose unknowns are the shares of fakes that support j = 0..r
        targets.
        """
        attack, users = self.attack, self.population.users
        r, everyone = targets.size, users + self.count
        sizes = range(1, min(r, attack.max_size) + 1) if "fiad" in attack.constraints else ()
        least = max(1, math.ceil(attack.min_support * everyone))
        held = self.population.frequencies[targets]
        room = protocol.domain_size - r
        return Programme(
            protocol.p,
            protocol.q,
            protocol.domain_size,
            users,
            self.count,
            tuple(np.sort(held)[::-1].tolist()),
            tuple(
                max(least, itemset_threshold(protocol, size, everyone, attack.chance))
                for size in sizes
            ),
            attack.slack,
            "size" in attack.constraints,
            "mass" in attack.constraints,
            tuple(min(protocol.padding(j), room) for j in range(r + 1)),
        )

    def classes(self, protocol: IndependentBits, targets: Items) -> Floats:
        """float64[r + 1]: the share of the fakes who support j of the targets."""
        return solver.solve_classes(self.programme(protocol, targets))

    def sizes(self, protocol: IndependentBits, targets: Items) -> SupportSizes:
        """The distribution of the numbers of targets and of other items that a crafted report
        supports.
        """
        inside, outside, chances = solver.list_sizes(self.programme(protocol, targets))
        return SupportSizes(inside, chances, outside)


KINDS = (SolvedGain,)
