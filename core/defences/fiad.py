"""FIAD: frequent-itemset anomaly detection.

Cao, Jia, Gong, "Data Poisoning Attacks to Local Differential Privacy Protocols", USENIX Security
2021, section 6.2.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass
from functools import singledispatch
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ..base.errors import ScenarioError
from ..base.ranges import Range, require
from ..kernels.bits import BitColumns, binomial_threshold, chebyshev_threshold
from ..law.mechanism import lacking
from ..law.pure import Items, Mechanism
from ..protocols.hashing import LocalHashing
from ..protocols.unary import IndependentBits
from .itemsets import (
    ItemsetLevel,
    memory_of,
    mine_itemsets,
    report_columns,
    support_of,
    unpack_bits,
    users_in,
)
from .step import Filter, Load, TrialReports, Verdict

CHANCE = Range(0, 1, "()")
SUPPORT = Range(0, 1, "[)")
SIZE = Range(1, 64)
THRESHOLD = Range(0, 1, "(]")
NO_BITS = "whose reports are not a bit for each item, each by itself"
"""The reason of a protocol that gives none for having no columns."""

DEVIATIONS = 6
"""Standard deviations that count as certain."""

Thresholds = dict[int, int]
"""τ_z by the size z."""


def _exceeding(levels: list[ItemsetLevel], thresholds: Thresholds) -> list[tuple[int, Items]]:
    """The abnormal sets, and by how many users each exceeds its threshold."""
    return [
        (int(support) - thresholds[level.size], items)
        for level in levels
        for items, support in zip(level.sets, level.support, strict=True)
        if support >= thresholds[level.size]
    ]


class BitFilter(Filter):
    """The base of filters that need reports of one independent bit for each item."""

    def reads(self, protocol: Mechanism) -> str | None:
        return lacking(protocol, (IndependentBits, LocalHashing), "columns", NO_BITS)


@singledispatch
def itemset_threshold(protocol: Any, size: int, users: int, chance: float) -> int:
    """The threshold τ: the number of N honest reports that support a given item set is τ or more
    with this probability at most.

    For any items of the users; N + 1 if no number is that unlikely.
    """
    return chebyshev_threshold(users, protocol.p * protocol.q ** (size - 1), chance)


@itemset_threshold.register
def _(protocol: LocalHashing, size: int, users: int, chance: float) -> int:
    return binomial_threshold(users, protocol.q ** (size - 1), chance)


@dataclass(frozen=True)
class FIAD(BitFilter):
    """A filter that flags the users of item sets which more reports support than honest users
    explain.

    A set of z items is abnormal if at least τ_z reports support all of it, which honest reports do
    with probability η at most, for any items of their users.

    chance : η, of one set. min_support : the share of the reports below which no set is examined.
    max_size : of the largest set.
    thresholds : τ₁, τ₂, … as shares of the reports instead of those of η; the last one holds for
        larger sets as well. ScenarioError if empty, or outside (0, 1].
    flag : "in-turn" takes the set that exceeds its threshold most, flags its users, and continues
        with the other users until no set exceeds; "any" flags the users of every abnormal set.
    """

    libraries: ClassVar[tuple[str, ...]] = ("scipy.special",)
    scores: ClassVar[str] = "suspicious items that a report supports"

    chance: Annotated[float, CHANCE] = 0.01
    min_support: Annotated[float, SUPPORT] = 0.005
    max_size: Annotated[int, SIZE] = 10
    thresholds: tuple[float, ...] | None = None
    flag: Literal["in-turn", "any"] = "in-turn"
    kind: Literal["fiad"] = "fiad"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.thresholds is not None:
            if not self.thresholds:
                raise ScenarioError("must name a share for each size, got none", key="thresholds")
            for share in self.thresholds:
                require("thresholds", share, THRESHOLD)

    def _threshold(self, protocol: Any, size: int, users: int) -> int:
        """τ_z for sets of this size."""
        if self.thresholds is None:
            return itemset_threshold(protocol, size, users, self.chance)
        share = self.thresholds[min(size, len(self.thresholds)) - 1]
        return math.ceil(share * users)

    def memory(self, load: Load) -> int:
        return memory_of(load.items, load.users)

    def sift(self, received: TrialReports) -> Verdict:
        """The verdict on each report; its score is the number of its items in abnormal
        item sets.
        """
        protocol, users = received.protocol, received.users
        columns = report_columns(protocol, received.reports)
        least = max(1.0, self.min_support * users)
        levels = [*mine_itemsets(columns, users, least, self.max_size, received.tell)]
        thresholds = {level.size: self._threshold(protocol, level.size, users) for level in levels}
        exceeding = _exceeding(levels, thresholds)
        flagged, suspects = (
            _in_turn(columns, exceeding, thresholds)
            if self.flag == "in-turn"
            else _every(columns, exceeding)
        )
        score = np.zeros(users)
        for item in sorted(suspects):
            score += unpack_bits(columns[item], users)
        return Verdict(~unpack_bits(flagged, users), score, alarm=bool(exceeding))


def _every(
    columns: BitColumns, exceeding: list[tuple[int, Items]]
) -> tuple[NDArray[np.uint64], set[int]]:
    """The users who support all of any abnormal set, and the items of those sets."""
    flagged, suspects = np.zeros_like(columns[0]), set[int]()
    for _, items in exceeding:
        flagged |= support_of(columns, items)
        suspects.update(items.tolist())
    return flagged, suspects


def _in_turn(
    columns: BitColumns,
    exceeding: list[tuple[int, Items]],
    thresholds: Thresholds,
) -> tuple[NDArray[np.uint64], set[int]]:
    """The users of the set that exceeds most, then of that which does without them, and so on.

    Users only leave, so that an excess that was counted earlier is never too small: the first set
    whose excess is up to date is the largest.
    """
    flagged, suspects = np.zeros_like(columns[0]), set[int]()
    counted = np.zeros(len(exceeding), dtype=np.int64)  # the turn in which each was counted last
    queue = [(-excess, number) for number, (excess, _) in enumerate(exceeding)]
    heapq.heapify(queue)
    turn = 0
    while queue:
        _, number = heapq.heappop(queue)
        items = exceeding[number][1]
        held = support_of(columns, items)
        if counted[number] == turn:
            flagged |= held
            suspects.update(items.tolist())
            turn += 1
            continue
        left = users_in(held & ~flagged) - thresholds[items.size]
        counted[number] = turn
        if left >= 0:
            heapq.heappush(queue, (-left, number))
    return flagged, suspects
