"""The interface of every attack, and the view that its fake users have."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self

import numpy as np

from ..base.errors import ScenarioError
from ..base.ranges import SHARE, Range, RangeChecked
from ..base.sampling import Counts, Floats, binomial
from ..law.law import Ask, BitLaw, Lack, Law, LawName
from ..law.pure import Items, LocalMechanism, Mechanism, Reports, Rng
from ..law.support import ItemSupport, Support
from ..population import Population
from ..population.targets import Targets
from ..protocols.rappor import Rappor

COHORT = Range(0, 1)


def protocol_of_fakes(protocol: Any, cohort: float | None) -> Any:
    """The protocol of fakes, the share `cohort` of whom claims one cohort, where it has any."""
    if cohort is None or not isinstance(protocol, Rappor):
        return protocol
    return protocol.concentrate_cohorts(cohort)


@dataclass(frozen=True, eq=False)
class View:
    """The knowledge of fake users when they choose their reports.

    Attributes
    ----------
    targets
        int64[r], the items to promote.
    round, rounds
        The number of this collection, from 0, and the number of all.
    published
        The estimate that the server published last, None in the first round: float64[d], or
        float64[trials, d] where the counts of several trials are drawn at once.
    top_k
        The number of most frequent items that the server shows.
    stands
        int64[R], where the targets are prefixes: for each of the R items that the fakes promote,
        the place of its prefix among the targets. None where the targets are the items.
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


class Strategy:
    """An attack that is a row: options, the law that it asks a protocol for, and its check.

    Its fakes know their targets, and among whom they are. An attack says more only where its law is
    not one that a protocol knows by name.
    """

    __dataclass_fields__: ClassVar[dict[str, dataclasses.Field[Any]]]

    kind: Any
    share: Any
    """β, the share of fakes among all users."""
    targets: Any
    """The items, or how they are picked."""
    cohort: Any = None
    report_law: ClassVar[LawName]
    """The law of one report."""
    reacts: ClassVar[bool] = False
    """True if it looks at what was published: its support is then known in round 0 alone."""
    aims_at_prefixes: ClassVar[bool] = False
    """True if it makes sense where its targets are prefixes of items, a level at a time."""

    def bind(self) -> Self:
        return self

    def among(self, population: Population, count: int) -> Strategy:  # noqa: ARG002
        """This many of its fakes among these genuine users, on whom few attacks depend."""
        return self

    def ask(self, view: View) -> Ask:
        """The law of one report."""
        return Ask(self.report_law, view.targets)

    def answer(self, protocol: Any, view: View) -> Law | Lack:
        """The protocol's answer."""
        told: Law | Lack = protocol_of_fakes(protocol, self.cohort).law_of(self.ask(view))
        return told

    def law(self, protocol: Any, view: View) -> Law:
        """The law of one report; raises ScenarioError where the protocol has none."""
        return self.require_law(self.answer(protocol, view))

    def require_law(self, answer: Law | Lack) -> Law:
        """The law that a protocol answered; raises ScenarioError where it has none."""
        if isinstance(answer, Lack):
            rule = f'must not be "{self.kind}" against {answer.reason}'
            raise ScenarioError(rule, key="kind")
        return answer

    def check(self, protocol: Mechanism, targets: Items) -> None:
        """Raise ScenarioError where it makes no sense against this protocol, or these targets."""
        self.law(protocol, View(targets))

    def reports(self, protocol: LocalMechanism, view: View, count: int, rng: Rng) -> Reports:
        """Reports of `count` fake users."""
        return self.law(protocol, view).reports(count, rng)

    def counts(self, protocol: Mechanism, view: View, count: Counts, rng: Rng) -> Counts:
        """int64[trials, …], the law of the counts of int64[trials] fake users."""
        return np.asarray(self.law(protocol, view).counts(count, rng))

    def claims(self, view: View, domain_size: int) -> Floats:
        """float64[d]: the chances that a fake who runs the protocol pretends to hold each item.

        float64[trials, d] where it depends on what was published in each trial.
        """
        return evenly(view.targets, domain_size)

    def item_support(self, protocol: Any, targets: Items, counted: Items) -> ItemSupport | None:
        """The support of one fake report, item by item; None where it is not known.

        targets : the attack's own. counted : the targets whose number the variance is of.
        """
        return self.law(protocol, View(targets)).support(counted)

    def bits(self, protocol: Any, targets: Items) -> BitLaw | None:
        """The bits of one fake report where they do not stand for items; None if not known."""
        return self.law(protocol, View(targets)).shape()


def fake_share(users: int, malicious: int) -> float:
    """β = m / (n + m), as it came out after m was rounded."""
    return malicious / (users + malicious)


@dataclass(frozen=True)
class Among(Strategy):
    """This many fakes among these genuine users."""

    population: Population
    count: int

    @property
    def of_all(self) -> float:
        """The share of these fakes among all users; without any, that of one."""
        return fake_share(self.population.users, max(self.count, 1))


@dataclass(frozen=True)
class Promoting(Strategy, RangeChecked):
    """An attack that promotes items.

    share : β, that of the fakes among all users. targets : the items, or how they are picked.
    """

    share: Annotated[float, SHARE]
    targets: Targets


class ByNumbers(Strategy, RangeChecked):
    """An attack whose law depends on its targets by their number alone, whoever the others are."""

    def support(self, protocol: Any, r: int) -> Support:
        """The support of one fake report, towards r targets of its own."""
        return self.law(protocol, View(np.arange(r))).towards()


# The fake users of one collection: the number of each kind, and its targets.


@dataclass(frozen=True, eq=False)
class Fakes:
    """Fake users who all do the same: their strategy, their targets and their number.

    sent : the probability that one of them sends a report at all.
    """

    strategy: Strategy
    targets: Items
    count: int
    sent: float = 1.0

    def sending(self, count: Counts, rng: Rng) -> Counts:
        """The number of those who send a report, of int64[…] fakes."""
        return count if self.sent == 1 else np.asarray(binomial(count, self.sent, rng))


def malicious_users(users: int, share: float) -> int:
    """The number m = round(n·β / (1 - β)) of fakes that are a share β of all n + m users."""
    return round(users * share / (1 - share))
