"""The JSON Schema of scenario files."""

from __future__ import annotations

import json
import re
from typing import Any

from ldptui import scenarios
from ldptui.core.scenario import (
    KEY_TYPES,
    load,
    schema,
    sweepable_keys,
)


def holds(described: dict[str, Any], value: Any) -> bool:
    """True if a JSON Schema without references has a place for every key of a value."""
    if "anyOf" in described:
        return any(holds(option, value) for option in described["anyOf"])
    if isinstance(value, dict) and "properties" in described:
        places = described["properties"]
        return all(key in places and holds(places[key], item) for key, item in value.items())
    if isinstance(value, list) and isinstance(described.get("items"), dict):
        return all(holds(described["items"], item) for item in value)
    return described.get("type") != "object" or isinstance(value, dict)


def test_the_schema_has_a_place_for_what_sweeps_and_goals_leave_in_and_out() -> None:
    described = schema()
    assert "$ref" not in json.dumps(described["properties"])
    tables = {name: described["properties"][name] for name in ("protocol", "attack", "population")}
    assert "required" not in json.dumps(tables)
    for name in scenarios.names():
        document = load(scenarios.path(name)).document
        assert holds({"properties": described["properties"]}, document), name
    assert not holds(tables["attack"], {"kind": "mga", "shar": 0.1})
    assert described["then"]["properties"]["protocol"]["oneOf"]  # where nothing is swept


def test_the_schema_names_every_key_and_is_json() -> None:
    written = json.dumps(schema())
    for key in KEY_TYPES:
        assert f'"{key.rpartition(".")[2]}"' in written
    assert set(schema()["required"]) == {"format", "population", "protocol"}
    keys, *patterns = schema()["properties"]["sweep"]["propertyNames"]["anyOf"]
    for key in ("defence.eta", "defence.1.eta", "attack.mix.0.weight", "attack.options.honest"):
        assert any(re.match(known["pattern"], key) for known in patterns), key
    assert keys["enum"] == [key for key in sweepable_keys() if "*" not in key]
