"""Reports of one bit for each item, packed: what protocols that send them have in common."""

from __future__ import annotations

from functools import partial

import numpy as np

from ..base.sampling import Counts, multinomial, packed_picks, subset_counts
from ..kernels.loops import LOOPS
from ..law.law import Ask, Law, Ones, towards_targets
from ..law.pure import BoolArray, Items, Oracle, Reports, Rng, array_of, check_padding
from ..law.support import Support


def pickers(users: Counts, sizes: Counts) -> Counts:
    """int64[trials, most + 1]: the users by the number of items that they pick.

    users : int64[trials, k], of whom those of column i pick `sizes[i]` items.
    """
    by_picks = np.zeros((len(users), int(sizes.max()) + 1), dtype=np.int64)
    for size, senders in zip(sizes, users.T, strict=True):
        by_picks[:, size] += senders
    return by_picks


AT_ONCE = 1 << 22
"""Bits that are handled at once: 4 MB, a byte each."""


BIT_S = 1e-10
"""Seconds that NumPy takes for a bit of a report, about, to count it."""


class PackedBits(Oracle):
    """Reports uint8[n, ceil(d/8)], bits packed, lowest item in the highest bit (np.packbits)."""

    @property
    def report_bits(self) -> float:
        return float(self.domain_size)

    @property
    def _rows(self) -> int:
        """Reports handled at once: their column sums fit into a byte, their bits into 4 MB."""
        return max(1, min(255, AT_ONCE // self.domain_size))

    def _blank(self, count: int) -> Reports:
        return np.zeros((count, -(-self.domain_size // 8)), dtype=np.uint8)

    def received(self, reports: object, count: int) -> Reports:
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

    def look(self, reports: Reports, items: Items) -> BoolArray:  # noqa: ARG002
        return np.empty((len(reports), 0), dtype=np.bool_)  # a report is its bits already

    def _others(self, items: Items) -> Items:
        return np.setdiff1d(np.arange(self.domain_size), items, assume_unique=True)

    def composed(self, ask: Ask, ones: Ones) -> Law:
        """The law of reports with these ones among the targets and elsewhere."""
        reports, counts = (
            partial(self.made, ask.targets, ones),
            partial(self.made_counts, ask.targets, ones),
        )
        return towards_targets(
            ask,
            self.domain_size,
            reports,
            counts,
            lambda: self.made_support(ask.targets.size, ones),
        )

    def made(self, targets: Items, ones: Ones, count: int, rng: Rng) -> Reports:
        """Reports with these ones among the targets and elsewhere, uniformly placed in each."""
        drawn = np.zeros(count, dtype=np.int64)
        if ones.law.size > 1:
            drawn = rng.choice(ones.law.size, count, p=ones.law)
        reports = packed_picks(targets, ones.inside[drawn], self.domain_size, rng)
        others = self._others(targets)
        reports |= packed_picks(others, ones.outside[drawn], self.domain_size, rng)
        return reports

    def made_counts(self, targets: Items, ones: Ones, count: Counts, rng: Rng) -> Counts:
        """The law of `support_counts(made(...))` for int64[trials] users."""
        others = self._others(targets)
        users = multinomial(count, ones.law, rng)
        counts = np.empty((count.size, self.domain_size), dtype=np.int64)
        for items, sizes in ((targets, ones.inside), (others, ones.outside)):
            counts[:, items] = (
                count[:, None]
                if sizes.min() == items.size
                else subset_counts(pickers(users, sizes), items.size, rng)
            )
        return counts

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
