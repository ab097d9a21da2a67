"""ASD: an alarm where the items that stand out of the noise hold more users than there are.

Li, Li, Wang, Sun, "Mitigating Data Poisoning Attacks to Local Differential Privacy", CCS 2025.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Final, Literal

import numpy as np

from ..base.ranges import Range
from ..base.sampling import Floats
from ..law.pure import BoolArray
from .correction import Known, require_variance
from .step import Step

SLACK = Range(0, 1, "()")
LEVELS: Final = np.arange(0.9, 1 - 5e-5, 1e-4)
"""The confidence levels γ that are tried, as in the authors' code: 0.9, 0.9001, …, 0.9999."""


def noise_bounds(levels: Floats, known: Known) -> Floats:
    """ξ(γ) = Φ⁻¹((1 + γ)/2) σ: the noise of an item is within ±ξ with probability γ, a level."""
    from scipy.special import ndtri

    return np.asarray(ndtri((1 + levels) / 2) * known.std)


@dataclass(frozen=True)
class ASD(Step):
    """Alarm where the counts that exceed what noise explains add up to more than all users.

    With ξ(γ) the bound that an item of nobody stays below in absolute value with probability γ, γ
    is the smallest level with |B| ξ (1 - γ) < λN, where B are the items up to ξ: then noise above
    it can hardly add up to λN.

    slack : λ.
    """

    libraries: ClassVar[tuple[str, ...]] = ("scipy.special",)

    slack: Annotated[float, SLACK] = 0.02
    kind: Literal["asd"] = "asd"

    def check(self, known: Known) -> None:
        require_variance(self.kind, known)

    def alarmed(self, frequencies: Floats, known: Known) -> BoolArray:
        bounds = noise_bounds(LEVELS, known)
        rising = np.sort(frequencies, axis=1)
        above = np.cumsum(rising[:, ::-1], axis=1)[:, ::-1]
        held = np.empty(len(rising))
        for trial, (row, sums) in enumerate(zip(rising, above, strict=True)):
            below = np.searchsorted(row, bounds, side="right")
            enough = below * bounds * (1 - LEVELS) < self.slack
            level = int(enough.argmax()) if enough.any() else -1
            held[trial] = sums[below[level]] if below[level] < row.size else 0.0
        return np.asarray(held > 1)
