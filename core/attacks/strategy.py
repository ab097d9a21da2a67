"""What every attack can do, and what its fake users know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol, TypeAlias, TypeVar, cast

import numpy as np

from ..bounds import Range
from ..protocols.rappor import Rappor
from ..pure import Items, LocalMechanism, Mechanism, Reports, Rng, Support, Supporting
from ..sampling import Counts, Floats

SHARE = Range(0, 1, "[)")
COHORT = Range(0, 1)

ReportLaw: TypeAlias = Literal[
    "random", "honest", "unperturbed", "crafted", "avoided", "subset", "disguised", "unknown"
]
"""The law of a fake report that a protocol is asked for.

random : uniform over the encoded space. honest, unperturbed : that of a target, with the
protocol's noise or without. crafted, avoided : it supports as many targets as possible, or as few.
subset : crafted for some of the targets. disguised : crafted, with an honest number of ones.
"""

M = TypeVar("M", bound=Mechanism)


def played(protocol: M, cohort: float | None) -> M:
    """The protocol as fakes play it of whom the share `cohort` claims one cohort."""
    if cohort is None or not isinstance(protocol, Rappor):
        return protocol
    return cast("M", protocol.concentrated(cohort))


@dataclass(frozen=True, eq=False)
class View:
    """What fake users know when they choose their reports.

    targets : int64[r], the items to promote.
    round, rounds : which collection this is, from 0, and how many there are.
    published : the estimate that the server published last, None in the first round: float64[d],
        or float64[trials, d] where the counts of several trials are drawn at once.
    top_k : how many of the most frequent items the server shows.
    """

    targets: Items
    round: int = 0
    rounds: int = 1
    published: Floats | None = None
    top_k: int = 20


@dataclass(frozen=True, eq=False)
class ItemSupport:
    """What one fake report supports, item by item.

    rates : float64[d], how likely it supports each item.
    variance : of how many of the targets that are counted it supports.
    """

    rates: Floats
    variance: float


def item_support(law: Support, domain_size: int, targets: Items, counted: Items) -> ItemSupport:
    """The same law item by item, towards these targets; the variance is of those counted."""
    rates = np.full(domain_size, law.other)
    rates[targets] = law.target
    r, inside = targets.size, np.intersect1d(targets, counted).size
    variance = law.counted_variance(r, domain_size - r, inside, counted.size - inside)
    return ItemSupport(rates, variance)


class Strategy(Protocol):
    """What every attack can do once its targets are indices."""

    reacts: ClassVar[bool]
    """Whether it looks at what was published: then what it supports is known in round 0 alone."""
    report_law: ClassVar[ReportLaw]
    """The law of one report."""

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

    def support(self, protocol: Supporting, r: int) -> Support:
        """What one fake report supports, towards its own r targets."""
        ...

    def item_support(
        self, protocol: Supporting, targets: Items, counted: Items
    ) -> ItemSupport | None:
        """What one fake report supports, item by item; None where that is not known.

        targets : its own. counted : those whose number the variance is of.
        """
        ...

    def rates(self, protocol: Rappor, targets: Items) -> Floats | None:
        """float64[m, k], how likely a fake report of each cohort has each bit; None if unknown."""
        ...

    def scatter(self, protocol: Rappor, targets: Items, cohort: int, pull: Floats) -> Floats:
        """float64[any], the variance of Σ pull·bits of a fake report, pull float64[k, any]."""
        ...


class ByNumbers:
    """What is the same for every attack whose law depends on its targets by their number alone."""

    reacts: ClassVar[bool] = False
    report_law: ClassVar[ReportLaw]

    def check(self, protocol: Mechanism, targets: Items) -> None:
        """Most attacks make sense against every protocol."""

    def support(self, protocol: Supporting, r: int) -> Support:
        raise NotImplementedError

    def item_support(
        self, protocol: Supporting, targets: Items, counted: Items
    ) -> ItemSupport | None:
        law = self.support(protocol, targets.size)
        return item_support(law, protocol.domain_size, targets, counted)

    def rates(self, protocol: Rappor, targets: Items) -> Floats | None:  # noqa: ARG002
        """Unknown, of attacks that make no sense against Bloom filters."""
        return None

    def scatter(self, protocol: Rappor, targets: Items, cohort: int, pull: Floats) -> Floats:
        raise NotImplementedError
