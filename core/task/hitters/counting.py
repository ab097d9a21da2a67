"""The support counts of one trial of the heavy-hitter task, drawn from their exact distribution.

A user joins one of the G groups at random. Group j counts, of its N_j users, those who support each
candidate prefix. A hashing oracle is queried for each prefix by itself, and its counts are
independent given the users of each prefix; other oracles draw the counts of all prefixes of a
level.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from ...attacks import Fakes, View
from ...base.errors import ScenarioError, got
from ...base.sampling import Counts
from ...base.streams import stream
from ...cell import Cell
from ...law.pure import Items, PureProtocol, Rng
from ...protocols import ProtocolSpec
from ...protocols.hashing import LocalHashing
from .prefixes import Codes, Prefixes, places

# The groups of users: the oracle of each, and the fakes in it and what they aim at.
#
# The server chooses the groups: a fake joins one at random as everybody does.

MOST_BITS = 14
"""The longest prefixes of an oracle that draws or counts all prefixes of a level."""


class LevelOracle:
    """The frequency oracles of the levels of a heavy hitter search.

    A hashing oracle, which can be queried for single prefixes, is bound to listed prefixes of any
    length. Any other is bound to all 2^λ prefixes; ScenarioError if λ exceeds 14, or for a protocol
    that is not pure.
    """

    def __init__(self, spec: ProtocolSpec, lengths: tuple[int, ...]) -> None:
        self._spec, self._lengths = spec, lengths
        self._open: LocalHashing | None = None
        protocol = spec.bind(2)
        if not isinstance(protocol, PureProtocol):
            raise ScenarioError(
                f'must be a pure protocol with task.kind = "heavy-hitters", {got(spec.kind)}',
                key="kind",
            )
        if isinstance(protocol, LocalHashing):
            self._open = protocol
        elif max(lengths) > MOST_BITS:
            rule = (
                f"must be an oracle that hashes, such as olh, where prefixes have more than "
                f"{MOST_BITS} bits: a report of another one is about all of them"
            )
            raise ScenarioError(f"{rule}, {got(spec.kind)}", key="kind")

    def at(self, level: int) -> PureProtocol:
        """The oracle of a level, for its p and q; a hashing oracle is bound to two
        prefixes only.
        """
        return self.listing(2) if self._open is not None else self._whole(level)

    def whole(self, level: int) -> PureProtocol | None:
        """The oracle over all prefixes of a level; None if prefixes are queried one by one."""
        return None if self._open is not None else self._whole(level)

    def listing(self, prefixes: int) -> LocalHashing:
        """The oracle over this many listed prefixes."""
        assert self._open is not None
        protocol: Any = self._open
        listed: LocalHashing = replace(protocol, domain_size=max(2, prefixes))
        return listed

    def _whole(self, level: int) -> PureProtocol:
        return _bound(self._spec, 2 ** self._lengths[level])


@lru_cache(maxsize=64)
def _bound(spec: ProtocolSpec, prefixes: int) -> PureProtocol:
    protocol: PureProtocol = spec.bind(prefixes)
    return protocol


@dataclass(frozen=True, eq=False)
class Aims:
    """The prefixes of a group's targets: the distinct ones, ascending, and the position of each
    target's prefix.

    prefixes : uint64[k]. stands : int64[r].
    """

    prefixes: Codes
    stands: Items


@dataclass(frozen=True, eq=False)
class GroupedFakes:
    """Identical fakes, and int64[G], their number in each of the G groups of users."""

    fakes: Fakes
    counts: Counts

    def aims(self, prefixes: Prefixes, level: int) -> Aims:
        """The distinct prefixes of the fakes' targets at a level."""
        cut = prefixes.cut(prefixes.codes[self.fakes.targets], level)
        distinct, stands = np.unique(cut, return_inverse=True)
        return Aims(distinct, stands)


def at_random(fakes: Sequence[Fakes], groups: int, rng: Rng) -> list[GroupedFakes]:
    """The fakes distributed over the G = `groups` groups at random, as the server assigns users."""
    chances = np.full(groups, 1 / groups)
    return [GroupedFakes(part, rng.multinomial(part.count, chances)) for part in fakes]


def block_streams(cell: Cell, number: int) -> tuple[Rng, Rng, Rng]:
    """The random streams of a block of trials: of the genuine users, of their support for
    candidates that only the attacked arm has, and of the fakes.
    """
    genuine = stream(cell.seed, cell.genuine_address, "genuine", "counts", (number,))
    more = stream(cell.seed, cell.malicious_address, "genuine", "counts", (number,))
    malicious = stream(cell.seed, cell.malicious_address, "malicious", "counts", (number,))
    return genuine, more, malicious


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


class DrawnCounts:
    """The support counts of one trial, drawn level by level as `grow` requests them.

    groups : int64[G, d], the users of each item in each group. streams : as `block_streams` returns
    them.
    """

    def __init__(
        self,
        prefixes: Prefixes,
        oracle: LevelOracle,
        groups: Counts,
        fakes: Sequence[GroupedFakes],
        streams: tuple[Rng, Rng, Rng],
    ) -> None:
        self._prefixes, self._oracle, self._groups, self._fakes = prefixes, oracle, groups, fakes
        self._genuine, self._more, self._malicious = streams

    def oracle(self, level: int) -> PureProtocol:
        """The oracle of the group of users that reports at a level, for its p and q; its domain may
        be smaller.
        """
        return self._oracle.at(level)

    def users(self, level: int) -> int:
        """N_j, the number of genuine users in the group of a level."""
        return int(self._groups[level].sum())

    def fakes(self, level: int) -> int:
        """m_j, the number of fake users in the group of a level."""
        return int(sum(part.counts[level] for part in self._fakes))

    def genuine_counts(self, level: int, listed: Codes, more: Codes) -> Counts:
        """int64[listed + more]: the genuine users who support each listed prefix, then each
        additional prefix.

        The counts of the listed prefixes do not depend on the additional ones.
        """
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
        """int64[listed]: the fake users who support each listed prefix."""
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
