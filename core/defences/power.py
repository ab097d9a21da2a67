"""Power: the expected frequency given its estimate, where frequencies follow a power law.

Wang, Lopuhaä-Zwakenberg, Li, Škorić, Li, "Locally Differentially Private Frequency Estimation with
Consistency", NDSS 2020, after Jia, Gong, "Calibrate", INFOCOM 2019. They fit the exponent to each
estimate; here it is a parameter, as a fit would be one more choice.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Final, Literal

import numpy as np

from ..base.ranges import Range
from ..base.sampling import Floats
from .step import Correction, Known

if TYPE_CHECKING:
    from scipy.interpolate import PchipInterpolator

FAR: Final = 30.0
"""Deviations above 0 from which on the noise does not reach the ends of the prior."""
LOW: Final = -12.0
"""The lowest estimate that is told from lower ones, in deviations."""


@dataclass(frozen=True)
class Power(Correction):
    """The mean of x given f~ = x + noise of deviation σ, x with a density ∝ x^-a on [1/N, 1].

    exponent : a. Frequencies of a Zipf law of exponent s have a = 1 + 1/s. The results do not sum
        to one; Norm-Sub behind it makes them do so (PowerNS).
    """

    needs = "noise"
    exponent: Annotated[float, Range(0, 10, "(]")] = 2.0
    kind: Literal["power"] = "power"

    def correct(self, frequencies: Floats, known: Known) -> Floats:
        least, sigma = 1 / known.users, known.std
        scores = np.maximum(frequencies / sigma, LOW)
        near = _near(self.exponent, least / sigma, 1 / sigma)
        means: Floats = near(np.minimum(scores, FAR))
        far = scores >= FAR  # few items, if any
        means[far] = _far(self.exponent, scores[far])
        return np.clip(sigma * means, least, 1.0)


@lru_cache(maxsize=16)
def _near(exponent: float, least: float, most: float) -> PchipInterpolator:
    """The mean of t given z = t + standard noise, t with a density ∝ t^-a on [least, most].

    As a function of z in [LOW, FAR], by the trapezoidal rule in ln t.
    """
    from scipy.interpolate import PchipInterpolator

    logs = np.linspace(np.log(least), np.log(min(most, FAR + 10)), 800)
    t, z = np.exp(logs), np.linspace(LOW, FAR, 800)[:, None]
    exponents = (1 - exponent) * logs + z * t - t**2 / 2
    weights = np.exp(exponents - exponents.max(axis=1, keepdims=True))
    weights[:, [0, -1]] /= 2
    # Without BLAS, whose second thread would spin on for 0.2 s.
    return PchipInterpolator(z[:, 0], (weights * t).sum(axis=1) / weights.sum(axis=1))


def _far(exponent: float, scores: Floats) -> Floats:
    """The mean score of scores z from FAR on, where the ends of the integral do not matter.

    E (z + s)^(1-a) / E (z + s)^-a, s standard normal.
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(10)
    weighted, mass = np.zeros_like(scores), np.zeros_like(scores)
    for node, weight in zip(nodes, weights, strict=True):
        # Divided by z^-a, which might overflow.
        part = weight * (1 + node / scores) ** -exponent
        weighted += part * (scores + node)
        mass += part
    return weighted / mass
