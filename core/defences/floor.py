"""The certified floor: sets of items that more reports support than any honest population could.

`core.bounds.fakes` has the test, which is corrected for all sets of every size, so that the sets
may be chosen in any way. Here a set grows from a pair that is supported together too often, by the
item whose support among the set's reports exceeds the expected support most.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final, Literal

import numpy as np

from ..base.ranges import ALPHA
from ..base.sampling import Counts
from ..bounds.fakes import SIZES, Floor, ItemChain, floor_of, floor_of_counts
from ..bounds.robust import why_unbounded
from ..kernels.bits import BitColumns
from ..law.exchangeable import Exchangeable
from ..law.pure import Mechanism, PureProtocol, Reports
from ..law.together import tells_together
from .itemsets import USERS_AT_ONCE, pair_counts, report_columns, users_in
from .step import Filter, Load, TrialReports, Verdict

PAIRED: Final = 384
"""Items whose pairs are counted, at most: those that most reports support."""

STARTS: Final = 3
"""Pairs that sets grow from, in each direction."""

FEW: Final = 3
"""Reports below which a set grows no further."""


@dataclass(frozen=True)
class CertifiedFloor(Filter):
    """An alarm if sets of items prove that some reports are fake; drops no report.

    confidence : the probability, at least, that the proved number of fakes is not above the true
    one.
    """

    scores: ClassVar[str] = "nothing: no report is told from another"

    confidence: Annotated[float, ALPHA] = 0.95
    kind: Literal["floor"] = "floor"

    def reads(self, protocol: Mechanism) -> str | None:
        return why_unbounded(protocol)

    def memory(self, load: Load) -> int:
        pairs = min(load.items, PAIRED)
        return load.items * (load.users // 8 + 64) + pairs * (8 * pairs + USERS_AT_ONCE // 4)

    def sift(self, received: TrialReports) -> Verdict:
        floor = certify_floor(received.protocol, received.reports, self.confidence)
        return Verdict(alarm=floor.fakes > 0, certified=floor.share)


def certify_floor(protocol: PureProtocol, reports: Reports, confidence: float) -> Floor:
    """A proved lower bound on the number of fakes among these reports, at this confidence."""
    if not tells_together(protocol):
        counts = protocol.support_counts(reports)
        return floor_of_counts(protocol, counts, len(reports), confidence)
    chains = tuple(grow_sets(protocol, reports))
    return floor_of(protocol, chains, len(reports), sizes_of(protocol), confidence)


def sizes_of(protocol: PureProtocol) -> int:
    """The largest size of the item sets that are tested."""
    return min(SIZES, protocol.domain_size - 1)


def grow_sets(protocol: Exchangeable, reports: Reports) -> Iterator[ItemChain]:
    """Yields growing sets of items that too many, or too few, reports seem to support."""
    columns, users = report_columns(protocol, reports), len(reports)
    single = np.array([users_in(column) for column in columns])
    items = np.sort(np.argsort(-single, kind="stable")[:PAIRED])
    both = pair_counts(columns, items)
    together = both - np.outer(single[items], single[items] / users)
    together[np.tril_indices(items.size)] = -math.inf
    for every in (True, False):
        have = single if every else users - single
        starts = [[int(np.argmax(have))]]
        left = together.copy()
        for _ in range(min(STARTS, items.size // 2)):
            pair = np.unravel_index(int(np.argmax(left)), left.shape)
            starts.append([int(items[at]) for at in pair])
            left[list(pair), :] = left[:, list(pair)] = -math.inf
        for start in starts:
            yield _grow_chain(columns, have, users, start, sizes_of(protocol), every)


def _grow_chain(
    columns: BitColumns, have: Counts, users: int, start: list[int], sizes: int, every: bool,
) -> ItemChain:  # fmt: skip
    """The chain from one set. have : int64[d], the reports that support each item, or do not."""
    everybody = np.packbits(np.ones(users, dtype=np.uint8))
    held = np.zeros(columns.shape[1] * 8, dtype=np.uint8)
    held[: everybody.size] = everybody
    held = held.view(np.uint64)
    chosen: list[int] = []
    seen: list[int] = []
    while len(chosen) < sizes:
        if len(chosen) < len(start):
            item = start[len(chosen)]
        else:
            support = np.bitwise_count(columns & held).sum(axis=1, dtype=np.int64)
            support = support if every else seen[-1] - support
            expected = have * (seen[-1] / users)
            beyond = (support - expected) / np.sqrt(expected + 1)
            beyond[chosen] = -math.inf
            item = int(np.argmax(beyond))
        held = held & (columns[item] if every else ~columns[item])
        chosen.append(item)
        seen.append(users_in(held))
        if seen[-1] < FEW:
            break
    return ItemChain(np.array(chosen), np.array(seen), every)


def count_chain(protocol: Exchangeable, reports: Reports, chain: ItemChain) -> Counts:
    """int64[k]: the reports that support all, or none, of the first 1, 2, …, k items of a chain."""
    bits = protocol.supports_of(reports, chain.items)
    members = bits if chain.every else ~bits
    return np.asarray(np.logical_and.accumulate(members, axis=1).sum(axis=0))
