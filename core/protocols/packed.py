"""The common base of protocols whose reports have one bit for each item, packed into bytes."""

from __future__ import annotations

import numpy as np

from ..base.sampling import Counts, packed_picks
from ..kernels.loops import LOOPS
from ..law.exchangeable import Exchangeable
from ..law.law import Ask, SupportSizes
from ..law.pure import BoolArray, Items, Reports, Rng, array_of, check_padding

AT_ONCE = 1 << 22
"""Bits that are handled at once: 4 MB, a byte each."""


BIT_S = 1e-10
"""Seconds that NumPy takes for a bit of a report, about, to count it."""


class PackedBits(Exchangeable):
    """The base of protocols whose reports are packed bits uint8[n, ceil(d/8)], the lowest item in
    the highest bit.
    """

    @property
    def report_bits(self) -> float:
        return float(self.domain_size)

    @property
    def _rows(self) -> int:
        """Reports handled at once: their column sums fit into a byte, their bits into 4 MB."""
        return max(1, min(255, AT_ONCE // self.domain_size))

    def _blank(self, count: int) -> Reports:
        return np.zeros((count, -(-self.domain_size // 8)), dtype=np.uint8)

    def validate_reports(self, reports: object, count: int) -> Reports:
        bits = array_of(reports, (count, -(-self.domain_size // 8)), np.dtype(np.uint8))
        check_padding(bits, self.domain_size)
        return bits

    def supports(self, reports: Reports) -> BoolArray:
        return np.unpackbits(reports, axis=1, count=self.domain_size).view(np.bool_)

    def supports_of(self, reports: Reports, items: Items) -> BoolArray:
        return (reports[:, items >> 3] >> (7 - (items & 7)).astype(np.uint8) & 1).view(np.bool_)

    def support_counts(self, reports: Reports) -> Counts:
        counts = np.zeros(self.domain_size, dtype=np.int64)
        if (compiled := LOOPS.after(BIT_S * len(reports) * self.domain_size)) is not None:
            compiled.bit_counts(reports, counts)
            return counts
        for at in range(0, len(reports), self._rows):
            bits = np.unpackbits(reports[at : at + self._rows], axis=1, count=self.domain_size)
            counts += np.add.reduce(bits, axis=0, dtype=np.uint8)
        return counts

    def draw_crafted(self, ask: Ask, count: int, rng: Rng) -> Reports:
        return self.place_ones(ask.targets, self.craft_sizes(ask), count, rng)

    def place_ones(self, targets: Items, sizes: SupportSizes, count: int, rng: Rng) -> Reports:
        """uint8[count, ceil(d/8)]: reports with these numbers of ones, uniformly placed among the
        targets and among the other items.
        """
        assert sizes.other_sizes is not None
        drawn = np.zeros(count, dtype=np.int64)
        if sizes.probabilities.size > 1:
            drawn = rng.choice(sizes.probabilities.size, count, p=sizes.probabilities)
        d = self.domain_size
        reports = packed_picks(targets, sizes.target_sizes[drawn], d, rng)
        others = np.setdiff1d(np.arange(d), targets, assume_unique=True)
        reports |= packed_picks(others, sizes.other_sizes[drawn], d, rng)
        return reports
