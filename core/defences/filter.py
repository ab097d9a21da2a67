"""The interface of filters: steps that read every report, and say which ones the server keeps."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from ..base.pulse import Pulse, say
from ..base.sampling import Counts, Floats
from ..law.pure import BoolArray, Items, Reports, Rng
from .step import Step


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


class Filter(Step):
    """A step that reads all reports, before corrections.

    scores : what the score of a report is, in a few words; "" where it gives none.
    """

    scores: ClassVar[str] = ""

    @abstractmethod
    def memory(self, load: Load) -> int:
        """The bytes that it needs besides the reports, about."""

    @abstractmethod
    def sift(self, received: Received) -> Verdict:
        """The verdict on the reports of a trial."""
