"""Values in nested tables, by dotted key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def looked_up(document: Mapping[str, Any], key: str) -> Any:
    value: Any = document
    for part in key.split("."):
        if isinstance(value, list):
            value = value[int(part)] if part.isdecimal() and int(part) < len(value) else None
        else:
            value = value.get(part) if isinstance(value, Mapping) else None
    return value


def put(document: dict[str, Any], key: str, value: Any) -> None:
    if value is None:
        document.pop(key, None)
    else:
        document[key] = value


def placed(there: Any, below: list[str], value: Any) -> Any:
    """A table with the value put at a path below it; None where the table is left empty.

    Parts of a list go by their number; one that is not there stays away.
    """
    if not below:
        return value
    if isinstance(there, list):
        at = int(below[0]) if below[0].isdecimal() else len(there)
        return [
            (placed(one, below[1:], value) or {}) if here == at else one
            for here, one in enumerate(there)
        ]
    table = dict(there) if isinstance(there, Mapping) else {}
    leaf, *rest = below
    put(table, leaf, placed(table.get(leaf), rest, value))
    # Targets are picked by a rule or listed: setting one way drops the other.
    if leaf == "items" and value is not None and not rest and table.keys() & {"pick", "count"}:
        table.pop("pick", None)
        table.pop("count", None)
    elif leaf in ("pick", "count") and value is not None:
        table.pop("items", None)
    return table or None
