"""The attack that no defence can see: fakes whose reports look like an honest population's.

We derive it: `core.bounds.undetectable`, and `docs/theory.md`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from ..base.sampling import Counts, Floats, multinomial
from ..bounds.undetectable import Hidden, hidden_against
from ..law.exchangeable import Exchangeable
from ..law.law import Lack, Law, LawName
from ..law.mechanism import lacking
from ..law.numbers import NumericProtocol
from ..law.pure import BoolArray, Items, Reports, Rng
from ..law.support import ItemSupport
from ..population import Population
from .strategy import Among, Promoting, View


@dataclass(frozen=True)
class HiddenGain(Promoting):
    """Fakes who know the true frequencies, and promote the targets by as much as can be hidden.

    All reports together are those of honest users with other frequencies: one round of them tells a
    server without a prior nothing.
    """

    kind: Literal["hidden"] = "hidden"
    report_law: ClassVar[LawName] = "hidden"

    def among(self, population: Population, count: int) -> Hiding:
        return Hiding(population, count)


@dataclass(frozen=True)
class Hiding(Among):
    """This many fakes, who hide among these genuine users."""

    kind = HiddenGain.kind
    report_law: ClassVar[LawName] = HiddenGain.report_law

    def answer(self, protocol: Any, view: View) -> Law | Lack:
        """The law of who hides: where reports are a background given their own item, or one bit.

        A protocol of numbers knows it itself.
        """
        if isinstance(protocol, NumericProtocol):
            held = self.population.frequencies
            return protocol.hidden(protocol.end(view.targets), held, self.of_all)
        why = "for whose reports no best way to hide is known"
        why_not = lacking(protocol, Exchangeable, "conditioned", why)
        return Lack(why_not) if why_not is not None else self._hiding(protocol, view.targets)

    def plan(self, protocol: Exchangeable, targets: Items) -> Hidden:
        """The mixture that the fakes draw their reports from; without fakes, that of one."""
        return hidden_against(protocol, self.population.frequencies, targets, self.of_all)

    def drawn(
        self, protocol: Exchangeable, targets: Items, count: int, rng: Rng
    ) -> tuple[Items, BoolArray]:
        """The item of each report, and whether the report supports it."""
        law = _law(protocol, self.plan(protocol, targets))
        outcome = rng.choice(law.size, size=count, p=law)
        return outcome % protocol.domain_size, outcome < protocol.domain_size

    def _hiding(self, protocol: Exchangeable, targets: Items) -> Law:
        def reports(count: int, rng: Rng) -> Reports:
            return protocol.conditioned(*self.drawn(protocol, targets, count, rng), rng)

        def counts(count: Counts, rng: Rng) -> Counts:
            drawn = multinomial(count, _law(protocol, self.plan(protocol, targets)), rng)
            held, spared = np.split(drawn, 2, axis=1)
            return protocol.conditioned_counts(held, spared, rng)

        def support(counted: Items) -> ItemSupport:
            # Means and second moments are linear in the item's law, and z is M·δ/β.
            shift = self.plan(protocol, targets).shift
            return protocol.held_support(shift / shift.sum(), counted)

        return Law(reports, counts, support)


def _law(protocol: Exchangeable, plan: Hidden) -> Floats:
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
