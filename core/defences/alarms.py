"""Alarms: defences that read the estimates of a collection, and claim an attack or none.

ASD: Li, Li, Wang, Sun, "Mitigating Data Poisoning Attacks to Local Differential Privacy", CCS 2025:
the estimates above the noise sum to more than 1. History: an estimate changes from one round to
the next by more than its noise.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final, Literal

import numpy as np

from ..base.ranges import ALPHA, Range
from ..base.sampling import Floats
from ..law.pure import BoolArray, Mechanism
from ..protocols.trust import Verified
from .step import ServerKnowledge, Step


class Alarm(Step):
    """The base of defences that read the estimates of a collection and may raise an alarm."""

    @abstractmethod
    def detect_attack(self, frequencies: Floats, known: ServerKnowledge) -> BoolArray | None:
        """bool[trials]: whether the defence raises an alarm; None if it cannot be applied.

        frequencies : float64[trials, d], the estimates.
        """


SLACK = Range(0, 1, "()")
CONFIDENCES: Final = np.arange(0.9, 1 - 5e-5, 1e-4)
"""The confidence levels γ that are tried, as in the authors' code: 0.9, 0.9001, …, 0.9999."""


def noise_bounds(levels: Floats, known: ServerKnowledge) -> Floats:
    """The bound ξ(γ) = Φ⁻¹((1 + γ)/2) σ that an item's noise stays within with probability γ.

    levels : float64[k], the γ; the bounds have the same shape.
    """
    from scipy.special import ndtri

    return np.asarray(ndtri((1 + levels) / 2) * known.std)


@dataclass(frozen=True)
class ASD(Alarm):
    """An alarm if the estimates above a noise bound sum to more than 1.

    The bound ξ(γ) is exceeded in absolute value, by the estimate of an item without users, with
    probability 1 - γ. γ is the smallest level with |B| ξ (1 - γ) < λ, where B are the items up to
    ξ: then noise above the bound hardly adds up to λ.

    slack : λ.
    """

    needs = "noise"
    libraries: ClassVar[tuple[str, ...]] = ("scipy.special",)

    slack: Annotated[float, SLACK] = 0.02
    kind: Literal["asd"] = "asd"

    def detect_attack(self, frequencies: Floats, known: ServerKnowledge) -> BoolArray:
        bounds = noise_bounds(CONFIDENCES, known)
        rising = np.sort(frequencies, axis=1)
        above = np.cumsum(rising[:, ::-1], axis=1)[:, ::-1]
        held = np.empty(len(rising))
        for trial, (row, sums) in enumerate(zip(rising, above, strict=True)):
            below = np.searchsorted(row, bounds, side="right")
            enough = below * bounds * (1 - CONFIDENCES) < self.slack
            level = int(enough.argmax()) if enough.any() else -1
            held[trial] = sums[below[level]] if below[level] < row.size else 0.0
        return np.asarray(held > 1)


@dataclass(frozen=True)
class History(Alarm):
    """An alarm if an item's estimates of two successive rounds differ by more than noise explains.

    Without an attack, and with the same users in both rounds, the difference has mean 0 and the sum
    of both variances (W17 theorem 2). The bound is Bonferroni's over all items, so that a round
    raises a false alarm with probability `chance` at most, about.
    """

    needs = "pure"
    compares_rounds: ClassVar[bool] = True
    libraries: ClassVar[tuple[str, ...]] = ("scipy.special",)

    chance: Annotated[float, ALPHA] = 0.01
    kind: Literal["history"] = "history"

    def detect_attack(self, frequencies: Floats, known: ServerKnowledge) -> BoolArray | None:
        from scipy.special import ndtri

        before = known.before
        if before is None:
            return None
        p, q = known.probabilities
        held = np.clip((frequencies + before) / 2, 0, 1)
        once = (q * (1 - q) / (p - q) ** 2 + held * (1 - p - q) / (p - q)) / known.users
        bound = -ndtri(self.chance / (2 * known.domain_size)) * np.sqrt(2 * once)
        return np.asarray((np.abs(frequencies - before) > bound).any(axis=1))


# Verifiers: steps that decide what users can send at all.
#
# Of a verified randomiser the defended arms are those of `[trust] kind = "verified"`, and the
# others those of reports that nobody proves.


@dataclass(frozen=True)
class VerifiedRandomiser(Step):
    """A verifier that accepts a report only with a proof that the protocol drew it from some item.

    drop_out : see `core.protocols.trust.Verified`.
    """

    drop_out: bool = False
    kind: Literal["verified-randomiser"] = "verified-randomiser"

    @property
    def trust(self) -> Verified:
        """The trust model of the defended arms: verified reports."""
        return Verified(self.drop_out)

    def reads(self, protocol: Mechanism) -> str | None:
        return self.trust.reads(protocol)
