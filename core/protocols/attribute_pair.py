"""The joint frequencies of two attributes, of users who report every attribute (SPL)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ..base.sampling import Counts, Floats
from ..law.law import Ask, Lack, Law
from ..law.mechanism import refuse_counts
from ..law.moments import Collection
from ..law.pure import Estimates, Items, Reports, Rng
from ..law.support import ItemSupport
from .attribute_messages import Message
from .attributes import SeveralAttributes


@dataclass(frozen=True)
class AttributePair(SeveralAttributes):
    """SPL, with the joint frequencies of the values of two attributes.

    S is 1 if a report supports a value, else 0. (S - q)/(p - q) is an unbiased estimate of whether
    the user has the value, and the noise of the two reports is independent: so the mean over users
    of the product of both is an unbiased estimate of the pair's frequency. The pairs are items
    after the values of all attributes; a message supports a pair if it supports both values. Only
    messages tell how many support a pair: support counts cannot be drawn directly.

    pair : the positions of the two attributes.
    """

    by_reports: ClassVar[bool] = True

    pair: tuple[int, int] = (0, 1)

    @cached_property
    def _alone(self) -> SeveralAttributes:
        """The protocol without the pairs."""
        return SeveralAttributes(
            self.epsilon, self.solution, self.fake_data, self.oracles, self.records,
            self.frequencies,
        )  # fmt: skip

    @property
    def _shape(self) -> tuple[int, int]:
        """The numbers of values of both attributes."""
        first, second = self.sizes[list(self.pair)].tolist()
        return first, second

    @cached_property
    def _pairs(self) -> slice:
        """The positions of the pairs among all items."""
        start, (rows, columns) = int(self.sizes.sum()), self._shape
        return slice(start, start + rows * columns)

    @property
    def domain_size(self) -> int:  # type: ignore[override]
        return int(self._pairs.stop)

    def sample_counts(self, histogram: Counts, rng: Rng) -> Counts:  # noqa: ARG002
        refuse_counts()

    unperturbed_counts = sample_counts

    def support_counts(self, reports: Reports) -> Counts:
        first, second = (
            self.oracles[at].supports(np.ascontiguousarray(reports[str(at)])).astype(np.float64)
            for at in self.pair
        )
        both = (first.T @ second).astype(np.int64).ravel()
        return np.insert(super().support_counts(reports), self._pairs.start, both)

    def estimates(self, counts: Counts, users: int) -> Estimates:
        """The frequencies of all values, then of the pairs: Σ (S - q)(S' - q') / (n a a'), a = p -
        q.

        counts : int64[…, d + k], of single values, pairs and reports of each attribute.
        """
        alone = np.delete(counts, self._pairs, axis=-1)
        both = counts[..., self._pairs].reshape(*counts.shape[:-1], *self._shape)
        first, second = (self.oracles[at] for at in self.pair)
        one, other = (counts[..., self.slices[at]] for at in self.pair)
        products = both - second.q * one[..., :, None] - first.q * other[..., None, :]
        products = products / users + first.q * second.q
        pairs = products / ((first.p - first.q) * (second.p - second.q))
        values = self._alone.estimates(alone, users).frequencies
        return Estimates(np.concatenate([values, pairs.reshape(*counts.shape[:-1], -1)], axis=-1))

    # Closed forms.

    def _moments(
        self, collection: Collection
    ) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats] | None]:
        """Those of the values, then those of the pairs: exact."""
        histogram, fakes = collection.histogram, collection.fakes
        alone = [
            (count, law and ItemSupport(np.delete(law.rates, self._pairs), law.variance))
            for count, law in fakes
        ]
        values = Collection(np.delete(histogram, self._pairs), tuple(alone))
        clean, attacked = self._alone._moments(values)
        both = histogram[self._pairs].reshape(self._shape)
        one, other = (histogram[self.slices[at]] for at in self.pair)
        one, neither = one[:, None], both.sum() - one[:, None] - other + both
        (p, q), (p2, q2) = ((self.oracles[at].p, self.oracles[at].q) for at in self.pair)
        groups = [(both, p, p2), (one - both, p, q2), (other - both, q, p2), (neither, q, q2)]
        clean = _join(clean, self._pair_moments(groups))
        if attacked is None:
            return clean, None
        first, second = (self.slices[at] for at in self.pair)
        groups += [(count, law.rates[first][:, None], law.rates[second]) for count, law in fakes]
        return clean, _join(attacked, self._pair_moments(groups))

    def _pair_moments(self, groups: Sequence[tuple[Any, Any, Any]]) -> tuple[Floats, Floats]:
        """Mean and variance of the estimates of the pairs, from groups of users.

        Each group has its number, and how likely its reports support each of both values.
        """
        users, mean, variance = 0, np.zeros(self._shape), np.zeros(self._shape)
        for count, *supported in groups:
            expected, square = np.ones(self._shape), np.ones(self._shape)
            for at, rate in zip(self.pair, supported, strict=True):
                q, gap = self.oracles[at].q, self.oracles[at].p - self.oracles[at].q
                expected = expected * (rate - q) / gap
                square = square * (rate * (1 - 2 * q) + q**2) / gap**2
            users, mean = users + count, mean + count * expected
            variance = variance + count * (square - expected**2)
        return (mean / users).ravel(), (variance / users**2).ravel()

    # Reports of fake users.

    def law_of(self, ask: Ask) -> Law | Lack:
        """The distribution of fakes' messages; a pair among the targets makes both of its values
        targets.
        """
        law = super().law_of(ask)
        return law if isinstance(law, Lack) else replace(law, counts=refuse_counts)

    def _local(self, items: Items, at: int) -> Items:
        alone = super()._local(items, at)
        if at not in self.pair:
            return alone
        pairs = items[items >= self._pairs.start] - self._pairs.start
        return np.union1d(alone, np.unravel_index(pairs, self._shape)[self.pair.index(at)])

    def _support(self, messages: list[tuple[float, Message]], counted: Items) -> ItemSupport:
        """The support of a message; its variance is that of the values alone."""
        support = super()._support(messages, counted)
        first, second = (support.rates[self.slices[at]] for at in self.pair)
        support.rates[self._pairs] = np.outer(first, second).ravel()
        return support


def _join(values: tuple[Floats, Floats], pairs: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """Means and variances, of the values and then of the pairs."""
    means, variances = map(np.concatenate, zip(values, pairs, strict=True))
    return means, variances
