"""The capabilities that some mechanisms have, beyond those of all.

A mechanism that lacks a capability has no such method. Why it has none it may say in words in its
`lacks`, by the method's name: "GRR, whose report supports one item".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from ..base.capability import Capability
from ..base.errors import ScenarioError
from ..base.sampling import Counts, Floats
from ..kernels.bits import BitColumns
from .doors import Doors, name_of
from .pure import (
    BoolArray,
    Estimates,
    Items,
    LocalMechanism,
    Mechanism,
    PureProtocol,
    Reports,
    Rng,
    Supporting,
)


class Quantises(Mechanism, Protocol):
    """Its reports are drawn with coins, whose probabilities can be multiples of a fraction."""

    def quantised(self, levels: int) -> Self:
        """The mechanism whose coins are multiples of 1/levels, rounded to spend no more than ε.

        Raises ScenarioError at the key `levels` where nothing is told then.
        """
        ...


class SendsBitPerItem(PureProtocol, Protocol):
    """Its reports are a bit for each item, independent of each other given the own item."""

    def columns(self, reports: Reports) -> BitColumns:
        """The reports as packed columns, one for each item."""
        ...

    def itemset_threshold(self, size: int, users: int, chance: float) -> int:
        """τ: that τ of N honest reports hold a given set of this size has at most this chance.

        Whatever the users hold; N + 1 where no count is that unlikely. Cao, Jia, Gong, USENIX
        Security 2021, section 6.2.
        """
        ...


class Composes(SendsBitPerItem, Protocol):
    """Its bits are free: a fake report can have any of them, and any number."""

    def padding(self, r: int) -> int:
        """The number of ones beside r targets that makes a report's ones the expected number."""
        ...


class AsksOneByOne(PureProtocol, Protocol):
    """Its reports can be asked about single items of a domain too large to list.

    Whether a report supports an item does not depend on what other items there are, and given what
    users hold the support of different items is independent.
    """

    def listed_counts(self, reports: Reports, items: NDArray[np.uint32]) -> Counts:
        """int64[len(items)], the reports that support each of these items."""
        ...


@dataclass(frozen=True, eq=False)
class Attendance:
    """The genuine users of the rounds of a campaign, and what draws their reports.

    histograms : int64[d] for each round, the users of each item.
    left : int64[d] for each round, how many of an item's users have gone since the round before;
        any of them, and newcomers took their places.
    permanent : draws what users keep. fresh : gives what draws a round's noise.
    """

    histograms: Sequence[Counts]
    left: Sequence[Counts]
    trials: int
    permanent: Rng
    fresh: Callable[[int], Rng]


class Memoises(Protocol):
    """Its users keep an answer over the rounds of a campaign; each report adds noise to it afresh.

    Reports of one user are not independent then, and cost less privacy than their sum.
    """

    @property
    def kept(self) -> tuple[float, float]:
        """Probability that a kept answer supports the user's own item, and any other given one."""
        ...

    @property
    def epsilon_infinity(self) -> float:
        """ε∞ of any number of reports of one item, in nats; infinite where nothing bounds it."""
        ...

    def epsilon_of_rounds(self, rounds: int) -> float:
        """ε of this many reports of one item, in nats; of one it is ε₁."""
        ...

    def memoised_counts(self, rounds: Attendance) -> Iterator[Counts]:
        """The genuine users' counts [trials, …] of each round, in order."""
        ...

    def memoised_reports(self, values: Items, permanent: Rng, fresh: Rng) -> Reports:
        """Reports of users who hold these items, in one round of several.

        The same users keep the same answers where `permanent` is in the same state.
        """
        ...


class Places(Supporting, Protocol):
    """Gives its items places: which items they are decides what one report supports together.

    The number of targets does not: a report may be able to support one pair of items, and not
    another pair.
    """

    def placed_variances(self, frequencies: Floats) -> Floats:
        """float64[d], n times the variance of each estimate, at these true frequencies."""
        ...

    def placed_sum_variance(self, frequencies: Floats, targets: Items) -> float:
        """n times the variance of the sum of the targets' estimates, at these frequencies."""
        ...


