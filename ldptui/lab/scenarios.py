"""The cell of a scenario, as the lab's commands take it."""

from __future__ import annotations

from typing import Any

from ldptui.core.cell import Cell
from ldptui.core.experiment import compile  # noqa: A004
from ldptui.core.scenario import load

from ..session.draft import base
from ..session.locating import locate


def unswept(place: str) -> Cell:
    """The cell of a scenario without its sweep; raises LdpError."""
    return compile(base(load(locate(place)))).cells[0]


def budget_of(cell: Cell, epsilon: float | None) -> float:
    """This ε, or the cell's own, or 1."""
    budget = epsilon or cell.parameters.get("protocol.epsilon") or 1.0
    assert isinstance(budget, int | float)
    return float(budget)


def subject(scenario: str) -> str:
    """The scenario that is named, in a title; that of the workbench has no name."""
    return scenario or "your population"


def privacy(cell: Cell) -> tuple[float, float]:
    """ε and δ of one release of a cell."""
    protocol: Any = cell.protocol
    return protocol.epsilon, getattr(protocol, "delta", 0.0)
