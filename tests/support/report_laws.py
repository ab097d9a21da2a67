"""The support of one report, from the papers, item by item; knows nothing of core.

A law is float64[2^d]: entry k is the probability that a report supports exactly the items whose
bits are set in k (bit v: item v). Everything else is counted from it: probabilities, means,
covariances, the joint law of the counts of several reports. d is small, so all of it is exact.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from support.codes import CODES, Code

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """A protocol by its name and parameters: g of hashing, w of ss, p of ue, θ, who has coins."""

    kind: str
    domain_size: int
    epsilon: float
    hash_range: int | None = None
    subset_size: int | None = None
    keep: float | None = None
    theta: float | None = None
    coin: str | None = None

    def __str__(self) -> str:
        name = f"{self.kind}-d{self.domain_size}-eps{self.epsilon:g}"
        name += f"-g{self.hash_range}" if self.hash_range else ""
        name += f"-w{self.subset_size}" if self.subset_size else ""
        name += f"-p{self.keep:g}" if self.keep else ""
        name += f"-theta{self.theta:g}" if self.theta else ""
        return name + (f"-{self.coin}" if self.coin else "")

    @property
    def searches(self) -> bool:
        """True where fakes choose among hash functions; public coins are given to them."""
        return self.hash_range is not None and self.coin is None

    @property
    def real_epsilon(self) -> float:
        """The largest loss: below ε where bits say less than the noise would allow."""
        if self.theta is None:
            return self.epsilon
        return math.log(self.p * (1 - self.q) / ((1 - self.p) * self.q))

    @cached_property
    def code(self) -> Code | None:
        """The code of a coded kind."""
        made = CODES.get(self.kind)
        return None if made is None else made(self.domain_size, self.epsilon)

    @property
    def one_item(self) -> bool:
        """True if a report supports exactly one item."""
        return self.kind in ("grr", "l-grr")

    @property
    def p(self) -> float:
        if self.code is not None:
            return self.code.p
        e, d, g = math.exp(self.epsilon), self.domain_size, self.hash_range
        if g is not None:
            return e / (e + g - 1)
        if self.subset_size is not None:
            w = self.subset_size
            return w * e / (w * e + d - w)
        if self.keep is not None:
            return self.keep
        if self.theta is not None:
            return 1 - math.exp(self.epsilon * (self.theta - 1) / 2) / 2
        if self.coin is not None:
            return e / (e + 1)
        return written_pair(self.kind, d, self.epsilon)[0]

    @property
    def q(self) -> float:
        if self.code is not None:
            return self.code.q
        e, d, g = math.exp(self.epsilon), self.domain_size, self.hash_range
        if g is not None:
            return 1 / g
        if self.subset_size is not None:
            w = self.subset_size
            return (w * e * (w - 1) + (d - w) * w) / ((d - 1) * (w * e + d - w))
        if self.keep is not None:
            return self.keep / (self.keep + e * (1 - self.keep))
        if self.theta is not None:
            return math.exp(-self.epsilon * self.theta / 2) / 2
        if self.coin is not None:
            return 0.5
        return written_pair(self.kind, d, self.epsilon)[1]

    def honest(self, item: int) -> Floats:
        """A report of this item."""
        if self.code is not None:
            return self.code.outcomes(self.code.chances[item])
        if self.subset_size is not None:
            return self.p * self._around(item) + (1 - self.p) * self._without([item])
        rates = np.full(self.domain_size, self.q)
        rates[item] = self.p
        if self.one_item:
            return one_of(rates)
        return independent(rates)  # of hashing: see `hashed`

    def _around(self, item: int) -> Floats:
        """Subset selection: this item, and a uniform subset of the others."""
        assert self.subset_size is not None
        others = [other for other in range(self.domain_size) if other != item]
        return _subset_of(self.domain_size, others, self.subset_size - 1, [item])

    def _without(self, items: list[int]) -> Floats:
        """Subset selection: a uniform subset that has as few of these items as it can."""
        assert self.subset_size is not None
        others = [other for other in range(self.domain_size) if other not in items]
        missing = max(0, self.subset_size - len(others))
        if missing:
            return _subset_of(self.domain_size, items, missing, others)
        return _subset_of(self.domain_size, others, self.subset_size, [])

    def held(self, items: list[int]) -> Floats:
        """A report of one of these items, each as likely (RIA)."""
        return np.asarray(np.mean([self.honest(item) for item in items], axis=0))

    def random(self) -> Floats:
        """A uniform element of the encoded space (RPA)."""
        d = self.domain_size
        if self.code is not None:
            return self.code.outcomes(np.full(len(self.code.supports), 1 / len(self.code.supports)))
        if self.one_item:
            return one_of(np.full(d, 1 / d))
        if self.subset_size is not None:
            return self._without([])
        return independent(np.full(d, 0.5 if self.hash_range is None else 1 / self.hash_range))

    def crafted(
        self, targets: list[int], seeds: int, scoring: Literal["anchor", "bucket"]
    ) -> Floats:
        """The best report for these targets (MGA)."""
        if self.coin is not None and not self.searches:
            seeds, scoring = 1, "bucket"
        if self.code is not None:
            return self.code.outcomes(self.code.best(targets, 1))
        d, r = self.domain_size, len(targets)
        others = [item for item in range(d) if item not in targets]
        if self.one_item:
            rates = np.zeros(d)
            rates[targets] = 1 / r
            return one_of(rates)
        if self.subset_size is not None:
            return self._without(others)
        if self.hash_range is None:
            ones = (d // 2 if self.coin else math.floor(self.p + (d - 1) * self.q)) - r
            return _subset_of(d, others, min(max(ones, 0), len(others)), targets)
        law = np.zeros(2**d)
        noise = np.zeros(d)
        noise[others] = 1 / self.hash_range
        for matched, chance in enumerate(matched_law(r, self.hash_range, seeds, scoring)):
            law += chance * _either(_subset_of(d, targets, matched, []), independent(noise))
        return law

    def unperturbed(self, items: list[int]) -> Floats:
        """One of these items, encoded and not perturbed."""
        if self.code is not None:
            agree = self.code.supports[:, items] > 0
            return self.code.outcomes((agree / agree.sum(axis=0)).mean(axis=1))
        d, laws = self.domain_size, []
        if self.subset_size is not None:
            return np.asarray(np.mean([self._around(item) for item in items], axis=0))
        for item in items:
            rates = np.zeros(d) if self.hash_range is None else np.full(d, 1 / self.hash_range)
            rates = np.full(d, 0.5) if self.coin else rates
            rates[item] = 1.0
            laws.append(independent(rates))
        return np.asarray(np.mean(laws, axis=0))

    def poisoned_input(self, weights: dict[int, float]) -> Floats:
        """An honest report of an item that is drawn with these weights."""
        total = sum(weights.values())
        return sum(
            (weight / total * self.honest(item) for item, weight in weights.items()),
            start=np.zeros(self.honest(0).size),
        )

    def hidden(self, shift: Floats) -> Floats:
        """The reports of honest users of other frequencies beyond the genuine ones: M δ/β."""
        sent = sum(
            (weight / shift.sum() * self.honest(item) for item, weight in enumerate(shift)),
            start=np.zeros(self.honest(0).size),
        )
        assert sent.min() > -1e-15
        return np.asarray(np.maximum(sent, 0))

    def some(
        self, targets: list[int], subset: int, seeds: int, scoring: Literal["anchor", "bucket"]
    ) -> Floats:
        """The best report for a random subset of the targets of this size (MGA-A)."""
        subsets = list(itertools.combinations(targets, subset))
        # Padding comes from everything outside the subset, and the others may collide: MGA at it.
        laws = [self.crafted(list(chosen), seeds, scoring) for chosen in subsets]
        return np.asarray(np.mean(laws, axis=0))

    def pattern(self, targets: list[int]) -> Floats:
        """The number of ones of an honest report, targets first (APA). Unary encodings."""
        if self.code is not None:  # which it is refused against
            return self.random()
        d, r = self.domain_size, len(targets)
        others = [item for item in range(d) if item not in targets]
        honest, law = self.honest(0), np.zeros(2**d)
        sizes = subset_bits(2**d).sum(axis=1)
        for ones in range(d + 1):
            if ones <= r:
                made = _subset_of(d, targets, ones, [])
            else:
                made = _subset_of(d, others, ones - r, targets)
            law += honest[sizes == ones].sum() * made
        return law

    def composed(
        self, targets: list[int], inside: Floats, outside: Floats, shares: Floats
    ) -> Floats:
        """Numbers of ones among the targets and elsewhere, uniform subsets. Unary encodings."""
        d, law = self.domain_size, np.zeros(2**self.domain_size)
        others = [item for item in range(d) if item not in targets]
        for within, beyond, share in zip(inside, outside, shares, strict=True):
            chosen = [*itertools.combinations(targets, int(within))]
            for some in chosen:
                law += share / len(chosen) * _subset_of(d, others, int(beyond), [*some])
        return law

    def avoiding(self, targets: list[int], seeds: int) -> Floats:
        """The report with the fewest targets, honest elsewhere."""
        if self.code is not None:
            return self.code.outcomes(self.code.best(targets, -1))
        d = self.domain_size
        others = [item for item in range(d) if item not in targets]
        if self.subset_size is not None:
            return self._without(targets)
        if self.one_item:
            rates = np.zeros(d)
            rates[others] = 1 / len(others)
            return one_of(rates)
        if self.hash_range is None:
            ones = d // 2 if self.coin else math.floor(self.p + (d - 1) * self.q)
            return _subset_of(d, others, min(ones, len(others)), [])
        law, noise = np.zeros(2**d), np.zeros(d)
        seeds = seeds if self.searches else 1
        noise[others] = 1 / self.hash_range
        for supported, chance in enumerate(fewest_law(len(targets), self.hash_range, seeds)):
            law += chance * _either(_subset_of(d, targets, supported, []), independent(noise))
        return law


OF_TARGETS: list[tuple[str, Callable[[Case, list[int]], Floats]]] = [
    ("ria", Case.held),
    ("ria-unperturbed", Case.unperturbed),
]
"""The law of a fake's report, for attacks that have no keys but their share and targets."""


