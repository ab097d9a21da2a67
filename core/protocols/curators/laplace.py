"""The Laplace mechanism: every count of a histogram, plus noise of scale Δ/ε.

Dwork, McSherry, Nissim, Smith, TCC 2006; Dwork, Roth 2014, section 3.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...base.sampling import Counts, Floats
from ...law.loss import LaplaceLoss
from ...law.pure import Rng
from .accuracy import LAPLACE, Precision, sensitivity
from .curator import Curator, CuratorSpec


@dataclass(frozen=True)
class Laplace(Curator):
    """A histogram with independent Laplace noise in each bin; ε-private, unbiased.

    The noise has density e^(-|x|/s) / 2s. For simulation: what is drawn in doubles should not be
    released (Mironov, CCS 2012); Geometric is whole numbers.
    """

    precision: ClassVar[Precision] = LAPLACE

    def noise(self, shape: tuple[int, ...], rng: Rng) -> Floats:
        return rng.laplace(0.0, self.scale, size=shape)

    def privacy_loss(self) -> LaplaceLoss:
        """The privacy loss between two neighbouring tables."""
        return LaplaceLoss(self.epsilon, sensitivity(self.neighbours))

    def squared_error(self, histogram: Counts | Floats) -> Floats:
        """2s²."""
        return np.full(histogram.shape, 2 * self.scale**2)

    def tail(self, histogram: Counts, accuracy: float) -> Floats:
        """e^(-a/s)."""
        return np.full(histogram.shape, np.exp(-max(accuracy, 0.0) / self.scale))


@dataclass(frozen=True)
class LaplaceSpec(CuratorSpec, kind="laplace", mechanism=Laplace):
    """The Laplace mechanism, before the domain is known."""
