"""The JSON Schema of a scenario file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from .document import TABLE_LISTS
from .key_table import OPEN, sweepable_keys
from .point import POINT


def _pattern(key: str) -> str:
    """A regular expression of a key with numbers, `*`; that of the only part may be left out."""
    numbered = re.escape(key).replace(r"\*", r"\d+")
    return "^" + re.sub(rf"^({'|'.join(TABLE_LISTS)})\\\.\\d\+\\\.", r"\1\\.(\\d+\\.)?", numbered)


_PATTERNS: Final = (
    *(rf"{_pattern(table)}\." for table in OPEN),
    *(f"{_pattern(key)}$" for key in sweepable_keys() if "*" in key),
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
    described["properties"] = {name: _loose(key, definitions) for name, key in strict.items()}
    described["if"] = {"not": {"anyOf": [{"required": ["sweep"]}, {"required": ["goal"]}]}}
    described["then"] = {"properties": strict}
    axis = {
        "type": "object",
        "properties": {
            "from": {"type": "number", "description": "The first value."},
            "to": {"type": "number", "description": "The last value."},
            "points": {
                "type": "integer",
                "minimum": 1,
                "description": "The number of values, with the first and the last.",
            },
            "scale": {
                "enum": ["linear", "log"],
                "default": "linear",
                "description": "The values are evenly apart, or have equal ratios (log).",
            },
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
                *({"pattern": pattern} for pattern in _PATTERNS),
            ]
        },
        "additionalProperties": {"anyOf": [{"type": "array", "minItems": 1}, axis]},
    }
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **described}


def _loose(described: Any, definitions: Mapping[str, Any]) -> Any:
    """A JSON Schema with no key required, and one table for all kinds of a table."""
    if "$ref" in described:
        return _loose(definitions[described["$ref"].rpartition("/")[2]], definitions)
    members = described.get("oneOf", described.get("anyOf"))
    if members is not None:
        parts = [_loose(member, definitions) for member in members]
        tables = [part for part in parts if "properties" in part]
        others = [part for part in parts if "properties" not in part]
        return _any_of([*([_one_table(tables)] if tables else []), *others])
    if "properties" in described:
        return _one_table([{"properties": {
            name: _loose(key, definitions) for name, key in described["properties"].items()
        }}])  # fmt: skip
    if isinstance(described.get("items"), dict):
        return {**described, "items": _loose(described["items"], definitions)}
    return described


def _one_table(tables: list[Any]) -> dict[str, Any]:
    """A table that may have the keys of all of these."""
    keys = dict.fromkeys(name for table in tables for name in table["properties"])
    properties = {
        name: _any_of(
            [table["properties"][name] for table in tables if name in table["properties"]]
        )
        for name in keys
    }
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _any_of(choices: list[Any]) -> Any:
    """One of these, each said once."""
    if all("const" in choice or set(choice) == {"enum"} for choice in choices):
        values = [choice.get("enum", [choice.get("const")]) for choice in choices]
        return {"enum": list(dict.fromkeys(value for some in values for value in some))}
    distinct = [choice for at, choice in enumerate(choices) if choice not in choices[:at]]
    return distinct[0] if len(distinct) == 1 else {"anyOf": distinct}
