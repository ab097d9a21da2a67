"""The charts over an axis: what each can have on it, what is simulated for it, its closed forms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from ldptui.core.scenario import Scenario

from ...session.snapshot import Part
from .closed import Curve, error_curves
from .lines import gain_and_lines
from .parts import error_part, gain_part
from .success import success_axes, success_curves, success_part
from .variables import Variable, axes, error_axes


@dataclass(frozen=True)
class Course:
    """A chart over an axis.

    axes : the variables that a scenario allows. part : what is simulated along one of them, None
    for nothing. curves : the closed forms along it, with `log` and `draw` as `error_curves` has
    them. at_once : the options of `curves` that leave out what takes long.
    """

    axes: Callable[[Scenario], tuple[Variable, ...]]
    part: Callable[[Scenario, Variable], Part | None]
    curves: Callable[..., tuple[Curve, ...]]
    at_once: Mapping[str, bool]


def _series(scenario: Scenario, axis: Variable, **_: object) -> tuple[Curve, ...]:
    """The series of a metric, which have no values of their own."""
    return success_curves(scenario, axis)


COURSES: Final[Mapping[str, Course]] = {
    "gain": Course(axes, gain_part, gain_and_lines, {"listed": False}),
    "error": Course(error_axes, error_part, error_curves, {}),
    "success": Course(success_axes, success_part, _series, {}),
}
"""The charts over an axis by the names of their parts."""


def axis_of(scenario: Scenario, variables: Iterable[Variable], chosen: str = "") -> Variable | None:
    """The variable on the axis: chosen by its key, else swept over most values, else the first."""
    known = {variable.key: variable for variable in variables}
    swept = sorted(scenario.sweep, key=lambda key: -len(scenario.sweep[key]))
    return next((known[key] for key in (chosen, *swept, *known) if key in known), None)
