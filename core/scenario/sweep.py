"""Sweeps: what `[sweep]` stands for, and the document of each point."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from ..base.errors import ScenarioError, format_number, got, suggest
from ..base.ranges import Range, finite
from ..population import STATED
from .declared import (
    KEY_TYPES,
    is_integer,
    is_open,
    keys_of,
    names_kind,
    pattern,
    sweepable_keys,
)
from .document import Document, copy_document, quote_empty_key, value_at, with_value
from .point import KINDS, NESTED_KINDS, kinds_at

MAX_CELLS: Final = 10_000
POINTS: Final = Range(1, MAX_CELLS * 100, limit=MAX_CELLS)


def dotted_sweep(table: Mapping[str, Any]) -> dict[str, Any]:
    """The sweep table with dotted keys, whether they were quoted or not."""
    flat: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, dict) and not value.keys() & {"from", "to", "points"} and value:
            flat |= {f"{key}.{rest}": values for rest, values in dotted_sweep(value).items()}
        else:
            flat[key] = value
    return flat


def sweep_of(document: Mapping[str, Any]) -> dict[str, Any]:
    """The swept keys of a document, each with its list or its range; empty where none is swept."""
    table = document.get("sweep")
    return dotted_sweep(table) if isinstance(table, Mapping) else {}


def sweep_values(document: Document) -> dict[str, list[Any]]:
    """The swept keys in file order, each with its values."""
    if size(document) > MAX_CELLS * 100:
        rule = f"must give at most {format_number(MAX_CELLS * 100)} cells, {got(size(document))}"
        raise ScenarioError(rule, key="sweep")
    return {key: _values(key, value) for key, value in _sweep_table(document).items()}


def _sweep_table(document: Document) -> dict[str, Any]:
    table = document.get("sweep", {})
    if not isinstance(table, dict):
        raise ScenarioError(f"must be a table, {got(table)}", key="sweep")
    flat = dotted_sweep(table)
    for key, value in flat.items():
        if pattern(key) not in sweepable_keys() and not is_open(key):
            close = suggest(key, (each.replace("*", "0") for each in sweepable_keys()))
            raise ScenarioError(f"is not a key that can be swept{close}", key=quote_empty_key(key))
        if isinstance(value, list) and not value:
            raise ScenarioError("must list at least one value, got []", key=f"sweep.{key}")
        if not isinstance(value, list | dict):
            raise ScenarioError(
                f"must be a list or {{ from, to, points, scale }}, {got(value)}",
                key=f"sweep.{key}",
            )
    return flat


def size(document: Document) -> int:
    """Points of the sweep, counted without expanding it (before duplicates are dropped)."""
    sizes = []
    for value in _sweep_table(document).values():
        points = value.get("points") if isinstance(value, dict) else len(value)
        sizes.append(points if isinstance(points, int) else 1)
    return math.prod(sizes)


def _values(key: str, value: Any) -> list[Any]:
    """The values of one swept key."""
    if isinstance(value, list):
        return list(value)
    where = f"sweep.{key}"
    for name in value.keys() - {"from", "to", "points", "scale"}:
        raise ScenarioError(f"is not a known key, only {_RANGE_KEYS}", key=f"{where}.{name}")
    given = {name: value.get(name) for name in ("from", "to", "points")}
    for name, number in given.items():
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise ScenarioError(f"must be a number, {got(number)}", key=f"{where}.{name}")
        if not finite(number):
            raise ScenarioError(f"must be finite, {got(number)}", key=f"{where}.{name}")
    points, scale = given["points"], value.get("scale", "linear")
    if not isinstance(points, int) or points not in POINTS:
        raise ScenarioError(f"must be an integer {POINTS}, {got(points)}", key=f"{where}.points")
    if scale not in ("linear", "log"):
        raise ScenarioError(f'must be "linear" or "log", {got(scale)}', key=f"{where}.scale")
    start, stop = float(value["from"]), float(value["to"])
    if scale == "log" and min(start, stop) <= 0:
        raise ScenarioError(f"must be positive on a log scale, {got(min(start, stop))}", key=where)
    spaced = np.geomspace if scale == "log" else np.linspace
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is out of range as well
        numbers = [float(f"{number:.12g}") for number in spaced(start, stop, points)]
    if not any(is_integer(hint) for hint in KEY_TYPES.get(pattern(key), ())):
        return numbers
    return list(dict.fromkeys(round(x) if math.isfinite(x) else x for x in numbers))


_RANGE_KEYS = "from, to, points and scale"


def tables_with_kind(
    document: Document,
) -> Iterator[tuple[str, Mapping[str, type], dict[str, Any]]]:
    """The tables that have a kind: their dotted names, the kinds that they can have, themselves."""
    names = [*KINDS, *NESTED_KINDS]
    lists = ["attack.mix", "defence"]
    phases = value_at(document, "attack.phase")
    if isinstance(phases, list):
        lists += [f"attack.phase.{number}.mix" for number in range(len(phases))]
    for listed in lists:
        parts = value_at(document, listed)
        if isinstance(parts, list):
            names += [f"{listed}.{number}" for number in range(len(parts))]
    for name in names:
        table = value_at(document, name)
        if isinstance(table, dict):
            yield name, kinds_at(name), table


def substitute(document: Document, chosen: Mapping[str, Any], sweep: Mapping[str, Any]) -> Document:
    """The document of one point: swept keys set, and only keys that the kinds know."""
    plain: Document = {key: value for key, value in document.items() if key != "sweep"}
    for key, value in chosen.items():
        try:
            plain = with_value(plain, key, value)
        except ScenarioError as error:
            raise error.within("sweep") from error
    plain = copy_document(plain)
    for name, kinds, table in tables_with_kind(plain):
        kind = table.get("kind")
        if kind == "none" and name == "attack":
            table.pop("share", None)
            table.pop("targets", None)
        if f"{name}.kind" in sweep and names_kind(kind, kinds):
            others = (kinds[value] for value in sweep[f"{name}.kind"] if names_kind(value, kinds))
            known_elsewhere = {key for other in others for key in keys_of(other)}
            for key in known_elsewhere - keys_of(kinds[kind]):
                table.pop(key, None)
    _leave_share_open(plain)
    _complete_drift(plain)
    return plain


def _leave_share_open(plain: Document) -> None:
    """Set the share of fakes to 0 where a goal is given: the share that it takes comes later."""
    attack = plain.get("attack")
    if "goal" not in plain or not isinstance(attack, dict) or attack.get("kind") == "none":
        return
    if "phase" in attack:
        return  # which have no goal, as is said later
    if "share" in attack:
        raise ScenarioError(
            f"must be left out where [goal] is given, which finds it, {got(attack['share'])}",
            key="attack.share",
        )
    attack["share"] = 0.0


def _complete_drift(plain: Document) -> None:
    """The second population has the items and users of the first where it does not say."""
    first, second = plain.get("population"), value_at(plain, "campaign.drift")
    if not (isinstance(first, dict) and isinstance(second, dict)):
        return
    kind, counts = second.get("kind"), first.get("counts")
    sizes = {key: first[key] for key in ("items", "users") if key in first}
    if isinstance(counts, list) and all(isinstance(count, int) for count in counts):
        sizes = {"items": len(counts), "users": sum(counts)}
    for key, value in sizes.items():
        if names_kind(kind, STATED) and key in keys_of(STATED[kind]):
            second.setdefault(key, value)
