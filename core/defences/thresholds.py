"""Corrections that keep the estimates which noise alone does not explain, and cut off the others.

W17: Wang, Blocki, Li, Jha, USENIX Security 2017. NDSS: Wang, Lopuhaä-Zwakenberg, Li, Škorić, Li,
"Locally Differentially Private Frequency Estimation with Consistency", NDSS 2020.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from ..base.errors import ScenarioError, got
from ..base.ranges import ALPHA, Range
from ..base.sampling import Floats
from ..law.pure import BoolArray
from .step import Correction, Known, require_left


def threshold(alpha: float, known: Known) -> float:
    """T = Φ⁻¹(1 - α/d) σ: among d items that nobody holds, α are expected above it."""
    from scipy.special import ndtri

    return -float(ndtri(alpha / known.domain_size)) * known.std


@dataclass(frozen=True)
class BaseCut(Correction):
    """Keep the estimates above T, and set the others to 0. NDSS.

    The sum is whatever it is. alpha : the expected number of items that are kept though nobody
    holds any item.
    """

    needs = "noise"
    alpha: Annotated[float, Range(0, ends="()")] = 2.0
    kind: Literal["base-cut"] = "base-cut"

    def check(self, known: Known) -> None:
        super().check(known)
        if self.alpha > known.domain_size / 2:
            half = f"d/2 = {known.domain_size / 2:g}"
            rule = f"must be at most {half}, so that no estimate below 0 is kept, {got(self.alpha)}"
            raise ScenarioError(rule, key="alpha")

    def correct(self, frequencies: Floats, known: Known) -> Floats:
        limit = threshold(self.alpha, known)
        left: BoolArray = frequencies > limit
        why = f"no item of a trial is above the threshold {limit:.3g}"
        require_left(self.kind, left.any(axis=-1), why)
        return np.where(left, frequencies, 0.0)


@dataclass(frozen=True)
class Significance(Correction):
    """Keep the estimates above T, and spread what is missing to one evenly over the others. W17.

    Where those kept exceed one already, the others are 0 and the sum stays above one. alpha : the
    probability that any item is kept though nobody holds it, by the normal law: of GRR on 50 items
    and 5,000 users, whose counts are skewed, 0.14 for 0.1.
    """

    needs = "noise"
    alpha: Annotated[float, ALPHA] = 0.05
    kind: Literal["significance"] = "significance"

    def correct(self, frequencies: Floats, known: Known) -> Floats:
        left = frequencies > threshold(self.alpha, known)
        mass = np.where(left, frequencies, 0.0).sum(axis=-1, keepdims=True)
        others = np.maximum((~left).sum(axis=-1, keepdims=True), 1)
        return np.where(left, frequencies, np.maximum(1 - mass, 0) / others)
