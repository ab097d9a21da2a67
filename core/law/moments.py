"""Closed forms of estimates that some mechanisms have of their own, which (p, q) do not give."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from ..base.sampling import Counts, Floats
from .mechanism import LocalMechanism, Mechanism, refuse_counts
from .pure import PureProtocol, Rng, Supporting

Moments: TypeAlias = tuple[Floats, Floats | None]
"""Before and after the attack: float64[d] each, None where it is not known what the fakes do."""


@dataclass(frozen=True, eq=False)
class Collection:
    """The parameters of a collection that closed forms need.

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
    def is_foreseen(self) -> bool:
        """True if the distribution of every fake report is known."""
        return all(law is not None for _, law in self.fakes)

    def fake_sums(self) -> tuple[Floats, Floats]:
        """float64[d] each: the expected support counts of all fakes together, and their
        variances.
        """
        nobody = np.zeros(self.histogram.size)
        return (
            sum((count * law.rates for count, law in self.fakes), nobody),
            sum((count * law.variances for count, law in self.fakes), nobody),
        )


class EstimateMoments(Mechanism):
    """The base of mechanisms with closed forms of their own for the mean and variance
    of estimates.
    """

    @abstractmethod
    def means(self, collection: Collection) -> Moments | None:
        """Expected estimates before and after the attack, float64[d] each.

        None where there is no closed form, or none of what the fakes do.
        """

    @abstractmethod
    def variances(self, collection: Collection) -> Moments | None:
        """Variances of the estimates of one trial before and after the attack, float64[d] each."""


class SummedNumbers(Supporting, LocalMechanism, EstimateMoments):
    """The base of mechanisms whose reports are unbiased numbers for each item, which the server
    sums.

    The share of a fake report is then its numbers themselves: p = 1 and q = 0. Such reports are
    simulated one by one, where nothing draws their counts. A protocol has the variance of one
    user's numbers as `unit_variance` of the true frequencies.
    """

    p = 1.0
    q = 0.0
    by_reports = True

    def sample_counts(self, histogram: Counts, rng: Rng) -> Counts:  # noqa: ARG002
        refuse_counts()

    unperturbed_counts = sample_counts

    def means(self, collection: Collection) -> Moments | None:
        """The expected estimates: the true frequencies before the attack; the mean over all users
        after it.
        """
        truth, everyone = collection.frequencies, collection.users + collection.malicious
        if not collection.is_foreseen:
            return truth, None
        return truth, (collection.users * truth + collection.fake_sums()[0]) / everyone

    def variances(self, collection: Collection) -> Moments | None:
        """The variance of the mean over the genuine users; after the attack, over all users."""
        users, everyone = collection.users, collection.users + collection.malicious
        each = self.unit_variance(collection.frequencies)
        if not collection.is_foreseen:
            return each / users, None
        return each / users, (users * each + collection.fake_sums()[1]) / everyone**2


Unbiased: TypeAlias = PureProtocol | SummedNumbers
"""A protocol whose estimates are right on average, and whose variance is known."""
