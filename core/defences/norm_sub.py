"""Norm-Sub: the nearest frequencies that are none below zero and sum to one.

Wang, Lopuhaa-Zwakenberg, Li, Skoric, Li, "Locally Differentially Private Frequency Estimation with
Consistency", NDSS 2020, section 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..sampling import Floats


@dataclass(frozen=True)
class NormSub:
    """Project the estimates onto the simplex: max(f - t, 0) with the t that makes the sum one."""

    kind: Literal["norm-sub"] = "norm-sub"

    def correct(self, frequencies: Floats) -> Floats:
        """The Euclidean projection of each row of float64[trials, d], in O(d log d)."""
        falling = -np.sort(-frequencies, axis=-1)
        sizes = np.arange(1, frequencies.shape[-1] + 1)
        shifts = (np.cumsum(falling, axis=-1) - 1) / sizes
        kept = (falling > shifts).sum(axis=-1, keepdims=True)
        return np.maximum(frequencies - np.take_along_axis(shifts, kept - 1, axis=-1), 0)
