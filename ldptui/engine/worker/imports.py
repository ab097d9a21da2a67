"""Imports what is heavy and only some scenarios need.

This is done where nothing interrupts: an import that is interrupted may not be repeated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib import import_module

import numpy.ma  # noqa: F401  np.unique imports it at its first call

from ldptui.core.cell import Cell
from ldptui.core.scenario import KINDS, Scenario


def import_for(scenario: Scenario) -> None:
    """Import the libraries that a scenario needs to be bound and run."""
    for name in _declared(scenario, "libraries"):
        import_module(name)
    if "goal" in scenario.document:
        import_module(f"{__package__}.goals")
    for spec in KINDS["defence"].values() if "defence" in scenario.document else ():
        for name in getattr(spec, "libraries", ()):
            import_module(name)


def import_solver(cells: Iterable[Cell]) -> None:
    """The solver that decodes very many candidates: it takes a second."""
    solvers = {getattr(cell.protocol, "solver", None) for cell in cells}
    import_extras(filter(None, solvers))


def import_extras(names: Iterable[str]) -> None:
    """Import optional libraries; where one is not installed, the cell that needs it says so."""
    for name in names:
        with suppress(ImportError):
            import_module(name)


def extras(scenario: Scenario) -> Iterator[str]:
    """The optional libraries that a scenario may need."""
    return _declared(scenario, "extras")


def _declared(scenario: Scenario, name: str) -> Iterator[str]:
    """The libraries that the kinds of a scenario declare under a name; it need not be bound."""
    for table in ("population", "protocol", "task"):
        place = scenario.document.get(table)
        kind = place.get("kind") if isinstance(place, dict) else None
        for named in (kind, *scenario.sweep.get(f"{table}.kind", ())):
            spec = KINDS[table].get(named) if isinstance(named, str) else None
            yield from getattr(getattr(spec, "mechanism", spec), name, ())
