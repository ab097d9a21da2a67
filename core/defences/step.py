"""Steps of the server: what each has and may know; the interfaces of corrections and filters."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np

from ..base.errors import DefenceError, ScenarioError
from ..base.progress_hook import Hook, say
from ..base.ranges import Range, RangeChecked
from ..base.sampling import Counts, Floats
from ..law.pure import BoolArray, Items, Mechanism, PureProtocol, Reports, Rng, Supporting, Total

ETA = Range(0, 10)
"""η = m/n, the number of fake users for each genuine one."""


@dataclass(frozen=True, eq=False)
class ServerKnowledge:
    """The server's knowledge of a collection, besides its estimates.

    users : N, the number of reports, the fakes' included.
    p, q : those of a pure protocol; None for others, whose reports do not support items.
    variance : that of the estimated frequency of an item that nobody holds; None where there is no
        closed form.
    targets : int64[r], for a server that has been told them; empty without an attack.
    before : float64[trials, d], its estimates of the round before; None where there is none.
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
        """The standard deviation √variance of an estimate of frequency zero, if the noise
        is known.
        """
        assert self.variance is not None
        return float(np.sqrt(self.variance))


def inform_server(protocol: Mechanism, users: int, targets: Items) -> ServerKnowledge:
    """The knowledge of a server that has received reports of N users."""
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

    muted : it stays in the scenario and does not act: everything is as it is without it. None
        where nothing is said of that.
    needs : what it needs to know of a collection: "pure", (p, q), or "noise", the variance of an
        estimate. asks_twice : it reads two reports of every user, each with half the budget.
    compares_rounds : it needs the estimates of the round before. libraries : what it imports first.
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

    spreads : of one that is affine in the estimates, the share of the missing mass 1 - Σf that it
        adds, evenly over all items; None of others.
    """

    spreads: ClassVar[float | None] = None

    @abstractmethod
    def correct(self, frequencies: Floats, known: ServerKnowledge) -> Floats:
        """The corrected frequencies, float64[trials, d]; a new array, or the one given.

        Raises DefenceError where nothing is left of a trial's.
        """


class ByEstimates(Correction):
    """The base of corrections that use only the estimates."""

    @abstractmethod
    def correct_frequencies(self, frequencies: Floats) -> Floats:
        """The corrected frequencies, float64[trials, d]; raises DefenceError as `correct` does."""

    def correct(self, frequencies: Floats, known: ServerKnowledge) -> Floats:  # noqa: ARG002
        return self.correct_frequencies(frequencies)


def require_left(kind: str, left: np.ndarray[Any, Any] | np.bool_, why: str) -> None:
    """Raise DefenceError in trials whose estimate is empty. left : bool[trials]."""
    if not left.all():
        raise DefenceError(f"{kind} leaves nothing of an estimate: {why}")


# The interface of filters: steps that read every report, and say which ones the server keeps.


def _no_items() -> Items:
    return np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class TrialReports:
    """The reports of all users of one trial, in an order that does not separate fakes from genuine
    users.

    protocol : one that has what the filter reads. rng : for filters that draw.
    hook : called between pieces of work; raises to stop it.
    again : the second reports of the same users, for a filter that asks twice.
    targets : int64[r], for a server that has been told them.
    place : the trial that it is, in words, for those who watch.
    """

    protocol: Any
    reports: Reports
    rng: Rng
    hook: Hook
    again: Reports | None = None
    targets: Items = field(default_factory=_no_items)
    place: str = ""

    @property
    def users(self) -> int:
        """N, the number of genuine and fake users."""
        return len(self.reports)

    def tell(self, words: str) -> None:
        """Send a progress message to whoever watches the filter."""
        say(self.hook, f"{self.place}: {words}" if self.place else words)


@dataclass(frozen=True, eq=False)
class Verdict:
    """The verdict of a filter on the reports of one trial: kept, scored, or flagged as an attack.

    kept : bool[N]; None from a filter that tells no fakes.
    score : float64[N], higher for what looks more like a fake; None where the filter has none.
    alarm : True if it claims an attack; None where it cannot tell.
    named : items that it takes for targets, and whose estimates are then what the others leave of
        one; empty where it names none.
    share : its estimate of the share of fakes; NaN from one that makes none. share_noise : the
        standard deviation of that.
    certified : the share of fakes that it proves at least; NaN from one that proves nothing.
    removed : int64[d], the support counts of `fewer` reports that it takes for the fakes' besides;
        below 0, both, where it gives back what honest reports among those dropped support.
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
    """float64[d]: the frequencies, with the items that a filter named sharing what the others leave
    of 1.
    """
    if not named.size:
        return frequencies
    made = frequencies.copy()
    made[named] = 0
    made[named] = (1 - made.sum()) / named.size
    return made


@dataclass(frozen=True)
class Load:
    """The size of a filter's work: the domain size and the number of users whose
    reports it reads.
    """

    items: int
    users: int


class Filter(Step):
    """The base of defences that read all reports and drop some, before corrections.

    scores : what the score of a report is, in a few words; "" where it gives none.
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
