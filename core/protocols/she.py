"""Summation with histogram encoding (SHE): the one-hot encoding plus Laplace noise in every cell.

Wang, Blocki, Li, Jha, USENIX Security 2017, section 4.3. The server adds the reports up: a report
supports no items, and nothing bounds what a fake may send. Here the cells that a fake raises
are clipped at a bound; honest reports are not, so that their distribution stays the paper's.

Noise in doubles reveals the user's item: 1 + x has other low digits than x (Mironov,
CCS 2012). So SHE is for simulation alone: reports of real users are refused.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

import numpy as np

from ..base.errors import ScenarioError
from ..base.ranges import DOMAIN, EPSILON, Range, RangeChecked
from ..base.sampling import Counts, Floats
from ..base.secure import generator
from ..law.law import Ask, Lack, Law, holding, towards_targets
from ..law.loss import LaplaceLoss
from ..law.mechanism import refuse_counts
from ..law.moments import SummedNumbers
from ..law.pure import BoolArray, Estimates, Items, Reports, Rng, Total, array_of, items_of
from ..law.support import ItemSupport, Support
from .budget import Budget

BOUND = Range(0, 1e9, "(]")

BoundRule: TypeAlias = Literal["honest"]

AT_ONCE = 1 << 17
"""Cells that are drawn at once: 1 MB, so few calls that they cost nothing."""

SIGN = np.int64(-(2**63))
"""The bit of a double's sign."""

Sums: TypeAlias = Any
"""float64[…, d], the cells of reports added up: counts that are no whole numbers."""


@dataclass(frozen=True, eq=False)
class CellValues(ItemSupport):
    """The mean and variance of one report's cells: `rates` float64[d] and `spread` float64[d]."""

    spread: Floats


@dataclass(frozen=True)
class CellSupport(Support):
    """The mean and variance of one report's cells, for r targets.

    target, other : the mean of a target's cell, and of another cell.
    noise, other_noise : the variances of the noise in these cells.
    holder : whether the report is of a user who holds one of the targets, chosen uniformly: 1 is
    added to that target's cell, which `target` includes (as 1/r) and `noise` does not.
    """

    noise: float
    other_noise: float
    holder: bool = False

    def by_item(self, domain_size: int, targets: Counts, counted: Counts) -> CellValues:
        rates, spread = np.full(domain_size, self.other), np.full(domain_size, self.other_noise)
        rates[targets] = self.target
        spread[targets] = self.noise + self.holder * self.target * (1 - self.target)
        inside = np.intersect1d(targets, counted).size
        hit = inside * self.target
        variance = inside * self.noise + (counted.size - inside) * self.other_noise
        return CellValues(rates, variance + self.holder * hit * (1 - hit), spread)


