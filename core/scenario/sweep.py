"""Sweeps: the values of `[sweep]`, and the document of each point."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from ..base.errors import ScenarioError, format_number, got, suggest
from ..base.ranges import Range, finite
from ..population import STATED
from .dotted_document import (
    Document,
    copy_document,
    lists_tables,
    quote_empty_key,
    value_at,
    with_value,
)
from .key_table import is_open, keys_of, kinds_at, names_kind, pattern, sweepable_keys, types_of

MAX_CELLS: Final = 10_000
POINTS: Final = Range(1, MAX_CELLS * 100, limit=MAX_CELLS)
RANGE_KEYS: Final = {"from", "to", "points", "scale"}


def sweep_of(document: Mapping[str, Any]) -> dict[str, Any]:
    """The swept keys of a document, each with its list or range; {} without a sweep.

    The keys are dotted, whether they were quoted or not.
    """
    table = document.get("sweep")
    return dict(_flatten(table)) if isinstance(table, Mapping) else {}


def _flatten(table: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, dict) and value and not value.keys() & RANGE_KEYS:
            yield from ((f"{key}.{rest}", values) for rest, values in _flatten(value))
        else:
            yield key, value


def sweep_values(document: Document) -> dict[str, list[Any]]:
    """The swept keys in file order, each with its values; raises ScenarioError for an invalid
    sweep.
    """
    if not isinstance(document.get("sweep", {}), dict):
        raise ScenarioError(f"must be a table, {got(document['sweep'])}", key="sweep")
    sweep: dict[str, list[Any]] = {}
    for key, value in sweep_of(document).items():
        if pattern(key) not in sweepable_keys() and not is_open(key):
            close = suggest(key, (each.replace("*", "0") for each in sweepable_keys()))
            raise ScenarioError(f"is not a key that can be swept{close}", key=quote_empty_key(key))
        sweep[key] = _values(key, value)
        cells = math.prod(map(len, sweep.values()))
        if cells > POINTS.high:
            most = format_number(POINTS.high)
            raise ScenarioError(f"must give at most {most} cells, {got(cells)}", key="sweep")
    return sweep


def _values(key: str, value: Any) -> list[Any]:
    """The values of one swept key."""
    where = f"sweep.{key}"
    if isinstance(value, list) and value:
        return list(value)
    if isinstance(value, list):
        raise ScenarioError("must list at least one value, got []", key=where)
    if not isinstance(value, dict):
        rule = f"must be a list or {{ from, to, points, scale }}, {got(value)}"
        raise ScenarioError(rule, key=where)
    for name in value.keys() - RANGE_KEYS:
        rule = "is not a known key, only from, to, points and scale"
        raise ScenarioError(rule, key=f"{where}.{name}")
    start, stop, points = (_number(value, name, where) for name in ("from", "to", "points"))
    scale = value.get("scale", "linear")
    if not isinstance(points, int) or points not in POINTS:
        raise ScenarioError(f"must be an integer {POINTS}, {got(points)}", key=f"{where}.points")
    if scale not in ("linear", "log"):
        raise ScenarioError(f'must be "linear" or "log", {got(scale)}', key=f"{where}.scale")
    if scale == "log" and min(start, stop) <= 0:
        rule = f"must be positive on a log scale, {got(float(min(start, stop)))}"
        raise ScenarioError(rule, key=where)
    spaced = np.geomspace if scale == "log" else np.linspace
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is out of range as well
        numbers = [float(f"{x:.12g}") for x in spaced(float(start), float(stop), points)]
    if not any(base is int for base, _ in types_of(key)):
        return numbers
    return list(dict.fromkeys(round(x) if math.isfinite(x) else x for x in numbers))


def _number(axis: Mapping[str, Any], name: str, where: str) -> int | float:
    """A number of a range; raises ScenarioError for what is none."""
    number = axis.get(name)
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise ScenarioError(f"must be a number, {got(number)}", key=f"{where}.{name}")
    if not finite(number):
        raise ScenarioError(f"must be finite, {got(number)}", key=f"{where}.{name}")
    return number


def tables_with_kind(
    document: Any, place: str = ""
) -> Iterator[tuple[str, Mapping[str, type], dict[str, Any]]]:
    """Yields the tables that have a `kind`: dotted name, possible kinds, table."""
    for name, table in document.items() if isinstance(document, dict) else enumerate(document):
        key = f"{place}.{name}".strip(".")
        if isinstance(table, dict) and (kinds := kinds_at(key)):
            yield key, kinds, table
        if isinstance(table, dict) or lists_tables(table):
            yield from tables_with_kind(table, key)


def substitute(document: Document, chosen: Mapping[str, Any], sweep: Mapping[str, Any]) -> Document:
    """The document of one point: swept keys set, and without keys that the kinds do not have.

    chosen : a value for each swept key. Raises ScenarioError for a key that cannot be set, and for
    a share beside a goal.
    """
    plain: Document = {key: value for key, value in document.items() if key != "sweep"}
    for key, value in chosen.items():
        try:
            plain = with_value(plain, key, value)
        except ScenarioError as error:
            raise error.within("sweep") from error
    plain = copy_document(plain)
    for name, kinds, table in tables_with_kind(plain):
        kind = table.get("kind")
        gone = {"share", "targets"} if (name, kind) == ("attack", "none") else set()
        if f"{name}.kind" in sweep and names_kind(kind, kinds):
            others = (kinds[value] for value in sweep[f"{name}.kind"] if names_kind(value, kinds))
            gone |= {key for other in others for key in keys_of(other)} - keys_of(kinds[kind])
        for key in gone:
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
        raise share_beside_goal(attack["share"])
    attack["share"] = 0.0


def share_beside_goal(share: Any) -> ScenarioError:
    """The error that a scenario has both a share of fakes and a goal."""
    rule = f"must be left out where [goal] is given, which finds it, {got(share)}"
    return ScenarioError(rule, key="attack.share")


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
