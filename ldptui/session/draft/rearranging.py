"""Lists of tables in a scenario as a form edits them: rows are duplicated, removed, moved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def rearranged(rows: Sequence[dict[str, T]], what: str, at: int) -> tuple[list[dict[str, T]], int]:
    """The rows after `what` was done with the one at `at`, and the one to choose then.

    what : "duplicate", "remove", "up" or "down"; anything else changes nothing.
    """
    kept = list(rows)
    match what:
        case "duplicate":
            kept.insert(at + 1, dict(kept[at]))
            at += 1
        case "remove":
            del kept[at]
            at = max(0, min(at, len(kept) - 1))
        case "up" if at > 0:
            kept[at - 1 : at + 1] = kept[at], kept[at - 1]
            at -= 1
        case "down" if at < len(kept) - 1:
            kept[at : at + 2] = kept[at + 1], kept[at]
            at += 1
    return kept, at
