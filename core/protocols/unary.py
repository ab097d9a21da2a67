"""Unary encoding: the report is d bits, each perturbed on its own. SUE, OUE, and any p between.

Wang, Blocki, Li, Jha, USENIX Security 2017, section 4.2. Attacks:
Cao, Jia, Gong, USENIX Security 2021, section 3.4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from ..base.ranges import Range
from ..base.sampling import (
    hypergeometric_law,
    packed_bernoulli,
    set_bits,
)
from ..base.secure import generator
from ..law.enumeration import CELLS, ReportLaw, bits_name, independent_bits, item_name
from ..law.exchangeable import IndependentItems, holder_size
from ..law.law import Ask, LawName, SupportSizes
from ..law.pure import BoolArray, Encodes, Items, OverItems, Reports, Rng, items_of
from .budget import Budget, Dial
from .packed import PackedBits

KEEP = Range(0, 1, "()")


class IndependentBits(IndependentItems, Encodes, PackedBits):
    """The base of unary encodings: one bit per item, 1 with probability p for the user's item and q
    for any other.

    A protocol is a frozen dataclass of this class with `domain_size`, `epsilon`, `p` and `q`.
    """

    family: ClassVar[str]
    encoded_rate: ClassVar[float] = 0.0
    random_rate: ClassVar[float] = 0.5
    crafted: ClassVar[frozenset[LawName]] = frozenset(
        {"crafted", "subset", "disguised", "avoided", "solved"}
    )

    def craft_sizes(self, ask: Ask) -> SupportSizes:
        """The numbers of targets and other items that a crafted report supports.

        With padding up to the expected number of ones of an honest report, unless the attack sets
        the numbers.
        """
        d, r = self.domain_size, ask.targets.size
        match ask.law:
            case "subset" if ask.subset < r:  # MGA-A: padding may hit the other targets
                room = d - ask.subset
                pad = min(self.padding(ask.subset), room)
                hit, chances = hypergeometric_law(room, r - ask.subset, pad)
                return SupportSizes(ask.subset + hit, chances, pad - hit)
            case "disguised":  # APA: as many ones as an honest report has, targets first
                ones, chances = holder_size(self, d, True)
                return SupportSizes(np.minimum(ones, r), chances, ones - np.minimum(ones, r))
            case "avoided":
                return SupportSizes.of_one_size(0, min(self.padding(0), d - r))
            case "solved" if ask.sizes is not None:
                return ask.sizes
        return SupportSizes.of_one_size(r, min(self.padding(r), d - r))

    def perturb(self, values: Items, rng: Rng | None = None) -> Reports:
        rng = generator(rng)
        values = items_of(values, self.domain_size)
        return self.sample_background(values, rng.random(values.size) < self.p, rng)

    def sample_background(self, values: Items, held: BoolArray, rng: Rng) -> Reports:
        reports = packed_bernoulli(self.q).draw(values.size, self.domain_size, rng)
        set_bits(reports, values, held)
        return reports

    def _uniform(self, count: int, rng: Rng) -> Reports:
        reports = rng.integers(0, 256, size=(count, -(-self.domain_size // 8)), dtype=np.uint8)
        if self.domain_size % 8:
            reports[:, -1] &= np.uint8(0xFF << (8 - self.domain_size % 8) & 0xFF)
        return reports

    def padding(self, r: int) -> int:
        """The number of other items that a crafted report supports, so that its number of ones is
        the expected one.

        l = floor(p + (d-1) q - r), at least 0. Cao, Jia, Gong, section 3.4.
        """
        ones: int = math.floor(self.p + (self.domain_size - 1) * self.q - r)
        return max(0, ones)

    def encode_items(self, values: Items) -> Reports:
        reports = self._blank(values.size)
        reports[np.arange(values.size), values // 8] = 128 >> values % 8
        return reports

    def enumerate_reports(self) -> ReportLaw | None:
        """The probability of every report for every item; None if there are too many."""
        d = self.domain_size
        if d > 20 or d << d > CELLS:
            return None
        rates = np.full((d, d), self.q)
        absent = 1 - rates
        np.fill_diagonal(rates, self.p)
        np.fill_diagonal(absent, self.absence_probability)
        law = independent_bits(rates, absent)
        return ReportLaw(law, item_name, lambda y: f"bits {bits_name(y, d)}")


@dataclass(frozen=True)
class Unary(OverItems, IndependentBits):
    """Unary encoding with a given p, and the q that follows from ε.

    epsilon = ln(p(1-q) / ((1-p)q)), in nats.
    """

    called: ClassVar[str] = "unary encoding"
    family: ClassVar[str] = "unary"

    p: Annotated[float, KEEP]

    @property
    def q(self) -> float:
        return self.p / (self.p + (1 - self.p) * math.exp(self.epsilon))


def SUE(domain_size: int, epsilon: float) -> Unary:  # noqa: N802
    """Symmetric unary encoding: p + q = 1. W17 section 4.2."""
    half = math.exp(epsilon / 2)
    return Unary(domain_size, epsilon, half / (half + 1))


def OUE(domain_size: int, epsilon: float) -> Unary:  # noqa: N802
    """Optimised unary encoding: p = 1/2, q = 1/(e^ε + 1), the least Var*. W17 section 4.2."""
    return Unary(domain_size, epsilon, 0.5)


@dataclass(frozen=True)
class SUESpec(Budget, kind="sue", mechanism=Unary, make=SUE):
    """The `[protocol]` table of SUE, before the domain is known."""


@dataclass(frozen=True)
class OUESpec(Budget, kind="oue", mechanism=Unary, make=OUE):
    """The `[protocol]` table of OUE, before the domain is known."""


@dataclass(frozen=True)
class UESpec(Budget, kind="ue", mechanism=Unary, dial=Dial("keep", KEEP)):
    """The `[protocol]` table of unary encoding with any p, before the domain is known."""

    keep: Annotated[float, KEEP] = 0.5


SPECS = (SUESpec, OUESpec, UESpec)
