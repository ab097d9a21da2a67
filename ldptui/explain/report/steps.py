"""A life as plain values: its steps, what they show, and the words of items, bits and bytes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from ldptui.core.attacks import Strategy
from ldptui.core.base.sampling import Counts
from ldptui.core.cell import Cell
from ldptui.core.kernels.hashing import buckets
from ldptui.core.kernels.primes import UInts
from ldptui.core.law.pure import BoolArray, Items, Reports
from ldptui.core.population.targets import RandomSet

from ...text import format as fmt


def letters_of(cell: Cell) -> tuple[str, str]:
    """The chances that a 1, and that a 0, is sent as 1: some bits have a p and q of their own."""
    return ("q*", "p*") if "p_star" in cell.protocol.facts() else ("p", "q")


def named(cell: Cell, item: int) -> str:
    """The number of an item, and its label if it has one."""
    label = cell.population.label(item)
    return f"item {item}" if cell.population.labels is None else f"item {item}, “{label}”"


def targets_of(cell: Cell) -> str:
    """The number of targets in words: `3 targets`."""
    return fmt.plural(cell.targets.size, "target")


def wish_of(attack: Strategy) -> str:
    """The way in which an attack wants its targets to look."""
    if attack.report_law == "avoided":
        return "rare"
    return (
        "frequent, whichever they are"
        if isinstance(getattr(attack, "targets", None), RandomSet)
        else "frequent"
    )


def hex_of(report: NDArray[Any]) -> str:
    """The first bytes of a packed report."""
    data = report.tobytes()
    start = data[:7].hex(" ")
    return f"{fmt.plural(len(data), 'byte')}: {start}" + (" …" if len(data) > 7 else "")


def bits_needed(domain_size: int) -> str:
    return f"{fmt.plural((domain_size - 1).bit_length(), 'bit')}"


def over_items(
    cell: Cell,
    rows: tuple[tuple[str, BoolArray], ...],
    own: int | None,
    sent: int | None = None,
    *,
    numbers: tuple[str, Counts] | None = None,
    rate: float | None = None,
) -> Cells:
    """Bits over the items: the own one first, then the targets; a sent one that is neither."""
    targets = [int(target) for target in np.sort(cell.targets)]
    groups = []
    if own is not None:
        groups.append(Group("own", (own,)))
    if sent is not None and sent != own and sent not in targets:
        groups.append(Group("sent", (sent,)))
    rest = tuple(target for target in targets if target != own)
    if rest:
        groups.append(Group("targets", rest))
    shown = [member for group in groups for member in group.members]
    labels = {member: cell.population.label(member) for member in shown}
    return Cells("item", rows, tuple(groups), labels, numbers, rate)


def in_buckets(
    rows: tuple[tuple[str, BoolArray], ...],
    own: int,
) -> Cells:
    """Bits over the buckets of a row, the own one first."""
    return Cells("bucket", rows, (Group("own", (own,)),), {})


def over_buckets(
    cell: Cell,
    rows: tuple[tuple[str, BoolArray], ...],
    seed: UInts,
    own: int | None,
    sent: int | None = None,
) -> Cells:
    """Bits over the buckets of a hash, with the number of targets in each."""
    g = int(rows[0][1].size)
    groups = []
    if own is not None:
        groups.append(Group("own", (own,)))
    if sent is not None and sent != own:
        groups.append(Group("sent", (sent,)))
    numbers = None
    if cell.targets.size:
        placed = buckets(cell.targets, seed, g)
        numbers = ("targets", np.bincount(placed, minlength=g))
    return Cells("bucket", rows, tuple(groups), {}, numbers)


def one_bit(size: int, place: int) -> BoolArray:
    bits = np.zeros(size, dtype=np.bool_)
    bits[place] = True
    return bits


@dataclass(frozen=True)
class Chance:
    """One thing that could happen, its probability, and whether or how often it did."""

    event: str
    symbol: str
    probability: float
    outcome: str


@dataclass(frozen=True)
class Meter:
    """The number of targets that a report supports, and that such a report does on average.

    Targets that it speaks against are taken off.
    """

    value: int
    total: int
    expected: float


@dataclass(frozen=True)
class Group:
    """Items or buckets that belong together, in the order in which they are shown."""

    name: str
    members: tuple[int, ...]


@dataclass(frozen=True)
class Rest:
    """The members that are not shown one by one: their number, and the ones among them by row."""

    count: int
    ones: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Cells:
    """Bits over the items of the domain, the buckets of a hash, or the bits of a Bloom filter.

    rows : (name, bool[size]); two rows are before and after something random.
    groups : what a window shows first, in this order; the rest is "others".
    labels : the names of the members of the groups.
    numbers : (name, int64[size]) shown over the bits, or None.
    rate : probability of a one in the last row for each member of "others"; None if certain.
    """

    over: Literal["item", "bucket", "bit"]
    rows: tuple[tuple[str, BoolArray], ...]
    groups: tuple[Group, ...]
    labels: dict[int, str]
    numbers: tuple[str, Counts] | None = None
    rate: float | None = None

    @property
    def size(self) -> int:
        return int(self.rows[0][1].size)

    def others(self, most: int) -> tuple[int, ...]:
        """The first members of no group, at most `most`."""
        grouped = {member for group in self.groups for member in group.members}
        wanted = range(min(self.size, most + len(grouped)))
        return tuple(member for member in wanted if member not in grouped)[:most]

    def label(self, member: int) -> str:
        return self.labels.get(member, str(member))

    def rest(self) -> Rest:
        """The members of no group."""
        grouped = [member for group in self.groups for member in group.members]
        ones = tuple(int(bits.sum() - bits[grouped].sum()) for _, bits in self.rows)
        return Rest(self.size - len(grouped), ones)


@dataclass(frozen=True, eq=False)
class Step:
    """One step: a sentence, what could happen, the cells, and what to know about it.

    bits : bool[d], all the bits of a report, drawn where there is room for them; marked : int64,
    the targets among them.
    """

    name: str
    text: str
    chances: tuple[Chance, ...] = ()
    cells: Cells | None = None
    detail: tuple[str, ...] = ()
    meter: Meter | None = None
    bits: BoolArray | None = None
    marked: Items | None = None


@dataclass(frozen=True, eq=False)
class Life:
    """The steps of one report, from the value to what the server takes from it.

    report : the report itself, an array of one. supports : int64, the items it supports, ascending.
    targets : int64, the targets among them. weight : Σ over the targets of (support − q)/(p−q),
    what the report adds to the targets' estimated total, in users.
    """

    title: str
    fake: bool
    item: int | None
    report: Reports
    steps: tuple[Step, ...]
    supports: Items = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    targets: Items = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    weight: float = 0.0


SENT_AS_IT_IS: Final = Step("Perturbation", "none, sent as it is")
