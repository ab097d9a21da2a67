"""The laws and the moments of support counts, by going through all sets that reports support."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .report_laws import Case, Floats, subset_bits


@dataclass(frozen=True, eq=False)
class Moments:
    """Mean [d] and covariance [d, d] of a vector of counts."""

    mean: Floats
    covariance: Floats

    @classmethod
    def of(cls, law: Floats) -> Moments:
        """The moments of the items that one report supports."""
        bits = subset_bits(len(law))
        mean = law @ bits
        return cls(mean, np.einsum("k,ku,kv->uv", law, bits, bits) - np.outer(mean, mean))

    def __add__(self, other: Moments) -> Moments:
        """The moments of the sum of independent counts."""
        return Moments(self.mean + other.mean, self.covariance + other.covariance)

    def __rmul__(self, reports: float) -> Moments:
        """The moments of the counts of n independent reports of one law."""
        return Moments(reports * self.mean, reports * self.covariance)


def counts_law(reports: list[Floats]) -> Floats:
    """The joint law of the support counts of these reports; shape [n + 1] * d.

    Shape [2n + 1] * d where counts may be negative: those stand at the end, as in Python.
    """
    said = subset_bits(len(reports[0])).astype(int)
    d, signed = said.shape[1], said.min() < 0
    joint = np.zeros(((2 if signed else 1) * len(reports) + 1,) * d)
    joint[(0,) * d] = 1.0
    for law in reports:
        after = np.zeros_like(joint)
        for subset in np.flatnonzero(law):
            after += law[subset] * np.roll(joint, said[subset].tolist(), axis=range(d))
        joint = after
    return joint


@dataclass(frozen=True, eq=False)
class Poisoned:
    """The exact moments of a run: genuine users by `histogram`, and m fakes of one law."""

    case: Case
    histogram: list[int]
    fake: Floats
    malicious: int
    targets: list[int]

    @property
    def users(self) -> int:
        return sum(self.histogram)

    @property
    def everyone(self) -> int:
        return self.users + self.malicious

    @property
    def truth(self) -> Floats:
        return np.array(self.histogram) / self.users

    @cached_property
    def clean(self) -> Moments:
        """The moments of the genuine support counts."""
        first, *rest = (n * Moments.of(self.case.honest(v)) for v, n in enumerate(self.histogram))
        return sum(rest, start=first)

    @cached_property
    def fakes(self) -> Moments:
        """The moments of the fakes' support counts."""
        return self.malicious * Moments.of(self.fake)

    def estimates(self, moments: Moments, users: int) -> Moments:
        """The moments of the frequencies that the server computes from counts of n users."""
        gap = self.case.p - self.case.q
        return Moments(
            (moments.mean / users - self.case.q) / gap, moments.covariance / (users * gap) ** 2
        )

    @property
    def before(self) -> Moments:
        return self.estimates(self.clean, self.users)

    @property
    def after(self) -> Moments:
        return self.estimates(self.clean + self.fakes, self.everyone)

    @property
    def gain(self) -> tuple[float, float]:
        """Mean and variance of the gain; before and after share their genuine reports."""
        gap, aim = self.case.p - self.case.q, np.zeros(self.case.domain_size)
        aim[self.targets] = 1.0
        weight = 1 / self.everyone - 1 / self.users
        mean = (self.after.mean - self.before.mean) @ aim
        genuine = aim @ self.clean.covariance @ aim * weight**2
        return float(mean), float(
            (genuine + aim @ self.fakes.covariance @ aim / self.everyone**2) / gap**2
        )

    def squared_error(self, moments: Moments) -> tuple[float, float]:
        """Mean and variance of the mean squared error; the variance for normal estimates."""
        d, bias, covariance = self.case.domain_size, moments.mean - self.truth, moments.covariance
        mean = (bias @ bias + np.trace(covariance)) / d
        variance = (2 * np.trace(covariance @ covariance) + 4 * bias @ covariance @ bias) / d**2
        return float(mean), float(variance)
