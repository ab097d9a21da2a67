"""One key of a document set or removed, and with it what the new value excludes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .declared import keys_of, names_kind
from .document import Document, value_at, with_value, without
from .point import kinds_at
from .sweep import sweep_of

_EITHER: Final = (
    ("protocol.f", "protocol.epsilon"),
    ("task.groups", "task.extension"),
    ("goal", "attack.share"),
)
INSTEAD: Final[Mapping[str, str]] = dict((*_EITHER, *((two, one) for one, two in _EITHER)))
"""Keys and tables of which a scenario has one or the other: setting one drops the other."""

_RIVALS: Final = {"items": ("pick", "count"), "pick": ("items",), "count": ("items",)}
"""Keys of targets that exclude each other: they are picked by a rule or listed."""


def set_key(document: Mapping[str, Any], key: str, value: Any) -> Document:
    """The document with one dotted key set, or removed by None with the tables left empty by that.

    Setting a `kind` drops the keys of its table that `names_for` does not have; setting one way to
    name targets drops the other. All sweeps stay. Raises ScenarioError as `with_value` does.
    """
    table, _, leaf = key.rpartition(".")
    if value is None:
        rest = without(document, key)
        empty = table and not table.rpartition(".")[2].isdecimal() and value_at(rest, table) == {}
        return set_key(rest, table, None) if empty else rest
    changed = with_value(document, key, value)
    dropped = set(_RIVALS.get(leaf, ())) if table.rpartition(".")[2] == "targets" else set()
    if leaf == "kind" and names_kind(value, kinds_at(table)):
        dropped = value_at(changed, table).keys() - names_for(document, table, value)
    for name in dropped:
        changed = without(changed, f"{table}.{name}")
    return changed


def with_sweep(document: Mapping[str, Any], sweep: Mapping[str, Any] | None) -> Document:
    """The document with another table of sweeps, or without one."""
    rest = {key: value for key, value in document.items() if key != "sweep" or sweep}
    return {**rest, "sweep": sweep} if sweep else rest


def names_for(document: Mapping[str, Any], table: str, kind: str) -> set[str]:
    """The names of the keys that a table may have with a kind: its own, and those of swept kinds.

    An attack of kind "none" keeps its share and its targets, which it ignores: another kind has
    them again.
    """
    kinds, swept = kinds_at(table), sweep_of(document).get(f"{table}.kind")
    named = [kind, *(swept if isinstance(swept, list) else ())]
    known = {name for each in named if names_kind(each, kinds) for name in keys_of(kinds[each])}
    return (
        known | {"kind"} | ({"share", "targets"} if (table, kind) == ("attack", "none") else set())
    )
