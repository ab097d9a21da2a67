"""Closed forms of estimates for mechanisms where (p, q) alone do not determine them."""

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
    fakes : for each group of fakes, their number and the support of one report, a BitLaw or an
    ItemSupport; None instead if it is not known.
    rounds : the collections of a campaign's rounds, in order; empty for one collection.
    meetings : float64[d], the expected number of pairs of rounds in which one user reports from the
    same memoised answer, summed over the users of each item; None without memoised answers.
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
        """Whether the distribution of every fake report is known."""
        return all(law is not None for _, law in self.fakes)

    def fake_sums(self) -> tuple[Floats, Floats]:
        """The expected support counts of all fakes together, and the variances of these counts,
        float64[d] each.
        """
        nobody = np.zeros(self.histogram.size)
        return (
            sum((count * law.rates for count, law in self.fakes), nobody),
            sum((count * law.variances for count, law in self.fakes), nobody),
        )


class EstimateMoments(Mechanism):
    """The base of mechanisms with closed forms of their own for the mean and variance of
    estimates.
    """

    @abstractmethod
    def means(self, collection: Collection) -> Moments | None:
        """The expected estimates before and after the attack, float64[d] each.

        The second is None if the distribution of the fakes' reports is not known; the result is
        None if there is no closed form.
        """

    @abstractmethod
    def variances(self, collection: Collection) -> Moments | None:
        """The variances of one trial's estimates before and after the attack, float64[d] each.

        None as for `means`.
        """


class SummedNumbers(Supporting, LocalMechanism, EstimateMoments):
    """The base of mechanisms whose reports are unbiased estimates for each item, which the server
    averages.

    The support of an item is then the number that the report has for it: p = 1 and q = 0. Such
    mechanisms are simulated by reports only. A subclass defines `unit_variance`, the variance of
    one user's numbers, from the true frequencies.
    """

    p = 1.0
    q = 0.0
    by_reports = True

    def sample_counts(self, histogram: Counts, rng: Rng) -> Counts:  # noqa: ARG002
        refuse_counts()

    unperturbed_counts = sample_counts

    def means(self, collection: Collection) -> Moments | None:
        """The expected estimates before and after the attack, float64[d] each.

        The first are the true frequencies; the second are the expected mean over genuine and fake
        users, None if the fakes' reports are not known.
        """
        truth, everyone = collection.frequencies, collection.users + collection.malicious
        if not collection.is_foreseen:
            return truth, None
        return truth, (collection.users * truth + collection.fake_sums()[0]) / everyone

    def variances(self, collection: Collection) -> Moments | None:
        """The variances of the mean over the genuine users, and over genuine and fake users,
        float64[d] each.

        The second is None if the fakes' reports are not known.
        """
        users, everyone = collection.users, collection.users + collection.malicious
        each = self.unit_variance(collection.frequencies)
        if not collection.is_foreseen:
            return each / users, None
        return each / users, (users * each + collection.fake_sums()[1]) / everyone**2


Unbiased: TypeAlias = PureProtocol | SummedNumbers
"""A protocol whose estimates are right on average, and whose variance is known."""
