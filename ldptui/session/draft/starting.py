"""The values that keys start with: those of the catalogue, fitted to the numbers of a draft."""

from __future__ import annotations

from typing import Any, Final

from ...catalogue import start_of
from .state import Draft

FEW: Final = 32
"""Items whose counts a form lists one by one, at most."""


def starting(draft: Draft, key: str) -> Any:
    """A sensible first value for a key; None where there is none."""
    return start_of(key, _numbers(draft))


def _numbers(draft: Draft) -> dict[str, Any]:
    """The numbers of a draft that start values follow, by name."""
    items = start_of("population.items")
    if draft.cell is None:
        return {"items": items, "last item": items - 1, "targets": 0}
    cell, population = draft.cell, draft.cell.population
    numbers: dict[str, Any] = {"targets": cell.targets.size}
    if population is not None:
        items = population.domain_size
        numbers["users"] = population.users
        if items <= FEW:
            numbers["counts"] = population.histogram.tolist()
    if (one := cell.protocol.facts().get("epsilon_one")) is not None:
        numbers["epsilon"] = short(one)
    return {**numbers, "items": items, "last item": items - 1}


def short(value: float) -> float:
    """A budget as a form would write it."""
    return float(f"{value:.3g}")