def written_pair(kind: str, d: int, epsilon: float) -> tuple[float, float]:
    """p and q of a kind that has no parameters besides ε, as its paper prints them."""
    e, root = math.exp(epsilon), math.exp(epsilon / 2)
    grr, sue = (e / (e + d - 1), 1 / (e + d - 1)), (root / (root + 1), 1 / (root + 1))
    oue = 0.5, 1 / (e + 1)
    pairs = {"grr": grr, "l-grr": grr, "sue": sue, "l-sue": sue, "oue": oue, "l-osue": oue}
    assert kind in {*pairs, "l-oue"}, (
        f"no law of the reports of {kind}: CONTRIBUTING, Add an oracle"
    )
    return pairs[kind] if kind in pairs else l_oue(epsilon)


def l_oue(epsilon: float) -> tuple[float, float]:
    """p and q of L-OUE at one time, with twice the budget for what is kept.

    Both noises keep a 1 with probability 1/2; q of the second is searched for, by bisection.
    """
    kept = 1 / (math.exp(2 * epsilon) + 1)
    low, high = 0.0, 0.5
    for _ in range(100):
        sent = (low + high) / 2
        p, q = 0.25 + sent / 2, kept / 2 + (1 - kept) * sent
        low, high = (sent, high) if p * (1 - q) > math.exp(epsilon) * (1 - p) * q else (low, sent)
    return p, q


