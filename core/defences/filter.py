"""The interface of filters: steps that read every report, and say which ones the server keeps."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Protocol

import numpy as np

from ..base.capability import Capability
from ..base.pulse import Pulse, say
from ..base.sampling import Counts, Floats
from ..law.pure import BoolArray, Items, Mechanism, Reports, Rng
from .step import Reader


def _no_items() -> Items:
    return np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Received:
    """The reports of all users of one trial, in an order that does not tell the fakes apart.

    protocol : one that has what the filter reads. rng : for filters that draw.
    pulse : called between pieces of work; raises to stop it.
    again : the second reports of the same users, for a filter that asks twice.
    targets : int64[r], for a server that has been told them.
    place : the trial that it is, in words, for those who watch.
    """

    protocol: Any
    reports: Reports
    rng: Rng
    pulse: Pulse
    again: Reports | None = None
    targets: Items = field(default_factory=_no_items)
    place: str = ""

    @property
    def users(self) -> int:
        """N, the genuine and the fake ones."""
        return len(self.reports)

    def tell(self, words: str) -> None:
        """Say what is looked at, to a pulse that has `tell`."""
        say(self.pulse, f"{self.place}: {words}" if self.place else words)


@dataclass(frozen=True, eq=False)
class Verdict:
    """The verdict of a filter on the reports of one trial.

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
    """float64[d]: frequencies, of which the items that a filter named get what is left of 1."""
    if not named.size:
        return frequencies
    made = frequencies.copy()
    made[named] = 0
    made[named] = (1 - made.sum()) / named.size
    return made


@dataclass(frozen=True)
class Load:
    """What a filter is to read: the reports of these users, over so many items."""

    items: int
    users: int


class Filter(Reader, Protocol):
    """A step that reads all reports: the `[[defence]]` table of a scenario, before corrections."""

    def memory(self, load: Load) -> int:
        """The bytes that it needs besides the reports, about."""
        ...

    def sift(self, received: Received) -> Verdict: ...


class Scores(Filter, Protocol):
    """A filter that gives reports a score. scores : what that is, in a few words."""

    scores: ClassVar[str]


class ForetellsAlarm(Filter, Protocol):
    """A filter whose alarm has a closed form."""

    def power(
        self, protocol: Any, held: Floats, either: float, both: float, users: int, malicious: int
    ) -> float:
        """The probability that it alarms; see `Pairs.power`."""
        ...


class ForetellsDrops(Filter, Protocol):
    """A filter of which it is known whether it drops the reports that support targets."""

    def drops_targets(self, protocol: Any, held: Floats, users: int, malicious: int) -> bool:
        """Whether it drops them; see `FIAD.drops_targets`."""
        ...


class AsksTwice(Filter, Protocol):
    """A filter that reads two reports of every user, each with half the budget."""

    asks_twice: ClassVar[bool]

    @property
    def compared(self) -> int:
        """The number of items whose bits are compared."""
        ...

    def chances(self, protocol: Mechanism, r: int) -> tuple[float, float]:
        """(P1, P2) that both reports coincide, of a genuine user and of an assumed fake."""
        ...

    def deviation(self, protocol: Mechanism, r: int, users: int) -> float:
        """The standard deviation of its estimate of the share; infinite where P1 = P2."""
        ...

    def doubts(self, protocol: Mechanism, r: int, users: int) -> str | None:
        """A sentence where it can tell nothing from this many reports; else None."""
        ...


is_filter: Final[Capability[Filter]] = Capability("sift")
"""True where a defence reads reports."""

gives_scores: Final[Capability[Scores]] = Capability("scores")
"""True where a filter gives reports a score."""

foretells_alarm: Final[Capability[ForetellsAlarm]] = Capability("power")
"""True where the alarm of a filter has a closed form."""

foretells_drops: Final[Capability[ForetellsDrops]] = Capability("drops_targets")
"""True where it is known which reports a filter drops."""

asks_twice: Final[Capability[AsksTwice]] = Capability("asks_twice")
"""True where a filter reads two reports of every user."""
