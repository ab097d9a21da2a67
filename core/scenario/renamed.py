"""Other names of the same: kinds that had another one before, and keys of the only defence."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from ..base.errors import ScenarioError, got
from .declared import TABLE_LISTS
from .document import Document
from .sweep import dotted_sweep

FORMER: Final = {"adaptive": "reactive"}
"""Names of attacks that are no more, with those of today."""


def with_current_names(document: Document) -> Document:
    """A document with the names of today; itself where it has no other ones."""
    tables: Document = {name: document[name] for name in ("attack", "sweep") if name in document}
    now: Document = {name: _with_current_kind(table, "") for name, table in tables.items()}
    if isinstance(sweep := now.get("sweep"), dict):
        flat = dotted_sweep(sweep)
        placed = {with_part_number(document, key): values for key, values in flat.items()}
        now["sweep"] = sweep if placed.keys() == flat.keys() else placed
    return document if now == tables else {**document, **now}


def with_part_number(document: Mapping[str, Any], key: str) -> str:
    """A key of the only defence or metric with its number: defence.0.kind for defence.kind.

    Raises ScenarioError for a key that is no text.
    """
    if not isinstance(key, str):
        raise ScenarioError(f"must be text, {got(key)}", key="key")
    table = key.partition(".")[0]
    listed = document.get(table, []) if table in TABLE_LISTS else None
    alone = isinstance(listed, list) and len(listed) <= 1
    return re.sub(rf"^{table}\.(?!\d+(\.|$))", f"{table}.0.", key) if alone else key


def notes(document: Document) -> tuple[str, ...]:
    """A sentence for each former name in a document."""
    before = repr([document.get(name) for name in ("attack", "sweep")])
    after = repr([with_current_names(document).get(name) for name in ("attack", "sweep")])
    return tuple(
        f'the attack "{old}" is called "{new}" now; the file may keep its name'
        for old, new in FORMER.items()
        if before.count(repr(old)) > after.count(repr(old))
    )


def _with_current_kind(value: Any, key: str) -> Any:
    """The value of a key; what a plug-in's options say is their own."""
    if isinstance(value, dict):
        return {name: inner if name == "options" else _with_current_kind(inner, name)
                for name, inner in value.items()}  # fmt: skip
    if isinstance(value, list):
        return [_with_current_kind(inner, key) for inner in value]
    named = isinstance(value, str) and key.rpartition(".")[2] == "kind"
    return FORMER.get(value, value) if named else value
