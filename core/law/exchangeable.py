"""Pure protocols that treat all items alike: everything follows from the distribution
`support_size`.

Given whether a report supports its user's item, the number of any k other items that it supports
has one distribution. It has two forms, and so there are two base classes: each other item
independently (`IndependentItems`), or a uniform set of a fixed size (`FixedSize`).
"""

from __future__ import annotations

import math
from abc import abstractmethod
from functools import lru_cache, partial
from typing import Any, ClassVar, TypeGuard

import numpy as np

from ..base.sampling import (
    Counts,
    Floats,
    binomial,
    binomial_law,
    binomials,
    hypergeometric_law,
    subset_counts,
    subset_counts_beside_own,
)
from .law import (
    Ask,
    Distribution,
    Lack,
    Law,
    LawName,
    SupportSizes,
    group_by_size,
    holding,
    moments_of,
    towards_targets,
)
from .loss import DiscreteLoss, signs
from .pure import BoolArray, Items, PureProtocol, Reports, Rng, Total


class Exchangeable(PureProtocol):
    """A pure protocol that treats all items alike.

    report_size : the number of items that every report supports; None if it varies.
    """

    report_size: Any = None
    lists_items: ClassVar[bool] = True
    """True if one report can support several items."""
    crafted: ClassVar[frozenset[LawName]]
    """The laws of reports that are made up from their sizes."""

    @property
    def absence_probability(self) -> float:
        """1 - p, the probability that a report does not support its user's item."""
        return 1 - float(self.p)

    @abstractmethod
    def support_size(self, k: int, own: bool) -> Distribution:
        """The distribution of the number of k other items that an honest report supports.

        own : whether it supports its user's item.
        """

    @abstractmethod
    def encoded_size(self, k: int) -> Distribution:
        """The distribution of the number of k other items that a report without noise supports."""

    @abstractmethod
    def random_size(self, k: int) -> Distribution:
        """The distribution of the number of k items that a uniformly random report supports."""

    @abstractmethod
    def supports_of(self, reports: Reports, items: Items) -> BoolArray:
        """bool[n, k]: which of these items each report supports."""

    @abstractmethod
    def craft_sizes(self, ask: Ask) -> SupportSizes:
        """The distribution of the numbers of targets and other items that a crafted report
        supports.
        """

    @abstractmethod
    def draw_crafted(self, ask: Ask, count: int, rng: Rng) -> Reports:
        """`count` random reports of the crafted distribution that is requested."""

    def draw_crafted_counts(self, ask: Ask, count: Counts, rng: Rng) -> Counts:
        """int64[trials, d]: random support counts of int64[trials] crafted reports."""
        return self.craft_sizes(ask).draw_counts(ask.targets, self.domain_size, count, rng)

    @abstractmethod
    def sample_background(self, values: Items, held: BoolArray, rng: Rng) -> Reports:
        """Random reports that support the items `values`, int64[n], if `held`, bool[n], is true,
        and do not otherwise.

        Which other items they support has one distribution for all items, the background: an honest
        report of item v is such a report of v, with held true with probability p. Fakes who choose
        the item and that probability can hide.
        """

    @abstractmethod
    def conditioned_counts(self, held: Counts, spared: Counts, rng: Rng) -> Counts:
        """int64[trials, d]: random support counts of reports as of `sample_background`.

        held, spared : int64[trials, d], the reports that support each item for certain, and that
        for certain do not.
        """

    @abstractmethod
    def _uniform(self, count: int, rng: Rng) -> Reports:
        """Uniformly random reports."""

    @abstractmethod
    def _uniform_counts(self, count: Counts, rng: Rng) -> Counts:
        """Their support counts."""

    def law_of(self, ask: Ask) -> Law | Lack:
        d, r, encoded = self.domain_size, ask.targets.size, ask.law == "unperturbed"
        if ask.law in self.crafted:
            reports, counts = (
                partial(draw, ask) for draw in (self.draw_crafted, self.draw_crafted_counts)
            )
            return towards_targets(
                ask, d, reports, counts, lambda: self.craft_sizes(ask).summary(r, d - r)
            )
        match ask.law:
            case "honest" | "unperturbed":
                return holding(
                    self, ask,
                    lambda: self._summary(r, holder_size(self, r, True, encoded),
                                          partial(holder_size, self, 1, False, encoded)),
                )  # fmt: skip
            case "random":
                return towards_targets(
                    ask, d, self._uniform, self._uniform_counts,
                    lambda: self._summary(r, self.random_size(r), partial(self.random_size, 1)),
                )  # fmt: skip
        return self.lack(ask)

    def _summary(self, r: int, targets: Distribution, other: Any) -> Any:
        """The support of reports with this number of targets. other : the law of one other item."""
        sizes, chances = targets
        if self.report_size is None:
            joint = SupportSizes(sizes, chances, None, moments_of(other())[0])
        else:
            joint = SupportSizes(sizes, chances, self.report_size - sizes)
        return joint.summary(r, self.domain_size - r)

    def privacy_loss(self) -> DiscreteLoss:
        """The privacy loss between two items: the report supports one of them, both or none."""
        alone = _chance_of(self.support_size(1, True), 0)
        both = _chance_of(self.support_size(1, False), 1)
        first, second = self.p * alone, self.absence_probability * both
        return signs(math.log(first) - math.log(second), first, second)


