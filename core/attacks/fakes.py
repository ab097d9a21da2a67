"""The fake users of one collection: the number of each kind, and its targets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base.sampling import Counts, binomial
from ..law.pure import Items, Rng
from .strategy import Strategy


@dataclass(frozen=True, eq=False)
class Fakes:
    """Fake users who all do the same: their strategy, their targets and their number.

    sent : the probability that one of them sends a report at all.
    """

    strategy: Strategy
    targets: Items
    count: int
    sent: float = 1.0

    def sending(self, count: Counts, rng: Rng) -> Counts:
        """The number of those who send a report, of int64[…] fakes."""
        return count if self.sent == 1 else np.asarray(binomial(count, self.sent, rng))


def malicious_users(users: int, share: float) -> int:
    """The number m = round(n·β / (1 - β)) of fakes that are a share β of all n + m users."""
    return round(users * share / (1 - share))
