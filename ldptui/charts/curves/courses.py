"""The charts over an axis: what each can have on it, what is simulated for it, its closed forms."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from ldptui.core import theory
from ldptui.core.attacks import NoAttack, malicious_users
from ldptui.core.base.arms import ARMS, UNDEFENDED
from ldptui.core.base.sampling import Floats
from ldptui.core.bounds.programme import optimum
from ldptui.core.law.mechanism import LocalMechanism
from ldptui.core.law.pure import Items, PlacedItems
from ldptui.core.metrics import METRICS, metrics_of
from ldptui.core.population import Population
from ldptui.core.scenario import Point, Scenario, value_at

from ...catalogue import leading_metrics
from ...session.draft import base, draw_population
from ...session.snapshot import Selection
from ...text.swept import setting_words
from .closed import (
    NO_VALUE,
    Curve,
    Draw,
    Subject,
    Varied,
    error_curves,
    gain_curve,
    grid_of,
    varied,
)
from .documents import gain_document, points_of
from .selections import (
    SIMULATED,
    gain_selection,
    own_values,
    select_cells,
    series_selection,
    some_of,
)
from .variables import Variable, axes, axes_of, error_axes, simulated

PLACED_ITEMS: Final = 2**12
"""MGA has a line up to this many items where a report depends on which items are targets."""

LISTED: Final = 2**18
"""Entries of a matrix of reports over which the undetectable gain is optimised: 1 s a point."""

WITHIN: Final = 5e-3
"""The part of the undetectable gain by which an optimised line may lie too low."""

FEW: Final = 7
"""Points of that line, besides those that are simulated where they are no more."""

POINTS: Final = 33


def gain_lines(
    scenario: Scenario,
    axis: Variable,
    points: int = POINTS,
    *,
    log: bool | None = None,
    draw: Draw = draw_population,
    listed: bool = True,
) -> tuple[Curve, ...]:
    """The lines of the scenario's own protocol along the axis; none of a trusted curator.

    listed : whether the undetectable gain is optimised over every report where there is no closed
    form, which takes some seconds. What `draw` raises besides errors of a scenario, this does too.
    """
    cell = _shown(scenario)
    if cell is None:
        return ()
    subject = Subject(cell, scenario.folder, draw)
    grid, own = grid_of(scenario, cell, axis, points, log), simulated(scenario, axis, log)
    settings = [_setting(subject, varied(cell, axis, x)) for x in grid]
    lines = [{} if setting is None else setting.lines() for setting in settings]
    made = [(key, grid, [at.get(key, math.nan) for at in lines]) for key in theory.LINES]
    if listed and any("least" in at for at in lines):
        marked = own if len(own) <= FEW else axis.grid(FEW, log=log)
        hidden = _optimised(_setting(subject, varied(cell, axis, x)) for x in marked)
        if all(map(math.isfinite, hidden)):
            made = [line for line in made if line[0] != "least"]
        made.append(("undetectable", tuple(marked), hidden))
        made.sort(key=lambda line: list(theory.LINES).index(line[0]))
    return tuple(
        Curve(theory.LINES[key], axis.key, cell.parameters, xs, tuple(ys), (math.nan,) * len(ys),
              line=key, hidden=key in theory.HIDDEN)
        for key, xs, ys in made
        if any(map(math.isfinite, ys))
    )  # fmt: skip


def gain_and_lines(
    scenario: Scenario,
    axis: Variable,
    *,
    log: bool | None = None,
    draw: Draw = draw_population,
    listed: bool = True,
) -> tuple[Curve, ...]:
    """The curves of a gain chart, and the lines that they are held against."""
    curves = gain_curve(scenario, axis, log=log, draw=draw)
    if not curves:
        return curves
    return curves + gain_lines(scenario, axis, log=log, draw=draw, listed=listed)


def lists_more(curves: Sequence[Curve]) -> bool:
    """Return whether the curves may have one more line if reports are listed."""
    return any(curve.line == "least" for curve in curves)


class _Setting(Struct, frozen=True, eq=False):
    """A point of the axis: a protocol, its users, and a share of fakes with targets."""

    protocol: Any
    population: Population
    targets: Items
    share: float

    def lines(self) -> Mapping[str, float]:
        known = (
            not isinstance(self.protocol, PlacedItems) or self.protocol.domain_size <= PLACED_ITEMS
        )
        try:
            return theory.gain_lines(
                self.protocol, self.population, self.targets, self.share, crafted=known
            )
        except NO_VALUE:
            return {}

    def law(self) -> Floats | None:
        """float64[d, reports], the law of every report; None where they are too many."""
        if not hasattr(self.protocol, "enumerate_reports"):
            return None
        law = self.protocol.enumerate_reports()
        return None if law is None or law.probabilities.size > LISTED else law.probabilities


def _optimised(settings: Iterable[_Setting | None]) -> list[float]:
    """The undetectable gains by linear programmes; NaN where the reports are too many.

    The reports that bind at one point are tried first at the next.
    """
    gains: list[float] = []
    binding: Items | None = None
    for setting in settings:
        law = None if setting is None else setting.law()
        if setting is None or law is None:
            gains.append(math.nan)
            continue
        frequencies = setting.population.frequencies
        start = binding if binding is not None and binding.max() < law.shape[1] else None
        best = optimum(law, frequencies, setting.targets, setting.share, WITHIN, start)
        gains.append(best.gain)
        binding = best.reports if best.reports.size else binding
    return gains


def _shown(scenario: Scenario) -> Point | None:
    """The point of a gain chart that has the scenario's own protocol; None without an attack."""
    cells = points_of(gain_document(scenario), scenario)
    kind = value_at(base(scenario).document, "protocol.kind")
    of_kind = (cell for cell in cells if cell.protocol.kind == kind)
    return next(of_kind, next(iter(cells), None))


