"""PEM on one trial: level by level, the k candidates with the largest estimates survive.

Both arms are grown together, so that they share the genuine users' draws.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ...base.pulse import Pulse
from ...base.sampling import Counts, Floats
from ...law.pure import PureProtocol, estimate
from .codes import Codes
from .prefixes import Prefixes, places


class Draws(Protocol):
    """The support counts of one trial, drawn from their law or counted from reports."""

    def oracle(self, level: int) -> PureProtocol:
        """The protocol of the group that reports at a level."""
        ...

    def users(self, level: int) -> int:
        """N_j, the genuine users of the group."""
        ...

    def fakes(self, level: int) -> int:
        """m_j, the fake users of the group."""
        ...

    def genuine_counts(self, level: int, listed: Codes, more: Codes) -> Counts:
        """The genuine users who support each listed prefix, then each of some more.

        The counts of those listed do not depend on what else is asked for.
        """
        ...

    def fake_counts(self, level: int, listed: Codes) -> Counts:
        """The fake users who support each listed prefix."""
        ...


@dataclass(frozen=True, eq=False)
class Grown:
    """One level of one arm: its candidates, ascending, and the survivors.

    counts : the supporting users of each candidate. estimates : their frequencies in the group.
    users : of the group, fakes included.
    top : the places of the survivors among the candidates, the largest estimate first; of equal
    ones the lower prefix.
    """

    candidates: Codes
    counts: Counts
    estimates: Floats
    top: Counts
    users: int

    @property
    def survivors(self) -> Codes:
        """The surviving prefixes, ascending."""
        return np.sort(self.candidates[self.top])


Tree = tuple[Grown, ...]
"""The levels of one arm in one trial."""


def grow(prefixes: Prefixes, draws: Draws, attacked: bool, pulse: Pulse) -> tuple[Tree, Tree]:
    """The levels without the fakes and with them; one object where nobody attacks."""
    clean: list[Grown] = []
    under_attack: list[Grown] = []
    before = after = prefixes.roots
    for number in range(len(prefixes.lengths)):
        pulse()
        listed = prefixes.children(before, number)
        theirs = prefixes.children(after, number) if attacked else listed
        at = places(listed, theirs)
        more = theirs[at < 0]
        counts = draws.genuine_counts(number, listed, more)
        oracle, users = draws.oracle(number), draws.users(number)
        clean.append(_ranked(listed, counts[: listed.size], users, oracle, prefixes.k))
        before = clean[-1].survivors
        if attacked:
            at[at < 0] = listed.size + np.arange(more.size)
            both = counts[at] + draws.fake_counts(number, theirs)
            everyone = users + draws.fakes(number)
            under_attack.append(_ranked(theirs, both, everyone, oracle, prefixes.k))
            after = under_attack[-1].survivors
    tree = tuple(clean)
    return tree, tuple(under_attack) if attacked else tree


def _ranked(candidates: Codes, counts: Counts, users: int, oracle: PureProtocol, k: int) -> Grown:
    """The survivors of a level, by the counts of a group of `users`; an empty group ranks none."""
    estimates = estimate(counts, users, oracle) if users else np.zeros(candidates.size)
    top = np.argsort(-counts, kind="stable")[:k]
    return Grown(candidates, counts, np.asarray(estimates), top, users)
