"""Protocols whose items have places: their closed forms towards the first items.

Which items the targets are decides what one report supports (`core.law.capabilities.Places`); where
only their number is given, they are the first ones.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from ..base.sampling import Floats
from ..law.pure import Items, SeedSearch
from ..law.support import Support


class Placed(ABC):
    """The support of one report of each law towards the first r items, and their variance."""

    domain_size: Any

    @abstractmethod
    def _first(self, law: str, r: int) -> Support:
        """One fake report of this law towards the first r items; `law` as in `core.attacks`."""

    @abstractmethod
    def placed_sum_variance(self, frequencies: Floats, targets: Items) -> float:
        """n times the variance of the sum of the targets' estimates, at these frequencies."""

    def honest_support(self, r: int) -> Support:
        return self._first("honest", r)

    def random_support(self, r: int) -> Support:
        return self._first("random", r)

    def unperturbed_support(self, r: int) -> Support:
        return self._first("unperturbed", r)

    def crafted_support(self, r: int, search: SeedSearch) -> Support:  # noqa: ARG002
        return self._first("crafted", r)

    def avoided_support(self, r: int, search: SeedSearch) -> Support:  # noqa: ARG002
        return self._first("avoided", r)

    def target_sum_variance(self, r: int, target_frequency: float, users: int = 1) -> float:  # noqa: ARG002
        """The variance of the total of r targets, all held alike, where so are the others."""
        d = self.domain_size
        frequencies = np.full(d, target_frequency / r)
        if r < d:
            frequencies[r:] = (1 - target_frequency) / (d - r)
        return self.placed_sum_variance(frequencies, np.arange(r))
