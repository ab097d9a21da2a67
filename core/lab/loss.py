"""The privacy loss of whatever a user may name: a protocol, a mechanism, the choice of an item."""

from __future__ import annotations

import numpy as np

from ..base.errors import ScenarioError
from ..base.sampling import Counts
from ..law.loss import DiscreteLoss, Loss
from .exponential import Exponential


def loss_of(mechanism: object) -> Loss:
    """The exact loss of a protocol or a mechanism, for two inputs that differ as much as possible.

    Raises ScenarioError for what has no closed form.
    """
    privacy_loss = getattr(mechanism, "privacy_loss", None)
    if privacy_loss is None:
        raise ScenarioError(
            f"has no closed form of its privacy loss: {mechanism!r}", key="protocol"
        )
    loss: Loss = privacy_loss()
    return loss


def exponential_loss(mechanism: Exponential, histogram: Counts, leaves: int, to: int) -> Loss:
    """The exact loss of the choice of an item, when one user changes from an item to another."""
    other = np.array(histogram)
    if not other[leaves] > 0:
        raise ScenarioError(f"must be held by a user, got item {leaves}", key="leaves")
    other[leaves] -= 1
    other[to] += 1
    return DiscreteLoss.between(mechanism.probabilities(histogram), mechanism.probabilities(other))
