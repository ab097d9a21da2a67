"""Corrections that make the estimates sum to one, each in its own way.

CJG: Cao, Jia, Gong, USENIX Security 2021. NDSS: Wang, Lopuhaä-Zwakenberg, Li, Škorić, Li, "Locally
Differentially Private Frequency Estimation with Consistency", NDSS 2020, section 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final, Literal

import numpy as np

from ..base.sampling import Floats
from .step import ByEstimates, require_left

ROUNDING: Final = 1e-12
"""A sum may be above one by this much, which is rounding."""


def project(frequencies: Floats, total: float | Floats = 1.0) -> Floats:
    """The nearest point with no value below 0 and this sum, for each row of float64[trials, d].

    max(f - t, 0) with the t that makes the sum `total`, found among the sorted values in
    O(d log d). Values of -inf become 0; so does everything where the total is 0 or less. Held,
    Wolfe, Crowder, Mathematical Programming 1974.

    total : a number, or float64[trials].
    """
    falling = -np.sort(-frequencies, axis=-1)
    sizes = np.arange(1, frequencies.shape[-1] + 1)
    sums = np.asarray(total, dtype=np.float64)[..., None]
    shifts = (np.cumsum(falling, axis=-1) - sums) / sizes
    kept = (falling > shifts).sum(axis=-1, keepdims=True)
    shift = np.take_along_axis(shifts, np.maximum(kept - 1, 0), axis=-1)
    return np.maximum(frequencies - np.where(kept, shift, np.inf), 0)


@dataclass(frozen=True)
class NoCorrection(ByEstimates):
    """The estimates as they are, to compare with."""

    spreads: ClassVar[float] = 0.0
    kind: Literal["none"] = "none"

    def corrected(self, frequencies: Floats) -> Floats:
        return frequencies


@dataclass(frozen=True)
class Normalisation(ByEstimates):
    """Take the least estimate from all, and scale them to the sum one. CJG section 6.1."""

    kind: Literal["normalise"] = "normalise"

    def corrected(self, frequencies: Floats) -> Floats:
        above = frequencies - frequencies.min(axis=-1, keepdims=True)
        total = above.sum(axis=-1, keepdims=True)
        require_left(self.kind, total[..., 0] > 0, "all items of a trial have the same estimate")
        return np.asarray(above / total)


@dataclass(frozen=True)
class Norm(ByEstimates):
    """Add one number to all estimates, so that they sum to one; some stay below 0. NDSS."""

    spreads: ClassVar[float] = 1.0
    kind: Literal["norm"] = "norm"

    def corrected(self, frequencies: Floats) -> Floats:
        missing = 1 - frequencies.sum(axis=-1, keepdims=True)
        return np.asarray(frequencies + missing / frequencies.shape[-1])


@dataclass(frozen=True)
class NormMul(ByEstimates):
    """Cut the estimates off at 0, and scale them to the sum one. NDSS."""

    kind: Literal["norm-mul"] = "norm-mul"

    def corrected(self, frequencies: Floats) -> Floats:
        above = np.maximum(frequencies, 0)
        total = above.sum(axis=-1, keepdims=True)
        require_left(self.kind, total[..., 0] > 0, "no item of a trial is above 0")
        return np.asarray(above / total)


@dataclass(frozen=True)
class NormCut(ByEstimates):
    """Keep the largest estimates whose sum is one at most, and set the others to 0. NDSS.

    The sum stays below one where the positive estimates do not reach it.
    """

    kind: Literal["norm-cut"] = "norm-cut"

    def corrected(self, frequencies: Floats) -> Floats:
        above = np.maximum(frequencies, 0)
        order = np.argsort(-above, axis=-1, kind="stable")
        sums = np.cumsum(np.take_along_axis(above, order, axis=-1), axis=-1)
        kept = np.empty(above.shape, dtype=np.bool_)
        np.put_along_axis(kept, order, sums <= 1 + ROUNDING, axis=-1)
        left = np.where(kept, above, 0.0)
        require_left(
            self.kind, left.any(axis=-1), "the largest of a trial is above 1, or none above 0"
        )
        return left


@dataclass(frozen=True)
class NormSub(ByEstimates):
    """Project the estimates onto the simplex: max(f - t, 0) with the t that makes the sum one.

    NDSS.
    """

    kind: Literal["norm-sub"] = "norm-sub"

    def corrected(self, frequencies: Floats) -> Floats:
        return project(frequencies)
