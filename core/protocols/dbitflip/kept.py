"""dBitFlipPM: dBitFlip whose users keep their bits, and send the same ones in every round.

Ding, Kulkarni, Yekhanin, "Collecting Telemetry Data Privately", NIPS 2017, section 4.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...base.sampling import Counts, binomial
from ...law.longitudinal import Attendance, Memoising
from ...law.moments import Collection, Moments
from ...law.pure import Items, Reports, Rng
from .flips import BitFlips

States = tuple[Counts, Counts, Counts]
"""int64[trials, d] each: the users whose kept bit of an item is 1, is 0, or does not exist."""


@dataclass(frozen=True)
class KeptBitFlips(BitFlips, Memoising):
    """The same bits in every round, as long as a user holds the item: no fresh noise."""

    called: ClassVar[str] = "dBitFlipPM"

    @property
    def kept(self) -> tuple[float, float]:
        """The chances that a report has a bit of the own item that is 1, and of another one."""
        own, other = self.rates
        return self.part * own, self.part * other

    @property
    def epsilon_infinity(self) -> float:
        return self.epsilon

    def epsilon_of_rounds(self, rounds: int) -> float:  # noqa: ARG002
        """ε, however many reports there are: they are the same."""
        return self.epsilon

    @property
    def epsilon_lifetime(self) -> float:
        """ε of a user who comes to hold every item: D items and all others, (D + 1) answers.

        All items without a bit share an answer. Each answer costs ε at most.
        """
        return min(self.sampled + 1, self.domain_size) * self.epsilon

    def variances(self, collection: Collection) -> Moments | None:
        """As of dBitFlip in one collection; unknown of rounds together, whose noise is the same."""
        return None if collection.rounds else super().variances(collection)

    def memoised_reports(self, values: Items, permanent: Rng, fresh: Rng) -> Reports:  # noqa: ARG002
        return self.perturb(values, permanent)

    def memoised_counts(self, rounds: Attendance) -> Iterator[Counts]:
        own, other = self.rates
        histograms, left = rounds.histograms, rounds.left
        trials, permanent = rounds.trials, rounds.permanent
        holders = self._entered(histograms[0], own, trials, permanent)
        others = self._entered(histograms[0].sum() - histograms[0], other, trials, permanent)
        for number, histogram in enumerate(histograms):
            gone = left[number]
            if gone.any():
                new = histogram - histograms[number - 1] + gone
                holders = self._replaced(holders, gone, new, own, permanent)
                elsewhere = gone.sum() - gone, new.sum() - new
                others = self._replaced(others, *elsewhere, other, permanent)
            rounds.fresh(number)  # nothing is drawn, but a run may stop here
            ones = holders[0] + others[0]
            yield np.stack([ones + holders[1] + others[1], ones], axis=-2)

    def _entered(self, users: Counts, rate: float, trials: int, rng: Rng) -> States:
        """New users, int64[d] by item, and their bits of that item."""
        everyone = np.broadcast_to(users, (trials, users.size))
        drawn = binomial(everyone, self.part, rng)
        ones = binomial(drawn, rate, rng)
        return ones, drawn - ones, everyone - drawn

    def _replaced(self, there: States, gone: Counts, new: Counts, rate: float, rng: Rng) -> States:
        """Any `gone` of the users leave, and new ones draw bits of their own."""
        ones, zeros, absent = there
        first = rng.hypergeometric(ones, zeros + absent, gone)
        second = rng.hypergeometric(zeros, absent, gone - first)
        leaving = first, second, gone - first - second
        entering = self._entered(new, rate, len(ones), rng)
        one, two, three = (
            have - less + more for have, less, more in zip(there, leaving, entering, strict=True)
        )
        return one, two, three
