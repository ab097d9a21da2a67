"""Subset selection (SS): the report is a subset of w items, which more often than not has the
user's.

Ye, Barg, IEEE Transactions on Information Theory 64, 2018, section IV; the best w minimises the
exact average variance. With w = 1 it is GRR. No pure protocol has a smaller error.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, TypeAlias

import numpy as np

from ..base.errors import ScenarioError, got
from ..base.ranges import Range
from ..base.sampling import (
    packed_subsets,
)
from ..base.secure import generator
from ..law.enumeration import CELLS, ReportLaw, item_name
from ..law.exchangeable import FixedSize
from ..law.law import Ask, LawName, SupportSizes
from ..law.pure import BoolArray, Items, OverItems, Reports, Rng, items_of
from .budget import Budget, Dial
from .packed import PackedBits

SIZE = Range(1, 2**32)

SizeRule: TypeAlias = Literal["best"]


def subset_bits(items: int, size: int) -> float:
    """log2 of the number of subsets of `size` of `items` items."""
    subsets = math.lgamma(items + 1) - math.lgamma(size + 1) - math.lgamma(items - size + 1)
    return subsets / math.log(2)


@dataclass(frozen=True)
class SubsetSelection(OverItems, FixedSize, PackedBits):
    """Subset selection (SS): report w = `subset_size` items, the user's with probability p, the
    others uniformly.

    Reports are uint8[n, ceil(d/8)], one bit an item, packed, lowest item in the highest bit
    (np.packbits), w of them 1. epsilon = ln(p (d - w) / ((1 - p) w)), in nats. Raises ScenarioError
    if w ≥ d.
    """

    called: ClassVar[str] = "SS"
    family: ClassVar[str] = "subset"
    crafted: ClassVar[frozenset[LawName]] = frozenset({"crafted", "avoided"})
    lacks: ClassVar[dict[str, str]] = {
        "columns": "SS, whose report is a number of items that is fixed, not each by itself",
        "subset": "SS, whose report is filled up with other targets by chance as it is",
        "disguised": "SS, whose reports all hold the same number of items",
    }

    subset_size: Annotated[int, SIZE]

    def __post_init__(self) -> None:
        if self.subset_size >= self.domain_size:
            rule = f"must be {Range(1, self.domain_size - 1)}, below the number of items"
            raise ScenarioError(f"{rule}, {got(self.subset_size)}", key="subset_size")
        super().__post_init__()

    @property
    def p(self) -> float:
        w = self.subset_size
        return w / (w + (self.domain_size - w) * math.exp(-self.epsilon))

    @property
    def absence_probability(self) -> float:
        """1 − p, the probability that a report does not support its user's item, exact at
        large ε.
        """
        others = self.domain_size - self.subset_size
        return others / (self.subset_size * math.exp(self.epsilon) + others)

    @property
    def q(self) -> float:
        w = self.subset_size
        return (self.p * (w - 1) + self.absence_probability * w) / (self.domain_size - 1)

    @property
    def report_size(self) -> int:  # type: ignore[override]
        return self.subset_size

    @property
    def report_bits(self) -> float:
        """log2 of the number of subsets of this size."""
        return subset_bits(self.domain_size, self.subset_size)

    def craft_sizes(self, ask: Ask) -> SupportSizes:
        """The numbers of targets and other items of a crafted report: as many targets as fit, or as
        few as possible.
        """
        r, w = ask.targets.size, self.subset_size
        targets = min(r, w) if ask.law == "crafted" else max(0, w - (self.domain_size - r))
        return SupportSizes.of_one_size(targets, w - targets)

    def perturb(self, values: Items, rng: Rng | None = None) -> Reports:
        rng = generator(rng)
        values = items_of(values, self.domain_size)
        truthful = rng.random(values.size) < self.p
        return self.sample_background(values, truthful, rng)

    def sample_background(self, values: Items, held: BoolArray, rng: Rng) -> Reports:
        return self._reports(values.size, rng, own=values, held=held)

    def _uniform(self, count: int, rng: Rng) -> Reports:
        return self._reports(count, rng)

    def unperturbed(self, values: Items, rng: Rng) -> Reports:
        """Random reports uint8[n, ceil(d/8)] with the user's item and w - 1 uniform others (no
        noise).
        """
        return self._reports(values.size, rng, own=values, held=np.ones(values.size, np.bool_))

    def _reports(
        self,
        count: int,
        rng: Rng,
        own: Items | None = None,
        held: BoolArray | None = None,
    ) -> Reports:
        """Uniform subsets; where `own` is given, with the own item in it just where it is held."""
        return packed_subsets(count, self.domain_size, self.subset_size, rng, own, held)

    def validate_reports(self, reports: object, count: int) -> Reports:
        bits = super().validate_reports(reports, count)
        sizes = np.bitwise_count(bits).sum(axis=1, dtype=np.int64)
        wrong = sizes[sizes != self.subset_size]
        if wrong.size:
            raise ValueError(f"must be subsets of {self.subset_size} items, got one of {wrong[0]}")
        return bits

    def enumerate_reports(self) -> ReportLaw | None:
        """The probability of every report for every item; None if there are too many."""
        d, w = self.domain_size, self.subset_size
        if d * math.comb(d, w) > CELLS:
            return None
        sets = np.array(list(itertools.combinations(range(d), w)))
        held = (sets == np.arange(d)[:, None, None]).any(axis=2)
        # Each of the sets with the own item is as likely as another, and so is each without it.
        others = self.absence_probability / math.comb(d - 1, w)
        law = np.where(held, self.p / math.comb(d - 1, w - 1), others)
        return ReportLaw(law, item_name, lambda y: f"items {', '.join(map(str, sets[y]))}")


def average_variance(domain_size: int, epsilon: float, subset_size: int) -> float:
    """n times the variance of an estimated frequency, summed over all items; the same for all
    frequencies.
    """
    protocol = SubsetSelection(domain_size, epsilon, subset_size)
    p, q = protocol.p, protocol.q
    gap = p - q
    return domain_size * q * (1 - q) / gap**2 + (1 - p - q) / gap


def best_size(domain_size: int, epsilon: float) -> int:
    """The subset size w with the least average variance, near d / (e^ε + 1).

    The least is at one of the integers around that; a test compares with all w.
    """
    usual = domain_size / (math.exp(epsilon) + 1)
    around = {min(max(1, math.floor(usual) + step), domain_size - 1) for step in (-1, 0, 1, 2)}
    return min(sorted(around), key=lambda size: average_variance(domain_size, epsilon, size))


@dataclass(frozen=True)
class SubsetSpec(
    Budget,
    kind="ss",
    mechanism=SubsetSelection,
    dial=Dial("subset_size", SIZE, whole=True, below_items=True),
):
    """The `[protocol]` table of subset selection, before the domain is known; w is given, or the
    best.
    """

    subset_size: SizeRule | Annotated[int, SIZE] = "best"

    def bind(self, domain_size: int) -> SubsetSelection:
        size = self.subset_size
        if size == "best":
            size = best_size(domain_size, self.epsilon)
        return SubsetSelection(domain_size, self.epsilon, size)


SPECS = (SubsetSpec,)
