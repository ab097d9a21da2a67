"""Items, targets, bits and bytes in words."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldptui.core.attacks import Strategy
from ldptui.core.base.sampling import Counts
from ldptui.core.cell import Cell
from ldptui.core.kernels.hashing import buckets
from ldptui.core.kernels.primes import UInts
from ldptui.core.law.pure import BoolArray
from ldptui.core.population.targets import RandomSet

from ...text import format as fmt
from .steps import Cells, Group


def letters_of(cell: Cell) -> tuple[str, str]:
    """The chances that a 1, and that a 0, is sent as 1: some bits have a p and q of their own."""
    return ("q*", "p*") if "p_star" in cell.protocol.facts() else ("p", "q")


def named(cell: Cell, item: int) -> str:
    """The number of an item, and its label if it has one."""
    label = cell.population.label(item)
    return f"item {item}" if cell.population.labels is None else f"item {item}, “{label}”"


def targets_of(cell: Cell) -> str:
    """The number of targets in words: `3 targets`."""
    return plural(cell.targets.size, "target")


def wish_of(attack: Strategy) -> str:
    """The way in which an attack wants its targets to look."""
    if attack.report_law == "avoided":
        return "rare"
    return (
        "frequent, whichever they are"
        if isinstance(getattr(attack, "targets", None), RandomSet)
        else "frequent"
    )


def plural(count: int, noun: str, ending: str = "s") -> str:
    """A number and what is counted: `1 bit`, `2 bits`."""
    return f"{fmt.count(count)} {noun}" + ("" if count == 1 else ending)


def hex_of(report: NDArray[Any]) -> str:
    """The first bytes of a packed report."""
    data = report.tobytes()
    start = data[:7].hex(" ")
    return f"{plural(len(data), 'byte')}: {start}" + (" …" if len(data) > 7 else "")


def bits_needed(domain_size: int) -> str:
    return f"{plural((domain_size - 1).bit_length(), 'bit')}"


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
