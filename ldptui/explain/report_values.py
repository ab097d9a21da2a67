"""The explanation of one report as plain values: its steps, what they show, and its history."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from ldptui.core.base.sampling import Counts
from ldptui.core.law.pure import BoolArray, Items, Reports


@dataclass(frozen=True)
class StepOutcome:
    """A possible outcome of a random step: its probability, and the number of times that it
    occurred.
    """

    event: str
    symbol: str
    probability: float
    outcome: str


@dataclass(frozen=True)
class Meter:
    """The number of targets that a report supports, less those it counts against, with its
    expectation.
    """

    value: int
    total: int
    expected: float


@dataclass(frozen=True)
class MemberGroup:
    """Items or bits shown together as one group, in order."""

    name: str
    members: tuple[int, ...]


@dataclass(frozen=True)
class RemainingMembers:
    """The items or bits that are not shown one by one: their number, and their ones by row."""

    count: int
    ones: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class StepBits:
    """Bits over the items of the domain, or over the bits of a Bloom filter.

    rows : (name, bool[size]); two rows are before and after a random step.
    groups : the members that are shown first, in this order; all others form the group "others".
    labels : the names of the groups' members.
    numbers : (name, int64[size]), shown above the bits, or None.
    rate : the probability of a one in the last row for each member of "others"; None if certain.
    """

    over: Literal["item", "bit"]
    rows: tuple[tuple[str, BoolArray], ...]
    groups: tuple[MemberGroup, ...]
    labels: dict[int, str] = field(default_factory=dict)
    numbers: tuple[str, Counts] | None = None
    rate: float | None = None

    @property
    def size(self) -> int:
        return int(self.rows[0][1].size)

    def others(self, most: int) -> tuple[int, ...]:
        """At most `most` items or bits that belong to no group."""
        grouped = {member for group in self.groups for member in group.members}
        wanted = range(min(self.size, most + len(grouped)))
        return tuple(member for member in wanted if member not in grouped)[:most]

    def label(self, member: int) -> str:
        return self.labels.get(member, str(member))

    def rest(self) -> RemainingMembers:
        """The summary of the items or bits that belong to no group."""
        grouped = [member for group in self.groups for member in group.members]
        ones = tuple(int(bits.sum() - bits[grouped].sum()) for _, bits in self.rows)
        return RemainingMembers(self.size - len(grouped), ones)


@dataclass(frozen=True, eq=False)
class ReportStep:
    """One step of a report: a sentence, the possible outcomes, the bits and the details.

    bits : bool[d], all the bits of a report, shown if there is room.
    marked : int64, the targets.
    """

    name: str
    text: str
    outcomes: tuple[StepOutcome, ...] = ()
    cells: StepBits | None = None
    detail: tuple[str, ...] = ()
    meter: Meter | None = None
    bits: BoolArray | None = None
    marked: Items | None = None


@dataclass(frozen=True, eq=False)
class ReportHistory:
    """The steps of one report, from the user's value to the server's estimate.

    report : the report itself, an array of one.
    supports : int64, the items it supports, ascending.
    targets : int64, the targets among them.
    weight : the number of users that the report adds to the targets' estimated total.
    """

    title: str
    fake: bool
    item: int | None
    report: Reports
    steps: tuple[ReportStep, ...]
    supports: Items = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    targets: Items = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    weight: float = 0.0
