"""Bits over the items or the buckets, with the places that matter in front."""

from __future__ import annotations

import numpy as np

from ldptui.core.base.sampling import Counts
from ldptui.core.cell import Cell
from ldptui.core.kernels.hashing import buckets
from ldptui.core.kernels.primes import UInts
from ldptui.core.law.pure import BoolArray

from .steps import Cells, Group


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
