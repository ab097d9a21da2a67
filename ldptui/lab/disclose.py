"""`ldptui disclose`: what a table, or a relation of users and attributes, gives away."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import numpy as np

from core.bounds import Range
from core.columns import Column, read_columns
from core.errors import ScenarioError, got
from core.lab.disclosure import MOST_VALUES, attribute_privacy, diversity, group
from core.lab.relation import Relation

from .. import exits
from ..text import format as text
from .output import Report, Row, joined, laid_out, of_option, row, show, within

MOST_ATTRIBUTES: Final = 2000
"""Attributes of a relation."""
SHOWN: Final = 8
"""Implications of a table that are told in words, those of most rows first."""


def run(options: Namespace) -> int:
    """Print what the file gives away."""
    path = Path(options.file)
    within("--observed", options.observed, Range(1, 8))
    if options.relation is not None:
        if options.quasi is not None or options.sensitive is not None:
            raise ScenarioError("cannot be given with --quasi or --sensitive", key="--relation")
        values = relation_values(relation_of(path, _names(options.relation)), options.observed)
        show(options, values, laid_out(*relation_report(options, values)))
        return exits.DONE
    quasi, sensitive = _names(options.quasi or ""), _names(options.sensitive or "")
    if not quasi:
        raise ScenarioError("must name the columns that others may know", key="--quasi")
    for name in sensitive:
        if name in quasi:
            raise ScenarioError(f"must not name a quasi-identifier, {got(name)}", key="--sensitive")
    values = table_values(path, quasi, sensitive, options.observed)
    show(options, values, laid_out(*report(options, values)))
    return exits.DONE


def _names(written: str) -> list[str]:
    return list(dict.fromkeys(name.strip() for name in written.split(",") if name.strip()))


def _columns(path: Path, names: Sequence[str], option: str, most: int | None) -> list[Column]:
    try:
        return read_columns(path, names, most)
    except ScenarioError as error:
        raise of_option(error, {"column": option}) from error


def table_values(
    path: Path, quasi: Sequence[str], sensitive: Sequence[str], observed: int
) -> dict[str, Any]:
    """k, l and t of a CSV table, and its attribute privacy; raises LdpError."""
    columns = _columns(path, quasi, "--quasi", MOST_VALUES)
    hidden = _columns(path, sensitive, "--sensitive", None) if sensitive else []
    classes = group(columns)
    sizes, numbers = np.unique(classes.sizes, return_counts=True)
    values: dict[str, Any] = {
        "rows": classes.rows,
        "quasi": list(quasi),
        "classes": classes.sizes.size,
        "k": classes.k,
        "unique_share": classes.unique_share,
        "share_below_5": classes.share_below(5),
        "class_sizes": list(map(list, zip(sizes.tolist(), numbers.tolist(), strict=True))),
        "sensitive": {},
        "attributes": None,
    }
    for column in hidden:
        found = diversity(classes, column)
        values["sensitive"][column.name] = {
            "values": len(column.values),
            "l_distinct": found.l_distinct,
            "l_entropy": found.l_entropy,
            "t_equal": found.t_equal,
            "t_ordered": found.t_ordered,
            "order": "number" if found.by_number else "alphabet",
            "homogeneous_share": found.homogeneous_share,
        }
    if len(columns) + len(hidden) > 1:
        values["attributes"] = asdict(attribute_privacy([*columns, *hidden], observed))
    return values


def report(options: Namespace, values: dict[str, Any]) -> Report:
    below = text.percent(values["share_below_5"])
    rows: list[Row] = [
        row("k", text.count(values["k"]), "rows of the smallest class", "k"),
        row("classes", text.count(values["classes"]), "different quasi-identifiers", "k"),
        row("unique rows", text.percent(values["unique_share"]), "alone in their class", "k"),
        row("rows in small classes", below, "of fewer than 5 rows", "k"),
    ]
    for name, one in values["sensitive"].items():
        order = "by number" if one["order"] == "number" else "by alphabet"
        away = text.percent(one["homogeneous_share"])
        rows += [
            row(
                f"{name}: distinct l",
                text.count(one["l_distinct"]),
                "fewest values of a class",
                "l",
            ),
            row(f"{name}: entropy l", one["l_entropy"], "least e^entropy of a class", "l"),
            row(f"{name}: t, equal", one["t_equal"], "largest Σ|p − q|/2 of a class", "t"),
            row(f"{name}: t, ordered", one["t_ordered"], f"earth mover's, {order}", "t"),
            row(f"{name}: given away", away, "rows whose class has one value", "l"),
        ]
    notes = []
    told = values["attributes"]
    if told is not None:
        for name, count in told["exposed"].items():
            share = text.percent(count / values["rows"])
            rows.append(row(f"{name}: follows", share, "rows: from all other columns", "E"))
        notes.append(
            "attribute privacy holds: nobody's value follows from their others (φ∘ψ = Id)"
            if told["private"]
            else "no attribute privacy: some values follow from others (φ∘ψ ≠ Id)"
        )
        notes += _implied(told["implications"], values["rows"])
        notes += [
            f"to know {joined(one['observed'])} identifies "
            f"{text.count(one['rows'])} row{'s' * (one['rows'] != 1)}"
            for one in sorted(told["identifications"], key=lambda one: -one["rows"])
            if one["rows"]
        ][:SHOWN]
    rows_of = f"{text.count(values['rows'])} rows"
    title = f"{options.file}: {rows_of}, quasi-identifiers {joined(values['quasi'])}"
    return Report(title, rows, notes)


def _implied(implications: list[dict[str, Any]], rows: int) -> list[str]:
    """The implications that concern most people who are not identified anyway."""
    lines = []
    for one in sorted(implications, key=lambda one: one["alone"] - one["rows"])[:SHOWN]:
        several = one["rows"] - one["alone"]
        if several:
            *seen, last = one["example"]
            pairs = joined([f"{c} {v}" for c, v in zip(one["observed"], seen, strict=True)])
            lines.append(
                f"{joined(one['observed'])} ⇒ {one['implied']} in {text.percent(several / rows)} "
                f"of the rows: whoever is seen with {pairs} also has {one['implied']} {last}"
            )
    return lines


def relation_of(path: Path, names: list[str]) -> Relation:
    """The relation of two columns, users and their attributes; raises LdpError."""
    if len(names) != 2:
        rule = f"must be two columns, of users and of attributes, got {len(names)}"
        raise ScenarioError(rule, key="--relation")
    users, attributes = _columns(path, names, "--relation", None)
    if len(attributes.values) > MOST_ATTRIBUTES:
        raise ScenarioError(
            f"must have at most {MOST_ATTRIBUTES} different attributes, got "
            f"{len(attributes.values)} in {attributes.name!r}",
            key="--relation",
        )
    held: dict[str, set[str]] = {user: set() for user in users.values}
    for user, attribute in zip(users.codes.tolist(), attributes.codes.tolist(), strict=True):
        if attributes.values[attribute]:  # an empty cell: a user without attributes
            held[users.values[user]].add(attributes.values[attribute])
    return Relation.of(held)


def relation_values(relation: Relation, observed: int) -> dict[str, Any]:
    """The attribute privacy of a relation of users and attributes."""
    implications, complete = relation.implications(observed)
    faces = relation.face_numbers
    return {
        "users": len(relation.users),
        "attributes": len(relation.attributes),
        "private": relation.private,
        "always": list(relation.always),
        "implications": [asdict(one) for one in implications],
        "complete": complete,
        "facets": [list(relation.names(facet)) for facet in relation.facets],
        "free_faces": [asdict(one) for one in relation.free_faces],
        "identified": list(relation.identified),
        "face_numbers": None if faces is None else list(faces),
        "euler": relation.euler,
    }


def relation_report(options: Namespace, values: dict[str, Any]) -> Report:
    euler = text.MISSING if values["euler"] is None else str(values["euler"])

    def many(key: str) -> str:
        return text.count(len(values[key]))

    private = "yes" if values["private"] else "no"
    rows: list[Row] = [
        row("attribute privacy", private, "φ∘ψ = Id on every set somebody has", "E"),
        row("implications", many("implications"), f"from {options.observed} seen at most", "E"),
        row("maximal sets", many("facets"), "facets of the Dowker complex", "E"),
        row("free faces", many("free_faces"), "in one facet alone, one short of it", "E"),
        row("Euler characteristic", euler, "of the complex and of its dual", "E"),
        row("identified users", many("identified"), "by all their attributes", "E"),
    ]
    notes = [
        f"whoever is seen with {joined(one['observed'])} also has {joined(one['implied'])}"
        for one in values["implications"][:20]
    ]
    if values["private"]:
        notes.append("attribute privacy holds: no set of observed attributes implies another")
    if values["always"]:
        notes.append(f"everybody has {joined(values['always'])}")
    if not values["complete"]:
        notes.append("there are too many sets of attributes to try them all")
    if values["identified"]:
        notes.append(f"identified: {', '.join(values['identified'][:20])}")
    title = f"{options.file}: {values['users']} users, {values['attributes']} attributes"
    return Report(title, rows, notes)
