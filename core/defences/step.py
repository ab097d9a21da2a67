"""The bases of defences, and the knowledge of the server that they use."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np

from ..base.errors import DefenceError, ScenarioError
from ..base.ranges import Range, RangeChecked
from ..base.sampling import Counts, Floats
from ..base.work import Tell, no_words
from ..law.pure import BoolArray, Items, Mechanism, PureProtocol, Reports, Rng, Supporting, Total

ETA = Range(0, 10)
"""η = m/n, the number of fake users for each genuine one."""


@dataclass(frozen=True, eq=False)
class ServerKnowledge:
    """The server's knowledge of a collection, besides its estimates.

    users : N, the number of reports, the fakes' included.
    p, q : those of a pure protocol; None for others, whose reports do not support items.
    variance : of the estimated frequency of an item without users; None without a closed form.
    targets : int64[r], if the server knows them; empty without an attack.
    before : float64[trials, d], its estimates of the previous round; None if there is none.
    """

    domain_size: int
    users: int
    p: float | None = None
    q: float | None = None
    variance: float | None = None
    targets: Items = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    before: Floats | None = None

    @property
    def probabilities(self) -> tuple[float, float]:
        """The support probabilities (p, q) of a pure protocol."""
        assert self.p is not None
        assert self.q is not None
        return self.p, self.q

    @property
    def std(self) -> float:
        """The standard deviation √variance of an estimate of frequency zero."""
        assert self.variance is not None
        return float(np.sqrt(self.variance))


def inform_server(protocol: Mechanism, users: int, targets: Items) -> ServerKnowledge:
    """The knowledge of a server that has received reports of `users` = N users."""
    p, q = (protocol.p, protocol.q) if isinstance(protocol, PureProtocol) else (None, None)
    variance = None
    if isinstance(protocol, Supporting):
        variance = protocol.total_variance(Total(1, users=users)) / users
    return ServerKnowledge(protocol.domain_size, users, p, q, variance, targets)


class KindTable(RangeChecked):
    """The base of scenario tables that have a `kind`."""

    kind: Any


@dataclass(frozen=True)
class Step(KindTable):
    """The base of defences: a `[[defence]]` table of a scenario, which may be muted.

    muted : whether it stays in the scenario without acting; None if the table does not say.
    needs : what it must know of a collection: "pure", (p, q), or "noise", the variance of an
    estimate. asks_twice : whether it reads two reports of every user, each with half the budget.
    compares_rounds : whether it needs the estimates of the previous round. libraries : what it
        imports first.
    """

    # What a step draws depends on its other fields alone, as it did before steps could be muted.
    muted: bool | None = field(default=None, kw_only=True, repr=False, compare=False)

    needs: ClassVar[Literal["", "pure", "noise"]] = ""
    asks_twice: ClassVar[bool] = False
    compares_rounds: ClassVar[bool] = False

    @property
    def trust(self) -> Any:
        """The trust model that the defence imposes on users; None if it imposes none."""
        return None

    def check(self, known: ServerKnowledge) -> None:
        """Raise ScenarioError if the defence makes no sense for such a collection."""
        if self.needs == "pure" and known.p is None:
            raise self.refusal("reports do not support items")
        if self.needs == "noise" and known.variance is None:
            raise self.refusal("noise has no closed form")

    def refusal(self, why: str) -> ScenarioError:
        """The error of a defence whose protocol lacks what the defence needs."""
        return ScenarioError(f'must not be "{self.kind}" with a protocol whose {why}', key="kind")

    def reads(self, protocol: Mechanism) -> str | None:  # noqa: ARG002
        """The reason why the defence cannot read a protocol's reports, "GRR, whose …"; None if it
        can.
        """
        return None


class Correction(Step):
    """The base of defences that correct estimated frequencies.

    spreads : for a correction that is affine in the estimates, the share of the missing mass 1 - Σf
        that it adds, evenly over all items; None for others.
    """

    spreads: ClassVar[float | None] = None

    @abstractmethod
    def correct(self, frequencies: Floats, known: ServerKnowledge) -> Floats:
        """The corrected frequencies, float64[trials, d]; a new array, or `frequencies` itself.

        Raises DefenceError if nothing is left of a trial's estimate.
        """


class ByEstimates(Correction):
    """The base of corrections that use only the estimates."""

    @abstractmethod
    def correct_frequencies(self, frequencies: Floats) -> Floats:
        """The corrected frequencies, float64[trials, d]; raises DefenceError as `correct` does."""

    def correct(self, frequencies: Floats, known: ServerKnowledge) -> Floats:  # noqa: ARG002
        return self.correct_frequencies(frequencies)


def require_left(kind: str, left: np.ndarray[Any, Any] | np.bool_, why: str) -> None:
    """Raise DefenceError if a trial's estimate is empty. left : bool[trials], whether it is not."""
    if not left.all():
        raise DefenceError(f"{kind} leaves nothing of an estimate: {why}")