def one_of(rates: Floats) -> Floats:
    """Exactly one item is supported, item v with probability rates[v]."""
    law = np.zeros(2 ** len(rates))
    law[2 ** np.arange(len(rates))] = rates
    return law


def independent(rates: Floats) -> Floats:
    """Every item on its own, item v with probability rates[v]."""
    law = np.ones(1)
    for rate in rates:
        law = np.concatenate([law * (1 - rate), law * rate])
    return law


def hashed(case: Case, item: int) -> Floats:
    """An honest report under hashing, by going through every function from items to buckets."""
    d, g = case.domain_size, case.hash_range
    assert g is not None
    law = np.zeros(2**d)
    for buckets in itertools.product(range(g), repeat=d):
        for sent in range(g):
            chance = case.p if sent == buckets[item] else (1 - case.p) / (g - 1)
            law[sum(2**v for v in range(d) if buckets[v] == sent)] += chance / g**d
    return law


def matched_law(
    r: int, g: int, seeds: int, scoring: Literal["anchor", "bucket"]
) -> NDArray[np.float64]:
    """The law of the targets, of r, that the best of `seeds` functions puts together; [r + 1].

    Goes through all g^r placements: one seed's score, then the largest of `seeds` scores.
    """
    one = np.zeros(r + 1)
    for buckets in itertools.product(range(g), repeat=r):
        if scoring == "anchor":
            one[buckets.count(buckets[0])] += 1 / g**r
        else:
            one[max(buckets.count(bucket) for bucket in buckets)] += 1 / g**r
    return np.diff(np.minimum(np.cumsum(one), 1) ** seeds, prepend=0.0)


def fewest_law(r: int, g: int, seeds: int) -> NDArray[np.float64]:
    """The law of the targets, of r, in the emptiest bucket of the best of `seeds`; [r + 1].

    Goes through all g^r placements: one seed's score, then the least of `seeds` scores.
    """
    one = np.zeros(r + 1)
    for buckets in itertools.product(range(g), repeat=r):
        one[min(buckets.count(bucket) for bucket in range(g))] += 1 / g**r
    at_least = np.append(np.cumsum(one[::-1])[::-1], 0.0)
    return -np.diff(np.minimum(at_least, 1) ** seeds)


def _subset_of(d: int, items: list[int], size: int, always: list[int]) -> Floats:
    """`always`, and a uniform subset of `items` of this size."""
    law = np.zeros(2**d)
    for subset in itertools.combinations(items, size):
        law[sum(2**v for v in (*subset, *always))] += 1 / math.comb(len(items), size)
    return law


def _either(left: Floats, right: Floats) -> Floats:
    """The law of the items that at least one of two independent reports supports."""
    law = np.zeros(len(left))
    for subset in np.flatnonzero(left):
        np.add.at(law, subset | np.arange(len(right)), left[subset] * right)
    return law


def subset_bits(size: int) -> NDArray[np.float64]:
    """float64[size, d]: 1 where a subset holds an item.

    A size that is a power of 3 is of what reports say that also speak against items, with -1.
    """
    if size & (size - 1):
        digits = np.arange(size)[:, None] // 3 ** np.arange(round(math.log(size, 3))) % 3
        return np.where(digits == 2, -1.0, digits)
    d = size.bit_length() - 1
    return (np.arange(size)[:, None] >> np.arange(d) & 1).astype(float)
