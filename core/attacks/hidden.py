"""The attack that no defence can see: fakes whose reports look like an honest population's.

We derive it: `core.bounds.undetectable`, and `docs/bounds.md`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, cast

import numpy as np

from ..base.ranges import SHARE, Bounded
from ..base.sampling import Counts, Floats, multinomial
from ..bounds.undetectable import Hidden, hidden_against
from ..law.capabilities import SendsBits
from ..law.hiding import Conditions
from ..law.pure import BoolArray, Items, LocalMechanism, Mechanism, Reports, Rng, Supporting
from ..law.support import ItemSupport
from ..population import Population
from ..population.targets import Targets
from .strategy import ReportLaw, Usual, View, require


@dataclass(frozen=True)
class HiddenGain(Usual, Bounded):
    """Fakes who know the true frequencies, and promote the targets by as much as can be hidden.

    All reports together are those of honest users with other frequencies: one round of them tells a
    server without a prior nothing.
    """

    share: Annotated[float, SHARE]
    targets: Targets
    kind: Literal["hidden"] = "hidden"
    report_law: ClassVar[ReportLaw] = "hidden"
    cohort: ClassVar[None] = None

    def among(self, population: Population, count: int) -> Hiding:
        return Hiding(population, count)


@dataclass(frozen=True)
class Hiding(Usual):
    """This many fakes, who hide among these genuine users."""

    population: Population
    count: int
    kind: ClassVar[str] = HiddenGain.kind
    report_law: ClassVar[ReportLaw] = HiddenGain.report_law
    cohort: ClassVar[None] = None

    def check(self, protocol: Mechanism, targets: Items) -> None:  # noqa: ARG002
        require(
            protocol, "conditioned", self.kind, "for whose reports no best way to hide is known"
        )

    def plan(self, protocol: Conditions, targets: Items) -> Hidden:
        """The mixture that the fakes draw their reports from; without fakes, that of one."""
        fakes = max(self.count, 1)
        share = fakes / (self.population.users + fakes)
        return hidden_against(protocol, self.population.frequencies, targets, share)

    def drawn(
        self, protocol: Conditions, targets: Items, count: int, rng: Rng
    ) -> tuple[Items, BoolArray]:
        """The item of each report, and whether the report supports it."""
        law = _law(protocol, self.plan(protocol, targets))
        outcome = rng.choice(law.size, size=count, p=law)
        return outcome % protocol.domain_size, outcome < protocol.domain_size

    def reports(self, protocol: LocalMechanism, view: View, count: int, rng: Rng) -> Reports:
        hides = cast("Conditions", protocol)
        return hides.conditioned(*self.drawn(hides, view.targets, count, rng), rng)

    def counts(self, protocol: Mechanism, view: View, count: Counts, rng: Rng) -> Counts:
        hides = cast("Conditions", protocol)
        drawn = multinomial(count, _law(hides, self.plan(hides, view.targets)), rng)
        held, spared = np.split(drawn, 2, axis=1)
        return hides.conditioned_counts(held, spared, rng)

    def item_support(self, protocol: Supporting, targets: Items, counted: Items) -> ItemSupport:
        plan = self.plan(cast("Conditions", protocol), targets)
        # Means and second moments are linear in the item's law, and z is M·δ/β.
        return protocol.held_support(plan.shift / plan.shift.sum(), counted)

    def bits(self, protocol: SendsBits, targets: Items) -> None:
        """None: such bits hide nobody."""


def _law(protocol: Conditions, plan: Hidden) -> Floats:
    """float64[2 d], how likely a report is one that holds each item, or one that spares it.

    A report of the background holds the first item, or spares it, as often as chance has it.
    """
    size = protocol.report_size
    rate = protocol.q if size is None else size / protocol.domain_size
    held, spared = plan.forced.copy(), plan.spared.copy()
    held[0] += plan.background * rate
    spared[0] += plan.background * (1 - rate)
    law = np.concatenate([held, spared])
    return np.asarray(law / law.sum())
