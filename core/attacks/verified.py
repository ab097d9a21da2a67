"""Fakes behind a verified randomiser: the item that they pretend to hold is all that they choose.

We derive it: `docs/bounds.md`. Where reports may be kept back, one is sent only if it supports the
item that was chosen: it then supports that item for certain, and the others as an honest report
that does so.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, cast

import numpy as np

from ..base.sampling import Counts, Floats, multinomial
from ..law.capabilities import BitLaw, SendsBits
from ..law.hiding import Conditions
from ..law.pure import Items, LocalMechanism, Mechanism, Reports, Rng, Supporting
from ..law.support import ItemSupport
from .fakes import Fakes
from .strategy import ReportLaw, Strategy, View


@dataclass(frozen=True)
class Obeying:
    """Fakes of any attack who have to run the protocol, over d items.

    drop_out : they keep a report back that does not support the item they chose.
    """

    strategy: Strategy
    domain_size: int
    drop_out: bool = False
    report_law: ClassVar[ReportLaw] = "honest"
    cohort: ClassVar[None] = None

    @property
    def reacts(self) -> bool:
        return self.strategy.reacts

    def check(self, protocol: Mechanism, targets: Items) -> None:
        self.strategy.check(protocol, targets)

    def claims(self, view: View, domain_size: int) -> Floats:
        return self.strategy.claims(view, domain_size)

    def held(self, view: View, count: int, rng: Rng) -> Items:
        """The items that these fakes pretend to hold, drawn before their reports."""
        return rng.choice(self.domain_size, size=count, p=self.claims(view, self.domain_size))

    def reports(self, protocol: LocalMechanism, view: View, count: int, rng: Rng) -> Reports:
        items = self.held(view, count, rng)
        if not self.drop_out:
            return protocol.perturb(items, rng)
        held = np.ones(count, dtype=np.bool_)
        return cast("Conditions", protocol).conditioned(items, held, rng)

    def counts(self, protocol: Mechanism, view: View, count: Counts, rng: Rng) -> Counts:
        law = self.claims(view, protocol.domain_size)
        if law.ndim == 1:
            held = multinomial(count, law, rng)
        else:
            held = np.asarray(rng.multinomial(count, law), dtype=np.int64)
        if not self.drop_out:
            return protocol.sample_counts(held, rng)
        return cast("Conditions", protocol).conditioned_counts(held, np.zeros_like(held), rng)

    def item_support(
        self, protocol: Supporting, targets: Items, counted: Items
    ) -> ItemSupport | None:
        law = self.claims(View(targets), protocol.domain_size)
        if not self.drop_out:
            return protocol.held_support(law, counted)
        return sent_support(cast("Conditions", protocol), law, counted)

    def bits(self, protocol: SendsBits, targets: Items) -> BitLaw:
        return protocol.honest_bits(self.claims(View(targets), protocol.domain_size))


def obeying(fakes: Fakes, protocol: Mechanism, drop_out: bool) -> Fakes:
    """The fakes where reports are verified; with drop-out each sends one with probability p."""
    sent = cast("Conditions", protocol).p if drop_out else 1.0
    strategy = Obeying(fakes.strategy, protocol.domain_size, drop_out)
    return replace(fakes, strategy=strategy, sent=sent)


def beside(protocol: Conditions) -> float:
    """The probability that a report which supports an item supports another given one as well."""
    size = protocol.report_size
    return protocol.q if size is None else (size - 1) / max(protocol.domain_size - 1, 1)


def sent_support(protocol: Conditions, law: Floats, counted: Items) -> ItemSupport:
    """The support of a report that supports its own item, which is drawn by this law float64[d].

    The variance is that of the number of `counted` items, by the law of total variance.
    """
    rate, size, d = beside(protocol), protocol.report_size, law.size
    hit = float(law[counted].sum())

    def spread(items: int) -> float:
        """The variance of the number supported of this many other items."""
        if size is None:
            return items * rate * (1 - rate)
        return items * rate * (1 - rate) * (d - 1 - items) / max(d - 2, 1)  # hypergeometric

    k = counted.size
    within = hit * spread(max(k - 1, 0)) + (1 - hit) * spread(min(k, d - 1))
    return ItemSupport(law + (1 - law) * rate, within + hit * (1 - hit) * (1 - rate) ** 2)
