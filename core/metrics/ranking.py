"""Rankings of items by their estimates, and the most frequent items."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..base.sampling import Floats
from ..law.pure import BoolArray, Items


@dataclass(frozen=True, eq=False)
class Leaders:
    """The k most frequent items, the most frequent first; ties go to the lower index.

    items : int64[k].
    ranks : float64[k], their true ranks; tied items have their mean rank.
    discounts : float64[k], 1 / log2(i + 1) for the places i = 1, …, k of a ranking.
    most : the sum of their true frequencies, each discounted by its place.
    """

    items: Items
    ranks: Floats
    discounts: Floats
    most: float

    @classmethod
    def of(cls, truth: Floats, k: int) -> Leaders:
        """The k items with the largest frequencies, from float64[d]; all items if there are fewer
        than k.
        """
        chosen = np.flatnonzero(in_top(truth, min(k, truth.size)))
        items = chosen[np.argsort(-truth[chosen], kind="stable")]
        discounts = 1 / np.log2(np.arange(2, items.size + 2))
        most = float((truth[items] * discounts).sum())
        return cls(items, ranks(np.sort(truth)[None], truth[None, items])[0], discounts, most)


@dataclass(frozen=True, eq=False)
class Ranking:
    """The rankings of the items by their estimates in several trials.

    estimates : float64[trials, d]. truth : float64[d], the true frequencies. leaders : the k most
    frequent items.
    """

    estimates: Floats
    truth: Floats
    leaders: Leaders

    @cached_property
    def ordered_estimates(self) -> Floats:
        """float64[trials, d]: the estimates of each trial, ascending."""
        return np.sort(self.estimates, axis=1)

    @cached_property
    def top(self) -> BoolArray:
        """bool[trials, d]: whether each item is among the k largest estimates."""
        k = self.leaders.items.size
        return _reaching(self.estimates, self.ordered_estimates[:, -k, None], k)

    def recall(self) -> Floats:
        """float64[trials]: the share of the k most frequent items among the k largest estimates."""
        leaders = self.leaders.items
        return np.asarray(self.top[:, leaders].sum(axis=1) / leaders.size)

    def ndcg(self) -> Floats:
        """float64[trials]: NDCG, the sum of discounted true frequencies of the k largest estimates,
        relative to the largest possible sum.

        The item at place i = 1, …, k counts f / log2(i + 1). Järvelin, Kekäläinen, TOIS 2002.
        """
        places = self.top.ravel().nonzero()[0].reshape(-1, self.leaders.items.size)
        order = (-self.estimates.ravel()[places]).argsort(kind="stable")
        items = np.take_along_axis(places, order, axis=1) % self.truth.size
        gains = self.truth[items] * self.leaders.discounts
        # Not a product of matrices, whose last bit depends on the number of trials.
        return np.asarray(gains.sum(axis=1) / self.leaders.most)

    def rank_error(self) -> Floats:
        """float64[trials]: the mean |rank of the estimate - true rank| of the k most frequent
        items.
        """
        places = ranks(self.ordered_estimates, self.estimates[:, self.leaders.items])
        off = np.abs(places - self.leaders.ranks)
        return np.asarray(off.sum(axis=1) / self.leaders.items.size)


def ranks(ordered: Floats, values: Floats) -> Floats:
    """float64[trials, k]: the ranks of `values` among all estimates of their trial; the largest is
    1.

    ordered : float64[trials, d], all estimates, ascending. Tied values have their mean rank.
    """
    # How many are less than a value, and how many than the next double: than it, or equal.
    both = np.concatenate([values, np.nextafter(values, np.inf)], axis=1)
    rows = [row.searchsorted(some) for row, some in zip(ordered, both, strict=True)]
    below, upto = np.concatenate(rows).reshape(len(values), 2, -1).swapaxes(0, 1)
    return np.asarray(ordered.shape[1] - (below + upto - 1) / 2)


def in_top(frequencies: Floats, k: int) -> BoolArray:
    """bool[..., d]: whether each item is among the k largest; ties go to the lower index."""
    least = np.partition(frequencies, -k, axis=-1)[..., -k, None]
    return _reaching(frequencies, least, k)


def _reaching(frequencies: Floats, least: Floats, k: int) -> BoolArray:
    """The same, where the least of the k largest is known: float64[..., 1]."""
    likely = np.asarray(frequencies >= least)
    if np.count_nonzero(likely) * frequencies.shape[-1] == k * likely.size:  # nowhere a tie
        return likely
    many = np.count_nonzero(likely, axis=-1) - k
    for row in zip(*many.nonzero(), strict=True) if many.ndim else [()]:
        level = np.flatnonzero(frequencies[row] == least[row])
        likely[row][level[-many[row] :]] = False
    return likely
