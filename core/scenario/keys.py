"""What the dataclasses say about the keys: their types, what they allow, the JSON Schema."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Iterator, Mapping
from types import UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    TypeGuard,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from ..bounds import Range
from .point import POINT, Point


def names_kind(value: Any, kinds: Mapping[str, type]) -> TypeGuard[str]:
    return isinstance(value, str) and value in kinds


def keys_of(kind: type) -> set[str]:
    return {one.name for one in dataclasses.fields(kind)}


def _unwrapped(hint: Any) -> Iterator[Any]:
    """The alternatives of a hint; Annotated ones keep their Range."""
    if get_origin(hint) in (Union, UnionType):
        for part in get_args(hint):
            yield from _unwrapped(part)
    elif get_origin(hint) is Annotated and get_origin(get_args(hint)[0]) in (Union, UnionType):
        yield from _unwrapped(get_args(hint)[0])
    elif hint is not type(None):
        yield hint


def _leaves(kind: type, prefix: str = "") -> Iterator[tuple[str, Any]]:
    hints = get_type_hints(kind, include_extras=True)
    for one in dataclasses.fields(kind):
        for hint in _unwrapped(hints[one.name]):
            key = f"{prefix}{one.name}"
            if dataclasses.is_dataclass(hint):
                assert isinstance(hint, type)
                yield from _leaves(hint, f"{key}.")
            else:
                yield key, hint


@functools.cache
def known_keys() -> dict[str, tuple[Any, ...]]:
    """Every dotted key of a scenario, with the types that some kind gives it."""
    found: dict[str, list[Any]] = {}
    for key, hint in _leaves(Point):
        kept = found.setdefault(key, [])
        if hint not in kept:
            kept.append(hint)
    return {key: tuple(hints) for key, hints in found.items()}


KNOWN: Final = known_keys()

OPEN: Final = ("attack.options",)
"""Tables whose keys are somebody else's."""


def is_open(key: str) -> bool:
    """Whether a key lies in a table whose keys are not ours to know."""
    return any(key.startswith(f"{table}.") for table in OPEN)


def sweepable_keys() -> list[str]:
    """The keys that `[sweep]` may name."""
    return [key for key in KNOWN if key not in ("format", "title", "about", *OPEN)]


def _bare(hint: Any) -> tuple[Any, Range | None]:
    if get_origin(hint) is Annotated:
        base, *extras = get_args(hint)
        return base, next((one for one in extras if isinstance(one, Range)), None)
    return hint, None


def is_integer(hint: Any) -> bool:
    return _bare(hint)[0] is int


_TYPES: Final[dict[Any, str]] = {int: "an integer", float: "a number", str: "text"}


def rule_of(key: str) -> str | None:
    """What a key allows, in words: "a number in (0, 20]"; None for a table."""
    hints = KNOWN.get(key)
    if hints is None:
        return None
    words: list[str] = []
    for hint in hints:
        base, allowed = _bare(hint)
        if get_origin(base) is Literal:
            words += [f'"{one}"' for one in get_args(base) if f'"{one}"' not in words]
        elif get_origin(base) is dict:
            words.append("a table")
        elif base in _TYPES:
            bounds = f" {allowed}" if allowed is not None else ""
            words.append(f"{_TYPES[base]}{',' if bounds.startswith(' at') else ''}{bounds}")
        else:
            words.append("a list of integers" if key.endswith("counts") else "a list of items")
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def schema() -> dict[str, Any]:
    """The JSON Schema of a scenario file."""
    described = POINT.json_schema()
    described["title"] = "ldptui scenario"
    axis = {
        "type": "object",
        "properties": {
            "from": {"type": "number"},
            "to": {"type": "number"},
            "points": {"type": "integer", "minimum": 1},
            "scale": {"enum": ["linear", "log"], "default": "linear"},
        },
        "required": ["from", "to", "points"],
        "additionalProperties": False,
    }
    described["properties"]["sweep"] = {
        "type": "object",
        "description": "Dotted key to its values; a swept key may be left out of its table.",
        "propertyNames": {
            "anyOf": [
                {"enum": sweepable_keys()},
                {"pattern": rf"^({'|'.join(map(re.escape, OPEN))})\."},
            ]
        },
        "additionalProperties": {"anyOf": [{"type": "array", "minItems": 1}, axis]},
    }
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **described}
