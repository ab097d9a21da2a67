"""The exponential mechanism: choose the most frequent item privately.

McSherry, Talwar, FOCS 2007; Dwork, Roth 2014, section 3.4. An item's utility is its count, which
one person changes by 1 at most, whichever the neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from ..base.ranges import BUDGET, Bounded, Range
from ..base.sampling import Counts, Floats
from ..law.pure import Items, Rng


@dataclass(frozen=True)
class Exponential(Bounded):
    """Choose item v with probability proportional to e^(ε u_v / 2Δu), u_v the number of users."""

    epsilon: Annotated[float, BUDGET]
    sensitivity: Annotated[float, Range(0, float("inf"), "()")] = 1.0

    def probabilities(self, utilities: Counts | Floats) -> Floats:
        """float64[…, d]: how likely each item is chosen."""
        weights = self.epsilon * (utilities - utilities.max(axis=-1, keepdims=True))
        chances = np.exp(weights / (2 * self.sensitivity))
        return np.asarray(chances / chances.sum(axis=-1, keepdims=True))

    def sample(self, histogram: Counts, rng: Rng) -> Items:
        """int64[trials]: the chosen items of int64[trials, d] users per item."""
        # The largest of the utilities with Gumbel noise has exactly this law.
        noise = rng.gumbel(size=histogram.shape)
        return np.asarray(
            (self.epsilon * histogram / (2 * self.sensitivity) + noise).argmax(axis=-1)
        )

    def success(self, histogram: Counts) -> float:
        """Pr[the chosen item is a most frequent one], exact."""
        return float(self.probabilities(histogram)[histogram == histogram.max()].sum())
