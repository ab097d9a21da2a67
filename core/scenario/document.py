"""A parsed TOML document: nested dicts, lists and scalars, and how messages show them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from ..base.errors import ScenarioError, got
from ..base.ranges import finite

MAX_DEPTH: Final = 32
"""Tables and lists within each other."""
Document: TypeAlias = dict[str, Any]
"""A parsed TOML document: nested dicts, lists and scalars."""


def check_depth(document: Document, name: str) -> None:
    """Refuse a document whose nesting would be too much for recursive functions."""
    level: list[Any] = [document]
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return
    raise ScenarioError("is nested too deeply", where=name)


def check_finite(value: Any, key: str = "") -> None:
    """Refuse nan and infinity wherever they stand: under a sweep and in options as well."""
    if isinstance(value, dict | list):
        for name, part in value.items() if isinstance(value, dict) else enumerate(value):
            check_finite(part, f"{key}.{name}" if key else str(name))
    elif isinstance(value, float) and not finite(value):
        raise ScenarioError(f"must be finite, {got(value)}", key=key)


def copy_document(value: Any) -> Any:
    """A copy of the dicts and lists of a document, to be changed."""
    if isinstance(value, dict):
        return {key: copy_document(item) for key, item in value.items()}
    return [copy_document(item) for item in value] if isinstance(value, list) else value


def lists_tables(value: Any) -> bool:
    """Return whether a value is a list of tables, with one at least."""
    return (
        isinstance(value, list | tuple)
        and bool(value)
        and all(isinstance(item, Mapping) for item in value)
    )


def quote_empty_key(key: str) -> str:
    """A key in a message; one that is empty has quotes."""
    return key or '""'
