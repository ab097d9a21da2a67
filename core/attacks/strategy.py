"""The interface of every attack, and the view that its fake users have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol, Self, TypeAlias, TypeVar, cast

import numpy as np

from ..base.errors import ScenarioError
from ..base.ranges import Bounded, Range
from ..base.sampling import Counts, Floats
from ..law.capabilities import BitLaw, Crowds, SendsBits, lacking, places
from ..law.pure import Items, LocalMechanism, Mechanism, Reports, Rng, Supporting
from ..law.support import ItemSupport, Support
from ..population import Population

COHORT = Range(0, 1)

ReportLaw: TypeAlias = Literal[
    "random",
    "honest",
    "unperturbed",
    "crafted",
    "avoided",
    "subset",
    "disguised",
    "hidden",
    "solved",
    "unknown",
]
"""The law of a fake report that a protocol is asked for.

random : uniform over the encoded space. honest, unperturbed : that of a target, with the
protocol's noise or without. crafted, avoided : it supports as many targets as possible, or as few.
subset : crafted for some of the targets. disguised : crafted, with an honest number of ones.
hidden : those of honest users are a part of an honest population's together with it.
solved : classes of crafted reports, mixed so that they keep to constraints.
"""

M = TypeVar("M", bound=Mechanism)


def played(protocol: M, cohort: float | None) -> M:
    """The protocol of fakes, the share `cohort` of whom claims one cohort, where it has any."""
    if cohort is None or not hasattr(protocol, "concentrated"):
        return protocol
    return cast("M", cast("Crowds", protocol).concentrated(cohort))


def require(protocol: Mechanism, capability: str, kind: str, otherwise: str) -> None:
    """Refuse an attack against a protocol that lacks what it takes, and say why it does."""
    why = lacking(protocol, capability, otherwise)
    if why is not None:
        raise ScenarioError(f'must not be "{kind}" against {why}', key="kind")


@dataclass(frozen=True, eq=False)
class View:
    """The knowledge of fake users when they choose their reports.

    targets : int64[r], the items to promote.
    round, rounds : the number of this collection, from 0, and the number of all.
    published : the estimate that the server published last, None in the first round: float64[d],
        or float64[trials, d] where the counts of several trials are drawn at once.
    top_k : the number of most frequent items that the server shows.
    stands : int64[R], where the targets are prefixes: for each of the R items that the fakes
        promote, the place of its prefix among the targets. None where the targets are the items.
    """

    targets: Items
    round: int = 0
    rounds: int = 1
    published: Floats | None = None
    top_k: int = 20
    stands: Items | None = None


def evenly(items: Items, domain_size: int) -> Floats:
    """float64[d]: one of these items, all alike."""
    law = np.zeros(domain_size)
    law[items] = 1 / items.size
    return law


class Strategy(Protocol):
    """The interface of fakes who know their targets, and among whom they are."""

    report_law: ClassVar[ReportLaw]
    """The law of one report."""

    @property
    def reacts(self) -> bool:
        """True if it looks at what was published: its support is then known in round 0 alone."""
        ...

    @property
    def cohort(self) -> float | None: ...

    def check(self, protocol: Mechanism, targets: Items) -> None:
        """Raise ScenarioError where it makes no sense against this protocol, or these targets."""
        ...

    def reports(self, protocol: LocalMechanism, view: View, count: int, rng: Rng) -> Reports:
        """Reports of `count` fake users."""
        ...

    def counts(self, protocol: Mechanism, view: View, count: Counts, rng: Rng) -> Counts:
        """int64[trials, …], the law of the counts of int64[trials] fake users."""
        ...

    def claims(self, view: View, domain_size: int) -> Floats:
        """float64[d]: the chances that a fake who runs the protocol pretends to hold each item.

        float64[trials, d] where it depends on what was published in each trial.
        """
        ...

    def item_support(
        self, protocol: Supporting, targets: Items, counted: Items
    ) -> ItemSupport | None:
        """The support of one fake report, item by item; None where it is not known.

        targets : the attack's own. counted : the targets whose number the variance is of.
        """
        ...

    def bits(self, protocol: SendsBits, targets: Items) -> BitLaw | None:
        """The bits of one fake report where they do not stand for items; None if not known."""
        ...


class Usual:
    """The part that most attacks and their fakes share; those that differ replace it."""

    reacts: ClassVar[bool] = False

    def bind(self) -> Self:
        return self

    def claims(self, view: View, domain_size: int) -> Floats:
        return evenly(view.targets, domain_size)


class ByNumbers(Usual, Bounded):
    """The shared part of attacks whose law depends on their targets by their number alone."""

    report_law: ClassVar[ReportLaw]
    aims_at_prefixes: ClassVar[bool] = False
    """True if it makes sense where its targets are prefixes of items, a level at a time."""

    def among(self, population: Population, count: int) -> Self:  # noqa: ARG002
        """The attack among these genuine users; it acts as it does among any."""
        return self

    def check(self, protocol: Mechanism, targets: Items) -> None:
        """Most attacks make sense against every protocol."""

    def support(self, protocol: Supporting, r: int) -> Support:
        """The support of one fake report, towards its own r targets."""
        raise NotImplementedError

    def item_support(
        self, protocol: Supporting, targets: Items, counted: Items
    ) -> ItemSupport | None:
        if places(protocol):
            return protocol.placed_support(self.report_law, targets, counted)
        law = self.support(protocol, targets.size)
        return law.by_item(protocol.domain_size, targets, counted)

    def bits(self, protocol: SendsBits, targets: Items) -> BitLaw | None:  # noqa: ARG002
        """Unknown, for attacks that make no sense against such bits."""
        return None
