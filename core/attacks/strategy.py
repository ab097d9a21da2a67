"""The base of attacks, and the knowledge that fake users have."""

from __future__ import annotations

from dataclasses import Field, dataclass, replace
from functools import lru_cache
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
    """The protocol as fakes see it, when a fraction `cohort` of them claims cohort 0; unchanged
    without cohorts.
    """
    if cohort is None or not isinstance(protocol, Rappor):
        return protocol
    return protocol.concentrate_cohorts(cohort)


@dataclass(frozen=True, eq=False)
class View:
    """The knowledge that fake users have when they choose their reports.

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
        int64[R], if the targets are prefixes: for each of the R items that the fakes promote,
        the position of its prefix among the targets. None if the targets are the items.
    """

    targets: Items
    round: int = 0
    rounds: int = 1
    published: Floats | None = None
    top_k: int = 20
    stands: Items | None = None


def evenly(items: Items, domain_size: int) -> Floats:
    """float64[d]: the uniform distribution over these items, 0 elsewhere."""
    law = np.zeros(domain_size)
    law[items] = 1 / items.size
    return law


class Strategy:
    """The base of attacks: options, the distribution of reports that fakes request of a protocol,
    and a check.

    Fakes know their targets and the genuine users. An attack overrides `answer` only if its
    distribution is not one that protocols know by name.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

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
        """The strategy of `count` fakes among given genuine users; most strategies do not depend on
        either.
        """
        return self

    def ask(self, view: View) -> Ask:
        """The request for the distribution of one fake report."""
        return Ask(self.report_law, view.targets)

    def answer(self, protocol: Any, view: View) -> Law | Lack:
        """The protocol's distribution of one fake report; a `Lack` with the reason if the protocol
        has none.
        """
        law: Law | Lack = protocol_of_fakes(protocol, self.cohort).law_of(self.ask(view))
        return law

    def law(self, protocol: Any, view: View) -> Law:
        """The distribution of one fake report; raises ScenarioError if the protocol has none."""
        return self.require_law(self.answer(protocol, view))

    def require_law(self, answer: Law | Lack) -> Law:
        """The distribution in a protocol's answer; raises ScenarioError if the answer is a
        `Lack`.
        """
        if isinstance(answer, Lack):
            rule = f'must not be "{self.kind}" against {answer.reason}'
            raise ScenarioError(rule, key="kind")
        return answer

    def check(self, protocol: Mechanism, targets: Items) -> None:
        """Raise ScenarioError if the attack makes no sense against this protocol or these
        targets.
        """
        self.law(protocol, View(targets))

    def reports(self, protocol: LocalMechanism, view: View, count: int, rng: Rng) -> Reports:
        """Reports of `count` fake users."""
        return self.law(protocol, view).reports(count, rng)

    def counts(self, protocol: Mechanism, view: View, count: Counts, rng: Rng) -> Counts:
        """int64[trials, …]: random support counts of int64[trials] fake users."""
        return np.asarray(self.law(protocol, view).counts(count, rng))

    def claims(self, view: View, domain_size: int) -> Floats:
        """float64[d]: the probability that a fake who runs the protocol pretends to have each item.

        float64[trials, d] if it depends on the estimates published in each trial.
        """
        return evenly(view.targets, domain_size)

    def item_support(self, protocol: Any, targets: Items, counted: Items) -> ItemSupport | None:
        """The support of each item by one fake report; None if it is unknown.

        targets : int64[r], the attack's targets. counted : int64[…], the items whose number in a
        report has the variance.
        """
        return self.law(protocol, View(targets)).support(counted)

    def bits(self, protocol: Any, targets: Items) -> BitLaw | None:
        """The bits of one fake report if bits do not stand for items (RAPPOR); None otherwise or if
        unknown.
        """
        return self.law(protocol, View(targets)).shape()


def fake_share(users: int, malicious: int) -> float:
    """The share of fakes β = m / (n + m), with m a whole number."""
    return malicious / (users + malicious)


@dataclass(frozen=True)
class Among(Strategy):
    """The base of strategies that depend on the number of fakes and on the genuine users."""

    population: Population
    count: int

    @property
    def of_all(self) -> float:
        """The share of these fakes among all users, genuine and fake; one fake's share if there are
        none.
        """
        return fake_share(self.population.users, max(self.count, 1))


@dataclass(frozen=True)
class Promoting(Strategy, RangeChecked):
    """The base of attacks that promote items.

    share : β, the share of fakes among all users. targets : the items, or the rule that picks them.
    """

    share: Annotated[float, SHARE]
    targets: Targets


class ByNumbers(Strategy, RangeChecked):
    """The base of attacks whose distribution of reports depends on the number of targets, not on
    which items they are.
    """

    def support(self, protocol: Any, r: int) -> Support:
        """The support of targets and other items by one fake report, for r targets."""
        return self.law(protocol, View(np.arange(r))).towards()


# The fake users of one collection: the number of each kind, and its targets.


@dataclass(frozen=True, eq=False)
class Fakes:
    """A group of fake users who act alike: their strategy, their targets and their number.

    sent : the probability that a fake sends a report at all.
    """

    strategy: Strategy
    targets: Items
    count: int
    sent: float = 1.0

    def sending(self, count: Counts, rng: Rng) -> Counts:
        """int64[…]: the random number of fakes that send a report, of `count`, int64[…]."""
        return count if self.sent == 1 else np.asarray(binomial(count, self.sent, rng))

    def item_support(self, protocol: Any, counted: Items) -> ItemSupport | None:
        """The support of each item by one of the fakes' reports; None if it is unknown.

        It does not depend on the fakes' share, which an attack among given users has not.
        counted : int64[…], the items whose number in a report has the variance.
        """
        alone: Any = self.strategy
        alone = replace(alone, share=0.0) if hasattr(alone, "share") else alone
        return _support_by(protocol, alone, self.targets.tobytes(), counted.tobytes())


@lru_cache(maxsize=4)
def _support_by(
    protocol: Any, strategy: Strategy, targets: bytes, counted: bytes
) -> ItemSupport | None:
    aims, of = (np.frombuffer(items, dtype=np.int64) for items in (targets, counted))
    return strategy.item_support(protocol, aims, of)


def malicious_users(users: int, share: float) -> int:
    """The number m = round(n·β / (1 - β)) of fakes that are a share β of all n + m users."""
    return round(users * share / (1 - share))
