"""The privacy of a relation of users and attributes: what a set of attributes gives away.

Erdmann, "Topology of Privacy: Lattice Structures and Information Bubbles for Inference and
Obfuscation", 2017. ψ maps observed attributes to the users that have all of them, φ maps users to
the attributes that all of them have. The closure φ∘ψ is what an observer learns; attribute privacy
is φ∘ψ = Id on every set that somebody has. These sets are the simplices of a Dowker complex.

Sets are whole numbers: bit i is attribute i, or user i.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Final

from ..base.errors import ScenarioError

MOST_SETS: Final = 200_000
"""Sets of observed attributes that are tried for implications."""


@dataclass(frozen=True)
class Inference:
    """A rule: who is seen with `observed` also has `implied`. No fewer attributes show that."""

    observed: tuple[str, ...]
    implied: tuple[str, ...]


@dataclass(frozen=True)
class Relation:
    """Users and the attributes that each of them has.

    held : of each user, the set of attributes.
    """

    users: tuple[str, ...]
    attributes: tuple[str, ...]
    held: tuple[int, ...]

    @classmethod
    def of(cls, held: Mapping[str, Iterable[str]]) -> Relation:
        """From the attributes of each user; attributes in alphabetical order."""
        rows = {user: set(names) for user, names in held.items()}
        attributes = tuple(sorted(set().union(*rows.values()))) if rows else ()
        if not attributes:
            raise ScenarioError("must hold at least one attribute of a user", key="relation")
        place = {name: at for at, name in enumerate(attributes)}
        masks = tuple(sum(1 << place[name] for name in names) for names in rows.values())
        return cls(tuple(rows), attributes, masks)

    @cached_property
    def holders(self) -> tuple[int, ...]:
        """The set of users that have each attribute."""
        # In bytes, which change in place: a million users are a million small steps.
        width = len(self.users) // 8 + 1
        holders = [bytearray(width) for _ in self.attributes]
        for user, attributes in enumerate(self.held):
            for attribute in members(attributes):
                holders[attribute][user >> 3] |= 1 << (user & 7)
        return tuple(int.from_bytes(users, "little") for users in holders)

    def names(self, attributes: int) -> tuple[str, ...]:
        return tuple(self.attributes[at] for at in members(attributes))

    def having(self, attributes: int) -> int:
        """ψ: the users that have all of these attributes; all users for the empty set."""
        users = (1 << len(self.users)) - 1
        for attribute in members(attributes):
            users &= self.holders[attribute]
        return users

    def common(self, users: int) -> int:
        """φ: the attributes that all of these users have; all attributes for the empty set."""
        return sum(
            1 << attribute
            for attribute, holders in enumerate(self.holders)
            if users & ~holders == 0
        )

    def closure(self, attributes: int) -> int:
        """φ∘ψ: all attributes that a user who is seen with these is known to have."""
        return self._kinds.common(self._kinds.having(attributes))

    @cached_property
    def _kinds(self) -> Relation:
        """One user of each kind: closures are the same, and there are fewer."""
        return self._of_sets(tuple(dict.fromkeys(self.held)))

    def _of_sets(self, held: tuple[int, ...]) -> Relation:
        return Relation(("",) * len(held), self.attributes, held)

    @property
    def private(self) -> bool:
        """True if φ∘ψ = Id on every non-empty set that somebody has.

        Closed sets are closed under intersection, and every smaller set is an intersection of what
        users have but for one attribute: only these need a look.
        """
        return all(
            self.closure(rest) == rest
            for held in self._kinds.held
            for attribute in members(held)
            if (rest := held & ~(1 << attribute))
        )

    def repairs(self) -> tuple[tuple[str, str], ...]:
        """The (user, attribute) pairs each of which, added alone, makes the relation private.

        Tries every attribute for every kind of user: for small relations.
        """
        repairs: list[tuple[str, str]] = []
        tried: set[tuple[int, int]] = set()
        for at, held in enumerate(self.held):
            for attribute, name in enumerate(self.attributes):
                if held >> attribute & 1 or (held, attribute) in tried:
                    continue
                tried.add((held, attribute))
                mended = (*self.held[:at], held | 1 << attribute, *self.held[at + 1 :])
                if self._of_sets(mended).private:
                    repairs.append((self.users[at], name))
        return tuple(repairs)

    @property
    def always(self) -> tuple[str, ...]:
        """The attributes that everybody has: known with nothing observed."""
        return self.names(self.closure(0))

    def implications(self, most: int = 3) -> tuple[tuple[Inference, ...], bool]:
        """The minimal sets of up to `most` attributes that imply others; True if all were tried.

        What a smaller observed set implies already is not repeated.
        """
        implications: list[Inference] = []
        known: dict[int, int] = {}
        tried = 0
        for size in range(1, most + 1):
            for chosen in combinations(range(len(self.attributes)), size):
                tried += 1
                if tried > MOST_SETS:
                    return tuple(implications), False
                observed = sum(1 << at for at in chosen)
                if not self._kinds.having(observed):
                    continue
                fresh = self.closure(observed) & ~observed
                for smaller, implied in known.items():
                    if smaller & observed == smaller:
                        fresh &= ~implied
                if fresh:
                    known[observed] = fresh
                    implications.append(Inference(self.names(observed), self.names(fresh)))
        return tuple(implications), True

    @property
    def identified(self) -> tuple[str, ...]:
        """The users that all their attributes together single out: ψ∘φ of them is them alone."""
        alone = {held for held, users in Counter(self.held).items() if users == 1}
        return tuple(
            name
            for at, (name, held) in enumerate(zip(self.users, self.held, strict=True))
            if held in alone and self.having(held) == 1 << at
        )


def members(bits: int) -> Iterator[int]:
    """The numbers of the bits that are set, ascending."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low
