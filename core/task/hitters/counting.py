"""The support counts of one trial: drawn from their exact law, or counted from every user's report.

A user joins one of the G groups at random. Group j counts, of its N_j users, those who support each
candidate. Drawn: an oracle that hashes is asked about each prefix by itself, and its counts are
independent given the users of each prefix; others draw the counts of all prefixes of a level.
Counted: users send their reports whatever the candidates are, so that both arms count the same
reports; a report about a prefix of more than 32 bits hashes a number that stands for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...attacks import View
from ...base.pulse import Pulse
from ...base.sampling import Counts
from ...base.streams import stream
from ...cell import Cell
from ...collection.reports import USER_BLOCK
from ...law.pure import Items, PureProtocol, Reports, Rng
from ...protocols.hashing import LocalHashing
from .groups import GroupedFakes, Oracle
from .growth import Draws
from .prefixes import Codes, Level, Prefixes, places


def block_streams(cell: Cell, number: int) -> tuple[Rng, Rng, Rng]:
    """The streams of a block on the counts path.

    They draw for the genuine users, for their support of candidates that the attacked arm alone
    has, and for the fakes.
    """
    genuine = stream(cell.seed, cell.genuine_address, "genuine", "counts", (number,))
    more = stream(cell.seed, cell.malicious_address, "genuine", "counts", (number,))
    malicious = stream(cell.seed, cell.malicious_address, "malicious", "counts", (number,))
    return genuine, more, malicious


@dataclass(frozen=True, eq=False)
class TrialStreams:
    """The streams of a trial on the reports path: one for every 65,536 users of a group."""

    cell: Cell
    trial: int

    def groups(self, block: int) -> Rng:
        """The groups that the genuine users of a block join."""
        address = f"{self.cell.genuine_address} groups"
        return stream(self.cell.seed, address, "genuine", "reports", (self.trial, block))

    def fake_groups(self) -> Rng:
        """The numbers of fakes that join each group."""
        address = f"{self.cell.malicious_address} groups"
        return stream(self.cell.seed, address, "malicious", "reports", (self.trial,))

    def genuine(self, level: int, block: int) -> Rng:
        """The reports of the genuine users of a group."""
        address, key = self.cell.genuine_address, (self.trial, block, level)
        return stream(self.cell.seed, address, "genuine", "reports", key)

    def malicious(self, level: int, part: int, block: int) -> Rng:
        """The reports of the fakes of one kind in a group."""
        address, key = self.cell.malicious_address, (self.trial, block, level, part)
        return stream(self.cell.seed, address, "malicious", "reports", key)


FEW = 32
"""Items with at most this many users are shared out user by user, which is faster."""


def in_groups(histogram: Counts, groups: int, rng: Rng) -> Counts:
    """int64[G, d]: the users of each item who join each group, all groups equally likely."""
    few = histogram <= FEW
    shared = np.zeros((histogram.size, groups), dtype=np.int64)
    shared[~few] = rng.multinomial(histogram[~few], np.full(groups, 1 / groups))
    items = np.repeat(np.flatnonzero(few), histogram[few])
    chosen = rng.integers(0, groups, size=items.size)
    counted = np.bincount(items * groups + chosen, minlength=shared.size)
    return np.asarray((shared + counted.reshape(shared.shape)).T)


class DrawnCounts(Draws):
    """The counts of one trial, as `grow` asks for them.

    streams : of the genuine users, of their support for candidates that the attacked arm alone
    has, and of the fakes.
    """

    def __init__(
        self,
        prefixes: Prefixes,
        oracle: Oracle,
        groups: Counts,
        fakes: Sequence[GroupedFakes],
        streams: tuple[Rng, Rng, Rng],
    ) -> None:
        super().__init__(prefixes, oracle, fakes)
        self._groups = groups
        self._genuine, self._more, self._malicious = streams

    def users(self, level: int) -> int:
        return int(self._groups[level].sum())

    def genuine_counts(self, level: int, listed: Codes, more: Codes) -> Counts:
        prefixes = self._prefixes.levels[level]
        histogram = prefixes.users(self._groups[level])
        protocol = self._oracle.whole(level)
        if protocol is not None:
            held = np.zeros((1, protocol.domain_size), dtype=np.int64)
            held[0, prefixes.held.astype(np.int64)] = histogram
            counts = protocol.sample_counts(held, self._genuine)[0]
            return np.asarray(counts[np.concatenate([listed, more]).astype(np.int64)])
        parts = []
        for asked, rng in ((listed, self._genuine), (more, self._more)):
            if asked.size:
                users = prefixes.of(histogram, asked)
                held = np.append(users, histogram.sum() - users.sum())[None]
                drawn = self._oracle.listing(asked.size + 1).sample_counts(held, rng)
                parts.append(drawn[0, : asked.size])
        return np.concatenate(parts)

    def fake_counts(self, level: int, listed: Codes) -> Counts:
        counts = np.zeros(listed.size, dtype=np.int64)
        for part in self._fakes:
            aims = part.aims(self._prefixes, level)
            number = np.array([part.counts[level]])
            protocol = self._oracle.whole(level)
            if protocol is not None:
                at, shown = aims.prefixes.astype(np.int64), listed.astype(np.int64)
            else:
                at, shown = places(listed, aims.prefixes), np.arange(listed.size)
                lost = at < 0
                at[lost] = listed.size + np.arange(int(lost.sum()))
                # One prefix more, so that there is always something besides the targets.
                protocol = self._oracle.listing(listed.size + int(lost.sum()) + 1)
            view = View(at, stands=aims.stands)
            strategy = part.fakes.strategy
            counts += strategy.counts(protocol, view, number, self._malicious)[0, shown]
        return counts


HASHED_BITS = 32
"""Prefixes up to this length are hashed as they are."""
UNHELD = np.uint64(2**31)
"""Numbers from here on stand for prefixes that no item has."""


class Numbers:
    """The uint32 numbers that stand for the prefixes of a level, each for one of those asked."""

    def __init__(self, level: Level) -> None:
        self._level = level
        self._known: dict[int, int] = {}
        self._taken: set[int] = set()

    def of_items(self, prefixes: Codes) -> Items:
        """The numbers of prefixes that items have."""
        if self._level.length <= HASHED_BITS:
            return prefixes.astype(np.int64)
        return np.searchsorted(self._level.held, prefixes)

    def of(self, prefixes: Codes) -> NDArray[np.uint32]:
        """The numbers of any prefixes; one that is taken goes to the one after it."""
        if self._level.length <= HASHED_BITS:
            return prefixes.astype(np.uint32)
        numbers = places(self._level.held, prefixes)
        for at in np.flatnonzero(numbers < 0).tolist():
            numbers[at] = self._unheld(int(prefixes[at]))
        return numbers.astype(np.uint32)

    def _unheld(self, prefix: int) -> int:
        if prefix not in self._known:
            mixed = (prefix * 0x9E3779B97F4A7C15) % 2**64 >> 33
            while mixed in self._taken:
                mixed = (mixed + 1) % int(UNHELD)
            self._taken.add(mixed)
            self._known[prefix] = mixed
        return int(UNHELD) + self._known[prefix]


class CountedReports(Draws):
    """The counts of one trial, as `grow` asks for them.

    held_until : int64[d], the users in the order of their items, added up.
    """

    def __init__(
        self,
        prefixes: Prefixes,
        oracle: Oracle,
        histogram: Counts,
        fakes: Sequence[GroupedFakes],
        streams: TrialStreams,
        pulse: Pulse,
    ) -> None:
        super().__init__(prefixes, oracle, fakes)
        self._streams, self._pulse = streams, pulse
        self._items = histogram
        groups = len(prefixes.lengths)
        self._sizes = sum(
            (np.bincount(chosen, minlength=groups) for _, _, chosen in self._users()),
            start=np.zeros(groups, dtype=np.int64),
        )
        self._numbers = [Numbers(level) for level in prefixes.levels]

    def _users(self) -> Iterator[tuple[int, Items, Items]]:
        """Blocks of users: the number of the block, their items and their groups."""
        until = np.cumsum(self._items)
        groups = len(self._prefixes.lengths)
        for block, first in enumerate(range(0, int(until[-1]), USER_BLOCK)):
            self._pulse()
            last = min(first + USER_BLOCK, int(until[-1]))
            ends = np.clip(until, first, last)
            items = np.repeat(np.arange(until.size), np.diff(ends, prepend=first))
            chosen = self._streams.groups(block).integers(0, groups, size=items.size)
            yield block, items, chosen

    def users(self, level: int) -> int:
        return int(self._sizes[level])

    def genuine_counts(self, level: int, listed: Codes, more: Codes) -> Counts:
        asked = np.concatenate([listed, more])
        return self._counts(level, asked, self._genuine_reports(level))

    def fake_counts(self, level: int, listed: Codes) -> Counts:
        return self._counts(level, listed, self._fake_reports(level))

    def _counts(self, level: int, asked: Codes, reports: Iterator[Reports]) -> Counts:
        """The reports that support each prefix that is asked about."""
        protocol = self._protocol(level)
        counts = np.zeros(asked.size, dtype=np.int64)
        if isinstance(protocol, LocalHashing):
            numbers = self._numbers[level].of(asked)
            for some in reports:
                self._pulse()
                counts += protocol.listed_counts(some, numbers)
            return counts
        for some in reports:
            self._pulse()
            counts += protocol.support_counts(some)[asked.astype(np.int64)]
        return counts

    def _protocol(self, level: int) -> PureProtocol | LocalHashing:
        whole = self._oracle.whole(level)
        return self._oracle.listing(2**HASHED_BITS) if whole is None else whole

    def _genuine_reports(self, level: int) -> Iterator[Reports]:
        protocol, numbers = self._protocol(level), self._numbers[level]
        of_items = numbers.of_items(self._prefixes.cut(self._prefixes.codes, level))
        for block, items, chosen in self._users():
            values = of_items[items[chosen == level]]
            yield protocol.perturb(values, self._streams.genuine(level, block))

    def _fake_reports(self, level: int) -> Iterator[Reports]:
        protocol, numbers = self._protocol(level), self._numbers[level]
        for number, part in enumerate(self._fakes):
            aims = part.aims(self._prefixes, level)
            view = View(numbers.of_items(aims.prefixes), stands=aims.stands)
            count = int(part.counts[level])
            for block, first in enumerate(range(0, count, USER_BLOCK)):
                rng = self._streams.malicious(level, number, block)
                some = min(USER_BLOCK, count - first)
                yield part.fakes.strategy.reports(protocol, view, some, rng)
