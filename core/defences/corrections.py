"""Corrections: defences that change the estimates.

CJG: Cao, Jia, Gong, USENIX Security 2021. NDSS: Wang, Lopuhaä-Zwakenberg, Li, Škorić, Li, "Locally
Differentially Private Frequency Estimation with Consistency", NDSS 2020, section 4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, Literal

import numpy as np

from ..base.errors import ScenarioError, got
from ..base.ranges import ALPHA, Range
from ..base.sampling import Floats
from ..law.pure import BoolArray
from .step import ETA, ByEstimates, Correction, ServerKnowledge, require_left

if TYPE_CHECKING:
    from scipy.interpolate import PchipInterpolator


ROUNDING: Final = 1e-12
"""A sum may be above one by this much, which is rounding."""


def project(frequencies: Floats, total: float | Floats = 1.0) -> Floats:
    """float64[trials, d]: the projection of each row onto the vectors without negative values that
    have this sum.

    max(f - t, 0) with the t that makes the sum `total`, from the sorted values in O(d log d).
    Values of -inf become 0, and all values if the total is 0 or less. Held, Wolfe, Crowder,
    Mathematical Programming 1974.

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
    """A correction that changes nothing, for comparison."""

    spreads: ClassVar[float] = 0.0
    kind: Literal["none"] = "none"

    def correct_frequencies(self, frequencies: Floats) -> Floats:
        return frequencies


@dataclass(frozen=True)
class Normalisation(ByEstimates):
    """A correction that subtracts the smallest estimate from all, then scales them to sum 1.

    CJG section 6.1.
    """

    kind: Literal["normalise"] = "normalise"

    def correct_frequencies(self, frequencies: Floats) -> Floats:
        above = frequencies - frequencies.min(axis=-1, keepdims=True)
        total = above.sum(axis=-1, keepdims=True)
        require_left(self.kind, total[..., 0] > 0, "all items of a trial have the same estimate")
        return np.asarray(above / total)


@dataclass(frozen=True)
class Norm(ByEstimates):
    """A correction that adds one number to all estimates, so that they sum to 1; some may stay
    negative.

    NDSS.
    """

    spreads: ClassVar[float] = 1.0
    kind: Literal["norm"] = "norm"

    def correct_frequencies(self, frequencies: Floats) -> Floats:
        missing = 1 - frequencies.sum(axis=-1, keepdims=True)
        return np.asarray(frequencies + missing / frequencies.shape[-1])


@dataclass(frozen=True)
class NormMul(ByEstimates):
    """A correction that sets negative estimates to 0 and scales the others to sum 1. NDSS."""

    kind: Literal["norm-mul"] = "norm-mul"

    def correct_frequencies(self, frequencies: Floats) -> Floats:
        above = np.maximum(frequencies, 0)
        total = above.sum(axis=-1, keepdims=True)
        require_left(self.kind, total[..., 0] > 0, "no item of a trial is above 0")
        return np.asarray(above / total)


@dataclass(frozen=True)
class NormCut(ByEstimates):
    """A correction that keeps the largest estimates whose sum is at most 1 and sets the others to
    0.

    NDSS. The sum is below 1 if the positive estimates do not reach 1.
    """

    kind: Literal["norm-cut"] = "norm-cut"

    def correct_frequencies(self, frequencies: Floats) -> Floats:
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
    """A correction that projects the estimates onto the simplex: max(f - t, 0), with t such that
    the sum is 1.

    NDSS.
    """

    kind: Literal["norm-sub"] = "norm-sub"

    def correct_frequencies(self, frequencies: Floats) -> Floats:
        return project(frequencies)


# Corrections that keep the estimates which noise alone does not explain, and cut off the others.
#
# W17: Wang, Blocki, Li, Jha, USENIX Security 2017. NDSS: Wang, Lopuhaä-Zwakenberg, Li, Škorić, Li,
# "Locally Differentially Private Frequency Estimation with Consistency", NDSS 2020.


def threshold(alpha: float, known: ServerKnowledge) -> float:
    """The threshold T = Φ⁻¹(1 - α/d) σ: of d items without users, α exceed it on average."""
    from scipy.special import ndtri

    return -float(ndtri(alpha / known.domain_size)) * known.std


@dataclass(frozen=True)
class BaseCut(Correction):
    """A correction that keeps the estimates above the threshold T and sets the others to 0.

    NDSS. The sum is not corrected. alpha : the expected number of items without users that are
    kept.
    """

    needs = "noise"
    alpha: Annotated[float, Range(0, ends="()")] = 2.0
    kind: Literal["base-cut"] = "base-cut"

    def check(self, known: ServerKnowledge) -> None:
        super().check(known)
        if self.alpha > known.domain_size / 2:
            half = f"d/2 = {known.domain_size / 2:g}"
            rule = f"must be at most {half}, so that no estimate below 0 is kept, {got(self.alpha)}"
            raise ScenarioError(rule, key="alpha")

    def correct(self, frequencies: Floats, known: ServerKnowledge) -> Floats:
        limit = threshold(self.alpha, known)
        left: BoolArray = frequencies > limit
        why = f"no item of a trial is above the threshold {limit:.3g}"
        require_left(self.kind, left.any(axis=-1), why)
        return np.where(left, frequencies, 0.0)


