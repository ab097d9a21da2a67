"""The capabilities that decide what fakes can hide among honest reports.

A mechanism has one of `Conditions` and `Loses`, or none; `core.bounds.undetectable` derives from
them what no defence can see.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

from ..base.capability import Capability
from ..base.sampling import Counts, Floats
from .pure import BoolArray, Items, LocalMechanism, PureProtocol, Reports, Rng, Supporting


class Conditions(PureProtocol, Protocol):
    """Its report is one law for all items, the background, given whether it supports the own item.

    A report from item v is a background report that supports v with probability p, and one that
    does not otherwise. Fakes who draw the item and that chance in another way can hide.
    """

    @property
    def report_size(self) -> int | None:
        """The number of items that every report supports; None where any number is possible."""
        ...

    def conditioned(self, values: Items, held: BoolArray, rng: Rng) -> Reports:
        """Background reports that support these items where they are `held`, else do not."""
        ...

    def conditioned_counts(self, held: Counts, spared: Counts, rng: Rng) -> Counts:
        """The counts of such reports: int64[trials, d], how many hold each item, or spare it."""
        ...


@dataclass(frozen=True, eq=False)
class Crowd:
    """The users among whom fakes hide, a share of all.

    held : float64[k], falling, what the genuine users hold of an item that is no target, as a part
    of all users. items : int64[k], the number of items that hold it. targets : their number.
    """

    held: Floats
    items: Counts
    targets: int
    share: float


class Loses(LocalMechanism, Protocol):
    """The best gain of fakes that hide among its reports has a closed form of its own.

    `core.bounds.undetectable` says what hides. Others have it as they `Condition`.
    """

    def hidden_loss(self, crowd: Crowd) -> float:
        """The most that the other items can lose unseen to the targets."""
        ...


class Accepts(Supporting, Protocol):
    """A report that supports its own item has a known mean: fakes keep others back."""

    @property
    def accepted(self) -> tuple[float, float]:
        """The mean support of such a report for its own item, and for any other given one."""
        ...


hides: Final[Capability[Conditions]] = Capability("conditioned")
"""True where the best way to hide fakes among its reports is known."""

loses: Final[Capability[Loses]] = Capability("hidden_loss")
"""True where the best hidden gain has a closed form of its own."""

accepts: Final[Capability[Accepts]] = Capability("accepted")
"""True where it is known what a report that supports its own item supports besides."""