def is_exchangeable(protocol: object) -> TypeGuard[Exchangeable]:
    """Whether a protocol treats all items alike."""
    return isinstance(protocol, Exchangeable)


def _chance_of(law: Distribution, outcome: int) -> float:
    outcomes, chances = law
    return float(chances[outcomes == outcome].sum())


@lru_cache(maxsize=1024)
def holder_size(protocol: Exchangeable, k: int, held: bool, encoded: bool = False) -> Distribution:
    """The distribution of the number of k items that an honest report supports.

    held : whether its user has one of them. encoded : whether the report has no noise.
    """
    if encoded:
        sizes, chances = protocol.encoded_size(k - held)
        return sizes + held, chances
    law = np.zeros(k + 1)
    for own, chance in ((True, protocol.p), (False, protocol.absence_probability)):
        sizes, chances = protocol.support_size(k - held, own)
        law[sizes + (own and held)] += chance * chances
    sizes = np.flatnonzero(law)
    return sizes, law[sizes]


class IndependentItems(Exchangeable):
    """The base of protocols whose report supports different items independently, given the user's
    item.

    encoded_rate : the probability that a report without noise supports another item than its
    user's. random_rate : the probability that a uniformly random report supports an item.
    """

    encoded_rate: ClassVar[Any]
    random_rate: ClassVar[Any]

    def support_size(self, k: int, own: bool) -> Distribution:  # noqa: ARG002
        return binomial_law(k, self.q)

    def encoded_size(self, k: int) -> Distribution:
        return binomial_law(k, self.encoded_rate)

    def random_size(self, k: int) -> Distribution:
        return binomial_law(k, self.random_rate)

    def sample_counts(self, histogram: Counts, rng: Rng) -> Counts:
        others = histogram.sum(axis=-1, keepdims=True) - histogram
        return binomial(histogram, self.p, rng) + binomial(others, self.q, rng)

    def unperturbed_counts(self, histogram: Counts, rng: Rng) -> Counts:
        if not self.encoded_rate:
            return histogram.copy()
        others = histogram.sum(axis=-1, keepdims=True) - histogram
        return histogram + binomial(others, self.encoded_rate, rng)

    def conditioned_counts(self, held: Counts, spared: Counts, rng: Rng) -> Counts:
        known = held + spared
        return held + binomial(known.sum(axis=-1, keepdims=True) - known, self.q, rng)

    def _uniform_counts(self, count: Counts, rng: Rng) -> Counts:
        return binomials(count, self.random_rate, self.domain_size, rng)


class FixedSize(Exchangeable):
    """The base of protocols whose reports all support w items, a uniform set besides the user's
    item.
    """

    report_size: int

    def support_size(self, k: int, own: bool) -> Distribution:
        # Of two items, which leave one beside the own one, some user holds either.
        others = max(self.domain_size - 1, k)
        return hypergeometric_law(others, k, self.report_size - own)

    def encoded_size(self, k: int) -> Distribution:
        return self.support_size(k, True)

    def random_size(self, k: int) -> Distribution:
        return hypergeometric_law(self.domain_size, k, self.report_size)

    def total_variance(self, total: Total) -> float:
        spread = 0.0
        if total.r:
            spread = total.frequency * moments_of(holder_size(self, total.r, True))[1]
        if total.r < self.domain_size:
            others = moments_of(holder_size(self, total.r, False))[1]
            spread += (1 - total.frequency) * others
        return float(spread / (self.p - self.q) ** 2)

    def sample_counts(self, histogram: Counts, rng: Rng) -> Counts:
        # A uniform set has the own item with probability w/d: some reports are such a set, and all
        # others have it.
        w, d = self.report_size, self.domain_size
        owners = binomial(histogram, (self.p - w / d) / (1 - w / d), rng)
        rest = histogram.sum(axis=-1) - owners.sum(axis=-1)
        uniform = group_by_size(rest[:, None], np.array([w]))
        return owners + subset_counts_beside_own(owners[None], w - 1, uniform, rng)

    def unperturbed_counts(self, histogram: Counts, rng: Rng) -> Counts:
        nobody, picks = np.zeros((len(histogram), 1), dtype=np.int64), self.report_size - 1
        return histogram + subset_counts_beside_own(histogram[None], picks, nobody, rng)

    def conditioned_counts(self, held: Counts, spared: Counts, rng: Rng) -> Counts:
        nobody, owners = np.zeros((len(held), 1), dtype=np.int64), np.stack([spared, held])
        return held + subset_counts_beside_own(owners, self.report_size, nobody, rng)

    def _uniform_counts(self, count: Counts, rng: Rng) -> Counts:
        sizes = group_by_size(count[:, None], np.array([self.report_size]))
        return subset_counts(sizes, self.domain_size, rng)


def numbers(protocol: Exchangeable, items: int, held: bool) -> Floats:
    """float64[items + 1]: the distribution of the number of these items that an honest report
    supports.

    held : whether its user has one of them, any one.
    """
    law = np.zeros(items + 1)
    sizes, chances = holder_size(protocol, items, held)
    law[sizes] = chances
    return law
