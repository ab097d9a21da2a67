"""The disclosures of a "de-identified" table, and of a relation of users and attributes.

Rows that agree on all quasi-identifiers form a class: an observer who knows a person's
quasi-identifiers knows the person's class.
k: Sweeney, "k-anonymity", 2002. l: Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam,
"l-diversity", ICDE 2006. t: Li, Li, Venkatasubramanian, "t-closeness", ICDE 2007.

Attribute privacy: Erdmann, "Topology of Privacy", 2017. ψ maps observed attributes to the users
that have all of them, φ maps users to the attributes that all of them have. The closure φ∘ψ is what
an observer learns; attribute privacy is φ∘ψ = Id on every set that some user has. Sets are
integers: bit i is attribute i, or user i.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Final

import numpy as np

from ..base.errors import ScenarioError
from ..base.number_column import as_number
from ..base.sampling import Counts, Floats
from .columns import NumberedColumn

MOST_VALUES: Final = 100_000
"""Different values of a quasi-identifier."""


@dataclass(frozen=True, eq=False)
class Classes:
    """The equivalence classes of a table's rows: rows with the same quasi-identifiers.

    of_row : int64[n], each row's class.
    sizes : int64[classes], the number of rows of each class; at least 1.
    first : int64[classes], a row of each class.
    """

    of_row: Counts
    sizes: Counts
    first: Counts

    @property
    def rows(self) -> int:
        return self.of_row.size

    @property
    def k(self) -> int:
        """The size of the smallest class; the table is k-anonymous."""
        return int(self.sizes.min())

    @property
    def unique_share(self) -> float:
        """The share of rows that are alone in their class."""
        return int((self.sizes == 1).sum()) / self.rows

    def share_below(self, k: int) -> float:
        """The share of rows in classes of fewer than k rows."""
        return int(self.sizes[self.sizes < k].sum()) / self.rows


def group(columns: Sequence[NumberedColumn]) -> Classes:
    """The classes of rows that agree on all of these columns; raises ScenarioError without columns
    or rows.
    """
    if not columns:
        raise ScenarioError("must name at least one column", key="quasi")
    rows = columns[0].codes.size
    if rows == 0:
        raise ScenarioError("must hold at least one row, got none", key="table")
    joint = np.zeros(rows, dtype=np.int64)
    kinds = 1
    for codes in (column.codes for column in columns):
        values = int(codes.max()) + 1
        if kinds * values >= 2**62:  # number the classes so far anew
            joint = np.unique(joint, return_inverse=True)[1]
            kinds = int(joint.max()) + 1
        joint = joint * values + codes
        kinds *= values
    _, first, joint, sizes = np.unique(
        joint, return_index=True, return_inverse=True, return_counts=True
    )
    return Classes(joint, sizes, first)


@dataclass(frozen=True)
class Spread:
    """The diversity of a sensitive column within the classes (l-diversity), and its distance from
    the whole table (t-closeness).

    values : the number of different values. l_distinct : the smallest number in a class.
    l_entropy : e^(the least entropy of a class). t_equal, t_ordered : the largest distance of a
    class's distribution from the table's, in [0, 1]: half the sum of differences, and the earth
    mover's distance over equally spaced values. order : of the values, by "number" or "alphabet".
    homogeneous_share : the share of rows whose class has one value only, and so reveals it.
    """

    values: int
    l_distinct: int
    l_entropy: float
    t_equal: float
    t_ordered: float
    order: str
    homogeneous_share: float


def diversity(classes: Classes, sensitive: NumberedColumn) -> Spread:
    """The diversity and closeness of a sensitive column within the classes; O(rows log
    rows) time.
    """
    order, is_number = _order(sensitive.values)
    rank = np.empty(order.size, dtype=np.int64)
    rank[order] = np.arange(order.size)
    m = order.size
    # The (class, value) pairs that occur, by class and then by value.
    pairs, counts = np.unique(classes.of_row * m + rank[sensitive.codes], return_counts=True)
    of_class, value = pairs // m, pairs % m
    share = counts / classes.sizes[of_class]
    overall = np.bincount(rank[sensitive.codes], minlength=m) / classes.rows
    starts = np.flatnonzero(np.diff(of_class, prepend=-1))
    distinct = np.diff(np.append(starts, pairs.size))
    entropy = np.add.reduceat(-share * np.log(share), starts)
    equal = np.add.reduceat(np.maximum(share - overall[value], 0), starts)
    return Spread(
        m,
        int(distinct.min()),
        math.exp(max(float(entropy.min()), 0.0)),
        float(equal.max()),
        float(_earth_mover(starts, value, share, overall).max()),
        "number" if is_number else "alphabet",
        int(classes.sizes[distinct == 1].sum()) / classes.rows,
    )


def _order(values: tuple[str, ...]) -> tuple[Counts, bool]:
    """The values' numbers, in ascending order."""
    numbers = [as_number(value) for value in values]
    if None in numbers:
        return np.array(sorted(range(len(values)), key=values.__getitem__)), False
    return np.argsort(np.array(numbers, dtype=np.float64), kind="stable"), True