@dataclass(frozen=True)
class Summation(SummedNumbers, RangeChecked):
    """SHE, summation with histogram encoding: report the one-hot encoding plus Laplace noise of
    scale 2/ε in every cell.

    Reports are float64[n, d]; counts are their sums, float64[d]. epsilon, in nats: two items differ
    by 1 in two cells. bound : the largest absolute value of a cell that a fake raises.
    """

    called: ClassVar[str] = "SHE"
    family: ClassVar[str] = "she"
    simulated_only: ClassVar[str] = (
        "SHE for real users, as the low digits of its noise tell their items: it is simulated alone"
    )
    lacks: ClassVar[dict[str, str]] = {
        "columns": "SHE, whose report is d numbers and not bits",
        "supports": "SHE, whose reports are numbers without an end",
        "sample_background": "SHE, whose reports that hide have no sampler here",
        "subset": "SHE, whose crafted report lifts all targets as high as it may",
        "disguised": "SHE, whose report is d numbers and has no number of ones",
    }

    domain_size: Annotated[int, DOMAIN]
    epsilon: Annotated[float, EPSILON]
    bound: Annotated[float, BOUND]

    @property
    def scale(self) -> float:
        """The scale s of the Laplace noise in one cell."""
        return 2 / self.epsilon

    @property
    def noise(self) -> float:
        """The variance of the noise in one cell: 2s² = 8/ε²."""
        return 2 * self.scale**2

    @property
    def report_bits(self) -> float:
        """The number of bits of one report: a double for each item."""
        return 64.0 * self.domain_size

    def _noise(self, count: int, rng: Rng) -> Floats:
        """float64[count, d]: Laplace noise, a logarithm with a fair sign, of one word a cell."""
        drawn = np.empty((count, self.domain_size))
        cells = drawn.reshape(-1)
        for at in range(0, cells.size, AT_ONCE):
            part = cells[at : at + AT_ONCE]
            words = rng.integers(0, 2**64, size=part.size, dtype=np.uint64).view(np.int64)
            words |= 1  # 0 has no logarithm
            np.multiply(words, 2.0**-63, out=part)
            np.log(np.abs(part, out=part), out=part)
            part *= -self.scale
            signed = part.view(np.int64)
            signed |= words & SIGN  # what np.copysign does, in half the time
        return drawn

    def law_of(self, ask: Ask) -> Law | Lack:
        d, r = self.domain_size, ask.targets.size
        match ask.law:
            case "honest":
                cells = self._cells(r, 1 / r, self.noise, holder=True)
                return holding(self, ask, lambda: cells)
            case "unperturbed":
                bare = CellSupport(1 / r, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, holder=True)
                return holding(self, ask, lambda: bare)
            case "random":  # the noise alone: no report is drawn uniformly from all of them
                noise = self._cells(r, 0.0, self.noise)
                return towards_targets(ask, d, self._noise, refuse_counts, lambda: noise)
            case "crafted":
                return self._lift_targets(ask, self.bound)
            case "avoided":
                return self._lift_targets(ask, -self.bound)
        return self.lack(ask)

    def _lift_targets(self, ask: Ask, to: float) -> Law:
        """Targets at a value, and honest noise elsewhere."""

        def reports(count: int, rng: Rng) -> Reports:
            reports = self._noise(count, rng)
            reports[:, ask.targets] = to
            return reports

        cells = self._cells(ask.targets.size, to, 0.0)
        return towards_targets(ask, self.domain_size, reports, refuse_counts, lambda: cells)

    def perturb(self, values: Items, rng: Rng | None = None) -> Reports:
        if rng is None:
            raise ScenarioError(f"must not be {self.simulated_only}", key="protocol")
        rng = generator(rng)
        values = items_of(values, self.domain_size)
        reports = self._noise(values.size, rng)
        reports[np.arange(values.size), values] += 1
        return reports

    def unperturbed(self, values: Items, rng: Rng) -> Reports:  # noqa: ARG002
        reports = np.zeros((values.size, self.domain_size))
        reports[np.arange(values.size), values] = 1
        return reports

    def validate_reports(self, reports: object, count: int) -> Reports:
        """float64[n, d]: the reports of fakes, with cells clipped at the bound; raises ValueError
        for nan.
        """
        cells = array_of(reports, (count, self.domain_size), np.dtype(np.float64))
        if np.isnan(cells).any():
            raise ValueError("must be numbers, got nan")
        return np.clip(cells, -self.bound, self.bound)

    def support_counts(self, reports: Reports) -> Sums:
        return np.asarray(reports.sum(axis=0, dtype=np.float64))

    def estimates(self, counts: Counts, users: int) -> Estimates:
        return Estimates(counts / users)

    def _cells(self, r: int, mean: float, noise: float, *, holder: bool = False) -> CellSupport:
        others = (self.domain_size - r) * self.noise
        return CellSupport(mean, 0.0, r * noise, others, 0.0, noise, self.noise, holder)

    def held_support(self, frequencies: Floats, counted: Items) -> CellValues:
        hit = float(frequencies[counted].sum())
        spread = self.noise + frequencies * (1 - frequencies)
        return CellValues(frequencies, counted.size * self.noise + hit * (1 - hit), spread)

    def total_variance(self, total: Total) -> float:
        return total.r * self.noise

    def unit_variance(self, frequency: float | Floats) -> float | Floats:
        """8/ε², n times the variance of an estimate, for any frequency."""
        return self.noise + 0 * frequency

    def squared_error(self, histogram: Counts | Floats) -> Floats:
        """float64[d]: the variance 8n/ε² of each count."""
        return np.full(histogram.shape, float(histogram.sum()) * self.noise)

    def look(self, reports: Reports, items: Items) -> BoolArray:
        """bool[n, items]: whether a report's cell of each item is nearer to 1 than to 0."""
        return np.asarray(reports[:, items] > 0.5)

    def privacy_loss(self) -> LaplaceLoss:
        """The privacy loss between two items: they differ in two cells."""
        return LaplaceLoss(self.epsilon, 2)


def honest_bound(domain_size: int, epsilon: float) -> float:
    """The clipping bound 1 + (2/ε) ln(d/2), about the expected largest cell of an honest report.

    A cell at the bound is no more conspicuous than the largest cell of an honest report.
    """
    return 1 + 2 / epsilon * math.log(domain_size / 2)


@dataclass(frozen=True)
class SummationSpec(Budget, kind="she", mechanism=Summation):
    """The `[protocol]` table of SHE, before the domain is known; the bound is a number, or "honest"
    for `honest_bound`.
    """

    bound: BoundRule | Annotated[float, BOUND] = "honest"

    def bind(self, domain_size: int) -> Summation:
        bound = honest_bound(domain_size, self.epsilon) if self.bound == "honest" else self.bound
        return Summation(domain_size, self.epsilon, bound)


SPECS = (SummationSpec,)
