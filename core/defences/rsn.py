"""Robust Norm-Sub (RSN): small estimates alone pay what is too much.

Li, Li, Wang, Sun, "Mitigating Data Poisoning Attacks to LDP", CCS 2025.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..base.sampling import Floats
from .norms import project
from .step import Correction, Known


@dataclass(frozen=True)
class RobustNormSub(Correction):
    """Norm-Sub that leaves the large estimates alone.

    An estimate is large from 2x on, where x = 2σ(x) is the frequency whose noise reaches 0. All
    are shifted to the sum one; then those below 2x are projected so that the sum is one again. If
    the large ones exceed one by themselves, they are scaled. The
    paper's loop over the negative estimates ends in that projection.
    """

    needs = "pure"
    kind: Literal["rsn"] = "rsn"

    def correct(self, frequencies: Floats, known: Known) -> Floats:
        limit = 2 * noisy_frequency(known)
        missing = 1 - frequencies.sum(axis=-1, keepdims=True)
        shifted = frequencies + missing / frequencies.shape[-1]
        large = shifted >= limit
        small = np.where(large, -np.inf, shifted)
        kept = np.where(large, shifted, 0.0)
        made = kept + project(small, 1 - kept.sum(axis=-1))
        untouched = (shifted >= 0).all(axis=-1, keepdims=True)
        made = np.where(untouched, shifted, made)
        return np.asarray(made / made.sum(axis=-1, keepdims=True))


def noisy_frequency(known: Known) -> float:
    """The x with x = 2 σ(x), where σ(x) is the deviation of the estimate of a frequency x.

    The positive root of N (p-q)² x² = 4 [x p(1-p) + (1-x) q(1-q)].
    """
    p, q = known.probabilities
    square, slope, constant = (
        known.users * (p - q) ** 2,
        4 * (p * (1 - p) - q * (1 - q)),
        q * (1 - q),
    )
    return (slope + math.sqrt(slope**2 + 16 * square * constant)) / (2 * square)