# The interface of filters: steps that read every report, and say which ones the server keeps.


def _no_items() -> Items:
    return np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class TrialReports:
    """The reports of all users of one trial, in an order that does not separate fakes from genuine
    users.

    protocol : one whose reports the filter can read. reports : of N users. rng : for filters that
    draw.
    again : the second reports of the same users, for a filter that asks twice.
    targets : int64[r], if the server knows them.
    tell : called with words about the progress.
    """

    protocol: Any
    reports: Reports
    rng: Rng
    again: Reports | None = None
    targets: Items = field(default_factory=_no_items)
    tell: Tell = no_words

    @property
    def users(self) -> int:
        """N, the number of users, genuine and fake."""
        return len(self.reports)


@dataclass(frozen=True, eq=False)
class Verdict:
    """The verdict of a filter on the reports of one trial: kept, scored, or flagged as an attack.

    kept : bool[N]; None from a filter that flags no report.
    score : float64[N], higher for reports that look more like a fake's; None without scores.
    alarm : whether it claims an attack; None if it cannot tell.
    named : int64, items that it takes for targets, and whose estimates become 1 less the sum of the
        others; may be empty.
    share : its estimate of the share of fakes; NaN if it makes none. share_noise : the
        standard deviation of that.
    certified : the share of fakes that it proves at least; NaN if it proves nothing.
    removed : int64[d], the support counts of `fewer` further reports that it takes for the fakes';
        both are negative if it restores the counts of honest reports among the dropped ones.
    """

    kept: BoolArray | None = None
    score: Floats | None = None
    alarm: bool | None = None
    named: Items = field(default_factory=_no_items)
    share: float = math.nan
    share_noise: float = math.nan
    certified: float = math.nan
    removed: Counts | None = None
    fewer: int = 0


def given_the_rest(frequencies: Floats, named: Items) -> Floats:
    """float64[d]: the frequencies, with 1 less the sum of the others shared among the named items.

    frequencies : float64[d]. named : int64[k], possibly empty.
    """
    if not named.size:
        return frequencies
    made = frequencies.copy()
    made[named] = 0
    made[named] = (1 - made.sum()) / named.size
    return made


@dataclass(frozen=True)
class Load:
    """The size of a filter's work: the domain size and the number of users whose reports
    it reads.
    """

    items: int
    users: int


class Filter(Step):
    """The base of defences that read all reports and drop some, before corrections.

    scores : what the score of a report is, in a few words; "" if it gives none.
    """

    scores: ClassVar[str] = ""

    def doubts(self, protocol: Mechanism, r: int, users: int) -> tuple[str, ...]:  # noqa: ARG002
        """The reasons why the filter may be unreliable, a sentence each. r : the number of
        targets.
        """
        return ()

    @abstractmethod
    def memory(self, load: Load) -> int:
        """The approximate number of bytes that the filter needs besides the reports."""

    @abstractmethod
    def sift(self, received: TrialReports) -> Verdict:
        """The verdict on the reports of a trial."""
