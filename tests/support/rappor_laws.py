"""The law of a RAPPOR report, written down from the paper; knows nothing of core.

A report is (cohort, bits). A law is a dict from what is counted to its probability: the counts of
one user are a tuple, cohort by cohort, of the bits sent as 1 and a 1 for the cohort's users. The
counts of several users are their sums.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import md5

Law = dict[tuple[int, ...], float]


@dataclass(frozen=True)
class Filters:
    """Bloom filters of d items, named by their decimal index, and the noise on their bits."""

    items: int
    bits: int
    hashes: int
    cohorts: int
    f: float
    p: float
    q: float

    def filter(self, item: int, cohort: int) -> tuple[int, ...]:
        """The true bits of an item in a cohort."""
        digest = md5(cohort.to_bytes(4, "big") + str(item).encode()).digest()
        held = {byte % self.bits for byte in digest[: self.hashes]}
        return tuple(int(bit in held) for bit in range(self.bits))

    def sent(self, bit: int) -> float:
        """Pr[a bit is sent as 1], by going through the permanent bit."""
        one = (1 - self.f) * bit + self.f / 2
        return one * self.q + (1 - one) * self.p

    def report(self, rates: Iterable[float]) -> dict[tuple[int, ...], float]:
        """The law of independent bits with these rates of a 1."""
        rates = list(rates)
        return {
            bits: math.prod(
                rate if bit else 1 - rate for rate, bit in zip(rates, bits, strict=True)
            )
            for bits in itertools.product((0, 1), repeat=len(rates))
        }

    def honest(self, item: int) -> Law:
        """One user who holds this item."""
        return self._spread(
            self.report(map(self.sent, self.filter(item, cohort))) for cohort in self._cohorts
        )

    def random(self) -> Law:
        """One fake with uniform bits."""
        return self._spread(self.report([0.5] * self.bits) for _ in self._cohorts)

    def crafted(self, targets: list[int]) -> Law:
        """One fake that sets every target's bits and as many others as honest reports have."""
        true = self.bits * (1 - (1 - 1 / self.bits) ** self.hashes)
        ones = true * self.sent(1) + (self.bits - true) * self.sent(0)
        laws = []
        for cohort in self._cohorts:
            filters = [self.filter(target, cohort) for target in targets]
            aimed = [max(bits) for bits in zip(*filters, strict=True)]
            others = [bit for bit in range(self.bits) if not aimed[bit]]
            pad = min(max(math.floor(ones - sum(aimed)), 0), len(others))
            law: Counter[tuple[int, ...]] = Counter()
            for chosen in itertools.combinations(others, pad):
                bits = tuple(int(aimed[bit] or bit in chosen) for bit in range(self.bits))
                law[bits] += 1 / math.comb(len(others), pad)  # type: ignore[assignment]
            laws.append(dict(law))
        return self._spread(laws)

    @property
    def _cohorts(self) -> range:
        return range(self.cohorts)

    def _spread(self, laws: Iterable[dict[tuple[int, ...], float]]) -> Law:
        """Counts of one user in a uniform cohort, whose report has the law of that cohort."""
        spread: Law = {}
        width = self.bits + 1
        for cohort, law in enumerate(laws):
            for bits, chance in law.items():
                counts = [0] * (self.cohorts * width)
                counts[cohort * width : (cohort + 1) * width] = [*bits, 1]
                spread[tuple(counts)] = chance / self.cohorts
        return spread


def held_by_one_of(laws: list[Law]) -> Law:
    """The law of one user who draws one of these laws with equal chances."""
    mixed: Law = {}
    for law in laws:
        for counts, chance in law.items():
            mixed[counts] = mixed.get(counts, 0.0) + chance / len(laws)
    return mixed


def together(laws: list[Law]) -> Law:
    """The law of the counts of several independent users."""
    joint: Law = {(0,) * len(next(iter(laws[0]))): 1.0}
    for law in laws:
        after: Law = {}
        for left, chance in joint.items():
            for right, other in law.items():
                if other:
                    key = tuple(a + b for a, b in zip(left, right, strict=True))
                    after[key] = after.get(key, 0.0) + chance * other
        joint = after
    return joint
