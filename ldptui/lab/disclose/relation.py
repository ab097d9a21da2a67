"""A relation of users and attributes: which attributes imply others, and who is identified."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from ldptui.core.base.errors import ScenarioError
from ldptui.core.lab.relation import Relation

from ...charts.series import Bar, Bars
from ...text import format as text
from ..asking import Steps, answer_of, named_columns
from ..figure import shares
from ..output import Report, Row, joined, row

MOST_ATTRIBUTES: Final = 2000
SHOWN: Final = 16
"""Bars of a chart."""
FEW: Final = 200
"""Users whose smallest identifying sets are looked for."""
CELLS: Final = 400
"""Users times attributes, at most, where additions that restore privacy are tried."""


def relation_of(path: Path, names: list[str]) -> Relation:
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


def values_of(relation: Relation, observed: int) -> dict[str, Any]:
    """The attribute privacy of a relation of users and attributes."""
    implications, complete = relation.implications(observed)
    faces = relation.face_numbers
    return {
        "users": len(relation.users),
        "attributes": len(relation.attributes),
        "private": relation.private,
        "always": list(relation.always),
        "implications": [asdict(rule) for rule in implications],
        "complete": complete,
        "facets": [list(relation.names(facet)) for facet in relation.facets],
        "free_faces": [asdict(face) for face in relation.free_faces],
        "identified": list(relation.identified),
        "face_numbers": None if faces is None else list(faces),
        "euler": relation.euler,
    }


def report(file: str, values: dict[str, Any], observed: int) -> Report:
    """The relation for people."""
    euler = text.MISSING if values["euler"] is None else str(values["euler"])

    def many(key: str) -> str:
        return text.count(len(values[key]))

    private = "yes" if values["private"] else "no"
    rows: list[Row] = [
        row("attribute privacy", private, "φ∘ψ = Id on every set somebody has", "E"),
        row("implications", many("implications"), f"from {observed} seen at most", "E"),
        row("maximal sets", many("facets"), "facets of the Dowker complex", "E"),
        row("free faces", many("free_faces"), "in one facet alone, one short of it", "E"),
        row("Euler characteristic", euler, "of the complex and of its dual", "E"),
        row("identified users", many("identified"), "by all their attributes", "E"),
    ]
    notes = [
        f"whoever is seen with {joined(rule['observed'])} also has {joined(rule['implied'])}"
        for rule in values["implications"][:20]
    ]
    if values["private"]:
        notes.append("attribute privacy holds: no set of observed attributes implies another")
    if values["always"]:
        notes.append(f"everybody has {joined(values['always'])}")
    if not values["complete"]:
        notes.append("there are too many sets of attributes to try them all")
    if values["identified"]:
        notes.append(f"identified: {', '.join(values['identified'][:20])}")
    title = f"{file}: {values['users']} users, {values['attributes']} attributes"
    return Report(title, rows, notes)


# The tab.


def work(path: Path, names: list[str], observed: int) -> Steps:
    yield f"reading {path.name} and closing its sets of attributes"
    relation = relation_of(path, names)
    values = values_of(relation, observed)
    table = report(path.name, values, observed)
    yield "looking for what identifies users"
    holders = relation.dual.held
    shared = [
        Bar(name, users.bit_count() / len(relation.users), target=users.bit_count() == 1)
        for name, users in zip(relation.attributes, holders, strict=True)
    ]
    shared.sort(key=lambda bar: -bar.value)
    charts = [
        Bars(
            "Users who have each attribute",
            tuple(shared[:SHOWN]),
            rest=f"{len(shared) - SHOWN} more" if len(shared) > SHOWN else "",
            note="▸ held by one user alone" if any(bar.target for bar in shared) else "",
            item="has",
            value="share",
        )
    ]
    if len(relation.users) <= FEW:
        charts.append(_needed(relation))
    words = _relation_verdict(relation, values)
    rest = [note for note in table.notes if not any(note in word for word in words)]
    return answer_of(
        table._replace(notes=rest),
        *(shares(chart, len(relation.users), "users") for chart in charts),
        words=words,
    )


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


def _relation_verdict(relation: Relation, values: Mapping[str, Any]) -> list[str]:
    if values["private"]:
        return ["Attribute privacy: no set of observed attributes implies another (φ∘ψ = Id)."]
    sentences = [
        f"whoever is seen with {joined(rule['observed'])} also has {joined(rule['implied'])}"
        for rule in values["implications"]
    ]
    # If nothing small implies anything, the attributes of everybody are known unobserved.
    first = sentences[0] if sentences else f"everybody has {joined(values['always'])}"
    words = [f"No attribute privacy (φ∘ψ ≠ Id): {first}."]
    if len(relation.users) * len(relation.attributes) <= CELLS:
        repairs = relation.repairs()
        if repairs:
            (user, attribute), *more = repairs
            words.append(
                f"Giving {attribute} to user {user} as well restores it"
                + (f"; so would {len(more)} other single additions." if more else ".")
            )
    return words