@dataclass(frozen=True)
class Significance(Correction):
    """A correction that keeps the estimates above the threshold T and spreads the rest of 1 evenly
    over the others.

    W17. If the kept estimates exceed 1, the others are 0 and the sum stays above 1.

    alpha : the probability that any item without users is kept, for normal noise; with skewed
    counts, such as GRR's on 50 items and 5,000 users, it is 0.14 for 0.1.
    """

    needs = "noise"
    alpha: Annotated[float, ALPHA] = 0.05
    kind: Literal["significance"] = "significance"

    def correct(self, frequencies: Floats, known: ServerKnowledge) -> Floats:
        left = frequencies > threshold(self.alpha, known)
        mass = np.where(left, frequencies, 0.0).sum(axis=-1, keepdims=True)
        others = np.maximum((~left).sum(axis=-1, keepdims=True), 1)
        return np.where(left, frequencies, np.maximum(1 - mass, 0) / others)


# Robust Norm-Sub (RSN): small estimates alone pay what is too much.
#
# Li, Li, Wang, Sun, "Mitigating Data Poisoning Attacks to LDP", CCS 2025.


@dataclass(frozen=True)
class RobustNormSub(Correction):
    """A correction like Norm-Sub that leaves large estimates unchanged.

    An estimate is large from 2x on, where x = 2σ(x) is the frequency whose noise reaches 0. All
    estimates are shifted to the sum 1; then those below 2x are projected so that the sum is 1
    again. Large estimates that exceed 1 together are scaled. The paper's loop over the negative
    estimates ends in that projection.
    """

    needs = "pure"
    kind: Literal["rsn"] = "rsn"

    def correct(self, frequencies: Floats, known: ServerKnowledge) -> Floats:
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


def noisy_frequency(known: ServerKnowledge) -> float:
    """The frequency x that is twice its estimate's standard deviation: x = 2 σ(x).

    The positive root of N (p-q)² x² = 4 [x p(1-p) + (1-x) q(1-q)].
    """
    p, q = known.probabilities
    square, slope, constant = (
        known.users * (p - q) ** 2,
        4 * (p * (1 - p) - q * (1 - q)),
        q * (1 - q),
    )
    return (slope + math.sqrt(slope**2 + 16 * square * constant)) / (2 * square)


# LDPRecover: take the fakes' part out of the estimates, and project the rest onto the simplex.
#
# "LDPRecover: Recovering Frequencies from Poisoning Attacks against Local Differential Privacy",
# ICDE 2024. What a server estimates from n genuine and m fake reports is (n f_X + m f_Y) / (n +
# m), so that f_X = (1+η) f~ - η f_Y with η = m/n, which the server has to guess.


@dataclass(frozen=True)
class Recover(Correction):
    """LDPRecover: a correction that subtracts the reports of fakes, assumed to support one item
    each, evenly from the items above 0.

    The estimates of such fakes sum to (1 - qd)/(p - q), which is subtracted, times η, in equal
    parts from the items above 0. Subtracting the same number from every item changes no projection:
    if the positive estimates sum to 1 at least and (1 - qd)/(p - q) ≤ 1, the result is the
    projection of (1 + η) times the estimates.

    eta : η, the assumed number of fakes for each genuine user.
    """

    needs = "pure"
    eta: Annotated[float, ETA]
    kind: Literal["ldprecover"] = "ldprecover"

    def correct(self, frequencies: Floats, known: ServerKnowledge) -> Floats:
        p, q = known.probabilities
        above = frequencies > 0
        mass = (1 - q * known.domain_size) / (p - q)
        each = mass / np.maximum(above.sum(axis=-1, keepdims=True), 1)
        return project((1 + self.eta) * frequencies - self.eta * np.where(above, each, 0.0))


@dataclass(frozen=True)
class RecoverTargets(Correction):
    """LDPRecover* for a server that knows the targets: a correction that subtracts the reports of
    fakes, assumed to support one target each.

    The estimates of such fakes are -q/(p-q) for other items and (1 - qr)/(r(p-q)) for each of the r
    targets. That is exact for MGA on GRR; fakes that support several targets gain more than is
    subtracted. Without targets the estimates are projected only.

    eta : η, the assumed number of fakes for each genuine user.
    """

    needs = "pure"
    eta: Annotated[float, ETA]
    kind: Literal["ldprecover-star"] = "ldprecover-star"

    def correct(self, frequencies: Floats, known: ServerKnowledge) -> Floats:
        if not known.targets.size:
            return project(frequencies)
        p, q = known.probabilities
        fakes = np.full(known.domain_size, -q / (p - q))
        fakes[known.targets] += 1 / (known.targets.size * (p - q))
        return project((1 + self.eta) * frequencies - self.eta * fakes)


# Power: the expected frequency given its estimate, where frequencies follow a power law.
#
# Wang, Lopuhaä-Zwakenberg, Li, Škorić, Li, "Locally Differentially Private Frequency Estimation
# with Consistency", NDSS 2020, after Jia, Gong, "Calibrate", INFOCOM 2019. They fit the exponent
# to each estimate; here it is a parameter, as a fit would be one more choice.

FAR: Final = 30.0
"""Deviations above 0 from which on the noise does not reach the ends of the prior."""
LOW: Final = -12.0
"""The lowest estimate that is told from lower ones, in deviations."""


@dataclass(frozen=True)
class Power(Correction):
    """A correction to the posterior mean of each frequency x under a power-law prior ∝ x^-a on
    [1/N, 1].

    exponent : a. Frequencies of a Zipf law of exponent s have a = 1 + 1/s. The results do not sum
        to 1; Norm-Sub after it makes them do so (PowerNS).
    """

    needs = "noise"
    exponent: Annotated[float, Range(0, 10, "(]")] = 2.0
    kind: Literal["power"] = "power"

    def correct(self, frequencies: Floats, known: ServerKnowledge) -> Floats:
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
