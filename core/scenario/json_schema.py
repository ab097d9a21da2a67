"""The JSON Schema of a scenario file."""

from __future__ import annotations

import re
from typing import Annotated, Any, Final, Literal, get_origin

from pydantic import TypeAdapter

from .dotted_document import TABLE_LISTS
from .key_table import OPEN, TABLES, choices_of, names_in, sweepable_keys, types_of
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

    With a sweep or a goal, tables may leave out the keys that these set, and have keys of any swept
    kind.
    """
    described = POINT.json_schema()
    described["title"] = "ldptui scenario"
    strict = described["properties"]
    described["properties"] = _loose_table("")["properties"]
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


def _loose_table(place: str) -> dict[str, Any]:
    """The JSON Schema of a table that may have the keys of all its kinds, none of them required."""
    keys = dict.fromkeys(key for kind in TABLES[place] for key in names_in(kind))
    properties = {name: _loose_key(f"{place}.{name}".strip(".")) for name in keys}
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _loose_key(key: str) -> dict[str, Any]:
    """The JSON Schema of a key: a table, a list of tables, or values of the types it may have."""
    choices = [_loose_table(key)] if key in TABLES else []
    if f"{key}.*" in TABLES:
        choices.append({"type": "array", "items": _loose_table(f"{key}.*")})
    if words := choices_of(key):
        choices.append({"enum": list(words)})
    for base, allowed in types_of(key):
        if get_origin(base) is not Literal and base is not bool:
            hint: Any = Annotated[base, allowed] if allowed else base
            choices.append(TypeAdapter(hint).json_schema())
    return choices[0] if len(choices) == 1 else {"anyOf": choices}
