"""Engines of families: what protocols of one shape have in common, besides their laws."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from ..base.sampling import Counts, Floats
from .capabilities import Collection
from .pure import Items, Oracle, Reports, Rng, Total


class Encodes:
    """A protocol that encodes an item without chance: its noise alone is drawn."""

    @abstractmethod
    def encoded(self, values: Items) -> Reports:
        """Reports that encode these items."""

    def encoded_counts(self, histogram: Counts) -> Counts:
        """Counts of such reports, which support their own item and no other one."""
        return histogram.copy()

    def unperturbed(self, values: Items, rng: Rng) -> Reports:  # noqa: ARG002
        return self.encoded(values)

    def unperturbed_counts(self, histogram: Counts, rng: Rng) -> Counts:  # noqa: ARG002
        return self.encoded_counts(histogram)


class Placed(Oracle):
    """A family whose items have places: which items the targets are decides what a report supports.

    Closed forms by the number of targets alone are towards the first items
    (`core.law.capabilities.Places`).
    """

    @abstractmethod
    def placed_sum_variance(self, frequencies: Floats, targets: Items) -> float:
        """n times the variance of the sum of the targets' estimates, at these frequencies."""

    def total_variance(self, total: Total) -> float:
        """The variance of the total of r targets, all held alike, where so are the others."""
        d, r = self.domain_size, total.r
        frequencies = np.full(d, total.frequency / r)
        if r < d:
            frequencies[r:] = (1 - total.frequency) / (d - r)
        return self.placed_sum_variance(frequencies, np.arange(r))


class Summed(Oracle):
    """A family whose reports are numbers that add up: each item's are right on average.

    The share of a fake report is then its numbers themselves: p = 1 and q = 0.

    A protocol has the variance of one user's numbers as `unit_variance` of the true frequencies.
    """

    p = 1.0
    q = 0.0
    unit_variance: Any

    def means(self, collection: Collection) -> tuple[Floats, Floats | None] | None:
        """f before the attack; after it, the mean over all users."""
        truth, everyone = collection.frequencies, collection.users + collection.malicious
        if not collection.foreseen:
            return truth, None
        fakes = sum((count * law.rates for count, law in collection.fakes), np.zeros(truth.size))
        return truth, (collection.users * truth + fakes) / everyone

    def variances(self, collection: Collection) -> tuple[Floats, Floats | None] | None:
        """The variance of the mean over the genuine users; after the attack, over all users."""
        users, everyone = collection.users, collection.users + collection.malicious
        each = self.unit_variance(collection.frequencies)
        if not collection.foreseen:
            return each / users, None
        fakes = sum((count * law.variances for count, law in collection.fakes), np.zeros(each.size))
        return each / users, (users * each + fakes) / everyone**2