def _earth_mover(starts: Counts, value: Counts, share: Floats, overall: Floats) -> Floats:
    """1/(m-1) Σ_i |P_i - Q_i| of the cumulative laws of each class and of the table.

    P is a step function: constant between the values of a class. Q rises: where it crosses such a
    constant is a search, and sums of Q on both sides are differences of its running sums.
    """
    m = overall.size
    if m == 1:
        return np.zeros(starts.size)
    below = np.cumsum(overall)[:-1]  # Q_i, i = 0 … m-2
    running = np.concatenate([[0.0], np.cumsum(below)])
    level = np.cumsum(share)
    level -= np.repeat(level[starts] - share[starts], np.diff(np.append(starts, value.size)))
    stop = np.append(value[1:], m - 1)  # each step lasts until the next value of the class
    stop[np.append(starts[1:], value.size) - 1] = m - 1
    start = np.minimum(value, m - 1)
    cross = np.clip(np.searchsorted(below, level), start, stop)
    moved = level * (2 * cross - start - stop)
    moved += running[start] + running[stop] - 2 * running[cross]
    before = running[np.minimum(value[starts], m - 1)]  # P is 0 before the first value
    return np.asarray(np.maximum(np.add.reduceat(moved, starts) + before, 0.0) / (m - 1))


# Relations of users and attributes.

MOST_SETS: Final = 200_000
"""Sets of observed attributes that are tried for implications."""


@dataclass(frozen=True)
class Inference:
    """A rule: a user with the attributes `observed` must have those in `implied` as well.

    No smaller set implies it.
    """

    observed: tuple[str, ...]
    implied: tuple[str, ...]


@dataclass(frozen=True)
class Relation:
    """Users and the attributes that each of them has.

    held : for each user the set of attributes, as an integer: bit i is attribute i.
    """

    users: tuple[str, ...]
    attributes: tuple[str, ...]
    held: tuple[int, ...]

    @classmethod
    def of(cls, held: Mapping[str, Iterable[str]]) -> Relation:
        """The relation from the attributes of each user, with attributes in alphabetical order.

        Raises ScenarioError if no user has an attribute.
        """
        rows = {user: set(names) for user, names in held.items()}
        attributes = tuple(sorted(set().union(*rows.values()))) if rows else ()
        if not attributes:
            raise ScenarioError("must hold at least one attribute of a user", key="relation")
        place = {name: at for at, name in enumerate(attributes)}
        masks = tuple(sum(1 << place[name] for name in names) for names in rows.values())
        return cls(tuple(rows), attributes, masks)

    @cached_property
    def holders(self) -> tuple[int, ...]:
        """For each attribute the set of users that have it, as an integer: bit i is user i."""
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
        """φ∘ψ: all attributes that an observer of these attributes knows a user to have."""
        return self._kinds.common(self._kinds.having(attributes))

    @cached_property
    def _kinds(self) -> Relation:
        """One user of each kind: closures are the same, and there are fewer."""
        return self._of_sets(tuple(dict.fromkeys(self.held)))

    def _of_sets(self, held: tuple[int, ...]) -> Relation:
        return Relation(("",) * len(held), self.attributes, held)

    @property
    def private(self) -> bool:
        """Whether no set of attributes reveals another one: φ∘ψ = Id on every non-empty set that a
        user has.

        Closed sets are closed under intersection, and every smaller set is an intersection of
        users' sets without one attribute: only these are tested.
        """
        return all(
            self.closure(rest) == rest
            for held in self._kinds.held
            for attribute in members(held)
            if (rest := held & ~(1 << attribute))
        )

    def repairs(self) -> tuple[tuple[str, str], ...]:
        """The (user, attribute) pairs each of which, added alone, makes the relation private.

        Tries every attribute for every different set of a user: for small relations.
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
        """The attributes that all users have, known without observing anything."""
        return self.names(self.closure(0))

    def implications(self, most: int = 3) -> tuple[tuple[Inference, ...], bool]:
        """The minimal sets of up to `most` attributes that imply others; and whether all sets were
        tried.

        Implications of a smaller observed set are not repeated.
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
    def identified_users(self) -> tuple[str, ...]:
        """The users whose attributes no other user has all of."""
        alone = {held for held, users in Counter(self.held).items() if users == 1}
        return tuple(
            name
            for at, (name, held) in enumerate(zip(self.users, self.held, strict=True))
            if held in alone and self.having(held) == 1 << at
        )


def members(bits: int) -> Iterator[int]:
    """Yields the indices of the bits that are set, ascending."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low
