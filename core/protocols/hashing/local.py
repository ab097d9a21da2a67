"""Local hashing: the report is a hash function and a perturbed bucket.

Wang, Blocki, Li, Jha, USENIX Security 2017, section 4.4; attacks: Cao, Jia, Gong, USENIX Security
2021, section 3.5. Distributions are those of an ideal hash family; reports are hashed by xxHash32.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

import numpy as np

from ...base.errors import ScenarioError, format_number
from ...base.ranges import Range
from ...base.sampling import (
    Counts,
    random_subsets,
)
from ...base.secure import generator
from ...kernels.hashing import (
    bucket_counts,
    buckets,
)
from ...kernels.primes import UInts
from ...law.enumeration import CELLS, ReportLaw, item_name
from ...law.exchangeable import IndependentItems
from ...law.law import Ask, Lack, Law, LawName, SupportSizes
from ...law.pure import (
    BoolArray,
    Items,
    OverItems,
    Reports,
    Rng,
    array_of,
    items_of,
)
from ..budget import Budget, Dial
from .crafting import (
    binomial_chances,
    emptiest,
    fewest_law,
    find_anchored_seeds,
    fullest,
    matched_law,
)

HASH_RANGE = Range(2, 2**20)

SEARCH_CELLS = 1 << 17
"""(seed, target) pairs hashed at once in a seed search: 512 KB of hashes."""

REPORT = np.dtype([("seed", "<u4"), ("value", "<u4")])


@dataclass(frozen=True)
class LocalHashing(OverItems, IndependentItems):
    """Local hashing: hash the item into [0, g) with a random seed, then randomised response over
    the g buckets.

    Reports are a structured array [n] of (seed, value), both uint32. A report supports every item
    that its seed hashes to its value. q = 1/g for every integer g ≥ 2.
    """

    called: ClassVar[str] = "local hashing"
    family: ClassVar[str] = "hashing"
    crafted: ClassVar[frozenset[LawName]] = frozenset({"crafted", "subset", "avoided"})
    lacks: ClassVar[dict[str, str]] = {
        "disguised": (
            "local hashing, whose report is a seed and a bucket and has no number of ones"
        ),
    }

    hash_range: Annotated[int, HASH_RANGE]

    @property
    def p(self) -> float:
        return math.exp(self.epsilon) / (math.exp(self.epsilon) + self.hash_range - 1)

    @property
    def absence_probability(self) -> float:
        return (self.hash_range - 1) / (math.exp(self.epsilon) + self.hash_range - 1)

    @property
    def q(self) -> float:
        return 1 / self.hash_range

    encoded_rate = random_rate = q

    def facts(self) -> dict[str, Any]:
        return {"hash_range": self.hash_range}

    @property
    def report_bits(self) -> float:
        """The number of bits of one report: a seed of 32 bits, and a bucket."""
        return 32 + math.log2(self.hash_range)

    def _seed_reports(self, count: int, rng: Rng) -> Reports:
        """Reports with a hash function, and no bucket yet."""
        reports = np.empty(count, dtype=REPORT)
        reports["seed"] = rng.integers(0, 2**32, size=count, dtype=np.uint32)
        return reports

    def craft_sizes(self, ask: Ask) -> SupportSizes:
        """The distribution of the numbers of supported targets and other items of a report that a
        seed search finds.
        """
        r, g, aimed = ask.targets.size, self.hash_range, self._aimed_size(ask)
        if ask.law == "avoided":
            law = fewest_law(r, g, ask.search.seeds)
        else:
            law = matched_law(aimed, g, ask.search)
            if aimed < r:  # the other targets share the bucket as any item does
                law = np.convolve(law, binomial_chances(r - aimed, self.q))
        return SupportSizes(np.arange(r + 1), law, other_rate=self.q)

    def _aimed_size(self, ask: Ask) -> int:
        """The targets that a report is crafted for: a uniform subset of them (MGA-A), or all."""
        return min(ask.subset, ask.targets.size) if ask.law == "subset" else ask.targets.size

    def draw_crafted(self, ask: Ask, count: int, rng: Rng) -> Reports:
        """Reports[count]: the seed and bucket with most targets of all seeds tried, or
        with fewest.
        """
        targets, g, r, search = ask.targets, self.hash_range, ask.targets.size, ask.search
        # With fewer targets than buckets, the first seed has an empty one.
        tried = 1 if ask.law == "avoided" and r < g else search.seeds
        aimed = self._aimed_size(ask)
        reports = np.empty(count, dtype=REPORT)
        step = max(1, SEARCH_CELLS // (tried * aimed))
        for at in range(0, count, step):
            rows = np.arange(min(step, count - at))
            aims = np.broadcast_to(targets[:, None], (r, rows.size))
            if aimed < r:
                aims = targets[random_subsets(rows.size, r, aimed, rng).T]
            seeds = rng.integers(0, 2**32, size=(rows.size, tried), dtype=np.uint32)
            if ask.law == "avoided":
                best, value = emptiest(targets, seeds, g)
            elif search.scoring == "anchor":
                best, value = find_anchored_seeds(aims, seeds, g, rng)
            else:
                best, value = fullest(aims, seeds, g)
            reports["seed"][at : at + rows.size] = seeds[rows, best]
            reports["value"][at : at + rows.size] = value
        return reports

    def perturb(self, values: Items, rng: Rng | None = None) -> Reports:
        rng = generator(rng)
        values = items_of(values, self.domain_size)
        reports = self._uniform(values.size, rng)
        true = buckets(values, reports["seed"], self.hash_range)
        # Truthful with probability p - q', else any of the g buckets: the same law as keeping the
        # own bucket with probability p and taking another one otherwise.
        keep = self.p - (1 - self.p) / (self.hash_range - 1)
        truthful = rng.random(values.size) < keep
        reports["value"] = np.where(truthful, true, reports["value"])
        return reports

    def sample_background(self, values: Items, held: BoolArray, rng: Rng) -> Reports:
        reports = self.unperturbed(values, rng)
        apart = rng.integers(1, self.hash_range, size=values.size, dtype=np.uint32)
        other = (reports["value"] + apart) % np.uint32(self.hash_range)
        reports["value"] = np.where(held, reports["value"], other)
        return reports

    def _uniform(self, count: int, rng: Rng) -> Reports:
        reports = self._seed_reports(count, rng)
        reports["value"] = rng.integers(0, self.hash_range, size=count, dtype=np.uint32)
        return reports

    def unperturbed(self, values: Items, rng: Rng) -> Reports:
        reports = self._seed_reports(values.size, rng)
        reports["value"] = buckets(values, reports["seed"].copy(), self.hash_range)
        return reports

    def validate_reports(self, reports: object, count: int) -> Reports:
        pairs = array_of(reports, (count,), REPORT)
        if count and pairs["value"].max() >= self.hash_range:
            most = pairs["value"].max()
            raise ValueError(f"must have values in [0, {self.hash_range}), got {most}")
        return pairs

    def supports(self, reports: Reports) -> BoolArray:
        return self.supports_of(reports, np.arange(self.domain_size))

    def support_counts(self, reports: Reports) -> Counts:
        seeds = np.ascontiguousarray(reports["seed"])
        return bucket_counts(seeds, reports["value"].copy(), self.hash_range, self.domain_size)

    def seeds(self, reports: Reports) -> UInts:
        """uint32[n]: the seeds, which honest users draw uniformly."""
        return np.ascontiguousarray(reports["seed"])

    def again(self, first: Reports) -> SecondReports:
        return SecondReports(self.domain_size, self.epsilon, self.hash_range, first)

    def enumerate_reports(self) -> ReportLaw | None:
        """The probability of every report for every item; None if there are too many.

        Over all functions from items to buckets, each equally likely, as in an ideal hash family.
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

    def supports_of(self, reports: Reports, items: Items) -> BoolArray:
        hashed = buckets(items, reports["seed"][:, None].copy(), self.hash_range)
        return np.asarray(hashed == reports["value"][:, None])

    look = supports_of


