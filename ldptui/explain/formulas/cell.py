"""All formulas of one cell, whatever its protocol."""

from __future__ import annotations

from core.cell import Cell
from core.protocols import GRR, LocalHashing, Rappor, Unary
from core.protocols.curators import Curator

from .attack import attack_equations
from .curator import curator_equations
from .estimates import estimate_equations
from .formula import Live
from .protocol import protocol_equations
from .rappor import bloom_equations


def live_equations(cell: Cell) -> tuple[Live, ...]:
    """The formulas that hold for this cell: its protocol, the estimates, its attack.

    Empty for a protocol of another family.
    """
    if isinstance(cell.protocol, Curator):
        return curator_equations(cell, cell.protocol)
    if isinstance(cell.protocol, Rappor):
        return tuple(bloom_equations(cell, cell.protocol))
    if not isinstance(cell.protocol, GRR | Unary | LocalHashing):
        return ()
    return (*protocol_equations(cell), *estimate_equations(cell), *attack_equations(cell))
