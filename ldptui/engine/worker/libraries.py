"""The libraries that a scenario needs, imported before work that may be left at any point."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib import import_module

from ldptui.core.cell import Cell
from ldptui.core.scenario import KINDS, Scenario


def import_for(scenario: Scenario) -> None:
    """Import the libraries that a scenario needs to be bound and run."""
    for name in declared_libraries(scenario, "libraries"):
        import_module(name)
    if "goal" in scenario.document:
        import_module("scipy.special")
    for spec in KINDS["defence"].values() if "defence" in scenario.document else ():
        for name in getattr(spec, "libraries", ()):
            import_module(name)


def import_solver(cells: Iterable[Cell]) -> None:
    """Import the solver that decodes very many candidates: it takes a second."""
    import_extras(filter(None, {getattr(cell.protocol, "solver", None) for cell in cells}))


def import_extras(names: Iterable[str]) -> None:
    """Import optional libraries; a missing one is reported by the cell that needs it."""
    for name in names:
        with suppress(ImportError):
            import_module(name)


def declared_libraries(scenario: Scenario, name: str) -> Iterator[str]:
    """Yields the libraries that the kinds of a scenario declare under a name; the scenario need not
    be bound.
    """
    for table in ("population", "protocol", "task"):
        place = scenario.document.get(table)
        kind = place.get("kind") if isinstance(place, dict) else None
        for named in (kind, *scenario.sweep.get(f"{table}.kind", ())):
            spec = KINDS[table].get(named) if isinstance(named, str) else None
            yield from getattr(getattr(spec, "mechanism", spec), name, ())
