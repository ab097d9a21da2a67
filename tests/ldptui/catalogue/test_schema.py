"""The JSON Schema with words: every key says what it is, and nothing else is changed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from ldptui.catalogue import key_words, kind_words
from ldptui.catalogue.schema_words import describe_schema
from ldptui.core.scenario import KINDS, schema


@cache
def made() -> dict[str, Any]:
    return describe_schema(schema())


def leaves(described: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """The keys of tables, in whatever choice they stand, that hold no table."""
    if isinstance(described, dict):
        for choice in (*described.get("anyOf", ()), described.get("items")):
            yield from leaves(choice, key)
        for name, below in described.get("properties", {}).items():
            if "properties" not in json.dumps(below):
                yield f"{key}.{name}".removeprefix("."), below
            yield from leaves(below, f"{key}.{name}")


def test_every_key_has_its_name_and_its_meaning() -> None:
    found = dict(leaves({"properties": made()["properties"]}))
    assert {"seed", "protocol.epsilon", "attack.targets.count", "defence.eta"} <= set(found)
    wordless = {key for key, below in found.items() if not below.get("description")}
    assert {key for key in wordless if not key.startswith("sweep")} == set()
    epsilon = found["protocol.epsilon"]
    assert epsilon["title"] == "privacy budget ε"
    assert "in nats" in epsilon["description"]


@pytest.mark.parametrize("table", sorted(set(made()["properties"]) - {"format"}))
def test_every_table_says_what_it_is(table: str) -> None:
    described = made()["properties"][table]
    assert described["description"].endswith(".")
    assert described["title"]


def test_kinds_have_a_line_each_where_one_is_chosen() -> None:
    for table in ("protocol", "attack", "population"):
        kind = made()["properties"][table]["properties"]["kind"]
        assert kind["enum"] == [*KINDS[table]]
        reasons = [kind_words(table, name).reason for name in KINDS[table]]
        assert kind["x-taplo"]["docs"]["enumValues"] == reasons


def test_a_kind_says_what_it_does_and_not_what_its_class_is() -> None:
    (grr,) = (
        described
        for described in made()["$defs"].values()
        if described.get("properties", {}).get("kind", {}).get("const") == "grr"
    )
    assert grr["description"] == kind_words("protocol", "grr").text
    assert grr["properties"]["epsilon"]["maximum"] == 20
    assert key_words("protocol.epsilon").title in json.dumps(grr, ensure_ascii=False)


def test_words_change_no_rule() -> None:
    def rules(described: Any) -> Any:
        if isinstance(described, dict):
            words = ("title", "description", "x-taplo")
            return {
                name: rules(below)
                for name, below in described.items()
                if name not in words or (isinstance(below, dict) and name != "x-taplo")
            }
        return [rules(each) for each in described] if isinstance(described, list) else described

    assert rules(made()) == rules(schema())
    assert "description" not in rules(made())
