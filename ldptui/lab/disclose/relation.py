"""A relation of users and attributes: which attributes imply others, and who is identified."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ldptui.core.base.errors import ScenarioError
from ldptui.core.lab.relation import FreeFace, Implication, Relation

from ...charts.series import Bar, Bars
from ...text import format as text
from ..answer import Figure, shares
from ..asking import Row, Steps, answer_of, joined, named_columns, row

MOST_ATTRIBUTES: Final = 2000
SHOWN: Final = 16
"""Bars of a chart."""
FEW: Final = 200
"""Users whose smallest identifying sets are looked for."""
CELLS: Final = 400
"""Users times attributes, at most, where additions that restore privacy are tried."""


@dataclass(frozen=True)
class Given:
    """What a relation of users and attributes gives away: its attribute privacy.

    complete : whether every set of attributes was tried.
    """

    users: int
    attributes: int
    private: bool
    always: Sequence[str]
    implications: Sequence[Implication]
    complete: bool
    facets: Sequence[Sequence[str]]
    free_faces: Sequence[FreeFace]
    identified: Sequence[str]


def answer(path: Path, name: str, columns: Sequence[str], observed: int) -> Steps:
    """What a relation gives away; name : of the file, in the title. Raises LdpError."""
    yield f"reading {path.name} and closing its sets of attributes"
    relation = _relation(path, columns)
    values = _given(relation, observed)
    yield "looking for what identifies users"
    verdict = tuple(_verdict(relation, values))
    return answer_of(
        f"{name}: {values.users} users, {values.attributes} attributes",
        _rows(values, observed),
        values=values,
        verdict=verdict,
        notes=[*_notes(values)],
        figures=_figures(relation),
    )


def _relation(path: Path, names: Sequence[str]) -> Relation:
    """The relation of two columns, users and their attributes; raises LdpError."""
    if len(names) != 2:
        rule = f"must be two columns, of users and of attributes, got {len(names)}"
        raise ScenarioError(rule, key="relation")
    users, attributes = named_columns(path, names, "relation")
    if len(attributes.values) > MOST_ATTRIBUTES:
        raise ScenarioError(
            f"must have at most {MOST_ATTRIBUTES} different attributes, got "
            f"{len(attributes.values)} in {attributes.name!r}",
            key="relation",
        )
    held: dict[str, set[str]] = {user: set() for user in users.values}
    for user, attribute in zip(users.codes.tolist(), attributes.codes.tolist(), strict=True):
        if attributes.values[attribute]:  # an empty cell: a user without attributes
            held[users.values[user]].add(attributes.values[attribute])
    return Relation.of(held)


def _given(relation: Relation, observed: int) -> Given:
    implications, complete = relation.implications(observed)
    return Given(
        len(relation.users),
        len(relation.attributes),
        relation.private,
        relation.always,
        implications,
        complete,
        [relation.names(facet) for facet in relation.facets],
        relation.free_faces,
        relation.identified,
    )


def _rows(values: Given, observed: int) -> Iterator[Row]:
    def many(of: Sequence[object]) -> str:
        return text.count(len(of))

    private = "yes" if values.private else "no"
    yield row("attribute privacy", private, "φ∘ψ = Id on every set somebody has", "E")
    yield row("implications", many(values.implications), f"from {observed} seen at most", "E")
    yield row("maximal sets", many(values.facets), "facets of the Dowker complex", "E")
    yield row("free faces", many(values.free_faces), "in one facet alone, one short of it", "E")
    yield row("identified users", many(values.identified), "by all their attributes", "E")


def _implied(values: Given) -> list[str]:
    return [
        f"whoever is seen with {joined(rule.observed)} also has {joined(rule.implied)}"
        for rule in values.implications
    ]


def _notes(values: Given) -> Iterator[str]:
    yield from _implied(values)[:20]
    if values.private:
        yield "attribute privacy holds: no set of observed attributes implies another"
    if values.always:
        yield f"everybody has {joined(values.always)}"
    if not values.complete:
        yield "there are too many sets of attributes to try them all"
    if values.identified:
        yield f"identified: {', '.join(values.identified[:20])}"


def _verdict(relation: Relation, values: Given) -> Iterator[str]:
    if values.private:
        yield "Attribute privacy: no set of observed attributes implies another (φ∘ψ = Id)."
        return
    # If nothing small implies anything, the attributes of everybody are known unobserved.
    first = next(iter(_implied(values)), f"everybody has {joined(values.always)}")
    yield f"No attribute privacy (φ∘ψ ≠ Id): {first}."
    if len(relation.users) * len(relation.attributes) <= CELLS and (repairs := relation.repairs()):
        (user, attribute), *more = repairs
        yield f"Giving {attribute} to user {user} as well restores it" + (
            f"; so would {len(more)} other single additions." if more else "."
        )


# Charts.


def _figures(relation: Relation) -> Iterator[Figure]:
    total = len(relation.users)
    bars = [
        Bar(name, users.bit_count() / total, target=users.bit_count() == 1)
        for name, users in zip(relation.attributes, relation.holders, strict=True)
    ]
    bars.sort(key=lambda bar: -bar.value)
    held = Bars(
        "Users who have each attribute",
        tuple(bars[:SHOWN]),
        rest=f"{len(bars) - SHOWN} more" if len(bars) > SHOWN else "",
        note="▸ held by one user alone" if any(bar.target for bar in bars) else "",
        item="has",
        value="share",
    )
    yield shares(held, total, "users")
    if total <= FEW:
        yield shares(_needed(relation), total, "users")


def _needed(relation: Relation) -> Bars:
    """The share of users by the number of attributes that identify them."""
    sizes: Counter[int] = Counter()
    for user in relation.users:
        attributes = relation.identifying(user)
        sizes[0 if attributes is None else len(attributes)] += 1
    users = len(relation.users)
    bars = [Bar(f"{size} seen", sizes[size] / users) for size in sorted(sizes) if size]
    bars.append(Bar("never", sizes[0] / users))
    return Bars(
        "Users by the number of attributes that identify them",
        tuple(bars),
        item="after",
        value="share",
    )
