"""Closed-form curves without simulation, and the cells of a scenario that charts ask for.

A curve is the closed form of one kind of cell along one numeric key: the gain of the attack, or the
error without one. Swept kinds (and other swept words) give a curve each; other swept numbers are
set aside. What is drawn at x is what `core.theory` says of the cell that a scenario with that value
compiles to: the same drawn population, the same targets, the same rounding of the fake users.
"""

from __future__ import annotations

from ..series import LateError
from .closed import (
    FLOOR,
    ClosedForms,
    Curve,
    closed_forms,
)
from .selections import (
    answer_selections,
    chart_document,
    error_document,
    error_protocols,
    map_keys,
    map_layers,
    map_selection,
    middle_layer,
    names_items,
    points_of,
    select_cells,
    spite_selections,
    success_metrics,
    thin_out,
)
from .variables import Variable, chart_selection
