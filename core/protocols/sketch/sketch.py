"""A sketch: the report is a row of a table, and noisy cells of that row.

Apple Differential Privacy Team, "Learning with Privacy at Scale", 2017. A user picks one of k rows,
each with a public hash function, and hashes the item to one of m buckets. A report supports the
items whose bucket in that row it shows. The server averages over the rows, and subtracts what items
that share a bucket add on average over hash functions; the rest of the collisions remains.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Annotated, Any, ClassVar

import numpy as np

from ...base.ranges import Range
from ...base.sampling import Counts, Floats, binomial, binomials
from ...law.law import Ask, Lack, Law, holding
from ...law.moments import Collection, EstimateMoments, Moments
from ...law.pure import BoolArray, Items, LocalMechanism, OverItems, PlacedItems, Reports, Rng
from ...law.support import ItemSupport, Support
from ..budget import Budget
from .hash_rows import (
    BucketSharing,
    bucket_sharing,
    each_row,
    hash_items,
    hashed_in,
    shared_weights,
)

BUCKETS = Range(2, 2**16)
ROWS = Range(1, 2**20)

FEW = 64
"""Items whose collisions with all others are kept one by one."""

PAIRS_AT_ONCE = 1 << 21


@dataclass(frozen=True)
class Sketch(OverItems, PlacedItems, LocalMechanism, EstimateMoments):
    """The base of sketch protocols: a report is a random row and noisy cells of it.

    buckets, rows : m and k. Counts are int64[d], the reports that support each item.
    """

    family: ClassVar[str] = "sketch"
    place: ClassVar[str] = "bucket"
    apart: ClassVar[str] = (
        "on the counts path items are drawn one by one; reports let them share a bucket"
    )

    buckets: Annotated[int, BUCKETS]
    rows: Annotated[int, ROWS]

    @property
    @abstractmethod
    def p(self) -> float:
        """The probability that a report supports its user's item."""

    @property
    @abstractmethod
    def other(self) -> float:
        """The probability that a report supports an item of another bucket."""

    @property
    def q(self) -> float:
        """The average probability that a report supports another item, which may share the user's
        bucket.
        """
        return self.other + (self.p - self.other) / self.buckets

    @property
    @abstractmethod
    def noiseless(self) -> tuple[float, float]:
        """The probabilities `p` and `other` of a report without noise."""

    @abstractmethod
    def _uniform(self, count: int, rng: Rng) -> Reports: ...

    @abstractmethod
    def _aim_reports(self, targets: Items, avoid: bool, count: int, rng: Rng) -> Reports:
        """Reports that support all of the targets, or with `avoid` none."""

    @abstractmethod
    def _show_buckets(self, reports: Reports, placed: Any, at: Items) -> BoolArray:
        """bool[n, items]: the buckets placed[at] uint32[n, items] that the reports show."""

    @abstractmethod
    def _square(self, law: tuple[float, float], r: int, sharing: BucketSharing) -> float:
        """The mean square of the number of r items that a report supports.

        law : p and `other` of the report. sharing : how these items share buckets.
        """

    @abstractmethod
    def _aimed_support(self, targets: Items, avoid: bool, counted: Items) -> ItemSupport: ...

    # Laws.

    def law_of(self, ask: Ask) -> Law | Lack:
        d, targets, avoid = self.domain_size, ask.targets, ask.law == "avoided"
        alike = {
            "honest": (self.p, self.other),
            "unperturbed": self.noiseless,
            "random": (0.5, 0.5),
        }

        def support(counted: Items) -> ItemSupport:
            if ask.law in alike:
                return self._find_held_support(ask.frequencies(d), counted, alike[ask.law])
            return self._aimed_support(targets, avoid, counted)

        def aimed_counts(count: Counts, rng: Rng) -> Counts:
            shape = (count.size, d)
            rates = np.broadcast_to(support(targets).rates, shape)
            return _binomials(np.broadcast_to(count[:, None], shape), rates, rng)

        def towards() -> Support:
            return self._towards(support, targets)

        match ask.law:
            case "honest" | "unperturbed":
                return replace(holding(self, ask, towards), support=support)
            case "random":
                return Law(self._uniform, self._uniform_counts, support, towards)
            case "crafted" | "avoided":
                reports = partial(self._aim_reports, targets, avoid)
                return Law(reports, aimed_counts, support, towards)
        return self.lack(ask)

    def _towards(self, support: Callable[[Items], ItemSupport], targets: Items) -> Support:
        """The law of the numbers of targets, and of other items, that a report supports."""
        items = np.arange(self.domain_size)
        others, inside = np.delete(items, targets), support(targets)
        if not others.size:
            return Support(float(inside.rates.mean()), 0.0, inside.variance, 0.0, 0.0)
        beyond, whole = support(others).variance, support(items).variance
        both = (whole - inside.variance - beyond) / 2
        target, other = (float(inside.rates[part].mean()) for part in (targets, others))
        return Support(target, other, inside.variance, beyond, both)

    def held_support(self, frequencies: Floats, counted: Items) -> ItemSupport:
        return self._find_held_support(frequencies, counted, (self.p, self.other))

    # Reports.

    def _drawn_rows(self, count: int, rng: Rng) -> Items:
        return rng.integers(0, self.rows, size=count)

    def _own(self, values: Items, chosen: Items) -> Any:
        """uint32[n], the bucket of each value in its row."""
        return hashed_in(values, chosen, self.buckets)

    def look(self, reports: Reports, items: Items) -> BoolArray:
        """bool[n, items], the items that the reports support."""
        chosen, at = np.unique(reports["row"], return_inverse=True)
        return self._show_buckets(reports, hash_items(items, chosen, self.buckets), at)

    def support_counts(self, reports: Reports) -> Counts:
        everything = np.arange(self.domain_size)
        ordered = reports[np.argsort(reports["row"], kind="stable")]
        counts = np.zeros(self.domain_size, dtype=np.int64)
        for at in range(0, len(ordered), self._at_once):
            counts += self._count_rows(ordered[at : at + self._at_once], everything)
        return counts

    @property
    def _at_once(self) -> int:
        """The reports that are counted at once."""
        return max(1, PAIRS_AT_ONCE // self.domain_size)

    def _count_rows(self, reports: Reports, items: Items) -> Counts:
        """int64[items] of a few reports, which are sorted by their rows."""
        return np.asarray(self.look(reports, items).sum(axis=0))

    def _uniform_counts(self, count: Counts, rng: Rng) -> Counts:
        return binomials(count, 0.5, self.domain_size, rng)

    # Counts: of every item with the mean that it has at these hash functions, one by one.

    def sample_counts(self, histogram: Counts, rng: Rng) -> Counts:
        return self._held_counts(histogram, (self.p, self.other), rng)

    def unperturbed_counts(self, histogram: Counts, rng: Rng) -> Counts:
        return self._held_counts(histogram, self.noiseless, rng)

    def _held_counts(self, histogram: Counts, law: tuple[float, float], rng: Rng) -> Counts:
        everyone = histogram.sum(axis=-1, keepdims=True)
        others = everyone - histogram
        own, other = law
        meet = (self._met(histogram) - histogram) / np.maximum(others, 1)
        rates = np.clip(other + (own - other) * meet, 0, 1)
        drawn = binomial(histogram, own, rng)
        return drawn + _binomials(others, rates, rng)

    def _met(self, histogram: Counts) -> Floats:
        """float64[trials, d], the users in each item's bucket on average over the rows."""
        if (histogram == histogram[:1]).all():
            total = int(histogram[0].sum())
            met = total * self._share_weights(histogram[0] / max(total, 1))
            return np.broadcast_to(met, histogram.shape)
        held = np.flatnonzero(histogram.any(axis=0))
        if held.size <= FEW:
            return histogram[:, held] @ _collisions(self, held.tobytes())
        return np.array([self._share_weights(row.astype(np.float64)) for row in histogram])

    def _share_weights(self, weights: Floats) -> Floats:
        return shared_weights(weights, self.rows, self.buckets)

    # What one report supports.

    def _find_held_support(
        self, held: Floats, counted: Items, law: tuple[float, float]
    ) -> ItemSupport:
        own, other = law
        rates = other + (own - other) * self._share_weights(held)
        sharing = self._bucket_sharing(held, counted)
        mean = other * counted.size + (own - other) * sharing[0]
        variance = self._square(law, counted.size, sharing) - mean**2
        return ItemSupport(rates, max(variance, 0.0))

    def _bucket_sharing(self, held: Floats, counted: Items) -> BucketSharing:
        chosen = counted.astype(np.int64).tobytes()
        return bucket_sharing(held.tobytes(), chosen, self.rows, self.buckets)

    def placed_variances(self, frequencies: Floats) -> Floats:
        """float64[d]: n times the variance of each estimate, with the other users evenly spread;
        slightly too large.
        """
        others = 1 - frequencies
        meet = (self._share_weights(frequencies) - frequencies) / np.where(others > 0, others, 1)
        rates = self.other + (self.p - self.other) * meet
        spread = frequencies * self.p * (1 - self.p) + others * rates * (1 - rates)
        return np.asarray(spread / (self.p - self.q) ** 2)

    def placed_sum_variance(self, frequencies: Floats, targets: Items) -> float:
        aims = np.zeros(self.domain_size)
        aims[targets] = 1.0
        square = self._square((self.p, self.other), targets.size,
                              self._bucket_sharing(frequencies, targets))  # fmt: skip
        means = self.other * targets.size + (self.p - self.other) * self._share_weights(aims)
        return float((square - frequencies @ means**2) / (self.p - self.q) ** 2)

    # What the server can expect.

    def means(self, collection: Collection) -> Moments:
        """The expected estimates at the given hash functions, with the collisions of items in
        buckets: float64[d] each.
        """
        users, everyone = collection.users, collection.users + collection.malicious
        rates = self.other + (self.p - self.other) * self._share_weights(collection.frequencies)
        clean = (rates - self.q) / (self.p - self.q)
        if not collection.is_foreseen:
            return clean, None
        attacked = ((users * rates + collection.fake_sums()[0]) / everyone - self.q) / (
            self.p - self.q
        )
        return clean, np.asarray(attacked)

    def variances(self, collection: Collection) -> Moments:
        users, everyone = collection.users, collection.users + collection.malicious
        each = self.placed_variances(collection.frequencies)
        if not collection.is_foreseen:
            return each / users, None
        fakes = collection.fake_sums()[1] / (self.p - self.q) ** 2
        return each / users, (users * each + fakes) / everyone**2

    @property
    def collision_variance(self) -> float:
        """1 / ((m - 1) k): the variance of what an item of frequency 1 adds to another item's
        estimate by collisions.

        Over random hash functions. For frequency f it is f² times that; it does not fall with the
        number of users.
        """
        return 1 / ((self.buckets - 1) * self.rows)


@dataclass(frozen=True)
class SketchSpec(Budget):
    """The base of `[protocol]` tables of sketches, before the domain is known."""

    buckets: Annotated[int, BUCKETS] = 1024
    rows: Annotated[int, ROWS] = 2048


def _binomials(users: Counts, rates: Floats, rng: Rng) -> Counts:
    """Independent Binomial(users, rates), int64[trials, d]: a call for each trial."""
    return np.array([rng.binomial(*row) for row in zip(users, rates, strict=True)])


@lru_cache(maxsize=8)
def _collisions(sketch: Sketch, held: bytes) -> Floats:
    """float64[items, d]: the part of the rows in which each of these items meets each item."""
    items = np.frombuffer(held, dtype=np.intp)
    met = np.zeros((items.size, sketch.domain_size))
    for placed in each_row(np.arange(sketch.domain_size), sketch.rows, sketch.buckets):
        for row, item in enumerate(items):
            met[row] += (placed == placed[:, item, None]).sum(axis=0)
    return met / sketch.rows
