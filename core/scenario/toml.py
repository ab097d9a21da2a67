"""TOML text: a document written out, one key edited in place, the line of a key."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import tomlkit

from .document import copied, drop
from .scenario import read_document


def to_toml(document: Mapping[str, Any]) -> str:
    """A document as TOML: top-level keys first, one table each, nested tables inline."""
    written = tomlkit.document()
    for key, value in document.items():
        if not isinstance(value, Mapping):
            written.add(key, _inline(value))
    for key, value in document.items():
        if isinstance(value, Mapping):
            table = tomlkit.table()
            for name, item in value.items():
                table.add(name, _inline(item))
            written.add(key, table)
    return tomlkit.dumps(written)


def _inline(value: Any) -> Any:
    if isinstance(value, Mapping):
        table = tomlkit.inline_table()
        for key, item in value.items():
            table.append(key, _inline(item))
        return table
    if isinstance(value, str) and "\n" in value:
        return tomlkit.string(value, multiline=True)
    return list(value) if isinstance(value, tuple) else value


def edit(text: str, key: str, value: Any) -> str:
    """TOML text with one dotted key set (None: removed), comments and layout kept.

    Follows `Scenario.with_value`: the key's sweep goes, and so do the keys that a new kind does
    not know. Raises ScenarioError where the text is not TOML.
    """
    before = read_document(text)
    if value is None:
        after = copied(before.document)
        drop(after, key)
    else:
        after = before.with_value(key, value).document
    written = tomlkit.parse(text)
    _merge(written, after)
    return tomlkit.dumps(written)


def _merge(written: Any, wanted: Mapping[str, Any]) -> None:
    """Bring a tomlkit container to the wanted values, touching only what differs."""
    for key in [key for key in written if key not in wanted]:
        del written[key]
    for key, value in wanted.items():
        there = written.get(key)
        if isinstance(value, Mapping) and isinstance(there, Mapping):
            _merge(there, value)
        elif there is None or _plain(there) != value or type(_plain(there)) is not type(value):
            if isinstance(value, Mapping) and isinstance(written, tomlkit.TOMLDocument):
                written[key] = tomlkit.table()
                _merge(written[key], value)
            else:
                written[key] = _inline(value)


def _plain(value: Any) -> Any:
    return value.unwrap() if hasattr(value, "unwrap") else value


def line_of(text: str, key: str) -> int | None:
    """The line (from 1) of TOML text on which a dotted key, or the nearest table of it, stands."""
    table, best, wanted = "", None, key.split(".")
    for number, line in enumerate(text.splitlines(), start=1):
        header = re.match(r"\s*\[+\s*([^\]]+?)\s*\]+", line)
        name = re.match(r"""\s*["']?([\w.\-]+?)["']?\s*=""", line)
        if header:
            table = header[1].replace('"', "").replace("'", "")
            here = table
        elif name:
            here = f"{table}.{name[1]}" if table else name[1]
        else:
            continue
        parts = here.removeprefix("sweep.").split(".")
        if parts == wanted[: len(parts)] and (best is None or len(parts) >= best[0]):
            best = (len(parts), number)
    return best[1] if best else None
