"""Imports what is heavy and only some scenarios need.

This is done where nothing interrupts: an import that is interrupted may not be repeated.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from importlib import import_module
from typing import Any

from core.cell import Cell
from core.scenario import KINDS, Scenario


def import_for(scenario: Scenario) -> None:
    """Import the libraries that a scenario needs to be bound and run."""
    for table in ("population", "protocol", "task"):
        for kind in kinds(scenario, table):
            spec = KINDS[table].get(kind) if isinstance(kind, str) else None
            for name in getattr(getattr(spec, "mechanism", spec), "libraries", ()):
                import_module(name)
    if "goal" in scenario.document:
        import_module(f"{__package__}.goals")
    for spec in KINDS["defence"].values() if "defence" in scenario.document else ():
        for name in getattr(spec, "libraries", ()):
            import_module(name)


def import_solver(cells: Iterable[Cell]) -> None:
    """The solver that decodes very many candidates: it takes a second."""
    solvers = {getattr(cell.protocol, "solver", None) for cell in cells}
    for name in filter(None, solvers):
        with suppress(ImportError):  # an optional extra: the cell that needs it says so
            import_module(name)


def kinds(scenario: Scenario, table: str) -> list[Any]:
    """The kinds of a table that a scenario names, before it is bound."""
    place = scenario.document.get(table)
    kind = place.get("kind") if isinstance(place, dict) else None
    return [kind, *scenario.sweep.get(f"{table}.kind", ())]
