"""Changes of one key of a document, which also drop the keys that the new value excludes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .dotted_document import Document, value_at, with_value, without
from .key_table import keys_of, kinds_at, names_kind
from .sweep import sweep_of

_EITHER: Final = (
    ("protocol.f", "protocol.epsilon"),
    ("task.groups", "task.extension"),
    ("goal", "attack.share"),
)
"""Keys and tables of which a scenario has one or the other: setting one drops the other."""

_RIVALS: Final = {"items": ("pick", "count"), "pick": ("items",), "count": ("items",)}
"""Keys of targets that exclude each other: they are picked by a rule or listed."""


def set_key(document: Mapping[str, Any], key: str, value: Any) -> Document:
    """The document with one dotted key set; None removes the key and tables that become empty.

    Setting a `kind` drops the keys of its table that the kind does not have (`names_for`); setting
    one of two keys that exclude each other drops the other. Other sweeps stay. Raises ScenarioError
    as `with_value` does.
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
    if (key, value) == ("attack.kind", "none"):
        changed = drop_key(changed, "goal")
    return _without_rival(changed, key)


def set_sweep(document: Mapping[str, Any], key: str, values: Any) -> Document:
    """The document with a key swept over these values; None removes the key's sweep."""
    sweep = {**sweep_of(document), key: values}
    if values is None:
        del sweep[key]
        return with_sweep(document, sweep)
    return _without_rival(with_sweep(document, sweep), key)


def _without_rival(document: Document, key: str) -> Document:
    for pair in _EITHER:
        for one, other in (pair, pair[::-1]):
            if f"{key}.".startswith(f"{one}."):
                document = drop_key(document, other)
    return document


def drop_key(document: Mapping[str, Any], key: str) -> Document:
    """The document without a key or table, and without sweeps of it."""
    return drop_sweeps(set_key(document, key, None), key)


def drop_sweeps(document: Mapping[str, Any], key: str) -> Document:
    """The document without the sweeps of a key and of keys below it."""
    sweep = sweep_of(document)
    left = {name: values for name, values in sweep.items() if not f"{name}.".startswith(f"{key}.")}
    return with_sweep(document, left) if left != sweep else dict(document)


def with_sweep(document: Mapping[str, Any], sweep: Mapping[str, Any] | None) -> Document:
    """The document with this table of sweeps; None removes the table."""
    rest = {key: value for key, value in document.items() if key != "sweep" or sweep}
    return {**rest, "sweep": sweep} if sweep else rest


def names_for(document: Mapping[str, Any], table: str, kind: str) -> set[str]:
    """The names of the keys that a table may have with a kind: the kind's keys, and those of swept
    kinds.

    An attack of kind "none" keeps its share and targets, which it ignores, for a later change of
    kind.
    """
    kinds, swept = kinds_at(table), sweep_of(document).get(f"{table}.kind")
    named = [kind, *(swept if isinstance(swept, list) else ())]
    known = {name for each in named if names_kind(each, kinds) for name in keys_of(kinds[each])}
    return (
        known | {"kind"} | ({"share", "targets"} if (table, kind) == ("attack", "none") else set())
    )
