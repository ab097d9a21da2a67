"""A parsed TOML document: nested dicts, lists and scalars, read and changed by dotted keys.

The elements of a list have their number, from 0, as name: `attack.mix.0.weight`. Nothing is changed
in place: a changed document shares all unchanged parts with the old one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from ..base.errors import ScenarioError, got
from ..base.ranges import finite

MAX_DEPTH: Final = 32
"""Tables and lists within each other."""
Document: TypeAlias = dict[str, Any]
"""A parsed TOML document: nested dicts, lists and scalars."""


def check_depth(value: Any, name: str, left: int = MAX_DEPTH) -> None:
    """Raise ScenarioError for a document nested too deeply for recursive functions."""
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, dict | list):
            if not left:
                raise ScenarioError("is nested too deeply", where=name)
            check_depth(inner, name, left - 1)


def check_finite(value: Any, key: str = "") -> None:
    """Raise ScenarioError for nan or infinity anywhere in a document, sweeps and options
    included.
    """
    if isinstance(value, dict | list):
        for name, part in value.items() if isinstance(value, dict) else enumerate(value):
            check_finite(part, f"{key}.{name}" if key else str(name))
    elif isinstance(value, float) and not finite(value):
        raise ScenarioError(f"must be finite, {got(value)}", key=key)


def copy_document(value: Any) -> Any:
    """A deep copy of a document, with whole floats such as 1e6 as integers.

    Options of plug-in code stay as they are.
    """
    if isinstance(value, dict):
        return {
            key: item if key == "options" else copy_document(item) for key, item in value.items()
        }
    if isinstance(value, list):
        return [copy_document(item) for item in value]
    whole = isinstance(value, float) and value.is_integer() and abs(value) < 2**63
    return int(value) if whole else value


def lists_tables(value: Any) -> bool:
    """Whether a value is a non-empty list of tables."""
    return (
        isinstance(value, list | tuple)
        and bool(value)
        and all(isinstance(item, Mapping) for item in value)
    )


def quote_empty_key(key: str) -> str:
    """A key for a message, in quotes if it is empty."""
    return key or '""'


TABLE_LISTS: Final = ("defence", "metric")
"""The lists of tables at the top; where there is one alone, its keys need no number."""


def with_part_number(document: Mapping[str, Any], key: str) -> str:
    """The key with the number of its list element, if the list has only one: defence.0.kind for
    defence.kind.

    Raises ScenarioError for a key that is no text.
    """
    if not isinstance(key, str):
        raise ScenarioError(f"must be text, {got(key)}", key="key")
    table = key.partition(".")[0]
    listed = document.get(table, []) if table in TABLE_LISTS else None
    alone = isinstance(listed, list) and len(listed) <= 1
    return re.sub(rf"^{table}\.(?!\d+(\.|$))", f"{table}.0.", key) if alone else key


def value_at(document: Any, key: str) -> Any:
    """The value of a dotted key, the whole document for ""; None if the key is absent."""
    for name in key.split(".") if key else ():
        if isinstance(document, list):
            document = document[int(name)] if _is_place(document, name) else None
        else:
            document = document.get(name) if isinstance(document, Mapping) else None
    return document


def with_value(document: Mapping[str, Any], key: str, value: Any) -> Document:
    """The document with one dotted key set, creating missing tables on the way.

    Raises ScenarioError for an element that a list does not have or that is no table, and for a key
    nested too deeply.
    """
    names = key.split(".")
    if len(names) > MAX_DEPTH:
        raise ScenarioError("is nested too deeply", key=f"{'.'.join(names[:3])}.…")
    changed: Document = _with(document, names, value, 0)
    return changed


def _with(place: Any, names: list[str], value: Any, step: int) -> Any:
    """The place with the value put at the names from this step on."""
    if step == len(names):
        return value
    name, table, key = names[step], ".".join(names[:step]), ".".join(names)
    if place is None and name == "0":
        place = [{}]  # the first part of a list that is not there yet
    if isinstance(place, list):
        if not _is_place(place, name):
            rule = f"must name one of the {len(place)} parts of {table}, from 0, got {name}"
            raise ScenarioError(rule, key=key)
        part = place[int(name)]
        if step + 1 < len(names) and not isinstance(part, Mapping | list):
            raise ScenarioError(f"must be a table, {got(part)}", key=f"{table}.{name}")
        return [
            _with(part, names, value, step + 1) if number == int(name) else part
            for number, part in enumerate(place)
        ]
    inside = place if isinstance(place, Mapping) else {}  # what is no table makes way for one
    return {**inside, name: _with(inside.get(name), names, value, step + 1)}


def without(document: Mapping[str, Any], key: str) -> Document:
    """The document without a dotted key, or an element of a list, if it is there."""
    table, _, leaf = key.rpartition(".")
    place = value_at(document, table)
    if isinstance(place, Mapping):
        rest: Any = {name: value for name, value in place.items() if name != leaf}
    elif isinstance(place, list) and _is_place(place, leaf):
        rest = [part for number, part in enumerate(place) if number != int(leaf)]
    else:
        return dict(document)
    return with_value(document, table, rest) if table else rest


def _is_place(parts: list[Any], name: str) -> bool:
    """True for the number of a part; an absurd one is not even read."""
    return name.isdecimal() and len(name) < 20 and int(name) < len(parts)


def flatten(table: Mapping[Any, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yields dotted keys with their values, down to scalars and lists; None values are left out."""
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from flatten(value, f"{prefix}{key}.")
        elif lists_tables(value):
            yield from flatten(dict(enumerate(value)), f"{prefix}{key}.")
        elif value is not None:
            yield f"{prefix}{key}", list(value) if isinstance(value, tuple) else value
