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
    return {_name(kind, one.name) for one in dataclasses.fields(kind)}


def _name(kind: type, field: str) -> str:
    """What scenarios call a field of a dataclass: a few have names that Python keeps for itself."""
    names: dict[str, str] = getattr(kind, "KEYS", {})
    return names.get(field, field)


def _unwrapped(hint: Any) -> Iterator[Any]:
    """The alternatives of a hint; Annotated numbers keep their Range."""
    base = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    if get_origin(base) in (Union, UnionType):
        for part in get_args(base):
            yield from _unwrapped(part)
    elif dataclasses.is_dataclass(base):
        yield base
    elif hint is not type(None):
        yield hint


def _leaves(kind: type, prefix: str = "") -> Iterator[tuple[str, Any]]:
    hints = get_type_hints(kind, include_extras=True)
    for one in dataclasses.fields(kind):
        for hint in _unwrapped(hints[one.name]):
            key = f"{prefix}{_name(kind, one.name)}"
            of = get_args(hint)[0] if get_origin(hint) is tuple else None
            tables = [part for part in _unwrapped(of) if dataclasses.is_dataclass(part)]
            if dataclasses.is_dataclass(hint):
                assert isinstance(hint, type)
                yield from _leaves(hint, f"{key}.")
            elif tables:
                for table in tables:
                    assert isinstance(table, type)
                    yield from _leaves(table, f"{key}.*.")
            else:
                yield key, hint


@functools.cache
def known_keys() -> dict[str, tuple[Any, ...]]:
    """Every dotted key of a scenario, with the types that some kind gives it.

    The parts of a list of tables are one key: attack.mix.*.weight.
    """
    found: dict[str, list[Any]] = {}
    for key, hint in _leaves(Point):
        kept = found.setdefault(key, [])
        if hint not in kept:
            kept.append(hint)
    return {key: tuple(hints) for key, hints in found.items()}


KNOWN: Final = known_keys()

OPEN: Final = tuple(key for key in KNOWN if key.endswith(".options"))
"""Tables whose keys are somebody else's."""


def is_open(key: str) -> bool:
    """Whether a key lies in a table whose keys are not ours to know."""
    return any(pattern(key).startswith(f"{table}.") for table in OPEN)


def pattern(key: str) -> str:
    """A dotted key as `known_keys` has it: attack.mix.*.weight for attack.mix.0.weight."""
    return re.sub(r"\.\d+(?=\.|$)", ".*", key)


def numbered(known: str, key: str) -> str:
    """A key of `known_keys` with the numbers of parts that another key has."""
    for number in re.findall(r"\.(\d+)(?=\.|$)", key):
        known = known.replace(".*", f".{number}", 1)
    return known


def sweepable_keys() -> list[str]:
    """The keys that `[sweep]` may name, `*` for the number of a part."""
    return [key for key in KNOWN if key not in ("format", "title", "about", *OPEN)]


def _bare(hint: Any) -> tuple[Any, Range | None]:
    if get_origin(hint) is Annotated:
        base, *extras = get_args(hint)
        return base, next((one for one in extras if isinstance(one, Range)), None)
    return hint, None


def is_integer(hint: Any) -> bool:
    return _bare(hint)[0] is int


_LISTED: Final[dict[Any, str]] = {int: "integers", float: "numbers"}
_TYPES: Final[dict[Any, str]] = {
    int: "an integer",
    float: "a number",
    str: "text",
    bool: "true or false",
}


def rule_of(key: str) -> str | None:
    """What a key allows, in words: "a number in (0, 20]"; None for a table."""
    hints = KNOWN.get(pattern(key))
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
            of = get_args(base)[0]
            words.append(f"a list of {_LISTED.get(of, 'items')}")
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


_PATTERNS: Final = (
    *(rf"^{re.escape(table)}\.".replace(r"\*", r"\d+") for table in OPEN),
    *(f"^{re.escape(key)}$".replace(r"\*", r"\d+") for key in sweepable_keys() if "*" in key),
)
"""Regular expressions of the keys that cannot be listed."""


def schema() -> dict[str, Any]:
    """The JSON Schema of a scenario file.

    With a sweep or a goal tables may leave out what these give, and hold keys of any swept kind.
    """
    described = POINT.json_schema()
    described["title"] = "ldptui scenario"
    strict = described["properties"]
    definitions = described["$defs"]
    described["properties"] = {name: _loose(one, definitions) for name, one in strict.items()}
    described["if"] = {"not": {"anyOf": [{"required": ["sweep"]}, {"required": ["goal"]}]}}
    described["then"] = {"properties": strict}
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
                {"enum": [key for key in sweepable_keys() if "*" not in key]},
                *({"pattern": one} for one in _PATTERNS),
            ]
        },
        "additionalProperties": {"anyOf": [{"type": "array", "minItems": 1}, axis]},
    }
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **described}


def _loose(described: Any, definitions: Mapping[str, Any]) -> Any:
    """The same JSON Schema with no key required, and one table for all kinds of a table."""
    if "$ref" in described:
        return _loose(definitions[described["$ref"].rpartition("/")[2]], definitions)
    members = described.get("oneOf", described.get("anyOf"))
    if members is not None:
        parts = [_loose(one, definitions) for one in members]
        tables = [one for one in parts if "properties" in one]
        others = [one for one in parts if "properties" not in one]
        return _any_of([*([_one_table(tables)] if tables else []), *others])
    if "properties" in described:
        return _one_table([{"properties": {
            name: _loose(one, definitions) for name, one in described["properties"].items()
        }}])  # fmt: skip
    if isinstance(described.get("items"), dict):
        return {**described, "items": _loose(described["items"], definitions)}
    return described


def _one_table(tables: list[Any]) -> dict[str, Any]:
    """A table that may have the keys of all of these."""
    keys = dict.fromkeys(name for one in tables for name in one["properties"])
    properties = {
        name: _any_of([one["properties"][name] for one in tables if name in one["properties"]])
        for name in keys
    }
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _any_of(choices: list[Any]) -> Any:
    """One of these, each said once."""
    if all("const" in one for one in choices):
        return {"enum": list(dict.fromkeys(one["const"] for one in choices))}
    distinct = [one for at, one in enumerate(choices) if one not in choices[:at]]
    return distinct[0] if len(distinct) == 1 else {"anyOf": distinct}
