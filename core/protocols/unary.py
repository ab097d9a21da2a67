"""Unary encoding: the report is d bits, each perturbed on its own. SUE and OUE.

Wang, Blocki, Li, Jha, USENIX Security 2017, section 4.2; SUE is basic one-time RAPPOR. Attacks:
Cao, Jia, Gong, USENIX Security 2021, section 3.4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from ..bounds import Range
from ..pure import (
    DOMAIN,
    EPSILON,
    BoolArray,
    Estimates,
    Items,
    Reports,
    Rng,
    SeedSearch,
    Support,
    check,
    independent_honest_support,
    independent_target_sum_variance,
    pure_estimates,
)
from ..sampling import Counts, binomial, random_subsets, subset_counts


@dataclass(frozen=True)
class Unary:
    """One bit per item: the own bit is sent as 1 with probability p, every other with q.

    Reports are uint8[n, ceil(d/8)], bits packed, lowest item in the highest bit (np.packbits).
    epsilon = ln(p(1-q) / ((1-p)q)), in nats.
    """

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
            own = values[at : at + self._rows]
            bits = self._random_bits(own.size, rng)
            bits[np.arange(own.size), own] = rng.random(own.size) < self.p
            reports[at : at + own.size] = np.packbits(bits, axis=1)
        return reports

    def random_reports(self, count: int, rng: Rng) -> Reports:
        reports = rng.integers(0, 256, size=(count, -(-self.domain_size // 8)), dtype=np.uint8)
        if self.domain_size % 8:
            reports[:, -1] &= np.uint8(0xFF << (8 - self.domain_size % 8) & 0xFF)
        return reports

    def padding(self, r: int) -> int:
        """How many non-targets a crafted report supports, so that its ones are as many as expected.

        l = floor(p + (d-1) q - r), at least 0. Cao, Jia, Gong, section 3.4.
        """
        return max(0, math.floor(self.p + (self.domain_size - 1) * self.q - r))

    def craft(self, targets: Items, count: int, search: SeedSearch, rng: Rng) -> Reports:  # noqa: ARG002
        others = np.setdiff1d(np.arange(self.domain_size), targets, assume_unique=True)
        pad = min(self.padding(targets.size), others.size)
        reports = np.empty((count, -(-self.domain_size // 8)), dtype=np.uint8)
        for at in range(0, count, self._rows):
            rows = min(self._rows, count - at)
            bits = np.zeros((rows, self.domain_size), dtype=np.uint8)
            bits[:, targets] = 1
            chosen = others[random_subsets(rows, others.size, pad, rng)]
            np.put_along_axis(bits, chosen, 1, axis=1)
            reports[at : at + rows] = np.packbits(bits, axis=1)
        return reports

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
        others = np.setdiff1d(np.arange(self.domain_size), targets, assume_unique=True)
        pad = min(self.padding(targets.size), others.size)
        pickers = np.zeros((count.size, pad + 1), dtype=np.int64)
        pickers[:, pad] = count
        counts = np.empty((count.size, self.domain_size), dtype=np.int64)
        counts[:, targets] = count[:, None]
        counts[:, others] = subset_counts(pickers, others.size, rng)
        return counts

    def estimates(self, counts: Counts, users: int) -> Estimates:
        return pure_estimates(counts, users, self)

    def honest_support(self, r: int) -> Support:
        return independent_honest_support(self, r)

    def random_support(self, r: int) -> Support:
        return Support(0.5, 0.5, r / 4, (self.domain_size - r) / 4, 0.0)

    def crafted_support(self, r: int, search: SeedSearch) -> Support:  # noqa: ARG002
        others = self.domain_size - r
        rate = min(self.padding(r), others) / others if others else 0.0
        return Support(1.0, rate, 0.0, 0.0, 0.0)

    def target_sum_variance(self, r: int, target_frequency: float) -> float:
        return independent_target_sum_variance(self, r, target_frequency)


def SUE(domain_size: int, epsilon: float) -> Unary:  # noqa: N802
    """Symmetric unary encoding (basic one-time RAPPOR): p + q = 1. W17 section 4.2."""
    half = math.exp(epsilon / 2)
    return Unary(domain_size, epsilon, half / (half + 1))


def OUE(domain_size: int, epsilon: float) -> Unary:  # noqa: N802
    """Optimised unary encoding: p = 1/2, q = 1/(e^ε + 1), the least Var*. W17 section 4.2."""
    return Unary(domain_size, epsilon, 0.5)
