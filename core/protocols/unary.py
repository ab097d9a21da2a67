"""Unary encoding: the report is d bits, each perturbed on its own. SUE and OUE.

Wang, Blocki, Li, Jha, USENIX Security 2017, section 4.2; SUE is basic one-time RAPPOR. Attacks:
Cao, Jia, Gong, USENIX Security 2021, section 3.4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ..enumeration import CELLS, ReportLaw, bits_name, independent_bits, item_name
from ..loss import DiscreteLoss, one_bit
from ..pure import (
    DOMAIN,
    EPSILON,
    BoolArray,
    Estimates,
    Items,
    Reports,
    Rng,
    SeedSearch,
    array_of,
    check,
    check_padding,
    independent_honest_support,
    independent_target_sum_variance,
    pure_estimates,
    pure_held_support,
)
from ..ranges import Range
from ..sampling import (
    Counts,
    Floats,
    binomial,
    binomial_law,
    hypergeometric_law,
    multinomial,
    random_subsets,
    subset_counts,
)
from ..support import ItemSupport, Support
from .budget import Budget


@dataclass(frozen=True, eq=False)
class Ones:
    """The numbers of ones of a crafted report, among the targets and elsewhere.

    inside, outside : int64[k], the outcomes. law : float64[k], their probabilities.
    """

    inside: Counts
    outside: Counts
    law: Floats

    @classmethod
    def fixed(cls, inside: int, outside: int) -> Ones:
        return cls(np.array([inside]), np.array([outside]), np.ones(1))


def _set_some(bits: NDArray[np.uint8], rows: Items, items: Items, size: int, rng: Rng) -> None:
    """Set the bits of a uniform subset of `items` in each of the rows."""
    if size == items.size:
        bits[np.ix_(rows, items)] = 1
    elif size:
        bits[rows[:, None], items[random_subsets(rows.size, items.size, size, rng)]] = 1


@dataclass(frozen=True)
class Unary:
    """One bit per item: the own bit is sent as 1 with probability p, every other with q.

    Reports are uint8[n, ceil(d/8)], bits packed, lowest item in the highest bit (np.packbits).
    epsilon = ln(p(1-q) / ((1-p)q)), in nats.
    """

    family: ClassVar[str] = "unary"

    domain_size: Annotated[int, DOMAIN]
    epsilon: Annotated[float, EPSILON]
    p: Annotated[float, Range(0, 1, "()")]

    def __post_init__(self) -> None:
        check(self)

    @property
    def q(self) -> float:
        return self.p / (self.p + (1 - self.p) * math.exp(self.epsilon))

    @property
    def _rows(self) -> int:
        """Reports handled at once: their column sums fit into a byte, their bits into 4 MB."""
        return max(1, min(255, (1 << 22) // self.domain_size))

    def _random_bits(self, rows: int, rng: Rng) -> NDArray[np.uint8]:
        """uint8[rows, d] of independent bits that are 1 with probability q, exactly.

        One random byte decides all bits but those that equal the threshold, about 1 in 256, where
        a double decides: the probability is q to the last bit of a double.
        """
        size = rows * self.domain_size
        drawn = rng.integers(0, 2**64, size=-(-size // 8), dtype=np.uint64).view(np.uint8)[:size]
        threshold = int(self.q * 256)
        bits = (drawn < threshold).view(np.uint8)
        ties = np.flatnonzero(drawn == threshold)
        bits[ties] = rng.random(ties.size) < self.q * 256 - threshold
        return bits.reshape(rows, self.domain_size)

    def perturb(self, values: Items, rng: Rng) -> Reports:
        reports = np.empty((values.size, -(-self.domain_size // 8)), dtype=np.uint8)
        for at in range(0, values.size, self._rows):
            items = values[at : at + self._rows]
            bits = self._random_bits(items.size, rng)
            bits[np.arange(items.size), items] = rng.random(items.size) < self.p
            reports[at : at + items.size] = np.packbits(bits, axis=1)
        return reports

    def random_reports(self, count: int, rng: Rng) -> Reports:
        reports = rng.integers(0, 256, size=(count, -(-self.domain_size // 8)), dtype=np.uint8)
        if self.domain_size % 8:
            reports[:, -1] &= np.uint8(0xFF << (8 - self.domain_size % 8) & 0xFF)
        return reports

    def padding(self, r: int) -> int:
        """The number of non-targets that a crafted report supports to have the expected ones.

        l = floor(p + (d-1) q - r), at least 0. Cao, Jia, Gong, section 3.4.
        """
        return max(0, math.floor(self.p + (self.domain_size - 1) * self.q - r))

    def crafted_ones(self, r: int) -> Ones:
        """MGA: all targets, and the padding elsewhere."""
        return Ones.fixed(r, min(self.padding(r), self.domain_size - r))

    def subset_ones(self, r: int, subset: int) -> Ones:
        """MGA-A: a subset of the targets, and padding that may hit the others."""
        if subset == r:
            return self.crafted_ones(r)
        room = self.domain_size - subset
        pad = min(self.padding(subset), room)
        hit, law = hypergeometric_law(room, r - subset, pad)
        return Ones(subset + hit, pad - hit, law)

    def disguised_ones(self, r: int) -> Ones:
        """APA: as many ones as an honest report has, Bern(p) + Bin(d - 1, q), targets first."""
        ones, law = binomial_law(self.domain_size - 1, self.q)
        count = np.append(ones, ones[-1] + 1)
        honest = np.append(law * (1 - self.p), 0.0) + np.append(0.0, law * self.p)
        inside = np.minimum(count, r)
        return Ones(inside, count - inside, honest)

    def avoided_ones(self, r: int) -> Ones:
        """No target, and as many ones elsewhere as expected of an honest report."""
        return Ones.fixed(0, min(self.padding(0), self.domain_size - r))

    def craft(self, targets: Items, count: int, search: SeedSearch, rng: Rng) -> Reports:  # noqa: ARG002
        return self.made(targets, self.crafted_ones(targets.size), count, rng)

    def craft_some(
        self,
        targets: Items,
        subset: int,
        count: int,
        search: SeedSearch,  # noqa: ARG002
        rng: Rng,
    ) -> Reports:
        return self.made(targets, self.subset_ones(targets.size, subset), count, rng)

    def disguise(self, targets: Items, count: int, rng: Rng) -> Reports:
        return self.made(targets, self.disguised_ones(targets.size), count, rng)

    def avoid(self, targets: Items, count: int, search: SeedSearch, rng: Rng) -> Reports:  # noqa: ARG002
        return self.made(targets, self.avoided_ones(targets.size), count, rng)

    def unperturbed(self, values: Items, rng: Rng) -> Reports:  # noqa: ARG002
        reports = np.zeros((values.size, -(-self.domain_size // 8)), dtype=np.uint8)
        reports[np.arange(values.size), values // 8] = 128 >> values % 8
        return reports

    def made(self, targets: Items, ones: Ones, count: int, rng: Rng) -> Reports:
        """Reports with these ones among the targets and elsewhere, uniformly placed in each."""
        others = np.setdiff1d(np.arange(self.domain_size), targets, assume_unique=True)
        reports = np.empty((count, -(-self.domain_size // 8)), dtype=np.uint8)
        for at in range(0, count, self._rows):
            rows = min(self._rows, count - at)
            bits = np.zeros((rows, self.domain_size), dtype=np.uint8)
            drawn = np.zeros(rows, dtype=np.int64)
            if ones.law.size > 1:
                drawn = rng.choice(ones.law.size, rows, p=ones.law)
            for outcome in np.unique(drawn):
                mine = np.flatnonzero(drawn == outcome)
                _set_some(bits, mine, targets, int(ones.inside[outcome]), rng)
                _set_some(bits, mine, others, int(ones.outside[outcome]), rng)
            reports[at : at + rows] = np.packbits(bits, axis=1)
        return reports

    def received(self, reports: object, count: int) -> Reports:
        bits = array_of(reports, (count, -(-self.domain_size // 8)), np.dtype(np.uint8))
        check_padding(bits, self.domain_size)
        return bits

    def supports(self, reports: Reports) -> BoolArray:
        return np.unpackbits(reports, axis=1, count=self.domain_size).view(np.bool_)

    def support_counts(self, reports: Reports) -> Counts:
        counts = np.zeros(self.domain_size, dtype=np.int64)
        for at in range(0, len(reports), self._rows):
            bits = np.unpackbits(reports[at : at + self._rows], axis=1, count=self.domain_size)
            counts += np.add.reduce(bits, axis=0, dtype=np.uint8)
        return counts

    def sample_counts(self, histogram: Counts, rng: Rng) -> Counts:
        others = histogram.sum(axis=-1, keepdims=True) - histogram
        return binomial(histogram, self.p, rng) + binomial(others, self.q, rng)

    def random_counts(self, count: Counts, rng: Rng) -> Counts:
        return binomial(np.broadcast_to(count[:, None], (count.size, self.domain_size)), 0.5, rng)

    def craft_counts(self, targets: Items, count: Counts, search: SeedSearch, rng: Rng) -> Counts:  # noqa: ARG002
        return self.made_counts(targets, self.crafted_ones(targets.size), count, rng)

    def craft_some_counts(
        self,
        targets: Items,
        subset: int,
        count: Counts,
        search: SeedSearch,  # noqa: ARG002
        rng: Rng,
    ) -> Counts:
        return self.made_counts(targets, self.subset_ones(targets.size, subset), count, rng)

    def disguise_counts(self, targets: Items, count: Counts, rng: Rng) -> Counts:
        return self.made_counts(targets, self.disguised_ones(targets.size), count, rng)

    def avoid_counts(self, targets: Items, count: Counts, search: SeedSearch, rng: Rng) -> Counts:  # noqa: ARG002
        return self.made_counts(targets, self.avoided_ones(targets.size), count, rng)

    def unperturbed_counts(self, histogram: Counts, rng: Rng) -> Counts:  # noqa: ARG002
        return histogram.copy()

    def made_counts(self, targets: Items, ones: Ones, count: Counts, rng: Rng) -> Counts:
        """The law of `support_counts(made(...))` for int64[trials] users."""
        others = np.setdiff1d(np.arange(self.domain_size), targets, assume_unique=True)
        users = multinomial(count, ones.law, rng)
        counts = np.empty((count.size, self.domain_size), dtype=np.int64)
        for items, sizes in ((targets, ones.inside), (others, ones.outside)):
            pickers = np.zeros((count.size, int(sizes.max()) + 1), dtype=np.int64)
            for size, senders in zip(sizes, users.T, strict=True):
                pickers[:, size] += senders
            counts[:, items] = (
                count[:, None]
                if sizes.min() == items.size
                else subset_counts(pickers, items.size, rng)
            )
        return counts

    def can_avoid(self, r: int) -> bool:  # noqa: ARG002
        return True

    def estimates(self, counts: Counts, users: int) -> Estimates:
        return pure_estimates(counts, users, self)

    def honest_support(self, r: int) -> Support:
        return independent_honest_support(self, r)

    def random_support(self, r: int) -> Support:
        return Support(0.5, 0.5, r / 4, (self.domain_size - r) / 4, 0.0)

    def crafted_support(self, r: int, search: SeedSearch) -> Support:  # noqa: ARG002
        return self.made_support(r, self.crafted_ones(r))

    def subset_support(self, r: int, subset: int, search: SeedSearch) -> Support:  # noqa: ARG002
        """S = r' + (r - r')·l'/(d - r'), where r' is the size of the subset."""
        return self.made_support(r, self.subset_ones(r, subset))

    def disguised_support(self, r: int) -> Support:
        """S = E[min(k, r)] over the number k of ones."""
        return self.made_support(r, self.disguised_ones(r))

    def avoided_support(self, r: int, search: SeedSearch) -> Support:  # noqa: ARG002
        return self.made_support(r, self.avoided_ones(r))

    def unperturbed_support(self, r: int) -> Support:
        return Support(1 / r, 0.0, 0.0, 0.0, 0.0)

    def made_support(self, r: int, ones: Ones) -> Support:
        """The support of a report with these ones, towards the r targets they are meant for."""
        others = self.domain_size - r
        inside, outside = ones.law @ ones.inside, ones.law @ ones.outside
        in_off, out_off = ones.inside - inside, ones.outside - outside
        return Support(
            float(inside / r),
            float(outside / others) if others else 0.0,
            float(ones.law @ in_off**2),
            float(ones.law @ out_off**2),
            float(ones.law @ (in_off * out_off)),
        )

    def held_support(self, frequencies: Floats, counted: Items) -> ItemSupport:
        return pure_held_support(self, frequencies, counted)

    def enumerate_reports(self) -> ReportLaw | None:
        """The law of every report; None where there are too many."""
        d = self.domain_size
        if d > 20 or d << d > CELLS:
            return None
        rates = np.full((d, d), self.q)
        np.fill_diagonal(rates, self.p)
        return ReportLaw(independent_bits(rates), item_name, lambda y: f"bits {bits_name(y, d)}")

    def privacy_loss(self) -> DiscreteLoss:
        """The privacy loss between two items: their two bits tell."""
        return one_bit(self.p, self.q).then(one_bit(self.q, self.p))

    def look(self, reports: Reports, items: Items) -> BoolArray:  # noqa: ARG002
        return np.empty((len(reports), 0), dtype=np.bool_)  # a report is its bits already

    def target_sum_variance(self, r: int, target_frequency: float, users: int = 1) -> float:  # noqa: ARG002
        return independent_target_sum_variance(self, r, target_frequency)


def SUE(domain_size: int, epsilon: float) -> Unary:  # noqa: N802
    """Symmetric unary encoding (basic one-time RAPPOR): p + q = 1. W17 section 4.2."""
    half = math.exp(epsilon / 2)
    return Unary(domain_size, epsilon, half / (half + 1))


def OUE(domain_size: int, epsilon: float) -> Unary:  # noqa: N802
    """Optimised unary encoding: p = 1/2, q = 1/(e^ε + 1), the least Var*. W17 section 4.2."""
    return Unary(domain_size, epsilon, 0.5)


@dataclass(frozen=True)
class SUESpec(Budget):
    """SUE, before the domain is known."""

    kind: Literal["sue"]
    mechanism = Unary

    def bind(self, domain_size: int, labels: tuple[str, ...] | None = None) -> Unary:  # noqa: ARG002
        return SUE(domain_size, self.epsilon)


@dataclass(frozen=True)
class OUESpec(Budget):
    """OUE, before the domain is known."""

    kind: Literal["oue"]
    mechanism = Unary

    def bind(self, domain_size: int, labels: tuple[str, ...] | None = None) -> Unary:  # noqa: ARG002
        return OUE(domain_size, self.epsilon)