def _setting(at: Subject, specs: Varied) -> _Setting | None:
    """A point of the axis; None where it has no lines."""
    spec, protocol_spec, attack = specs
    if not hasattr(attack, "share") or getattr(attack, "targets", None) is None:
        return None  # of phases every round has lines of its own
    try:
        population = at.population(spec)
        protocol = at.bound(protocol_spec, population.domain_size)
        if not isinstance(protocol, LocalMechanism):
            return None
        targets = at.targets(attack.targets, population)
    except NO_VALUE:
        return None
    fakes = malicious_users(population.users, attack.share)
    return _Setting(protocol, population, targets, fakes / (population.users + fakes))


MOST_SERIES: Final = 6
"""Curves of one chart: more cannot be told apart."""


def names_items(scenario: Scenario) -> bool:
    """Return whether the server names items, so that there is neither a gain nor an error."""
    point = next(iter(points_of(base(scenario).document, scenario)), None)
    return point is not None and not METRICS["gain"].told_by(point.task.concludes)


def success_metrics(scenario: Scenario) -> tuple[str, ...]:
    """The metrics that such a chart can show: those in Python, or of a task's own conclusion.

    Those that compare arms come first, as the attacker's. Where nobody attacks, those that a sweep
    is told by come first, and none is of targets.
    """
    point = next(iter(points_of(base(scenario).document, scenario)), None)
    if point is None:
        return ()
    if names_items(scenario):
        names = metrics_of(UNDEFENDED, point.task.concludes)
        if point.attack == NoAttack() and "attack.kind" not in scenario.sweep:
            names = [name for name in names if not METRICS[name].targets]
            leading = leading_metrics()
            return tuple(sorted(names, key=lambda name: name not in leading))
        return tuple(sorted(names, key=lambda name: -len(METRICS[name].arms)))
    arms = ARMS if point.acting else UNDEFENDED
    return tuple(name for metric in point.metric for name in metric.columns(arms))


def success_axes(scenario: Scenario) -> tuple[Variable, ...]:
    """The variables of such a chart; empty where there is no metric for it."""
    if not success_metrics(scenario):
        return ()
    selection = series_selection(scenario, _series_of(scenario, ""))
    points = points_of(select_cells(scenario, selection).document, scenario)
    chart = "success" if names_items(scenario) else "gain"
    return axes_of(scenario, points, chart, only=_ONLY if _seeks(scenario) else ())


