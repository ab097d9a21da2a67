"""dBitFlipPM: dBitFlip whose users memoise their bits, and send the same bits in every round.

Ding, Kulkarni, Yekhanin, "Collecting Telemetry Data Privately", NIPS 2017, section 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ...law.longitudinal import Memoising
from ...law.moments import Collection, Moments
from ...law.pure import Items, Reports, Rng
from .flips import BitFlips


@dataclass(frozen=True)
class KeptBitFlips(BitFlips, Memoising):
    """dBitFlip whose users send the same bits in each round as long as their item stays."""

    called: ClassVar[str] = "dBitFlipPM"
    by_reports: ClassVar[bool] = True

    @property
    def epsilon_infinity(self) -> float:
        return self.epsilon

    def epsilon_of_rounds(self, rounds: int) -> float:  # noqa: ARG002
        """ε of any number of reports, in nats: that of one, as they are identical."""
        return self.epsilon

    @property
    def epsilon_lifetime(self) -> float:
        """ε of a user whose item becomes every item in turn, in nats.

        All items without a bit share one answer, and each answer costs ε at most.
        """
        return min(self.sampled + 1, self.domain_size) * self.epsilon

    def variances(self, collection: Collection) -> Moments | None:
        """The variances of dBitFlip's estimates in one collection; None for pooled rounds, which
        share noise.
        """
        return None if collection.rounds else super().variances(collection)

    def memoised_reports(self, values: Items, permanent: Rng, fresh: Rng) -> Reports:  # noqa: ARG002
        return self.perturb(values, permanent)
