"""The privacy loss of whatever a user may name: a protocol, a mechanism, the choice of an item."""

from __future__ import annotations

from typing import Final, Protocol

import numpy as np

from ..base.capability import Capability
from ..base.errors import ScenarioError
from ..base.sampling import Counts
from ..law.loss import DiscreteLoss, Loss
from .exponential import Exponential


class Losing(Protocol):
    """The loss of its reports is known."""

    def privacy_loss(self) -> Loss:
        """The privacy loss between two inputs that differ as much as possible."""
        ...


has_loss: Final[Capability[Losing]] = Capability("privacy_loss")
"""True where the exact loss is known."""


def loss_of(mechanism: object) -> Loss:
    """The exact loss of a protocol or a mechanism, for two inputs that differ as much as possible.

    Raises ScenarioError for what has no closed form.
    """
    if not has_loss(mechanism):
        raise ScenarioError(
            f"has no closed form of its privacy loss: {mechanism!r}", key="protocol"
        )
    return mechanism.privacy_loss()


def exponential_loss(mechanism: Exponential, histogram: Counts, leaves: int, to: int) -> Loss:
    """The exact loss of the choice of an item, when one user changes from an item to another."""
    other = np.array(histogram)
    if not other[leaves] > 0:
        raise ScenarioError(f"must be held by a user, got item {leaves}", key="leaves")
    other[leaves] -= 1
    other[to] += 1
    return DiscreteLoss.between(mechanism.probabilities(histogram), mechanism.probabilities(other))
