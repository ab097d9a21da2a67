"""The JSON Schema of a scenario with the words of the catalogue, which editors show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .keys import has_words, key_words
from .kind_rows import kind_words


def describe_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON Schema of `core.scenario.schema` with titles and descriptions of its keys and kinds.

    A list of kinds gets a description for each kind, in the form that taplo's editors read.
    """
    words = _Words(dict(schema["$defs"]))
    properties = words.table(schema["properties"], "")
    then = {"properties": words.table(schema["then"]["properties"], "")}
    return {**schema, "$defs": words.definitions, "properties": properties, "then": then}


class _Words:
    """Adds descriptions to a schema; a definition used by several keys gets those of
    the first one.
    """

    def __init__(self, definitions: dict[str, Any]) -> None:
        self.definitions = definitions
        self._known: set[str] = set()

    def table(self, properties: Mapping[str, Any], table: str) -> dict[str, Any]:
        """The keys of a table with their descriptions."""
        return {
            name: self._key(described, f"{table}.{name}" if table else name)
            for name, described in properties.items()
        }

    def _key(self, described: Mapping[str, Any], key: str) -> dict[str, Any]:
        below = self._below(described, key)
        if "enum" in below and key.endswith(".kind"):
            lines = [kind_words(_section(key), kind).reason for kind in below["enum"]]
            below["x-taplo"] = {"docs": {"enumValues": lines}}
        about = next((name for name in (key, f"{key}.kind") if has_words(name)), None)
        if about is None:
            return below
        words = key_words(about)
        note = words.note if about == key else ""  # the kind's rule is not the table's
        text = " ".join(part for part in (words.meaning, _sentence(note)) if part)
        return {**below, "title": words.title, "description": text}

    def _below(self, described: Mapping[str, Any], key: str) -> dict[str, Any]:
        """The value of a key: a table, a list, one of several, or a definition elsewhere."""
        made = dict(described)
        if "$ref" in made:
            name = made["$ref"].rpartition("/")[2]
            if name not in self._known:
                self._known.add(name)
                self.definitions[name] = self._below(self.definitions[name], key)
        for several in ("anyOf", "oneOf"):
            if several in made:
                made[several] = [self._below(choice, key) for choice in made[several]]
        if isinstance(made.get("items"), Mapping):
            made["items"] = self._below(made["items"], key)
        if "properties" in made:
            made["properties"] = self.table(made["properties"], key)
            made.pop("description", None)  # that of the class, for programmers
            kind = made["properties"].get("kind", {}).get("const")
            if kind is not None:
                words = kind_words(_section(key), kind)
                made |= {"title": words.name, "description": words.text or words.reason}
        return made


def _section(key: str) -> str:
    """The table of kinds to which a key belongs: `attack` for `attack.mix.kind`."""
    return key.partition(".")[0]


def _sentence(note: str) -> str:
    return f"{note[0].upper()}{note[1:]}." if note else ""
