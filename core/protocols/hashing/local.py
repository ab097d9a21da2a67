"""Local hashing: the report is a hash function and a perturbed bucket.

Wang, Blocki, Li, Jha, USENIX Security 2017, section 4.4; attacks: Cao, Jia, Gong, USENIX Security
2021, section 3.5. Laws are those of an ideal hash family; the reports path uses xxHash32.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Self

import numpy as np

from ...base.ranges import DOMAIN, EPSILON, Range
from ...base.sampling import (
    Counts,
    Floats,
    binomial,
    binomials,
    multinomial,
    random_subsets,
    subset_counts,
)
from ...base.secure import secure
from ...kernels.bits import BitColumns, binomial_threshold
from ...kernels.hashing import (
    UInts,
    bucket_columns,
    bucket_counts,
    buckets,
    listed_counts,
)
from ...law.enumeration import CELLS, ReportLaw, item_name
from ...law.loss import DiscreteLoss, signs
from ...law.pure import (
    BoolArray,
    Estimates,
    Items,
    Reports,
    Rng,
    SeedSearch,
    array_of,
    check,
    independent_conditioned_counts,
    independent_honest_support,
    independent_target_sum_variance,
    items_of,
    on_levels,
    pure_estimates,
    pure_held_support,
    spent,
)
from ...law.support import ItemSupport, Support
from .crafting import anchored, emptiest, fullest
from .search import binomial_chances, fewest_law, matched_law

HASH_RANGE = Range(2, 2**20)

SEARCH_CELLS = 1 << 17
"""(seed, target) pairs hashed at once in a seed search: 512 KB of hashes."""

REPORT = np.dtype([("seed", "<u4"), ("value", "<u4")])


@dataclass(frozen=True)
class LocalHashing:
    """Hash the item into [0, g) with a fresh seed, then randomised response over the g buckets.

    Reports are a structured array [n] of (seed, value), both uint32. A report supports every item
    that its seed hashes to its value. q = 1/g for every integer g ≥ 2.
    """

    family: ClassVar[str] = "hashing"
    report_size: ClassVar[None] = None
    lacks: ClassVar[dict[str, str]] = {
        "disguise": (
            "local hashing, whose report is a seed and a bucket and has no number of ones"
        ),
    }

    domain_size: Annotated[int, DOMAIN]
    epsilon: Annotated[float, EPSILON]
    hash_range: Annotated[int, HASH_RANGE]

    def __post_init__(self) -> None:
        check(self)

    @property
    def p(self) -> float:
        return math.exp(self.epsilon) / (math.exp(self.epsilon) + self.hash_range - 1)

    @property
    def q(self) -> float:
        return 1 / self.hash_range

    @property
    def report_bits(self) -> float:
        """A seed of 32 bits, and a bucket."""
        return 32 + math.log2(self.hash_range)

    def _seeded(self, count: int, rng: Rng) -> Reports:
        """Reports with a hash function, and no bucket yet."""
        reports = np.empty(count, dtype=REPORT)
        reports["seed"] = rng.integers(0, 2**32, size=count, dtype=np.uint32)
        return reports

    def quantised(self, levels: int) -> Self:
        p = on_levels(self.p, levels)
        return replace(self, epsilon=spent((self.hash_range - 1) * p / (1 - p), levels))

    def perturb(self, values: Items, rng: Rng | None = None) -> Reports:
        rng = rng or secure()
        values = items_of(values, self.domain_size)
        reports = self.random_reports(values.size, rng)
        true = buckets(values, reports["seed"], self.hash_range)
        # Truthful with probability p - q', else any of the g buckets: the same law as keeping the
        # own bucket with probability p and taking another one otherwise.
        keep = self.p - (1 - self.p) / (self.hash_range - 1)
        truthful = rng.random(values.size) < keep
        reports["value"] = np.where(truthful, true, reports["value"])
        return reports

    def conditioned(self, values: Items, held: BoolArray, rng: Rng) -> Reports:
        reports = self.unperturbed(values, rng)
        apart = rng.integers(1, self.hash_range, size=values.size, dtype=np.uint32)
        other = (reports["value"] + apart) % np.uint32(self.hash_range)
        reports["value"] = np.where(held, reports["value"], other)
        return reports

    def random_reports(self, count: int, rng: Rng) -> Reports:
        reports = self._seeded(count, rng)
        reports["value"] = rng.integers(0, self.hash_range, size=count, dtype=np.uint32)
        return reports

    def craft(self, targets: Items, count: int, search: SeedSearch, rng: Rng) -> Reports:
        return self.craft_some(targets, targets.size, count, search, rng)

    def craft_some(
        self, targets: Items, subset: int, count: int, search: SeedSearch, rng: Rng
    ) -> Reports:
        """MGA-A: each report is crafted for a uniform subset of the targets, of this size."""
        reports = np.empty(count, dtype=REPORT)
        step = max(1, SEARCH_CELLS // (search.seeds * subset))
        for at in range(0, count, step):
            rows = min(step, count - at)
            aims = np.broadcast_to(targets[:, None], (targets.size, rows))
            if subset < targets.size:
                aims = targets[random_subsets(rows, targets.size, subset, rng).T]
            seeds = rng.integers(0, 2**32, size=(rows, search.seeds), dtype=np.uint32)
            if search.scoring == "anchor":
                best, value = anchored(aims, seeds, self.hash_range, rng)
            else:
                best, value = fullest(aims, seeds, self.hash_range)
            row = np.arange(rows)
            reports["seed"][at : at + rows] = seeds[row, best]
            reports["value"][at : at + rows] = value
        return reports

    def avoid(self, targets: Items, count: int, search: SeedSearch, rng: Rng) -> Reports:
        """The seed and bucket with the fewest targets of all that were tried."""
        g, r = self.hash_range, targets.size
        # With fewer targets than buckets, the first seed has an empty one.
        tried = 1 if r < g else search.seeds
        reports = np.empty(count, dtype=REPORT)
        step = max(1, SEARCH_CELLS // (tried * r))
        for at in range(0, count, step):
            rows = np.arange(min(step, count - at))
            seeds = rng.integers(0, 2**32, size=(rows.size, tried), dtype=np.uint32)
            best, value = emptiest(targets, seeds, g)
            reports["seed"][at : at + rows.size] = seeds[rows, best]
            reports["value"][at : at + rows.size] = value
        return reports

    def unperturbed(self, values: Items, rng: Rng) -> Reports:
        reports = self._seeded(values.size, rng)
        reports["value"] = buckets(values, reports["seed"].copy(), self.hash_range)
        return reports

    def received(self, reports: object, count: int) -> Reports:
        pairs = array_of(reports, (count,), REPORT)
        if count and pairs["value"].max() >= self.hash_range:
            most = pairs["value"].max()
            raise ValueError(f"must have values in [0, {self.hash_range}), got {most}")
        return pairs

    def supports(self, reports: Reports) -> BoolArray:
        hashed = buckets(
            np.arange(self.domain_size), reports["seed"][:, None].copy(), self.hash_range
        )
        return np.asarray(hashed == reports["value"][:, None])

    def support_counts(self, reports: Reports) -> Counts:
        seeds = np.ascontiguousarray(reports["seed"])
        return bucket_counts(seeds, reports["value"].copy(), self.hash_range, self.domain_size)

    def listed_counts(self, reports: Reports, items: UInts) -> Counts:
        seeds = np.ascontiguousarray(reports["seed"])
        return listed_counts(seeds, reports["value"].copy(), self.hash_range, items)

    def columns(self, reports: Reports) -> BitColumns:
        seeds = np.ascontiguousarray(reports["seed"])
        return bucket_columns(seeds, reports["value"].copy(), self.hash_range, self.domain_size)

    def itemset_threshold(self, size: int, users: int, chance: float) -> int:
        return binomial_threshold(users, self.q ** (size - 1), chance)

    def again(self, first: Reports) -> SecondReports:
        return SecondReports(self.domain_size, self.epsilon, self.hash_range, first)

    def coincide(self, first: Reports, second: Reports, items: Items) -> BoolArray:  # noqa: ARG002
        return np.asarray(first == second)

    def honest_coincidence(self, compared: int) -> float:  # noqa: ARG002
        return self.p**2 + (1 - self.p) ** 2 / (self.hash_range - 1)

    def fake_coincidence(self, law: str, r: int, compared: int) -> float:
        if law == "crafted":
            return 1.0  # the best bucket of a hash function stays the best
        if law == "random":
            return self.q
        return self.honest_coincidence(compared) / r + (1 - 1 / r) * self.q

    def sample_counts(self, histogram: Counts, rng: Rng) -> Counts:
        others = histogram.sum(axis=-1, keepdims=True) - histogram
        return binomial(histogram, self.p, rng) + binomial(others, self.q, rng)

    def conditioned_counts(self, held: Counts, spared: Counts, rng: Rng) -> Counts:
        return independent_conditioned_counts(held, spared, self.q, rng)

    def random_counts(self, count: Counts, rng: Rng) -> Counts:
        return binomials(count, self.q, self.domain_size, rng)

    def craft_counts(self, targets: Items, count: Counts, search: SeedSearch, rng: Rng) -> Counts:
        return self.craft_some_counts(targets, targets.size, count, search, rng)

    def craft_some_counts(
        self, targets: Items, subset: int, count: Counts, search: SeedSearch, rng: Rng
    ) -> Counts:
        """The law of `support_counts(craft_some(...))` for int64[trials] users."""
        law = self.subset_law(targets.size, subset, search)
        return self._matched_counts(targets, law, count, rng)

    def _matched_counts(self, targets: Items, law: Floats, count: Counts, rng: Rng) -> Counts:
        """Counts of fakes that support j targets with probability law[j], and others at random."""
        # By symmetry the targets that one fake matched are a uniform subset, given their number.
        matched = multinomial(count, law, rng)
        counts = self.random_counts(count, rng)
        counts[:, targets] = subset_counts(matched, targets.size, rng)
        return counts

    def avoid_counts(self, targets: Items, count: Counts, search: SeedSearch, rng: Rng) -> Counts:
        law = fewest_law(targets.size, self.hash_range, search.seeds)
        return self._matched_counts(targets, law, count, rng)

    def unperturbed_counts(self, histogram: Counts, rng: Rng) -> Counts:
        others = histogram.sum(axis=-1, keepdims=True) - histogram
        return histogram + binomial(others, self.q, rng)

    def subset_law(self, r: int, subset: int, search: SeedSearch) -> Floats:
        """Pr[j targets are supported], j = 0..r, by a report crafted for `subset` of them."""
        law = matched_law(subset, self.hash_range, search)
        if subset == r:
            return law
        # The others collide with the bucket as any item does.
        return np.convolve(law, binomial_chances(r - subset, self.q))

    def can_avoid(self, r: int) -> bool:  # noqa: ARG002
        return True

    def estimates(self, counts: Counts, users: int) -> Estimates:
        return pure_estimates(counts, users, self)

    def honest_support(self, r: int) -> Support:
        return independent_honest_support(self, r)

    def random_support(self, r: int) -> Support:
        each = self.q * (1 - self.q)
        return Support(self.q, self.q, r * each, (self.domain_size - r) * each, 0.0)

    def crafted_support(self, r: int, search: SeedSearch) -> Support:
        return self._matched_support(r, matched_law(r, self.hash_range, search))

    def subset_support(self, r: int, subset: int, search: SeedSearch) -> Support:
        """S = E[M] + (r - r')/g, where r' is the size of the subset."""
        return self._matched_support(r, self.subset_law(r, subset, search))

    def avoided_support(self, r: int, search: SeedSearch) -> Support:
        return self._matched_support(r, fewest_law(r, self.hash_range, search.seeds))

    def _matched_support(self, r: int, law: Floats) -> Support:
        matched = np.arange(r + 1)
        mean = float(law @ matched)
        others = (self.domain_size - r) * self.q * (1 - self.q)
        return Support(mean / r, self.q, float(law @ (matched - mean) ** 2), others, 0.0)

    def unperturbed_support(self, r: int) -> Support:
        each, others = self.q * (1 - self.q), self.domain_size - r
        return Support((1 + (r - 1) * self.q) / r, self.q, (r - 1) * each, others * each, 0.0)

    def held_support(self, frequencies: Floats, counted: Items) -> ItemSupport:
        return pure_held_support(self, frequencies, counted)

    def enumerate_reports(self) -> ReportLaw | None:
        """The law of every report; None where there are too many.

        Over all functions from items to buckets, as an ideal hash family draws them.
        """
        d, g = self.domain_size, self.hash_range
        if d * math.log(g) > 40 or d * g * g**d > CELLS:
            return None
        functions = np.indices((g,) * d).reshape(d, -1)  # [item, function]
        true = functions[:, :, None] == np.arange(g)
        other = (1 - self.p) / (g - 1)
        law = np.where(true, self.p, other).reshape(d, -1) / functions.shape[1]

        def name(y: int) -> str:
            hashed = ", ".join(str(bucket) for bucket in functions[:, y // g].tolist())
            return f"hash function ({hashed}), bucket {y % g}"

        return ReportLaw(law, item_name, name)

    def privacy_loss(self) -> DiscreteLoss:
        """Only where the two items hash apart, 1 - 1/g of the time, does the bucket tell."""
        apart = 1 - self.q
        other = (1 - self.p) / (self.hash_range - 1)
        return signs(self.epsilon, apart * self.p, apart * other)

    def look(self, reports: Reports, items: Items) -> BoolArray:
        hashed = buckets(items, reports["seed"][:, None].copy(), self.hash_range)
        return np.asarray(hashed == reports["value"][:, None])

    def target_sum_variance(self, r: int, target_frequency: float, users: int = 1) -> float:  # noqa: ARG002
        return independent_target_sum_variance(self, r, target_frequency)


@dataclass(frozen=True, eq=False)
class SecondReports(LocalHashing):
    """Local hashing of users who have reported before, and keep their hash functions.

    first : their reports, in order; crafted ones are sent again as they are.
    """

    first: Reports

    def _seeded(self, count: int, rng: Rng) -> Reports:  # noqa: ARG002
        return self.first.copy()

    def craft_some(self, *_: object, **__: object) -> Reports:
        return self.first

    def avoid(self, *_: object, **__: object) -> Reports:
        return self.first
