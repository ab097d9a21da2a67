"""Closed-form curves without simulation, and the documents that simulate the same points.

A curve is the closed form of one kind of cell along one numeric key: the gain of the attack, or the
error without one. Swept kinds (and other swept words) give a curve each; other swept numbers are
set aside. What is drawn at x is what `core.theory` says of the cell that a scenario with that value
compiles to: the same drawn population, the same targets, the same rounding of the fake users.
"""

from __future__ import annotations

from .closed import FLOOR, Curve, error_curves, gain_curve
from .courses import (
    COURSES,
    Course,
    axis_of,
    gain_and_lines,
    gain_cells,
    gain_lines,
    lists_more,
    names_items,
    success_axes,
    success_curves,
    success_metrics,
    success_selection,
)
from .documents import error_document, error_protocols, gain_document, points_of
from .selections import (
    answer_selections,
    map_keys,
    map_layer,
    map_selection,
    select_cells,
    spite_selections,
    thin_out,
)
from .variables import Variable, axes, error_axes
