"""The groups of users: the oracle of each, and the fakes in it and what they aim at.

The server chooses the groups: a fake joins one at random as everybody does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from ...attacks import Fakes
from ...base.errors import ScenarioError, got
from ...base.sampling import Counts
from ...law.pure import Items, PureProtocol, Rng
from ...protocols import ProtocolSpec
from ...protocols.hashing import LocalHashing
from .prefixes import Codes, Prefixes

MOST_BITS = 14
"""The longest prefixes of an oracle that draws or counts all prefixes of a level."""


class Oracle:
    """The protocol of each level.

    One whose reports can be asked about single prefixes is bound to those that are listed,
    however long they are. Any other is bound to all 2^λ prefixes.
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
        """The protocol of a level, for its p and q."""
        return self.listing(2) if self._open is not None else self._whole(level)

    def whole(self, level: int) -> PureProtocol | None:
        """The protocol over all prefixes of a level; None for one that is asked one by one."""
        return None if self._open is not None else self._whole(level)

    def listing(self, prefixes: int) -> LocalHashing:
        """The protocol over this many listed prefixes."""
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
    """The distinct prefixes of some targets, ascending, and the one that each target stands in."""

    prefixes: Codes
    stands: Items


@dataclass(frozen=True, eq=False)
class GroupedFakes:
    """Fakes who do the same, int64[G] of them in the groups."""

    fakes: Fakes
    counts: Counts

    def aims(self, prefixes: Prefixes, level: int) -> Aims:
        """The prefixes of their targets; those that targets share are aimed at once."""
        cut = prefixes.cut(prefixes.codes[self.fakes.targets], level)
        distinct, stands = np.unique(cut, return_inverse=True)
        return Aims(distinct, stands)


def at_random(fakes: Sequence[Fakes], groups: int, rng: Rng) -> list[GroupedFakes]:
    """Fakes whose groups the server draws."""
    chances = np.full(groups, 1 / groups)
    return [GroupedFakes(part, rng.multinomial(part.count, chances)) for part in fakes]
