"""The support counts of one trial, counted from every user's report.

Users send their reports whatever the candidates are, so that both arms count the same reports. A
report about a prefix of more than 32 bits hashes a number that stands for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ...attacks import View
from ...base.pulse import Pulse
from ...base.sampling import Counts
from ...collection.reports import USER_BLOCK
from ...law.capabilities import AsksOneByOne, asks_one_by_one
from ...law.pure import Items, PureProtocol, Reports
from .codes import Codes
from .fakes import GroupedFakes
from .oracles import Oracle
from .prefixes import Level, Prefixes, places
from .streams import TrialStreams

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


class CountedReports:
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
        self._prefixes, self._oracle, self._fakes = prefixes, oracle, fakes
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

    def oracle(self, level: int) -> PureProtocol:
        return self._oracle.at(level)

    def users(self, level: int) -> int:
        return int(self._sizes[level])

    def fakes(self, level: int) -> int:
        return int(sum(part.counts[level] for part in self._fakes))

    def genuine_counts(self, level: int, listed: Codes, more: Codes) -> Counts:
        asked = np.concatenate([listed, more])
        return self._counts(level, asked, self._genuine_reports(level))

    def fake_counts(self, level: int, listed: Codes) -> Counts:
        return self._counts(level, listed, self._fake_reports(level))

    def _counts(self, level: int, asked: Codes, reports: Iterator[Reports]) -> Counts:
        """The reports that support each prefix that is asked about."""
        protocol = self._protocol(level)
        counts = np.zeros(asked.size, dtype=np.int64)
        if asks_one_by_one(protocol):
            numbers = self._numbers[level].of(asked)
            for some in reports:
                self._pulse()
                counts += protocol.listed_counts(some, numbers)
            return counts
        for some in reports:
            self._pulse()
            counts += protocol.support_counts(some)[asked.astype(np.int64)]
        return counts

    def _protocol(self, level: int) -> PureProtocol | AsksOneByOne:
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
