"""TOML text: a document written as text, or merged into an existing text."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import Any

import tomlkit
from tomlkit.items import AoT, InlineTable

from .dotted_document import lists_tables


def to_toml(document: Mapping[str, Any]) -> str:
    """A document as TOML: top-level keys first, then the tables, with nested tables inline.

    Each part of a mixture has a line, and each phase of an attack is a table.
    """
    written = tomlkit.document()
    for key, value in document.items():
        if not isinstance(value, Mapping):
            written.add(key, _inline(value))
    for key, value in document.items():
        if isinstance(value, Mapping):
            written.add(key, _table(value))
    return tomlkit.dumps(written)


def _table(value: Mapping[str, Any]) -> Any:
    table = tomlkit.table()
    for name, item in value.items():
        table.add(name, _inline(item))
    return table


def _inline(value: Any) -> Any:
    if isinstance(value, Mapping):
        table = tomlkit.inline_table()
        for key, item in value.items():
            table.append(key, _inline(item))
        return table
    if lists_tables(value):
        nested = any(lists_tables(inner) for table in value for inner in table.values())
        return _tables(value) if nested else _lines(value)
    if isinstance(value, str) and "\n" in value:
        return tomlkit.string(value, multiline=True)
    return list(value) if isinstance(value, tuple) else value


def _tables(value: Any) -> AoT:
    """[[tables]], a blank line after the last one as well."""
    tables = tomlkit.aot()
    for table in value:
        tables.append(table if isinstance(table, tomlkit.items.Table) else _table(table))
    tables[-1].add(tomlkit.nl())
    return tables


def _lines(value: Any) -> Any:
    """An array of inline tables, a line for each where there are several."""
    array = tomlkit.array()
    array.multiline(len(value) > 1)
    for table in value:
        array.append(_inline(table))
    return array


def update_toml(text: str, after: Mapping[str, Any]) -> str:
    """TOML text edited to match another document, with comments and layout preserved.

    A text whose layout cannot be edited is written anew.
    """
    try:
        parsed = tomlkit.parse(text)
        is_shorter = bool(parsed.keys() - after.keys())
        _merge(parsed, after)
        written = tomlkit.dumps(parsed)
        if is_shorter:
            written = written.rstrip("\n") + "\n"
        if tomllib.loads(written) == after:
            return written
    except (ValueError, TypeError, KeyError, AttributeError):
        pass  # layouts that tomlkit cannot edit
    return to_toml(after)


def _merge(written: Any, wanted: Mapping[str, Any]) -> None:
    """Bring a tomlkit container to the wanted values, touching only what differs."""
    for key in [key for key in written if key not in wanted]:
        del written[key]
    for key, value in wanted.items():
        held = written.get(key)
        if (
            isinstance(value, Mapping)
            and isinstance(held, Mapping)
            and (
                value.keys() == held.keys()
                or not isinstance(held, InlineTable)  # which keep odd spaces
            )
        ):
            _merge(held, value)
        elif lists_tables(value) and lists_tables(held) and len(value) == len(held):
            for old, new in zip(held, value, strict=True):
                _merge(old, new)
        elif held is None or _plain(held) != value or type(_plain(held)) is not type(value):
            if isinstance(value, Mapping) and isinstance(written, tomlkit.TOMLDocument):
                written[key] = tomlkit.table()
                _merge(written[key], value)
            else:
                written[key] = _inline(value)


def _plain(value: Any) -> Any:
    return value.unwrap() if hasattr(value, "unwrap") else value
