"""The attack that no defence can detect: fakes whose reports look like an honest population's.

Our derivation: `core.bounds.undetectable`, and `docs/theory.md`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, cast

import numpy as np

from ..base.errors import ScenarioError
from ..base.sampling import Counts, Floats, multinomial
from ..bounds.hidden_numbers import hidden_law
from ..bounds.undetectable import Hidden, hidden_against
from ..law.exchangeable import Exchangeable
from ..law.law import Ask, Lack, Law, LawName
from ..law.mechanism import lacking
from ..law.numeric_protocol import NumericProtocol
from ..law.pure import BoolArray, Items, Mechanism, Reports, Rng
from ..law.support import ItemSupport
from ..population import Population
from .strategy import Among, Fakes, Promoting, Strategy, View


def hide_mean(protocol: NumericProtocol, end: float, genuine: Floats, share: float) -> Law:
    """The distribution of fakes' reports that moves the mean towards an end of the range as far as
    no defence can detect.

    end : 1 or -1. genuine : float64[d], the genuine users' distribution over the values. share : β.
    Solved by a linear programme over the honest populations that all reports together can look
    like: `core.bounds.hidden_numbers`.
    """
    law = hidden_law(protocol.table, end * protocol.values, genuine, share)
    return protocol.constant_law(law)


@dataclass(frozen=True)
class HiddenGain(Promoting):
    """The attack of fakes who know the true frequencies and promote the targets as far as no
    defence can detect.

    All reports together have the distribution of honest users with other frequencies, so that a
    server without a prior learns nothing from one round.
    """

    kind: Literal["hidden"] = "hidden"
    report_law: ClassVar[LawName] = "hidden"

    def among(self, population: Population, count: int) -> Hiding:
        return Hiding(population, count)


@dataclass(frozen=True)
class Hiding(Among):
    """A number of fakes who craft undetectable reports among given genuine users."""

    kind = HiddenGain.kind
    report_law: ClassVar[LawName] = HiddenGain.report_law

    def answer(self, protocol: Any, view: View) -> Law | Lack:
        """The distribution of one undetectable fake report; a `Lack` with the reason if the
        protocol has none.
        """
        if isinstance(protocol, NumericProtocol):
            held = self.population.frequencies
            return hide_mean(protocol, protocol.end(view.targets), held, self.of_all)
        why = "for whose reports no best way to hide is known"
        why_not = lacking(protocol, Exchangeable, "sample_background", why)
        return Lack(why_not) if why_not is not None else self._hiding(protocol, view.targets)

    def plan(self, protocol: Exchangeable, targets: Items) -> Hidden:
        """The mixture of distributions from which undetectable fakes draw their reports."""
        return hidden_against(protocol, self.population.frequencies, targets, self.of_all)

    def draw_supports(
        self, protocol: Exchangeable, targets: Items, count: int, rng: Rng
    ) -> tuple[Items, BoolArray]:
        """The item of each of `count` reports, int64[count], and whether the report supports it,
        bool[count].
        """
        law = _law(protocol, self.plan(protocol, targets))
        outcome = rng.choice(law.size, size=count, p=law)
        return outcome % protocol.domain_size, outcome < protocol.domain_size

    def _hiding(self, protocol: Exchangeable, targets: Items) -> Law:
        def reports(count: int, rng: Rng) -> Reports:
            return protocol.sample_background(
                *self.draw_supports(protocol, targets, count, rng), rng
            )

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


# Fakes behind a verified randomiser: the item that they pretend to hold is all that they choose.
#
# We derive it: `docs/theory.md`. Where reports may be kept back, one is sent only if it supports
# the item that was chosen: it then supports that item for certain, and the others as an honest
# report that does so.


@dataclass(frozen=True)
class Obeying(Strategy):
    """The fakes of any attack, forced to run the protocol honestly on an item of their choice.

    strategy : the attack. domain_size : d. drop_out : whether they keep back a report that does not
    support their item.
    """

    strategy: Strategy
    domain_size: int
    drop_out: bool = False
    report_law: ClassVar[LawName] = "honest"
    kind = "obeying"

    @property
    def reacts(self) -> bool:  # type: ignore[override]
        return self.strategy.reacts

    def check(self, protocol: Mechanism, targets: Items) -> None:
        self.strategy.check(protocol, targets)
        self.refuse_nobody(targets)

    def claims(self, view: View, domain_size: int) -> Floats:
        return self.strategy.claims(view, domain_size)

    def refuse_nobody(self, targets: Items) -> None:
        """Raise ScenarioError for an attack on a mean that gives its fakes no item to pretend to
        have.
        """
        if not targets.size:
            rule = f'must not be "{self.strategy.kind}" where reports are verified'
            raise ScenarioError(f"{rule}: its fakes choose no item", key="attack.kind")

    def draw_pretended_items(self, view: View, count: int, rng: Rng) -> Items:
        """int64[count]: the items that these fakes pretend to have, drawn before their reports."""
        return self.ask(view).items(count, rng)

    def ask(self, view: View) -> Ask:
        """The request for the distribution of an honest report of the item that a fake pretends to
        have.
        """
        self.refuse_nobody(view.targets)
        items = self.domain_size
        return Ask(self.report_law, np.arange(items), held=self.claims(view, items))

    def law(self, protocol: Any, view: View) -> Law:
        return self._find_sent_law(protocol, view) if self.drop_out else super().law(protocol, view)

    def _find_sent_law(self, protocol: Any, view: View) -> Law:
        """The law of the reports that are sent: each supports the item that was chosen."""
        ask = self.ask(view)

        def reports(count: int, rng: Rng) -> Reports:
            items, held = ask.items(count, rng), np.ones(count, dtype=np.bool_)
            return np.asarray(protocol.sample_background(items, held, rng))

        def counts(count: Counts, rng: Rng) -> Counts:
            held = ask.histogram(protocol.domain_size, count, rng)
            return np.asarray(protocol.conditioned_counts(held, np.zeros_like(held), rng))

        def support(counted: Items) -> ItemSupport:
            return sent_support(protocol, ask.frequencies(protocol.domain_size), counted)

        return Law(reports, counts, support)


def obeying(fakes: Fakes, protocol: Mechanism, drop_out: bool) -> Fakes:
    """The fakes if reports are verified: they run the protocol; with drop-out each sends a report
    with probability p.
    """
    sent = cast("Exchangeable", protocol).p if drop_out else 1.0
    strategy = Obeying(fakes.strategy, protocol.domain_size, drop_out)
    return replace(fakes, strategy=strategy, sent=sent)


def beside(protocol: Exchangeable) -> float:
    """The probability that a report which supports one given item supports another given item as
    well.
    """
    size = protocol.report_size
    return float(protocol.q) if size is None else (size - 1) / max(protocol.domain_size - 1, 1)


def sent_support(protocol: Exchangeable, law: Floats, counted: Items) -> ItemSupport:
    """The support of each item by a report that supports its own item for certain.

    law : float64[d], the distribution of the own item. The variance is that of the number of
    `counted` items, by the law of total variance.
    """
    rate, size, d = beside(protocol), protocol.report_size, law.size
    hit = float(law[counted].sum())

    def spread(items: int) -> float:
        """The variance of the number of supported items among this many items other than the own
        item.
        """
        if size is None:
            return items * rate * (1 - rate)
        return items * rate * (1 - rate) * (d - 1 - items) / max(d - 2, 1)  # hypergeometric

    k = counted.size
    within = hit * spread(max(k - 1, 0)) + (1 - hit) * spread(min(k, d - 1))
    return ItemSupport(law + (1 - law) * rate, within + hit * (1 - hit) * (1 - rate) ** 2)


KINDS = (HiddenGain,)
