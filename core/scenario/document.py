"""A parsed TOML document: nested dicts, lists and scalars, and how messages show them."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from ..errors import ScenarioError

MAX_DEPTH: Final = 32
"""Tables and lists within each other."""
Document: TypeAlias = dict[str, Any]
"""A parsed TOML document: nested dicts, lists and scalars."""


def check_depth(document: Document, name: str) -> None:
    """Refuse a document whose nesting would be too much for recursive functions."""
    level: list[Any] = [document]
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return
    raise ScenarioError("is nested too deeply", where=name)


def copied(value: Any) -> Any:
    """The same dicts and lists once more, to be changed."""
    if isinstance(value, dict):
        return {key: copied(one) for key, one in value.items()}
    return [copied(one) for one in value] if isinstance(value, list) else value


def looked_up(document: Any, key: str) -> Any:
    """What a dotted key stands for, parts of lists by their number; None where there is nothing."""
    for name in key.split(".") if key else ():
        if isinstance(document, list):
            inside = name.isdecimal() and int(name) < len(document)
            document = document[int(name)] if inside else None
        else:
            document = document.get(name) if isinstance(document, dict) else None
    return document


def put(document: Document, key: str, value: Any) -> None:
    """Set a dotted key, making the tables on the way; raises ScenarioError for a missing part."""
    *tables, leaf = key.split(".")
    place: Any = document
    for step, table in enumerate(tables):
        if isinstance(place, list):
            place = place[_part(place, table, ".".join(tables[:step]), key)]
            continue
        below = place.get(table)
        if not isinstance(below, dict | list):
            below = place[table] = {}
        place = below
    if isinstance(place, list):
        place[_part(place, leaf, ".".join(tables), key)] = value
    else:
        place[leaf] = value


def _part(parts: list[Any], number: str, table: str, key: str) -> int:
    """The index of a part of a list of tables."""
    if not (number.isdecimal() and int(number) < len(parts)):
        rule = f"must name one of the {len(parts)} parts of {table}, from 0, got {number}"
        raise ScenarioError(rule, key=key)
    return int(number)


def drop(document: Document, key: str) -> None:
    """Remove a dotted key or a part of a list, if it is there."""
    table, _, leaf = key.rpartition(".")
    place = looked_up(document, table)
    if isinstance(place, dict):
        place.pop(leaf, None)
    elif isinstance(place, list) and leaf.isdecimal() and int(leaf) < len(place):
        del place[int(leaf)]


def lists_tables(value: Any) -> bool:
    """Whether a value is a list of tables, with one at least."""
    return (
        isinstance(value, list | tuple)
        and bool(value)
        and all(isinstance(one, Mapping) for one in value)
    )


def flatten(table: Mapping[Any, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted keys with their values, down to scalars and lists; what is None is left out."""
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from flatten(value, f"{prefix}{key}.")
        elif lists_tables(value):
            yield from flatten(dict(enumerate(value)), f"{prefix}{key}.")
        elif value is not None:
            yield f"{prefix}{key}", list(value) if isinstance(value, tuple) else value


def suggest(word: str, known: Any) -> str:
    close = difflib.get_close_matches(word, list(known), n=1)
    return f" (did you mean {close[0]}?)" if close else ""


def named(key: str) -> str:
    """A key in a message; one that is empty has quotes."""
    return key or '""'
