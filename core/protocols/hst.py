"""The protocol of public or private coins (HST): a sign for each item, and one perturbed sign.

Bassily, Smith, STOC 2015; Hsu, Khanna, Roth, ICALP 2012; both settings as in Li, Li, Wang, Sun,
"Mitigating Data Poisoning Attacks to LDP", CCS 2025. A vector of fair coins s in {-1, 1}^d belongs
to each user, who reports the sign of the user's item, kept with probability e^ε/(e^ε + 1). A report
supports the items whose coin equals the reported sign.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, TypeAlias

import numpy as np

from ..law.law import Ask, Lack, Law
from ..law.pure import Items, OverItems, Reports, Rng, SeedSearch
from .budget import Budget
from .hashing import LocalHashing
from .unary import IndependentBits

Coin: TypeAlias = Literal["public", "user"]

ASSIGNED = SeedSearch(1, "bucket")
"""The search of a fake whose coins are public: its vector is given, the sign is its choice."""


@dataclass(frozen=True)
class PublicCoins(LocalHashing):
    """HST with public coins: the server draws the seed of each user's coins; local hashing to one
    bit.

    Reports are those of local hashing with g = 2. A fake cannot choose its coins, as it can choose
    a hash function under BLH: it supports those of the r targets that share one sign.
    """

    called: ClassVar[str] = "HST"
    family: ClassVar[str] = "hst"
    lacks: ClassVar[dict[str, str]] = {
        "disguised": "HST with public coins, whose report is one sign and has no number of ones",
    }

    linked = True
    """The seed tells the server whose report it is."""

    hash_range: int = 2

    @property
    def report_bits(self) -> float:
        """The number of bits of one report: one, a sign, as the server knows the seed."""
        return 1.0

    def law_of(self, ask: Ask) -> Law | Lack:
        return super().law_of(replace(ask, search=ASSIGNED))


@dataclass(frozen=True)
class UserCoins(OverItems, IndependentBits):
    """HST with user coins: the user draws the coins, multiplies them by the perturbed sign, and
    sends them.

    The bit of the user's item is 1 with probability e^ε/(e^ε + 1), every other bit is a fair coin.
    A fake sends any vector, such as one with all targets.
    """

    called: ClassVar[str] = "HST"
    family: ClassVar[str] = "hst"
    encoded_rate: ClassVar[float] = 0.5

    @property
    def p(self) -> float:
        return 1 / (1 + math.exp(-self.epsilon))

    @property
    def absence_probability(self) -> float:
        """1 - p, the probability that a report does not support its user's item, exact at
        large ε.
        """
        return 1 / (1 + math.exp(self.epsilon))

    @property
    def q(self) -> float:
        return 0.5

    def padding(self, r: int) -> int:
        """⌊d/2⌋ - r: the other items that a crafted report supports, as half of all coins are 1."""
        return max(0, self.domain_size // 2 - r)

    def unperturbed(self, values: Items, rng: Rng) -> Reports:
        reports = self._uniform(values.size, rng)
        reports[np.arange(values.size), values // 8] |= (128 >> values % 8).astype(np.uint8)
        return reports


@dataclass(frozen=True)
class CoinSpec(Budget, kind="hst", mechanism=PublicCoins):
    """The `[protocol]` table of HST, before the domain is known, with who draws the coins."""

    coin: Coin = "public"

    def bind(self, domain_size: int) -> PublicCoins | UserCoins:
        if self.coin == "user":
            return UserCoins(domain_size, self.epsilon)
        return PublicCoins(domain_size, self.epsilon)


SPECS = (CoinSpec,)
