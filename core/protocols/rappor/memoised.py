"""RAPPOR over several rounds, in all its forms: what users keep, and what that costs them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from ...base.sampling import Counts
from ...law.capabilities import Attendance
from ...law.pure import Items, Reports, Rng
from ..chains import BitUsers, OneBitEach, memoised_counts
from .noise import BitNoise
from .privacy import epsilon_of_rounds


@dataclass(frozen=True)
class KeptBits:
    """The permanent bits of RAPPOR's users: `core.law.capabilities.Memoises`.

    protocol : RAPPOR in any form, a unary encoding where it is basic; `noise` is its own.
    """

    protocol: Any
    noise: BitNoise

    @property
    def hashes(self) -> int:
        """h; 1 where a report has no Bloom filter."""
        return getattr(self.protocol, "hashes", 1)

    @property
    def _alone(self) -> OneBitEach:
        return OneBitEach(self.protocol.domain_size, self.noise.chain)

    @property
    def _filters(self) -> BitUsers:
        """The protocol's own Bloom filters; where it has none, each item has a bit."""
        bloom = hasattr(self.protocol, "bit_users")
        return cast("BitUsers", self.protocol) if bloom else self._alone

    @property
    def kept(self) -> tuple[float, float]:
        return self.noise.chain.p1, self.noise.chain.q1

    @property
    def epsilon_infinity(self) -> float:
        return self.noise.epsilon_infinity(self.hashes)

    def epsilon_of_rounds(self, rounds: int) -> float:
        return epsilon_of_rounds(self.noise, self.hashes, rounds)

    def memoised_counts(self, rounds: Attendance) -> Iterator[Counts]:
        return memoised_counts(self._filters, self.noise.chain, rounds)

    def memoised_reports(self, values: Items, permanent: Rng, fresh: Rng) -> Reports:
        if hasattr(self.protocol, "report"):
            return cast("Reports", self.protocol.report(values, permanent, fresh))
        bits = self._alone
        return bits.send(bits.keep(values, permanent), fresh)
