"""The privacy loss of a protocol or a mechanism, and of the exponential mechanism.

The choice of an item: McSherry, Talwar, FOCS 2007; Dwork, Roth 2014, section
3.4. An item's utility is its count, which one person changes by 1 at most, for either kind of
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

    sensitivity : Δu.
    """

    epsilon: Annotated[float, BUDGET]
    sensitivity: Annotated[float, Range(0, float("inf"), "()")] = 1.0

    def probabilities(self, utilities: Counts | Floats) -> Floats:
        """float64[…, d]: the probability that each item is chosen, from utilities [..., d]."""
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
    """The exact privacy loss of a protocol or a mechanism, between two inputs that differ most.

    Raises ScenarioError if the mechanism has no closed form.
    """
    privacy_loss: Callable[[], Loss] | None = getattr(mechanism, "privacy_loss", None)
    if privacy_loss is None:
        raise ScenarioError(
            f"has no closed form of its privacy loss: {mechanism!r}", key="protocol"
        )
    return privacy_loss()


def exponential_loss(mechanism: Exponential, histogram: Counts, leaves: int, to: int) -> Loss:
    """The exact privacy loss of the choice of an item, if one user changes from item `leaves` to
    item `to`.

    histogram : int64[d]. Raises ScenarioError if no user has item `leaves`.
    """
    other = np.array(histogram)
    if not other[leaves] > 0:
        raise ScenarioError(f"must be held by a user, got item {leaves}", key="leaves")
    other[leaves] -= 1
    other[to] += 1
    return DiscreteLoss.between(mechanism.probabilities(histogram), mechanism.probabilities(other))
