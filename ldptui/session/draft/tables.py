"""Tables of a draft's document with one dotted key set, as a form sets it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ldptui.core.base.errors import ScenarioError


def placed(document: Mapping[str, Any], key: str, value: Any) -> dict[str, Any]:
    """The document with a dotted key set, or removed by None with the tables that it leaves empty.

    Targets are picked by a rule or listed: setting one way drops the other. A part that a list does
    not have stays away.
    """
    from ldptui.core.scenario import value_at, with_value, without

    table, _, leaf = key.rpartition(".")
    if value is None:
        rest = without(document, key)
        empty = table and not table.rpartition(".")[2].isdecimal() and value_at(rest, table) == {}
        return placed(rest, table, None) if empty else rest
    try:
        changed = with_value(document, key, value)
    except ScenarioError:
        return dict(document)
    if table.rpartition(".")[2] == "targets":
        for other in _RIVALS.get(leaf, ()):
            changed = without(changed, f"{table}.{other}")
    return changed


_RIVALS: Final = {"items": ("pick", "count"), "pick": ("items",), "count": ("items",)}
"""Keys of targets that exclude each other."""
