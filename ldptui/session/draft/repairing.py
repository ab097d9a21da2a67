"""A change that makes a draft valid again, offered beside what is wrong with it."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from .looking import value_of
from .state import Draft

TARGETS = "attack.targets.items"


class Repair(Struct, frozen=True):
    """A value for a key that ends a problem; words : what is wrong, and what it does about it."""

    key: str
    value: Any
    words: str


def repair_of(draft: Draft) -> Repair | None:
    """The repair of the first problem; None where there is none to offer."""
    problem = draft.problems[0] if draft.problems else None
    if problem is None or problem.key != TARGETS:
        return None
    items, domain = value_of(draft, TARGETS), value_of(draft, "population.items")
    if not isinstance(items, list) or not isinstance(domain, int) or domain < 2:
        return None
    outside = [item for item in items if isinstance(item, int) and item >= domain]
    if not outside:
        return None
    count = min(len(items), domain)
    rarest = "the rarest item" if count == 1 else f"the {count} rarest"
    words = f"item {outside[0]} does not exist when d = {domain}: ⏎ takes {rarest}"
    return Repair("attack.targets", {"pick": "least-frequent", "count": count}, words)
