"""Imports what is heavy and only some scenarios need.

This is done where nothing interrupts: an import that is interrupted may not be repeated.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any

from core.cell import Cell
from core.protocols import Rappor
from core.scenario import Scenario


def import_for(scenario: Scenario) -> None:
    """What a scenario needs to be bound and run."""
    needed = ["scipy.special"] if "normal" in kinds(scenario, "population") else []
    if "rappor" in kinds(scenario, "protocol"):
        needed += ["scipy.linalg", "scipy.sparse", "scipy.special", "threadpoolctl"]
    for name in needed:
        import_module(name)


def import_solver(cells: Iterable[Cell]) -> None:
    """The solver that decodes very many candidates: it takes a second."""
    if any(isinstance(one.protocol, Rappor) and one.protocol.design.selects for one in cells):
        import_module("sklearn.linear_model")


def kinds(scenario: Scenario, table: str) -> list[Any]:
    """The kinds of a table that a scenario names, before it is bound."""
    place = scenario.document.get(table)
    kind = place.get("kind") if isinstance(place, dict) else None
    return [kind, *scenario.sweep.get(f"{table}.kind", ())]
