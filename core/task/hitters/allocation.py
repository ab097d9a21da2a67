"""The best groups for fakes who choose their own.

A target is named if it survives every level. With a share β of fakes in its group its estimate is
(1 - β) f + β (s - q)/(p - q) on average, against a threshold (1 - β) τ, so that it survives with
probability Φ of the difference over the standard deviation σ of both; f, τ and σ are those without
the attack. The fakes are shared out so that Σ_T Π_j Φ is largest, by L-BFGS from two starts: all
groups alike, and β_j = gap/(a + gap), which just lifts a target to the threshold in every group
and is best where there is no noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...attacks import Fakes
from ...base.sampling import Floats
from ...kernels.threads import one_thread
from .expected import expected_levels
from .fakes import GroupedFakes, mean_rates
from .oracles import Oracle
from .prefixes import Prefixes


@dataclass(frozen=True, eq=False)
class Lifts:
    """The targets at each level, float64[G, r] each.

    gaps : from a target up to the threshold, without fakes. lifts : the estimate that fakes alone
    would give it. stds : of the difference.
    """

    gaps: Floats
    lifts: Floats
    stds: Floats

    def named(self, shares: Floats) -> tuple[float, Floats]:
        """The targets named for these shares of fakes in the groups, and the derivative."""
        from scipy.special import log_ndtr

        beta = shares[:, None]
        z = (beta * self.lifts - (1 - beta) * self.gaps) / self.stds
        logs = log_ndtr(z)
        each = np.exp(logs.sum(axis=0))
        steep = np.exp(-(z**2) / 2 - logs) / np.sqrt(2 * np.pi)
        slopes = (steep * (self.lifts + self.gaps) / self.stds) @ each
        return float(each.sum()), np.asarray(slopes)


def best_weights(
    prefixes: Prefixes,
    oracle: Oracle,
    frequencies: Floats,
    users: int,
    fakes: Sequence[Fakes],
) -> tuple[float, ...]:
    """The shares of the fakes in the groups."""
    from scipy.optimize import minimize

    groups, malicious = len(prefixes.lengths), sum(part.count for part in fakes)
    even = np.full(groups, 1 / groups)
    if not malicious:
        return tuple(even.tolist())
    lifts = _lifts(prefixes, oracle, frequencies, users, fakes)
    genuine = users / groups

    def lost(chosen: Floats) -> tuple[float, Floats]:
        weights = np.exp(chosen - chosen.max())
        weights /= weights.sum()
        fake = malicious * weights
        named, slopes = lifts.named(fake / (fake + genuine))
        by_weight = slopes * malicious * genuine / (fake + genuine) ** 2
        return -named, -weights * (by_weight - weights @ by_weight)

    gaps, above = lifts.gaps.mean(axis=1), lifts.lifts.mean(axis=1)
    lifted = np.where((gaps > 0) & (above > 0), gaps / np.maximum(above + gaps, 1e-12), 0)
    starts = [even, 0.9 * lifted / lifted.sum() + 0.1 * even] if lifted.sum() > 0 else [even]
    with one_thread():
        solutions = [minimize(lost, np.log(start), jac=True, method="L-BFGS-B") for start in starts]
    chosen = min(solutions, key=lambda result: float(result.fun)).x
    weights = np.exp(chosen - chosen.max())
    return tuple((weights / weights.sum()).tolist())


def _lifts(
    prefixes: Prefixes,
    oracle: Oracle,
    frequencies: Floats,
    users: int,
    fakes: Sequence[Fakes],
) -> Lifts:
    targets = np.unique(np.concatenate([part.targets for part in fakes]))
    groups = len(prefixes.levels)
    alike = [GroupedFakes(part, np.full(groups, part.count)) for part in fakes]
    gaps, lifts, stds = [], [], []
    expected = expected_levels(prefixes, oracle, frequencies, users, ())
    for level, clean in zip(prefixes.levels, expected, strict=True):
        at = np.searchsorted(level.held, prefixes.cut(prefixes.codes[targets], level.number))
        protocol = oracle.at(level.number)
        rates, _ = mean_rates(prefixes, oracle, level.number, alike)
        # A level that keeps all its candidates has no threshold.
        border = np.maximum(clean.threshold.median[at], -1e6)
        gaps.append(border - clean.estimates.means[at])
        lifts.append((rates[at] - protocol.q) / (protocol.p - protocol.q))
        stds.append(np.sqrt(clean.estimates.variances[at] + clean.threshold.variance[at]))
    return Lifts(np.array(gaps), np.array(lifts), np.array(stds))
