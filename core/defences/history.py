"""History: an alarm where an estimate jumps from one round to the next beyond its noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from ..base.ranges import ALPHA
from ..base.sampling import Floats
from ..law.pure import BoolArray
from .correction import Known, require_pure
from .step import Step


@dataclass(frozen=True)
class History(Step):
    """Alarm where any item's estimates of two rounds differ by more than noise explains.

    Without an attack and with the same users in both rounds the difference of an item has mean 0
    and the variance of both estimates, W17 theorem 2 each; the bound is shared by all items
    (Bonferroni), so that a round alarms by chance with probability `chance` at most, about.
    """

    compares_rounds: ClassVar[bool] = True
    libraries: ClassVar[tuple[str, ...]] = ("scipy.special",)

    chance: Annotated[float, ALPHA] = 0.01
    kind: Literal["history"] = "history"

    def check(self, known: Known) -> None:
        require_pure(self.kind, known)

    def alarmed(self, frequencies: Floats, known: Known) -> BoolArray | None:
        from scipy.special import ndtri

        before = known.before
        if before is None:
            return None
        p, q = known.probabilities
        held = np.clip((frequencies + before) / 2, 0, 1)
        once = (q * (1 - q) / (p - q) ** 2 + held * (1 - p - q) / (p - q)) / known.users
        bound = -ndtri(self.chance / (2 * known.domain_size)) * np.sqrt(2 * once)
        return np.asarray((np.abs(frequencies - before) > bound).any(axis=1))
