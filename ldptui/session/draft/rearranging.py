"""Lists of tables in a scenario as forms edit them: rows duplicated, removed, moved, muted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

Table: TypeAlias = dict[str, Any]

MUTED: Final = "muted"
"""The key of a table that stays where it is and does nothing."""


def tables_in(value: Any) -> list[Table]:
    """Copies of the tables of a list; none where the value is no list."""
    listed = isinstance(value, Sequence) and not isinstance(value, str)
    return [dict(table) for table in value if isinstance(table, Mapping)] if listed else []


def rearranged(rows: Sequence[Table], what: str, at: int) -> tuple[list[Table], int]:
    """The rows after `what` was done with the one at `at`, and the one to choose then.

    what : "duplicate", "remove", "mute", "up" or "down"; anything else changes nothing.
    """
    kept = list(rows)
    match what:
        case "duplicate":
            kept.insert(at + 1, dict(kept[at]))
            at += 1
        case "remove":
            del kept[at]
            at = max(0, min(at, len(kept) - 1))
        case "mute":
            kept[at] = _switched(kept[at])
        case "up" if at > 0:
            kept[at - 1 : at + 1] = kept[at], kept[at - 1]
            at -= 1
        case "down" if at < len(kept) - 1:
            kept[at : at + 2] = kept[at + 1], kept[at]
            at += 1
    return kept, at


def _switched(table: Table) -> Table:
    """The table muted, or acting again."""
    rest = {key: value for key, value in table.items() if key != MUTED}
    return rest if table.get(MUTED) is True else {**rest, MUTED: True}
