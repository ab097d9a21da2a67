"""Defences that read how many reports of numbers there are of each kind.

They act on the counts of a collection, one after the other, so that each makes sense for a mean and
for a distribution alike: what a step leaves is estimated as if it had been collected.

The chi-square alarm is Pearson's test (Philosophical Magazine 1900) of the fitted distribution; no
paper has it against these attacks. EM with a poison component is after Du, Ye, Fu, Hu, Li, Fang,
"Differential Aggregation against General Colluding Attackers", ICDE 2023.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final, Literal

import numpy as np

from ..base.progress_hook import Hook, no_hook
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

    tallies : float64[trials, K], the reports of each kind, parts of reports among them.
    alarm : bool[trials], whether it claims an attack; None where it makes no claim.
    share : float64[trials], the share of the fakes as it estimates that; None where it does not.
    """

    tallies: Floats
    alarm: BoolArray | None = None
    share: Floats | None = None


@dataclass(frozen=True, eq=False)
class TalliedReports:
    """The reports of some trials, counted by bin. reports : float64[trials, K]."""

    protocol: NumericProtocol
    reports: Floats
    hook: Hook = no_hook


class NumberStep(Step):
    """The base of defences that read the number of reports in each bin of a protocol for numbers.

    foretold : whether what it leaves of the expected reports is what it leaves on average, where
        there are many.
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
    """An alarm if honest users of no distribution would be likely to send the reports; the
    estimates are unchanged.

    The likeliest distribution is fitted (EM), and the chi-square of the reports that it expects is
    compared with the 1 - α quantile of χ² with K - 1 degrees of freedom. Two reports, as those of
    SR, fit any mean: then there is no claim.

    alpha : how often it alarms at most where nobody attacks, for many users.
    """

    libraries: ClassVar[tuple[str, ...]] = ("scipy.special",)

    alpha: Annotated[float, ALPHA] = 0.01
    kind: Literal["misfit"] = "misfit"

    def left(self, tallied: TalliedReports) -> Left:
        protocol, tallies = tallied.protocol, tallied.reports
        if not protocol.has_distribution:
            return Left(tallies)
        from scipy.special import chdtri

        fits = fit_distribution(protocol, tallies, False, tallied.hook)
        statistic, free = chi_square(protocol, tallies, fits)
        return Left(tallies, np.asarray(statistic > chdtri(free, self.alpha)))


@dataclass(frozen=True)
class Trim(NumberStep):
    """A filter that drops a share τ of the reports with the largest values and the same share of
    the smallest.

    The mean of what is left is biased where nobody attacks, towards where reports are dense.

    trimmed : τ, of either end.
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

    Each kind of report on that side is a component of its own beside the honest users' numbers
    (EM). A part of the honest reports there is taken for poison as well, so that the mean is biased
    away from that side where nobody attacks.

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
        honest = fitted_with_poison(protocol, tallies, said > 0, tallied.hook)
        kept = tallies * honest
        return Left(kept, share=1 - kept.sum(axis=1) / tallies.sum(axis=1))
