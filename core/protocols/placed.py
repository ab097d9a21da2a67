"""Protocols whose items have places: which items the targets are decides what a report supports.

Closed forms by the number of targets alone are towards the first items
(`core.law.capabilities.Places`).
"""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from ..base.sampling import Floats
from ..law.pure import Items, Oracle, Total


class Placed(Oracle):
    """The variance of a sum of estimates, from that of given targets at given frequencies."""

    @abstractmethod
    def placed_sum_variance(self, frequencies: Floats, targets: Items) -> float:
        """n times the variance of the sum of the targets' estimates, at these frequencies."""

    def total_variance(self, total: Total) -> float:
        """The variance of the total of r targets, all held alike, where so are the others."""
        d, r = self.domain_size, total.r
        frequencies = np.full(d, total.frequency / r)
        if r < d:
            frequencies[r:] = (1 - total.frequency) / (d - r)
        return self.placed_sum_variance(frequencies, np.arange(r))