@dataclass(frozen=True, eq=False)
class SecondReports(LocalHashing):
    """Local hashing for users who reported before, and reuse their hash functions.

    first : their first reports, in order. Crafted reports are sent again unchanged.
    """

    first: Reports

    def _seed_reports(self, count: int, rng: Rng) -> Reports:  # noqa: ARG002
        return self.first.copy()

    def law_of(self, ask: Ask) -> Law | Lack:
        law = super().law_of(ask)
        if isinstance(law, Lack) or ask.law not in ("crafted", "subset", "avoided"):
            return law
        return replace(law, reports=lambda *_: self.first)


# The kinds of local hashing: BLH, OLH and LH, before and after the domain is known.
#
# They differ in the number of buckets g alone. Wang, Blocki, Li, Jha, USENIX Security 2017 (W17).

HashRule: TypeAlias = Literal["nearest", "ceil", "floor"]


def hash_range_for(epsilon: float, rule: HashRule | int = "nearest") -> int:
    """The number of buckets g: e^ε + 1 rounded by the rule, at least 2; an integer is returned as
    it is.

    nearest: W17 section 6.1; ceil: Cao, Jia, Gong section 5.1; floor: Li et al. 2025.
    """
    if isinstance(rule, int):
        return rule
    ideal = math.exp(epsilon) + 1
    rounded = {"nearest": round(ideal), "ceil": math.ceil(ideal), "floor": math.floor(ideal)}
    return max(2, rounded[rule])


def BLH(domain_size: int, epsilon: float) -> LocalHashing:  # noqa: N802
    """Binary local hashing: g = 2. W17 section 4.4."""
    return LocalHashing(domain_size, epsilon, 2)


def OLH(  # noqa: N802
    domain_size: int, epsilon: float, hash_range: HashRule | int = "nearest"
) -> LocalHashing:
    """Optimised local hashing: g = e^ε + 1, rounded by the rule. W17 section 4.4."""
    return LocalHashing(domain_size, epsilon, hash_range_for(epsilon, hash_range))


@dataclass(frozen=True)
class BLHSpec(Budget, kind="blh", mechanism=LocalHashing, make=BLH):
    """The `[protocol]` table of BLH, before the domain is known."""


@dataclass(frozen=True)
class _HashRangeTable(Budget, mechanism=LocalHashing):
    """The table of a kind with the key g: by a rule or given."""

    hash_range: HashRule | Annotated[int, HASH_RANGE] = "nearest"

    def __post_init__(self) -> None:
        super().__post_init__()
        g = hash_range_for(self.epsilon, self.hash_range)
        if g not in HASH_RANGE:
            raise ScenarioError(
                f"must be {HASH_RANGE}, got {g} (e^ε + 1 at epsilon = "
                f"{format_number(self.epsilon)}); give an integer instead",
                key="hash_range",
            )

    def bind(self, domain_size: int) -> LocalHashing:
        return OLH(domain_size, self.epsilon, self.hash_range)


@dataclass(frozen=True)
class OLHSpec(_HashRangeTable, kind="olh"):
    """The `[protocol]` table of OLH, before the domain is known."""


@dataclass(frozen=True)
class LHSpec(_HashRangeTable, kind="lh", dial=Dial("hash_range", HASH_RANGE, whole=True)):
    """The `[protocol]` table of local hashing with any g, before the domain is known."""
