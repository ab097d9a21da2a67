"""The privacy loss of whatever a user may name: a protocol, a mechanism, the choice of an item.

The choice is the exponential mechanism's: McSherry, Talwar, FOCS 2007; Dwork, Roth 2014, section
3.4. An item's utility is its count, which one person changes by 1 at most, whichever the
neighbours.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from ..base.errors import ScenarioError
from ..base.ranges import BUDGET, Range, RangeChecked
from ..base.sampling import Counts, Floats
from ..law.loss import DiscreteLoss, Loss
from ..law.pure import Items, Rng


@dataclass(frozen=True)
class Exponential(RangeChecked):
    """The exponential mechanism: item v with probability proportional to e^(ε u_v / 2Δu), u_v its
    number of users.
    """

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


def loss_of(mechanism: object) -> Loss:
    """The exact loss of a protocol or a mechanism, for two inputs that differ as much as possible.

    Raises ScenarioError for what has no closed form.
    """
    privacy_loss: Callable[[], Loss] | None = getattr(mechanism, "privacy_loss", None)
    if privacy_loss is None:
        raise ScenarioError(
            f"has no closed form of its privacy loss: {mechanism!r}", key="protocol"
        )
    return privacy_loss()


def exponential_loss(mechanism: Exponential, histogram: Counts, leaves: int, to: int) -> Loss:
    """The exact loss of the choice of an item, when one user changes from an item to another."""
    other = np.array(histogram)
    if not other[leaves] > 0:
        raise ScenarioError(f"must be held by a user, got item {leaves}", key="leaves")
    other[leaves] -= 1
    other[to] += 1
    return DiscreteLoss.between(mechanism.probabilities(histogram), mechanism.probabilities(other))