@dataclass(frozen=True, eq=False)
class Collection:
    """A collection, as far as closed forms have to know it.

    histogram : int64[d], the genuine users of each item.
    fakes : for each kind of fakes their number, and the law of one report: a BitLaw, or what it
        supports, an ItemSupport; None where that is not known.
    rounds : those of a campaign, in order; empty where there is one collection.
    meetings : float64[d], the expected pairs of rounds that a user takes part in and keeps an
        answer over, added over the users of each item; None where nobody keeps one.
    """

    histogram: Counts
    fakes: tuple[tuple[int, Any], ...] = ()
    rounds: tuple[Collection, ...] = ()
    meetings: Floats | None = None

    @property
    def users(self) -> int:
        return int(self.histogram.sum())

    @property
    def malicious(self) -> int:
        return sum(count for count, _ in self.fakes)

    @property
    def frequencies(self) -> Floats:
        """float64[d], the true frequencies of the genuine users."""
        return self.histogram / self.users

    @property
    def foreseen(self) -> bool:
        """True if the law of every fake report is known."""
        return all(law is not None for _, law in self.fakes)


class Foretells(Mechanism, Protocol):
    """Has closed forms of its estimates of its own, which (p, q) do not give."""

    def means(self, collection: Collection) -> tuple[Floats, Floats | None] | None:
        """Expected estimates before and after the attack, float64[d] each.

        None where there is no closed form, or none of what the fakes do.
        """
        ...

    def variances(self, collection: Collection) -> tuple[Floats, Floats | None] | None:
        """Variances of the same in one trial, float64[d] each."""
        ...


class Releases(Mechanism, Protocol):
    """A curator, whose noise is added once to what all users told it."""

    def noise_counts(self, trials: int, rng: Rng) -> Counts | Floats:
        """[trials, …], the noise of one release a trial, to be added to the users' counts."""
        ...


class Pools(Mechanism, Protocol):
    """Its estimates from several rounds say more than the mean of each round's."""

    def pooled_estimates(self, counts: Counts, users: int) -> Estimates:
        """The frequencies of all items, from the counts of several rounds, added up."""
        ...


class Looks(LocalMechanism, Protocol):
    """It says of a report which items it speaks for, where the report does not say so itself."""

    def look(self, reports: Reports, items: Items) -> BoolArray:
        """bool[n, len(items)]: whether each report speaks for each of these items.

        No column where a report is a bit for each item as it is.
        """
        ...


class Speaks(LocalMechanism, Protocol):
    """Its reports speak for some items and against others, more or less loudly."""

    def speaks(self, reports: Reports, items: Items) -> NDArray[np.int8]:
        """int8[n, items]: how much each report speaks for each item; below 0 against it."""
        ...


class Withholds(Mechanism, Protocol):
    """It withholds bins of few users, so that its error has no normal law."""

    def error_spread(self, histogram: Counts) -> Floats:
        """float64[d], the variance of the squared error of each bin."""
        ...


class ClaimsCohorts(Mechanism, Protocol):
    """Its users claim a cohort each, any one that they like."""

    def concentrated(self, share: float) -> Self:
        """The protocol of fakes, this share of whom claims one cohort."""
        ...


class NeedsUsers(Mechanism, Protocol):
    """Its estimates say little where there are few users."""

    def doubts(self, everyone: int) -> tuple[str, ...]:
        """The reasons to doubt estimates from this many users, a sentence each."""
        ...


class CountsReports(Mechanism, Protocol):
    """Its counts tell how many reports they are of, in another way than by their sum."""

    def reports_in(self, counts: Counts) -> float:
        """The number of reports that counts are of."""
        ...