_ONLY: Final = ("attack.share",)
"""The axis of a scenario with a goal: what it takes is on it."""


def along_axis(selection: Selection, scenario: Scenario, axis: Variable) -> Selection:
    """The same cells at the swept values of the axis, else at some points of it."""
    asked = bool(axis.lists or own_values(scenario, axis.key))
    points = scenario.sweep[axis.key] if asked else axis.grid(SIMULATED)
    values = {key: value for key, value in selection.values.items() if key != axis.key}
    return Selection(values, {**selection.sweep, axis.key: list(points)})


def success_selection(scenario: Scenario, axis: Variable) -> Selection:
    """The points of the axis for each of the other values."""
    return along_axis(series_selection(scenario, _series_of(scenario, axis.key)), scenario, axis)


def success_curves(scenario: Scenario, axis: Variable) -> tuple[Curve, ...]:
    """A series for each of the other swept values, without values of its own."""
    selection = series_selection(scenario, _series_of(scenario, axis.key))
    points = points_of(select_cells(scenario, selection).document, scenario)
    keys = [*selection.sweep]
    return tuple(
        Curve(_label(point, keys), axis.key, point.parameters, (), (), ()) for point in points
    )


def _seeks(scenario: Scenario) -> bool:
    return "goal" in scenario.document


def _series_of(scenario: Scenario, axis: str) -> dict[str, list[Any]]:
    """At most `MOST_SERIES` values of other swept keys, words before numbers.

    Numbers have a series each only over an axis of the scenario's own sweep, all of which is asked
    for.
    """
    plain, sweep, room = base(scenario), scenario.sweep, MOST_SERIES
    series: dict[str, list[Any]] = {}
    others = [key for key in sweep if key != axis]
    for key in sorted(others, key=lambda key: not isinstance(sweep[key][0], str)):
        values = sweep[key]
        if isinstance(values[0], str) and min(room, len(values)) > 1:
            series[key] = some_of(values, room, value_at(plain.document, key))
        elif axis in sweep and 1 < len(values) <= room:
            series[key] = values
        else:
            continue
        room //= len(series[key])
    return series


def _label(point: Point, keys: list[str]) -> str:
    """The swept values of a series; the attack and the protocol where nothing else is swept."""
    told = setting_words(point.parameters, keys or ("attack.kind", "protocol.kind"))
    return (" " if keys else " on ").join(told)


class Course(Struct, frozen=True):
    """A chart over an axis.

    axes : the variables that a scenario allows. select : the cells along one of them, None for
    none of its own. curves : the closed forms along it, with `log` and `draw` as `error_curves` has
    them. at_once : the options of `curves` that leave out what takes long.
    """

    axes: Callable[[Scenario], tuple[Variable, ...]]
    select: Callable[[Scenario, Variable], Selection | None]
    curves: Callable[..., tuple[Curve, ...]]
    at_once: Mapping[str, bool]


def gain_cells(scenario: Scenario, axis: Variable) -> Selection | None:
    """The cells of a gain curve; None without an attack."""
    selection = gain_selection(scenario)
    return None if selection is None else along_axis(selection, scenario, axis)


def _no_cells(_: Scenario, __: Variable) -> None:
    """None: every cell has the error without an attack too, which is drawn where it is there."""


def _series(scenario: Scenario, axis: Variable, **_: object) -> tuple[Curve, ...]:
    """The series of a metric, which have no values of their own."""
    return success_curves(scenario, axis)


COURSES: Final[Mapping[str, Course]] = {
    "gain": Course(axes, gain_cells, gain_and_lines, {"listed": False}),
    "error": Course(error_axes, _no_cells, error_curves, {}),
    "success": Course(success_axes, success_selection, _series, {}),
}
"""The charts over an axis by their names."""


def axis_of(scenario: Scenario, variables: Iterable[Variable], chosen: str = "") -> Variable | None:
    """The variable on the axis: chosen by its key, else swept over most values, else the first."""
    known = {variable.key: variable for variable in variables}
    sweep = scenario.sweep
    swept = sorted(sweep, key=lambda key: -len(sweep[key]))
    return next((known[key] for key in (chosen, *swept, *known) if key in known), None)
