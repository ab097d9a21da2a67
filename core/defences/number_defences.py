"""Defences against fake numbers, which read how many reports fall into each bin.

They act on the counts of a collection, one after the other, for a mean and for a distribution
alike: the reports that one keeps are estimated as if they had been collected.

The chi-square alarm is Pearson's test (Philosophical Magazine 1900) of the fitted distribution; no
paper has it against these attacks. EM with a poison component is after Du, Ye, Fu, Hu, Li, Fang,
"Differential Aggregation against General Colluding Attackers", ICDE 2023.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final, Literal

import numpy as np

from ..base.ranges import ALPHA, Range
from ..base.sampling import Floats
from ..law.distributions import chi_square, fit_distribution, fitted_with_poison
from ..law.mechanism import is_a
from ..law.numeric_protocol import NumericProtocol, lack_of_distribution
from ..law.pure import BoolArray, Mechanism
from .step import Step

TRIMMED: Final = Range(0, 0.5, "()")


@dataclass(frozen=True, eq=False)
class Left:
    """The result of a defence against fake numbers: the reports that it keeps, and its detections.

    tallies : float64[trials, K], the kept reports in each bin; fractions of a report are possible.
    alarm : bool[trials], whether it claims an attack; None if it makes no claim.
    share : float64[trials], its estimate of the share of fakes; None if it makes none.
    """

    tallies: Floats
    alarm: BoolArray | None = None
    share: Floats | None = None


@dataclass(frozen=True, eq=False)
class TalliedReports:
    """The reports of some trials, counted by bin. reports : float64[trials, K]."""

    protocol: NumericProtocol
    reports: Floats


class NumberStep(Step):
    """The base of defences that read the number of reports in each bin of a protocol for numbers.

    foretold : whether the defence, applied to the expected reports, keeps what it keeps on average
        of many reports.
    """

    foretold: ClassVar[bool] = True

    @abstractmethod
    def left(self, tallied: TalliedReports) -> Left:
        """The reports that the defence keeps, and its detections."""

    def reads(self, protocol: Mechanism) -> str | None:
        known = is_a(protocol, NumericProtocol)
        return None if known else "a protocol of items, whose reports say no numbers"


@dataclass(frozen=True)
class Misfit(NumberStep):
    """An alarm if the reports are unlikely for honest users of any distribution; the estimates are
    unchanged.

    The likeliest distribution is fitted (EM), and the chi-square of the reports that it expects is
    compared with the 1 - α quantile of χ² with K - 1 degrees of freedom. Two reports, as those of
    SR, fit any mean: then there is no claim.

    alpha : the probability of a false alarm, at most, for many users.
    """

    libraries: ClassVar[tuple[str, ...]] = ("scipy.special",)

    alpha: Annotated[float, ALPHA] = 0.01
    kind: Literal["misfit"] = "misfit"

    def left(self, tallied: TalliedReports) -> Left:
        protocol, tallies = tallied.protocol, tallied.reports
        if not protocol.has_distribution:
            return Left(tallies)
        from scipy.special import chdtri

        fits = fit_distribution(protocol, tallies, False)
        statistic, free = chi_square(protocol, tallies, fits)
        return Left(tallies, np.asarray(statistic > chdtri(free, self.alpha)))


@dataclass(frozen=True)
class Trim(NumberStep):
    """A filter that drops a share τ of the reports with the largest values and the same share of
    the smallest.

    Without an attack the mean of the rest is biased towards the denser end. trimmed : τ, at each
    end.
    """

    trimmed: Annotated[float, TRIMMED] = 0.05
    kind: Literal["trim"] = "trim"

    def left(self, tallied: TalliedReports) -> Left:
        tallies, order = tallied.reports, np.argsort(tallied.protocol.report_values, kind="stable")
        reports = tallies.sum(axis=1, keepdims=True)
        up_to = np.cumsum(tallies[:, order], axis=1)
        within = np.clip(up_to, self.trimmed * reports, (1 - self.trimmed) * reports)
        kept = np.empty_like(tallies)
        kept[:, order] = np.diff(within, axis=1, prepend=self.trimmed * reports)
        return Left(kept)


@dataclass(frozen=True)
class PoisonComponent(NumberStep):
    """A filter that fits honest users and poison on one side of the middle jointly (EM), and drops
    the fitted poison.

    Each bin on that side is a component of its own besides the honest users' numbers. Some honest
    reports there are taken for poison as well, so that without an attack the mean is biased away
    from that side.

    side : that of the reports that fakes may have sent.
    """

    foretold: ClassVar[bool] = False

    side: Literal["high", "low"] = "high"
    kind: Literal["em-poison"] = "em-poison"

    def reads(self, protocol: Mechanism) -> str | None:
        return super().reads(protocol) or lack_of_distribution(protocol)

    def left(self, tallied: TalliedReports) -> Left:
        protocol, tallies = tallied.protocol, tallied.reports
        said = protocol.report_values if self.side == "high" else -protocol.report_values
        honest = fitted_with_poison(protocol, tallies, said > 0)
        kept = tallies * honest
        return Left(kept, share=1 - kept.sum(axis=1) / tallies.sum(axis=1))