class DrawsApart(Mechanism, Protocol):
    """Draws the count of every item apart from the others: reports alone show them together."""

    @property
    def apart(self) -> str:
        """The difference between its counts path and its reports path, in a sentence."""
        ...


class SendsBits(Mechanism, Protocol):
    """Its reports are bits that do not stand for items: a law is known by its shape."""

    def bit_gain(self, collection: Collection, targets: Items) -> float | None:
        """The gain of the targets before decoding; None where it is not known."""
        ...

    def ideal_bit_gain(
        self, law: str, r: int, users: int, malicious: int, cohort: float | None, held: float
    ) -> float | None:
        """The same on average over everything that links items and bits, of r targets.

        law : that of the fakes' reports. cohort : the share of them that claim one cohort. held :
        the share of the genuine users that hold a target.
        """
        ...

    def bit_counts(self, collection: Collection) -> Floats | None:
        """The expected counts of a trial, of whatever shape they have, fakes included."""
        ...

    def bit_count_variances(self, collection: Collection) -> Floats | None:
        """The variances of the same."""
        ...


sends_bit_per_item: Final[Capability[SendsBitPerItem]] = Capability("columns")
"""True where reports are a bit for each item, and can be packed as columns."""

speaks: Final[Capability[Speaks]] = Capability("speaks")
"""True where a report speaks for and against items more finely than it supports them."""

asks_one_by_one: Final[Capability[AsksOneByOne]] = Capability("listed_counts")
"""True where reports can be asked about single items, whatever the domain."""

composes: Final[Capability[Composes]] = Capability("padding")
"""True where the bits of a fake report are free."""

memoises: Final[Capability[Memoises]] = Capability("memoised_counts")
"""True where users keep an answer from one report to the next."""

tells_support: Final[Capability[Supporting]] = Capability("held_support")
"""True where the support of one report is known."""

places: Final[Capability[Places]] = Capability("placed_variances")
"""True where it matters which items the targets are, and not their number alone."""

sends_bits: Final[Capability[SendsBits]] = Capability("bit_counts")
"""True where the law of one report's bits is known, where bits do not stand for items."""

foretells: Final[Capability[Foretells]] = Capability("means")
"""True where the mechanism has closed forms of its own."""

releases: Final[Capability[Releases]] = Capability("noise_counts")
"""True where a curator adds the noise."""

withholds: Final[Capability[Withholds]] = Capability("error_spread")
"""True where bins of few users are withheld."""

pools: Final[Capability[Pools]] = Capability("pooled_estimates")
"""True where the counts of several rounds are estimated from together."""

looks: Final[Capability[Looks]] = Capability("look")
"""True where it is known which items a report speaks for."""

claims_cohorts: Final[Capability[ClaimsCohorts]] = Capability("concentrated")
"""True where users claim a cohort."""

needs_users: Final[Capability[NeedsUsers]] = Capability("doubts")
"""True where estimates are doubtful of few users."""

counts_reports: Final[Capability[CountsReports]] = Capability("reports_in")
"""True where counts tell of how many reports they are."""

draws_apart: Final[Capability[DrawsApart]] = Capability("apart")
"""True where the counts of different items are drawn apart on the counts path."""


def lacking(mechanism: Doors, capability: str, otherwise: str) -> str | None:
    """The reason why a mechanism lacks a capability, beginning with its name; None if it has it.

    otherwise : said after the name where the mechanism gives no reason of its own.
    """
    if Capability(capability)(mechanism):
        return None
    return mechanism.lacks.get(capability, f"{name_of(mechanism)}, {otherwise}")


def check_estimates(mechanism: Doors, key: str = "kind") -> None:
    """Refuse a mechanism that estimates no frequencies of items; raises ScenarioError."""
    why = lacking(mechanism, "estimates", "whose reports tell no frequencies of items")
    if why is not None:
        raise ScenarioError(f"must not be {why}", key=key)
