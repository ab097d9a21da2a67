"""The mechanisms that the lab compares, bound to a domain and a budget: any kind of the table."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Final

from ldptui.core.base.errors import ScenarioError
from ldptui.core.cell import Cell
from ldptui.core.protocols import CENTRAL, KINDS, PROTOCOLS
from ldptui.core.protocols.curators import Curator, Neighbours
from ldptui.core.scenario import Scenario, load

from ..catalogue.kind_rows import in_order, swept_kinds
from ..explain.formula import Formula
from ..explain.formula_inputs import FormulaSetting
from ..explain.formula_list import entries
from ..session.draft import base
from ..session.scenario_file import locate

LOCAL: Final = in_order("protocol", PROTOCOLS)
CURATORS: Final = in_order("protocol", CENTRAL)
BESIDE: Final = CURATORS[0]
"""The curator whose error a local protocol has to reach."""
BINS: Final = (256, 4096, 65536)
"""Bins of reports that are tried: variances differ by 10⁻³ of themselves from those of many."""
DRAWN: Final = tuple(swept_kinds("protocol", ""))
"""The local protocols that a chart has room for."""


def bound(kind: str, items: int, epsilon: float, **parameters: Any) -> Any:
    """A protocol of a kind, bound to a domain and a budget; parameters that are None are left out.

    Raises ScenarioError.
    """
    chosen = {name: value for name, value in parameters.items() if value is not None}
    return KINDS[kind](kind=kind, epsilon=epsilon, **chosen).bind(items)


def telling(kind: str, epsilon: float) -> Any:
    """A protocol of numbers, bound with the fewest bins that it allows at this ε; raises
    ScenarioError.

    It is bound to two items, the ends of the range: its privacy and error do not depend on the
    items.
    """
    binned = has(kind, "bins")
    for bins in BINS[:-1] if binned else ():
        try:
            return bound(kind, 2, epsilon, bins=bins)
        except ScenarioError as refused:
            if refused.key != "bins":
                raise
    return bound(kind, 2, epsilon, bins=BINS[-1] if binned else None)


def curator(kind: str, items: int, epsilon: float, delta: float, neighbours: Neighbours) -> Curator:
    """A central mechanism by its kind; `delta` is ignored if the kind has none. Raises
    ScenarioError.
    """
    mechanism: type[Any] = KINDS[kind].mechanism
    slack = {"delta": delta} if has(kind, "delta") else {}
    made: Curator = mechanism(items, epsilon, neighbours, **slack)
    return made


def formulas(kind: str, mechanism: Any) -> dict[str, Formula]:
    """The formulas of a mechanism, by key."""
    return entries(FormulaSetting(mechanism, {"kind": kind}))


def has(kind: str, parameter: str) -> bool:
    """True if a kind has a parameter of this name."""
    return any(field.name == parameter for field in fields(KINDS[kind]))


def load_base(place: str) -> Scenario:
    """The scenario at a path or of a name, without its sweep; raises LdpError."""
    return base(load(locate(place)))


def budget_of(cell: Cell, epsilon: float | None) -> float:
    """The ε of a question: the given one, else that of the scenario's protocol, else 1."""
    budget = epsilon or cell.parameters.get("protocol.epsilon") or 1.0
    assert isinstance(budget, int | float)
    return float(budget)


def privacy(cell: Cell) -> tuple[float, float]:
    """The ε and δ of one release of a cell's protocol; δ is 0 if the protocol has none."""
    protocol: Any = cell.protocol
    return protocol.epsilon, getattr(protocol, "delta", 0.0)
