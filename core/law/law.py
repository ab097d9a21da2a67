"""A distribution of reports as a value: how to draw reports and counts, and which items they
support.

A protocol answers an `Ask` with a `Law`, or with a `Lack` that says why it has none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..base.sampling import (
    Counts,
    Floats,
    binomials,
    multinomial,
    subset_counts,
    uniform_multinomial,
)
from .support import ItemSupport, Support, one_item_support

Reports: TypeAlias = NDArray[Any]
"""Reports as a protocol sends them; the first axis is users."""
Items: TypeAlias = NDArray[np.int64]
Rng: TypeAlias = np.random.Generator

Scoring = Literal["anchor", "bucket"]

LawName: TypeAlias = Literal[
    "random",
    "honest",
    "unperturbed",
    "crafted",
    "avoided",
    "subset",
    "disguised",
    "hidden",
    "solved",
    "steered",
    "widest",
    "pointed",
    "unknown",
]
"""The law of a fake report.

random : uniform over the encoded space. honest, unperturbed : that of a target, with the
protocol's noise or without. crafted, avoided : it supports as many targets as possible, or as few.
subset : crafted for some of the targets. disguised : crafted, with an honest number of ones.
hidden : those of honest users are a part of an honest population's together with it.
solved : classes of crafted reports, mixed so that they keep to constraints.
steered : the mean of all reports is a chosen number. widest : what an end of a range alone makes
likely, all alike. pointed : always the same report, which says a chosen number.
"""


@dataclass(frozen=True)
class SeedSearch:
    """An attacker's search in a hash family: the number of seeds that each fake tries, and the
    score of a seed.

    Scoring "anchor" counts the targets that share the bucket of one uniformly chosen target (Cao,
    Jia, Gong 2021); "bucket" takes the fullest of all buckets (Li, Li, Wang, Sun 2025).
    """

    seeds: int = 1000
    scoring: Scoring = "anchor"


Distribution: TypeAlias = tuple[Counts, Floats]
"""Outcomes int64[k], rising, and their probabilities float64[k]."""


def moments_of(distribution: Distribution) -> tuple[float, float]:
    """The mean and the variance of a distribution: outcomes and probabilities."""
    outcomes, chances = distribution
    mean = float(chances @ outcomes)
    return mean, float(chances @ (outcomes - mean) ** 2)


def group_by_size(users: Counts, sizes: Counts) -> Counts:
    """int64[trials, largest size + 1]: the users int64[trials, k] grouped by their sizes
    int64[k].
    """
    grouped = np.zeros((len(users), int(sizes.max()) + 1), dtype=np.int64)
    for size, senders in zip(sizes, users.T, strict=True):
        grouped[:, size] += senders
    return grouped


@dataclass(frozen=True, eq=False)
class SupportSizes:
    """The joint distribution of the numbers of targets and of other items that a report supports.

    Given both, the report supports a uniform subset of the targets and one of the other items.

    target_sizes, probabilities : int64[k], float64[k]. other_sizes : int64[k]; None if every other
    item is supported independently, with `other_rate`.
    """

    target_sizes: Counts
    probabilities: Floats
    other_sizes: Counts | None = None
    other_rate: float = 0.0

    @classmethod
    def of_one_size(cls, targets: int, others: int) -> SupportSizes:
        """The sizes of reports that all support the same numbers of targets and other items."""
        return cls(np.array([targets]), np.ones(1), np.array([others]))

    def summary(self, targets: int, others: int) -> Support:
        """The mean support of one target and one other item, and the moments of both numbers.

        targets, others : the numbers of targets and of other items.
        """
        mean, variance = moments_of((self.target_sizes, self.probabilities))
        if self.other_sizes is None:
            rate = self.other_rate
            return Support(mean / targets, rate, variance, others * rate * (1 - rate), 0.0)
        other_mean, other_variance = moments_of((self.other_sizes, self.probabilities))
        product = (self.target_sizes - mean) * (self.other_sizes - other_mean)
        covariance, rate = float(self.probabilities @ product), other_mean / max(others, 1)
        return Support(mean / targets, rate, variance, other_variance, covariance)

    def draw_counts(self, targets: Items, domain_size: int, count: Counts, rng: Rng) -> Counts:
        """int64[trials, d]: random support counts of int64[trials] reports with these sizes."""
        users = multinomial(count, self.probabilities, rng)
        groups = [(targets, self.target_sizes)]
        if self.other_sizes is None:
            counts = binomials(count, self.other_rate, domain_size, rng)
        else:
            counts = np.empty((count.size, domain_size), dtype=np.int64)
            others = np.setdiff1d(np.arange(domain_size), targets, assume_unique=True)
            groups.append((others, self.other_sizes))
        for items, sizes in groups:
            if sizes.min() == items.size:
                counts[:, items] = count[:, None]
            else:
                counts[:, items] = subset_counts(group_by_size(users, sizes), items.size, rng)
        return counts


@dataclass(frozen=True, eq=False)
class Ask:
    """A request for the distribution of one fake report: a name such as "crafted", targets and
    options.

    law : its name.
    targets : int64[r], distinct items.
    search : the effort of "crafted", "subset" and "avoided" on a hash family.
    held : for "honest" and "unperturbed", float64[r], the probability that a user has each target;
    if only counts are drawn, also float64[trials, r]. None if all targets are equally likely.
    subset : for "subset", the number of targets that a report is crafted for.
    sizes : for "solved", the distribution of the numbers of items that a report supports.
    number : for "pointed", a number in the range.
    """

    law: LawName
    targets: Items = field(default_factory=lambda: np.zeros(1, dtype=np.int64))
    search: SeedSearch = SeedSearch()
    held: Floats | None = None
    subset: int = 0
    sizes: SupportSizes | None = None
    number: float | None = None

    def find_items(self, domain_size: int) -> Items | None:
        """The items of which a one-item report supports a uniform one; None if the request has no
        such item.
        """
        match self.law:
            case "random":
                return np.arange(domain_size)
            case "crafted":
                return self.targets
            case "avoided" if self.targets.size < domain_size:
                return np.setdiff1d(np.arange(domain_size), self.targets, assume_unique=True)
        return None

    def items(self, count: int, rng: Rng) -> Items:
        """int64[count]: random targets, as the items of `count` users."""
        if self.held is not None:
            return rng.choice(self.targets, size=count, p=self.held)
        return self.targets[rng.integers(0, self.targets.size, size=count)]

    def histogram(self, domain_size: int, count: Counts, rng: Rng) -> Counts:
        """int64[trials, d]: the number of users of each item, of int64[trials] users with random
        targets.
        """
        held = np.zeros((count.size, domain_size), dtype=np.int64)
        if self.held is None:
            held[:, self.targets] = uniform_multinomial(count, self.targets.size, rng)
        elif self.held.ndim == 1:
            held[:, self.targets] = multinomial(count, self.held, rng)
        else:
            held[:, self.targets] = rng.multinomial(count, self.held)
        return held

    def frequencies(self, domain_size: int) -> Floats:
        """float64[d]: the probability that a user has each item."""
        frequencies = np.zeros(domain_size)
        frequencies[self.targets] = 1 / self.targets.size if self.held is None else self.held
        return frequencies


@dataclass(frozen=True, eq=False)
class BitLaw:
    """The distribution of the bits of one report, by cohort.

    cohorts : float64[m], the probability that the user claims each cohort.
    rates : float64[m, k], the probability of each bit in a report of each cohort.
    """

    cohorts: Floats
    rates: Floats


def no_answer(*_: object) -> Any:
    """None, the default of a Law without known support or moments."""
    return None


@dataclass(frozen=True, eq=False)
class Law:
    """A distribution of independent reports: how to draw reports and counts, and which items they
    support.

    reports : draws the reports of n users. counts : draws counts [trials, …] of int64[trials]
    users, distributed as `support_counts` of such reports. support : the support of each item by
    one report, with the variance of the number of given items; None if unknown. towards : the same
    for targets and other items; if their identity matters, for the first ones as targets. shape :
    the bits of one report if they do not stand for items; None otherwise.
    """

    reports: Callable[[int, Rng], Reports]
    counts: Callable[[Counts, Rng], Any]
    support: Callable[[Items], ItemSupport | None] = no_answer
    towards: Callable[[], Support] = no_answer
    shape: Callable[[], BitLaw | None] = no_answer


@dataclass(frozen=True)
class Lack:
    """The reason why a protocol lacks a distribution of reports, worded to follow "against": "GRR,
    whose report is one item".
    """

    reason: str


def towards_targets(
    ask: Ask,
    domain_size: int,
    reports: Callable[[int, Rng], Reports],
    counts: Callable[[Counts, Rng], Any],
    towards: Callable[[], Support],
) -> Law:
    """A distribution that treats all targets alike, and all other items alike."""

    def support(counted: Items) -> ItemSupport:
        return towards().by_item(domain_size, ask.targets, counted)

    return Law(reports, counts, support, towards)


def one_item(
    ask: Ask,
    domain_size: int,
    items: Items,
    send: Callable[[Items, Rng], Reports],
    draw: Callable[[Counts, Rng], Any],
) -> Law:
    """The distribution of a report that supports exactly one of these items, uniformly chosen.

    send : makes the reports of users with given items. draw : draws the counts of int64[trials, d]
    users.
    """
    held, hit = replace(ask, targets=items), np.intersect1d(items, ask.targets).size / items.size

    def reports(count: int, rng: Rng) -> Reports:
        return send(held.items(count, rng), rng)

    def counts(count: Counts, rng: Rng) -> Any:
        return draw(held.histogram(domain_size, count, rng), rng)

    def towards() -> Support:
        return one_item_support(hit, ask.targets.size, domain_size)

    return towards_targets(ask, domain_size, reports, counts, towards)


def holding(protocol: Any, ask: Ask, towards: Callable[[], Support]) -> Law:
    """The distribution of a report of a user who has a target: honest, or without noise.

    towards : the support if all targets are equally likely.
    """
    items, plain = protocol.domain_size, ask.law == "unperturbed"
    send = protocol.unperturbed if plain else protocol.perturb
    draw = protocol.unperturbed_counts if plain else protocol.sample_counts

    def reports(count: int, rng: Rng) -> Reports:
        return np.asarray(send(ask.items(count, rng), rng))

    def counts(count: Counts, rng: Rng) -> Any:
        return draw(ask.histogram(items, count, rng), rng)

    def support(counted: Items) -> ItemSupport:
        if plain or ask.held is None:
            return towards().by_item(items, ask.targets, counted)
        item_support: ItemSupport = protocol.held_support(ask.frequencies(items), counted)
        return item_support

    return Law(reports, counts, support, towards)
