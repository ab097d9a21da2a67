"""dBitFlip: the report is a noisy bit for each of D items, of d, that were drawn for the user.

Ding, Kulkarni, Yekhanin, "Collecting Telemetry Data Privately", NIPS 2017, section 3. There items
are buckets of a counter. The server takes the mean of (bit - q) / (p - q), times d/D, over the
users who have a bit of the item: it knows who has which.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Annotated, ClassVar, Literal, TypeAlias

import numpy as np

from ...base.errors import ScenarioError, got
from ...base.ranges import Range, check_bounds
from ...base.sampling import (
    Counts,
    Floats,
    binomial,
    packed_bernoulli,
    packed_subsets,
    subset_counts,
    subset_counts_beside_own,
)
from ...base.secure import generator
from ...law.enumeration import CELLS, ReportLaw, bits_name, independent_bits, item_name
from ...law.law import Ask, Lack, Law, SupportSizes, group_by_size, holding, towards_targets
from ...law.loss import DiscreteLoss, one_bit
from ...law.moments import SummedNumbers
from ...law.pure import (
    BoolArray,
    Estimates,
    Items,
    OverItems,
    Reports,
    Rng,
    Total,
    array_of,
    check_padding,
    items_of,
)
from ...law.support import ItemSupport
from ..subset import subset_bits
from ..unary import SUE, Unary
from .report_weights import InclusionChances, Weights

SAMPLED = Range(1, 2**32)

Chooser: TypeAlias = Literal["client", "server"]
SampledRule: TypeAlias = Literal["half"]


@dataclass(frozen=True)
class BitFlips(OverItems, SummedNumbers):
    """dBitFlip: a report has the noisy bits of D items, drawn uniformly by the client or by the
    server.

    Reports are uint8[n, 2, ceil(d/8)], packed: the items that have a bit, and those of them whose
    bit is 1. Counts are int64[2, d]: for each item the reports with its bit, and with a 1.

    sampled : D, at most d, else ScenarioError. chooser : who draws the items; a fake that draws its
    own items takes its targets.
    """

    called: ClassVar[str] = "dBitFlip"
    family: ClassVar[str] = "dbitflip"
    by_reports: ClassVar[bool] = False
    lacks: ClassVar[dict[str, str]] = {
        "columns": "dBitFlip, whose report has no bit of most items",
        "supports": "dBitFlip, whose report says nothing of most items",
        "sample_background": "dBitFlip, whose reports that hide have no sampler here",
        "subset": "dBitFlip, whose report has bits of a part of the items only",
        "disguised": "dBitFlip, whose ones are of D items only",
    }

    sampled: Annotated[int, SAMPLED]
    chooser: Chooser = "client"

    def __post_init__(self) -> None:
        check_bounds(self)
        if self.sampled > self.domain_size:
            rule = f"must be at most the number of items, {self.domain_size}, {got(self.sampled)}"
            raise ScenarioError(rule, key="sampled")

    @cached_property
    def _bits(self) -> Unary:
        """The noise of all bits: SUE."""
        return SUE(self.domain_size, self.epsilon)

    @property
    def rates(self) -> tuple[float, float]:
        """The probabilities (p, q) that a bit is sent as 1: the bit of the user's item, and of
        another item.
        """
        return self._bits.p, self._bits.q

    @property
    def part(self) -> float:
        """D/d, the probability that a report contains the bit of a given item."""
        return self.sampled / self.domain_size

    @property
    def noise(self) -> float:
        """n times the variance of the estimate of an item without users: (d/D) s/(s - 1)², s =
        e^(ε/2).
        """
        p, q = self.rates
        return p * q / (p - q) ** 2 / self.part

    @property
    def real_epsilon(self) -> float:
        """The actual ε, in nats: half of `epsilon` if a report has one bit, which cannot
        distinguish two items.
        """
        return self.epsilon / 2 if self.sampled == 1 else self.epsilon

    @property
    def linked(self) -> bool:
        """Whether the server draws the items of each report, so that they link the reports of one
        user.
        """
        return self.chooser == "server"

    @property
    def report_bits(self) -> float:
        """The number of bits of one report: D bits, and the items' indices unless the server drew
        them.
        """
        drawn = subset_bits(self.domain_size, self.sampled) if self.chooser == "client" else 0.0
        return self.sampled + drawn

    # Laws.

    def law_of(self, ask: Ask) -> Law | Lack:
        d, r = self.domain_size, ask.targets.size
        match ask.law:
            case "honest":
                return holding(self, ask, lambda: self._of_an_item(r, *self.rates))
            case "unperturbed":
                return holding(self, ask, lambda: self._of_an_item(r, 1.0, 0.0))
            case "random":
                return towards_targets(
                    ask, d, self._uniform, self._uniform_counts,
                    lambda: self._of_an_item(r, 0.5, 0.5),
                )  # fmt: skip
            case "crafted":
                return self._target_bits(ask, 1)
            case "avoided":
                return self._target_bits(ask, 0)
        return self.lack(ask)

    def _target_bits(self, ask: Ask, bit: int) -> Law:
        """The bits of the targets are as given, the others are noise of an honest report.

        A client has as many targets among its items as there is room for.
        """
        targets, r = ask.targets, ask.targets.size
        inside = min(r, self.sampled)
        sizes = SupportSizes.of_one_size(inside, self.sampled - inside)
        picks_targets = self.chooser == "client" and self.sampled < self.domain_size

        def counts(count: Counts, rng: Rng) -> Counts:
            drawn = self._count_subsets(count, rng)
            if picks_targets:
                drawn = sizes.draw_counts(targets, self.domain_size, count, rng)
            ones = binomial(drawn, self.rates[1], rng)
            ones[:, targets] = drawn[:, targets] * bit
            return np.stack([drawn, ones], axis=1)

        def reports(count: int, rng: Rng) -> Reports:
            drawn = self._draw_subsets(count, rng)
            if picks_targets:
                drawn = self._bits.place_ones(targets, sizes, count, rng)
            bits = packed_bernoulli(self.rates[1]).draw(count, self.domain_size, rng)
            mask = np.zeros(self.domain_size, dtype=np.uint8)
            mask[targets] = 1
            aimed = np.packbits(mask)
            return _pack_report(drawn, bits | aimed if bit else bits & ~aimed)

        def towards() -> Weights:
            return self._support(
                r, self._chance_inclusion(r), (float(bit), float(bit), self.rates[1])
            )

        return towards_targets(ask, self.domain_size, reports, counts, towards)

    # Counts.

    def sample_counts(self, histogram: Counts, rng: Rng) -> Counts:
        return self._count_bits(histogram, *self.rates, rng)

    def unperturbed_counts(self, histogram: Counts, rng: Rng) -> Counts:
        return self._count_bits(histogram, 1.0, 0.0, rng)

    def _count_bits(self, histogram: Counts, own: float, other: float, rng: Rng) -> Counts:
        """int64[trials, 2, d]; own, other : how likely the bit of an item is 1."""
        nobody = np.zeros((len(histogram), 1), dtype=np.int64)
        have_own = binomial(histogram, self.part, rng)
        owners = np.stack([histogram - have_own, have_own])
        beside = subset_counts_beside_own(owners, self.sampled, nobody, rng)
        ones = binomial(have_own, own, rng) + binomial(beside, other, rng)
        return np.stack([have_own + beside, ones], axis=1)

    def _count_subsets(self, count: Counts, rng: Rng) -> Counts:
        """int64[trials, d]: the reports that have a bit of each item."""
        sizes = group_by_size(count[:, None], np.array([self.sampled]))
        return subset_counts(sizes, self.domain_size, rng)

    def _uniform_counts(self, count: Counts, rng: Rng) -> Counts:
        drawn = self._count_subsets(count, rng)
        return np.stack([drawn, binomial(drawn, 0.5, rng)], axis=1)

    # Reports.

    def _everyone(self, count: int) -> Reports:
        """The packed mask of all items, for each user."""
        row = np.packbits(np.ones(self.domain_size, dtype=np.uint8))
        return np.broadcast_to(row, (count, row.size))

    def _draw_subsets(self, count: int, rng: Rng) -> Reports:
        """uint8[n, ceil(d/8)], uniform subsets of D items."""
        if self.sampled == self.domain_size:
            return self._everyone(count)
        return packed_subsets(count, self.domain_size, self.sampled, rng)

    def perturb(self, values: Items, rng: Rng | None = None) -> Reports:
        rng = generator(rng)
        values = items_of(values, self.domain_size)
        return _pack_report(self._draw_subsets(values.size, rng), self._bits.perturb(values, rng))

    def _uniform(self, count: int, rng: Rng) -> Reports:
        """Uniform items and uniform bits."""
        return _pack_report(self._draw_subsets(count, rng), self._bits.random_reports(count, rng))

    def unperturbed(self, values: Items, rng: Rng) -> Reports:
        return _pack_report(
            self._draw_subsets(values.size, rng), self._bits.unperturbed(values, rng)
        )

    def validate_reports(self, reports: object, count: int) -> Reports:
        width = -(-self.domain_size // 8)
        rows = array_of(reports, (count, 2, width), np.dtype(np.uint8))
        check_padding(rows.reshape(-1, width), self.domain_size)
        sizes = np.bitwise_count(rows[:, 0]).sum(axis=1, dtype=np.int64)
        if (sizes != self.sampled).any():
            wrong = sizes[sizes != self.sampled][0]
            raise ValueError(f"must have bits of {self.sampled} items, got one of {wrong}")
        if (rows[:, 1] & ~rows[:, 0]).any():
            raise ValueError("must have no ones of items without a bit")
        return rows

    def look(self, reports: Reports, items: Items) -> BoolArray:
        """bool[n, items]: whether the report sends this item's bit, and as 1."""
        bits = np.unpackbits(reports[:, 1], axis=1, count=self.domain_size)
        return bits[:, items].astype(np.bool_)

    def support_counts(self, reports: Reports) -> Counts:
        return np.array([self._bits.support_counts(reports[:, row]) for row in (0, 1)])

    def _chance_inclusion(self, r: int) -> InclusionChances:
        """The items of a crafted report for r targets."""
        if self.chooser == "client":
            return InclusionChances.first(self.sampled, self.domain_size, r)
        return InclusionChances.uniform(self.sampled, self.domain_size)

    def estimates(self, counts: Counts, users: int) -> Estimates:
        drawn, ones = counts[..., 0, :], counts[..., 1, :]
        p, q = self.rates
        return Estimates((ones - q * drawn) / (users * self.part * (p - q)))

    # What one report adds to the estimates.

    def _support(
        self,
        r: int,
        included: InclusionChances,
        bits: tuple[float, float, float],
        held: float = 0.0,
    ) -> Weights:
        """The weights of a report whose bits are 1 with these probabilities.

        bits : of the own item, of a target, of another item. held : how likely a given target is
        the own item.
        """
        p, q = self.rates
        scale, others = 1 / (self.part * (p - q)), self.domain_size - r
        own, target, other = (bit - q for bit in bits)
        squares = [bit * (1 - q) ** 2 + (1 - bit) * q**2 for bit in bits]
        first = held * own + (1 - held) * target
        pair = 2 * held * own * target + (1 - 2 * held) * target**2
        mean, beyond = included.target * scale * first, included.other * scale * other
        square = held * squares[0] + (1 - held) * squares[1]
        spread = included.target * scale**2 * square - mean**2
        around = included.other * scale**2 * squares[2] - beyond**2
        together = included.targets * scale**2 * pair - mean**2
        apart = included.others * scale**2 * other**2 - beyond**2
        mixed = included.mixed * scale**2 * first * other - mean * beyond
        return Weights(
            mean,
            beyond if others else 0.0,
            max(r * spread + r * (r - 1) * together, 0.0),
            max(others * around + others * (others - 1) * apart, 0.0),
            r * others * mixed,
            max(spread, 0.0),
            max(around, 0.0),
        )

    def _of_an_item(self, r: int, own: float, other: float) -> Weights:
        included = InclusionChances.uniform(self.sampled, self.domain_size)
        return self._support(r, included, (own, other, other), 1 / r)

    def held_support(self, frequencies: Floats, counted: Items) -> ItemSupport:
        hit = float(frequencies[counted].sum())
        spread = self.noise + frequencies / self.part - frequencies**2
        return ItemSupport(
            frequencies, counted.size * self.noise + hit / self.part - hit**2, spread
        )

    def total_variance(self, total: Total) -> float:
        return total.r * self.noise + total.frequency * (1 / self.part - 1)

    def unit_variance(self, frequency: float | Floats) -> float | Floats:
        """n times the variance of an estimate of this frequency: from noise, and from sampling the
        user's item.
        """
        return self.noise + frequency * (1 / self.part - 1)

    # Its privacy.

    def enumerate_reports(self) -> ReportLaw | None:
        """The probability of every report for every item; None if there are too many."""
        d, size = self.domain_size, self.sampled
        subsets = math.comb(d, size)
        if size > 20 or (d * subsets) << size > CELLS:
            return None
        p, q = self.rates
        drawn = list(combinations(range(d), size))
        own = np.array([[[item == v for item in some] for some in drawn] for v in range(d)])
        law = independent_bits(np.where(own, p, q).reshape(-1, size)) / subsets

        def name(y: int) -> str:
            items = ", ".join(map(str, drawn[y >> size]))
            return f"items {items}, bits {bits_name(y & (1 << size) - 1, size)}"

        return ReportLaw(law.reshape(d, -1), item_name, name)

    def privacy_loss(self) -> DiscreteLoss:
        """The privacy loss between two items: a report has the bits of both, of one or of
        neither.
        """
        d, size = self.domain_size, self.sampled
        both = self.part * (size - 1) / (d - 1)
        p, q = self.rates
        first, second = one_bit(p, q), one_bit(q, p)
        cases = [(both, first.then(second)), (self.part - both, first), (self.part - both, second)]
        values = np.concatenate([[0.0], *(loss.values for _, loss in cases)])
        nothing = max(0.0, 1 - 2 * self.part + both)
        chances = [chance * loss.probabilities for chance, loss in cases]
        return DiscreteLoss.of(values, np.concatenate([[nothing], *chances]))


def _pack_report(drawn: Reports, bits: Reports) -> Reports:
    """uint8[n, 2, width]: the items that have a bit, and the ones among them."""
    return np.stack([drawn, drawn & bits], axis=1)
