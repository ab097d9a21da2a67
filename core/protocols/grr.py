"""Generalised randomised response (k-RR, direct encoding): the report is an item.

Wang, Blocki, Li, Jha, USENIX Security 2017, section 4.1; attacks: Cao, Jia, Gong, USENIX Security
2021, section 3.3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal, Self

import numpy as np

from ..base.ranges import DOMAIN, EPSILON
from ..base.sampling import (
    Counts,
    Floats,
    binomial,
    subset_counts_beside_own,
    uniform_multinomial,
)
from ..base.secure import secure
from ..law.enumeration import CELLS, ReportLaw, item_name
from ..law.loss import DiscreteLoss, signs
from ..law.pure import (
    BoolArray,
    Estimates,
    Items,
    Reports,
    Rng,
    SeedSearch,
    array_of,
    check,
    items_of,
    on_levels,
    pure_estimates,
    pure_held_support,
    spent,
)
from ..law.support import ItemSupport, Support, one_item_support
from .budget import Budget


@dataclass(frozen=True)
class GRR:
    """Report the own item with probability p, any other with probability q each.

    Reports are int64[n], in `range(domain_size)`. epsilon = ln(p/q), in nats.
    """

    family: ClassVar[str] = "direct"
    report_size: ClassVar[int] = 1
    lacks: ClassVar[dict[str, str]] = {
        "craft_some": "GRR, whose report supports one item: every subset gives what mga gives",
        "columns": "GRR, whose report is one item and has no bits that could go together",
        "disguise": "GRR, whose report is one item: there is no number of ones",
    }

    domain_size: Annotated[int, DOMAIN]
    epsilon: Annotated[float, EPSILON]

    def __post_init__(self) -> None:
        check(self)

    @property
    def p(self) -> float:
        return math.exp(self.epsilon) * self.q

    @property
    def q(self) -> float:
        return 1 / (self.domain_size - 1 + math.exp(self.epsilon))

    @property
    def report_bits(self) -> float:
        return math.log2(self.domain_size)

    def quantised(self, levels: int) -> Self:
        p = on_levels(self.p, levels)
        return replace(self, epsilon=spent((self.domain_size - 1) * p / (1 - p), levels))

    def perturb(self, values: Items, rng: Rng | None = None) -> Reports:
        rng = rng or secure()
        values = items_of(values, self.domain_size)
        # Truthful with probability p - q, else any of the d items: q each, p for the own one.
        reports = rng.integers(0, self.domain_size, size=values.size)
        np.copyto(reports, values, where=rng.random(values.size) < self.p - self.q)
        return reports

    def random_reports(self, count: int, rng: Rng) -> Reports:
        return rng.integers(0, self.domain_size, size=count)

    def craft(self, targets: Items, count: int, search: SeedSearch, rng: Rng) -> Reports:  # noqa: ARG002
        return targets[rng.integers(0, targets.size, size=count)]

    def unperturbed(self, values: Items, rng: Rng) -> Reports:  # noqa: ARG002
        return values.copy()

    def avoid(self, targets: Items, count: int, search: SeedSearch, rng: Rng) -> Reports:
        return self.craft(self._others(targets), count, search, rng)

    def _others(self, targets: Items) -> Items:
        return np.setdiff1d(np.arange(self.domain_size), targets, assume_unique=True)

    def received(self, reports: object, count: int) -> Reports:
        if isinstance(reports, np.ndarray) and np.issubdtype(reports.dtype, np.integer):
            reports = reports.astype(np.int64)
        items = array_of(reports, (count,), np.dtype(np.int64))
        wrong = items[(items < 0) | (items >= self.domain_size)]
        if wrong.size:
            raise ValueError(f"must be items in [0, {self.domain_size}), got {wrong[0]}")
        return items

    def supports(self, reports: Reports) -> BoolArray:
        return np.asarray(reports[:, None] == np.arange(self.domain_size))

    def conditioned(self, values: Items, held: BoolArray, rng: Rng) -> Reports:
        others = (values + rng.integers(1, self.domain_size, size=values.size)) % self.domain_size
        return np.where(held, values, others)

    def conditioned_counts(self, held: Counts, spared: Counts, rng: Rng) -> Counts:
        nobody = np.zeros((len(held), 1), dtype=np.int64)
        return held + subset_counts_beside_own(spared, 1, nobody, rng)

    def support_counts(self, reports: Reports) -> Counts:
        items = items_of(reports, self.domain_size, "reports")
        return np.bincount(items, minlength=self.domain_size)

    def again(self, first: Reports) -> GRR:  # noqa: ARG002
        return self

    def coincide(self, first: Reports, second: Reports, items: Items) -> BoolArray:  # noqa: ARG002
        return np.asarray(first == second)

    def honest_coincidence(self, compared: int) -> float:  # noqa: ARG002
        return self.p**2 + (self.domain_size - 1) * self.q**2

    def fake_coincidence(self, law: str, r: int, compared: int) -> float:  # noqa: ARG002
        if law == "random":
            return 1 / self.domain_size
        if law == "crafted":
            return 1 / r
        target = self.p / r + (1 - 1 / r) * self.q
        return r * target**2 + (self.domain_size - r) * self.q**2

    def sample_counts(self, histogram: Counts, rng: Rng) -> Counts:
        truthful = binomial(histogram, self.p - self.q, rng)
        others = histogram.sum(axis=-1) - truthful.sum(axis=-1)
        return truthful + uniform_multinomial(others, self.domain_size, rng)

    def random_counts(self, count: Counts, rng: Rng) -> Counts:
        return uniform_multinomial(count, self.domain_size, rng)

    def craft_counts(self, targets: Items, count: Counts, search: SeedSearch, rng: Rng) -> Counts:  # noqa: ARG002
        counts = np.zeros((count.size, self.domain_size), dtype=np.int64)
        counts[:, targets] = uniform_multinomial(count, targets.size, rng)
        return counts

    def unperturbed_counts(self, histogram: Counts, rng: Rng) -> Counts:  # noqa: ARG002
        return histogram.copy()

    def avoid_counts(self, targets: Items, count: Counts, search: SeedSearch, rng: Rng) -> Counts:
        return self.craft_counts(self._others(targets), count, search, rng)

    def can_avoid(self, r: int) -> bool:
        return r < self.domain_size

    def estimates(self, counts: Counts, users: int) -> Estimates:
        return pure_estimates(counts, users, self)

    def honest_support(self, r: int) -> Support:
        return one_item_support(self.p + (r - 1) * self.q, r, self.domain_size)

    def random_support(self, r: int) -> Support:
        return one_item_support(r / self.domain_size, r, self.domain_size)

    def crafted_support(self, r: int, search: SeedSearch) -> Support:  # noqa: ARG002
        return one_item_support(1.0, r, self.domain_size)

    def unperturbed_support(self, r: int) -> Support:
        return one_item_support(1.0, r, self.domain_size)

    def avoided_support(self, r: int, search: SeedSearch) -> Support:  # noqa: ARG002
        return one_item_support(0.0, r, self.domain_size)

    def held_support(self, frequencies: Floats, counted: Items) -> ItemSupport:
        return pure_held_support(self, frequencies, counted)

    def enumerate_reports(self) -> ReportLaw | None:
        """The law of every report; None where there are too many."""
        d = self.domain_size
        if d * d > CELLS:
            return None
        law = np.full((d, d), self.q)
        np.fill_diagonal(law, self.p)
        return ReportLaw(law, item_name, item_name)

    def privacy_loss(self) -> DiscreteLoss:
        """The privacy loss between two items: a report is the one, the other, or neither."""
        return signs(self.epsilon, self.p, self.q)

    def look(self, reports: Reports, items: Items) -> BoolArray:
        return np.asarray(reports[:, None] == items)

    def target_sum_variance(self, r: int, target_frequency: float, users: int = 1) -> float:  # noqa: ARG002
        # The number of reports on targets is a sum of n independent indicators.
        own, other = self.p + (r - 1) * self.q, r * self.q
        spread = target_frequency * own * (1 - own) + (1 - target_frequency) * other * (1 - other)
        return spread / (self.p - self.q) ** 2


@dataclass(frozen=True)
class GRRSpec(Budget):
    """GRR, before the domain is known."""

    kind: Literal["grr"]
    mechanism = GRR

    def bind(self, domain_size: int, labels: tuple[str, ...] | None = None) -> GRR:  # noqa: ARG002
        return GRR(domain_size, self.epsilon)


SPECS = (GRRSpec,)
