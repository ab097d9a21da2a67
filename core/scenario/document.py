"""A parsed TOML document: nested dicts, lists and scalars, and how messages show them."""

from __future__ import annotations

import difflib
import json
import math
import re
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


def put(document: Document, key: str, value: Any) -> None:
    """Set a dotted key, making the tables on the way."""
    *tables, leaf = key.split(".")
    place = document
    for table in tables:
        below = place.get(table)
        if not isinstance(below, dict):
            below = place[table] = {}
        place = below
    place[leaf] = value


def found(document: Document, key: str) -> Any:
    """What stands at a dotted key; None where nothing does."""
    place: Any = document
    for part in key.split("."):
        place = place.get(part) if isinstance(place, dict) else None
    return place


def drop(document: Document, key: str) -> None:
    """Remove a dotted key, if it is there."""
    *tables, leaf = key.split(".")
    place: Any = document
    for table in tables:
        place = place.get(table, {}) if isinstance(place, dict) else {}
    if isinstance(place, dict):
        place.pop(leaf, None)


def flatten(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted keys with their values, down to scalars and lists; what is None is left out."""
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from flatten(value, f"{prefix}{key}.")
        elif value is not None:
            yield f"{prefix}{key}", list(value) if isinstance(value, tuple) else value


def suggest(word: str, known: Any) -> str:
    close = difflib.get_close_matches(word, list(known), n=1)
    return f" (did you mean {close[0]}?)" if close else ""


def named(key: str) -> str:
    """A key in a message; one that is empty has quotes."""
    return key or '""'


def shown(value: Any) -> str:
    """A value in a message: as JSON, which TOML's scalars and lists look like; never long."""
    if value is None:
        return "nothing"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        return "a value that is too large"
    text = re.sub(r"[\x00-\x1f\x7f]", "?", text)
    return text if len(text) <= 60 else f"{text[:57]}…"
