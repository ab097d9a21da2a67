"""The evidence of a server: the support of each item by all reports, or sums, and what fakes can
add.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from ..base.sampling import Floats
from ..bounds.claims import Noise, independent, normal_quantile, report_noise
from ..bounds.planner import Oracle
from ..bounds.robust import (
    Ballot,
    Interval,
    ballot_of,
    clip_interval,
    marginal_set,
    proved_ballot,
    robust_intervals,
)
from ..cell import Cell
from ..law.mechanism import LocalMechanism
from ..law.pure import PureProtocol
from .misfit import ImpossibleEstimates, misfit
from .variance import item_variances


@dataclass(frozen=True, eq=False)
class Evidence:
    """The mean count of each item over N reports or users, with the rule that turns means into
    frequencies.

    ballot : the smallest and largest count of one report or user. means : float64[d]. reports : N.
    noise, quantile : of a weighted sum of means. halves : confidence → float64[d], half the width
    of each interval if no report is fake. intervals : share of fakes, confidence, whether all
    reports look honest → robust intervals. misfit : an estimate that is impossible for honest
    reports; None if there is none.
    """

    ballot: Ballot
    means: Floats
    reports: int
    noise: Noise
    halves: Callable[[float], Floats]
    intervals: Callable[[float, float, bool], Interval]
    quantile: Callable[[float], float] = normal_quantile
    misfit: Callable[[], ImpossibleEstimates | None] = lambda: None

    @property
    def estimates(self) -> Floats:
        """float64[d]: the estimated frequencies."""
        return self.ballot.frequencies(self.means)


def of_reports(
    protocol: PureProtocol, means: Floats, reports: int, *, proved: bool = False
) -> Evidence:
    """The evidence of N reports; raises ScenarioError if one report's contribution is unbounded.

    means : float64[d], C/N. proved : whether each report is proved to be drawn by the protocol.
    """
    ballot = proved_ballot(protocol) if proved else ballot_of(protocol)
    estimates = ballot.frequencies(means)

    def halves(confidence: float) -> Floats:
        variance = item_variances(protocol, reports, np.clip(estimates, 0, 1))
        return np.asarray(NormalDist().inv_cdf((1 + confidence) / 2) * np.sqrt(variance))

    def intervals(share: float, confidence: float, sharp: bool) -> Interval:
        return robust_intervals(protocol, means, reports, share, confidence, sharp, ballot)

    return Evidence(
        ballot, means, reports, report_noise(protocol, reports), halves, intervals,
        misfit=lambda: misfit(protocol, reports, estimates),
    )  # fmt: skip


def of_sums(curator: Any, estimates: Floats, users: int) -> Evidence:
    """The evidence of a histogram of N users that a curator or aggregators released.

    estimates : float64[d], the released frequencies. A fake adds one user to each item that its
    proof admits. The noise is that of the release, with its own tails, and added once.
    """
    oracle, ballot = Oracle.of_curator(curator), Ballot(votes=curator.item_limit)
    deviation = math.sqrt(oracle.noise) / users

    def halves(confidence: float) -> Floats:
        return np.full(estimates.size, oracle.quantile((1 - confidence) / 2) * deviation)

    def intervals(share: float, confidence: float, _sharp: bool) -> Interval:
        low, high = marginal_set(estimates, share, ballot)
        moved = halves(confidence) / (1 - share)
        return clip_interval((low - moved, high + moved))

    return Evidence(
        ballot, estimates, users, independent(np.full(estimates.size, deviation)), halves,
        intervals, lambda chance: max(oracle.quantile(chance), normal_quantile(chance)),
    )  # fmt: skip


def of_cell(cell: Cell, estimates: Floats) -> Evidence:
    """The evidence of a cell. estimates : float64[d], with the attack."""
    mechanism: Any = cell.protocol
    reports = cell.users + cell.malicious
    if not isinstance(mechanism, LocalMechanism):
        return of_sums(mechanism, estimates, reports)
    protocol = cell.pure
    means = ballot_of(protocol).means(estimates)
    proved = cell.trust.proves and not cell.trust.drop_out
    said = np.clip(means, protocol.least_support, 1.0)
    return of_reports(protocol, said, reports, proved=proved)
