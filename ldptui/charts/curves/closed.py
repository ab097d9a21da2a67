"""The closed forms along an axis: each point is that of the cell that its value makes."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from ldptui.core import theory
from ldptui.core.attacks import malicious_users
from ldptui.core.base.code import title_of
from ldptui.core.base.errors import LdpError
from ldptui.core.cell import Cell
from ldptui.core.experiment import bind
from ldptui.core.experiment.search import with_fakes
from ldptui.core.lab.locality import central_mse
from ldptui.core.law.mechanism import LocalMechanism
from ldptui.core.law.pure import PlacedItems, PureProtocol, item_variance
from ldptui.core.metrics import METRICS
from ldptui.core.population import CSVColumns, Population, PopulationSpec, Records
from ldptui.core.population.targets import ListedTargets
from ldptui.core.scenario import MixtureSpec, PhasesSpec, Point, Scenario, value_at
from ldptui.core.theory.closed_forms import expected_metric

from ...session.cell_table import without_acts
from ...session.draft import UnreadError, base, draw_population, ready, require_solved
from ...text.swept import setting_word, setting_words
from ..series import LateError
from .selections import (
    SIMULATED,
    chart_document,
    gain_selection,
    metric_series,
    names_items,
    own_values,
    points_of,
    select_cells,
    success_metrics,
)
from .step_sides import find_step_sides
from .variables import LISTED, Variable, axes_of, value_in

POINTS: Final = 49
"""Points of a curve, where its chart has few of them."""
ALL_POINTS: Final = 80
"""Points of all curves of a chart, where they are many."""
FEWEST: Final = 13
DRAWN_ITEMS: Final = 2**16
"""Items that all populations of one curve may have together: a few milliseconds of drawing."""
PLACED_ITEMS: Final = 2**12
"""MGA has a line up to this many items where a report depends on which items are targets."""
AT_ONCE: Final = 0.12
"""Seconds that a hand waits for curves."""
SHARE: Final = "attack.share"
"""The key that changes nothing but the number of fakes."""
FLOOR: Final = "SS, the floor"
"""The name of the curve of the least error of all pure protocols: SS with the best size."""
SEVERAL: Final = {MixtureSpec: "MIX", PhasesSpec: "PHASES"}
NO_VALUE: Final = (LdpError, ValueError, OverflowError, ZeroDivisionError)
"""Raised where the parameters of a point allow no value."""

Draw = Callable[[PopulationSpec, int, Path], Population]
"""Makes the population of a spec, for a seed and the folder of the scenario."""


class Curve(Struct, frozen=True):
    """One closed-form curve along a variable.

    x, y : equally long; NaN where the parameters allow no value. parameters : of its cells, by
    dotted key; the value of x's own key has no meaning. support : the gain of bits before decoding,
    averaged over all hash functions. line : the key of a reference line in `core.theory.LINES`, or
    "". hidden : no server can detect gains below it.
    """

    label: str
    parameters: Mapping[str, Any]
    x: tuple[float, ...] = ()
    y: tuple[float, ...] = ()
    support: tuple[float, ...] = ()
    line: str = ""
    hidden: bool = False


class ClosedForms:
    """The closed-form curves of a scenario over an axis, each computed once."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self._points: dict[str, tuple[Point, ...]] = {}
        self._axes: dict[str, tuple[Variable, ...]] = {}
        self._curves: dict[tuple[str, str, bool], tuple[Curve, ...]] = {}
        self._late = set[tuple[str, str, bool]]()

    def axes(self, chart: str) -> tuple[Variable, ...]:
        """The variables that a chart can have on its x-axis; () without a chart."""
        if chart not in self._axes:
            self._axes[chart] = tuple(_axes(chart, self))
        return self._axes[chart]

    def points(self, chart: str) -> tuple[Point, ...]:
        """The points of the sweep that have a curve in a chart."""
        if chart not in self._points:
            document = chart_document(chart, self.scenario)
            self._points[chart] = points_of(document, self.scenario)
        return self._points[chart]

    def axis(self, chart: str, chosen: str = "") -> Variable | None:
        """The x-axis variable: the chosen one, else the swept one; None if there is none."""
        known = {variable.key: variable for variable in self.axes(chart)}
        sweep = self.scenario.sweep
        swept = sorted(sweep, key=lambda key: -len(sweep[key]))
        return next((known[key] for key in (chosen, *swept, *known) if key in known), None)

    def bare_curves(self, chart: str, axis: Variable) -> tuple[Curve, ...]:
        """The curves of a chart along a variable, before their values are computed."""
        keys = without_acts if chart == "error" else dict[str, Any]
        series = self._series(chart, axis)
        return tuple(Curve(label, keys(point.parameters)) for label, point in series.items())

    def curves(
        self, chart: str, axis: Variable, *, log: bool, patient: bool = True
    ) -> tuple[Curve, ...]:
        """The curves of a chart along a variable; `log` : points spaced by logarithms.

        Raises LateError, unless `patient`, if that takes too long for a user to wait.
        """
        key = chart, axis.key, log
        if key not in self._curves:
            limit = math.inf if patient else time.perf_counter() + AT_ONCE
            work = _Work(self.scenario, axis, log, draw_population if patient else ready, limit)
            late = LateError(lambda: self.curves(chart, axis, log=log), (self, *key))
            if key in self._late and not patient:
                raise late
            try:
                self._curves[key] = tuple(work.curves(chart, self._series(chart, axis)))
            except UnreadError as error:
                self._late.add(key)
                raise late from error
        return self._curves[key]

    def _series(self, chart: str, axis: Variable) -> dict[str, Point]:
        """The points of the curves of a chart along a variable, by their labels."""
        if chart == "error":
            return {title_of(point.protocol): point for point in self.points(chart)}
        if chart != "success":
            selection = gain_selection(self.scenario)
            keys = [] if selection is None else [*selection.sweep]
            return {_label(point, keys): point for point in self.points(chart)}
        selection = metric_series(self.scenario, axis.key)
        points = points_of(select_cells(self.scenario, selection).document, self.scenario)
        return {_label(point, selection.sweep): point for point in points}


_KEPT: list[ClosedForms] = []


def closed_forms(scenario: Scenario) -> ClosedForms:
    """The closed forms of a scenario, cached for equal scenarios."""
    for kept in _KEPT:
        if kept.scenario == scenario:
            return kept
    _KEPT[:] = [ClosedForms(scenario), *_KEPT[:1]]
    return _KEPT[0]


# --- What a chart can have -----------------------------------------------------------------------


def _axes(chart: str, forms: ClosedForms) -> tuple[Variable, ...]:
    """The variables of a chart; with a goal only the share of fakes."""
    scenario, points = forms.scenario, forms.points(chart)
    only = (SHARE,) if "goal" in scenario.document and chart != "error" else ()
    if chart == "success":
        if not success_metrics(scenario):
            return ()
        chart = "success" if names_items(scenario) else "gain"
    else:
        points = tuple(p for p in points if METRICS["gain"].told_by(p.task.concludes))
    return axes_of(scenario, points, chart, only=only)


def _label(point: Point, keys: Iterable[str]) -> str:
    """The swept values of a series; without a sweep the attack and the protocol."""
    known = point.parameters
    words = (
        setting_word(known, key) if isinstance(known.get(key), str)
        else " ".join(setting_words(known, [key]))
        for key in keys
    )  # fmt: skip
    if label := " ".join(filter(None, dict.fromkeys(words))):
        return label
    attack = SEVERAL.get(type(point.attack)) or title_of(point.attack)
    return f"{attack} on {title_of(point.protocol)}"


# --- Values along an axis ------------------------------------------------------------------------


class _Work(Struct, frozen=True):
    """The curves of a scenario over an axis; they are late after the time `limit`."""

    scenario: Scenario
    axis: Variable
    log: bool
    draw: Draw
    limit: float

    def curves(self, chart: str, points: Mapping[str, Point]) -> Iterator[Curve]:
        """Yields the curves of these points, and the reference lines of gains."""
        if chart == "success":  # which has the closed forms of its cells
            yield from (Curve(label, point.parameters) for label, point in points.items())
        elif chart == "error":
            yield from self._error_curves(points)
        elif points:
            yield from self._gain_curves(points)

    def _gain_curves(self, points: Mapping[str, Point]) -> Iterator[Curve]:
        kind = value_at(base(self.scenario).document, "protocol.kind")
        own = next(iter([p for p in points.values() if p.protocol.kind == kind] or points.values()))
        lines: list[Curve] = []
        for label, point in points.items():
            x = self._grid(point, len(points))
            cells = list(self._cells(point, x))
            y, bits = (tuple(map(law, cells)) for law in (_gain, _bit_gain))
            support = () if all(map(math.isnan, bits)) else bits
            yield Curve(label, point.parameters, x, y, support)
            if point is own:
                held = [{} if cell is None else _lines(cell) for cell in cells]
                for line, name in theory.LINES.items():
                    ys = tuple(each.get(line, math.nan) for each in held)
                    if any(map(math.isfinite, ys)):
                        hidden = line in theory.HIDDEN
                        lines.append(Curve(name, point.parameters, x, ys, (), line, hidden))
        yield from lines

    def _error_curves(self, points: Mapping[str, Point]) -> Iterator[Curve]:
        least, families, floor = theory.least_of_all(2, 1.0).family, set[str](), Curve(FLOOR, {})
        for label, point in points.items():
            x = self._grid(point, len(points))
            cells = list(self._cells(point, x))
            yield Curve(label, without_acts(point.parameters), x, tuple(map(_error, cells)))
            if not families and not isinstance(point.population, CSVColumns):
                floor = Curve(FLOOR, {}, x, tuple(map(_least_error, cells)))
            families.add(point.protocol.mechanism.family)
        if floor.x and least not in families:
            yield floor

    def _grid(self, point: Point, curves: int) -> tuple[float, ...]:
        """The values of x, simulated ones included; fewer if each needs a population of its own."""
        axis, points = self.axis, max(FEWEST, min(POINTS, ALL_POINTS // curves))
        if axis.key in ("population.items", "population.users"):
            points, held = min(points, 25), getattr(point.population, "items", 0)
            sizes = axis.grid if axis.key == "population.items" else lambda many: [held] * many
            while points > 6 and sum(sizes(points)) > DRAWN_ITEMS:
                points -= 3
        own = own_values(self.scenario, axis.key) or axis.grid(SIMULATED)
        own = [x for x in own if x > 0 or not self.log]
        if "trust.kind" in point.parameters:  # the budget of each point has to be solved for
            return tuple(own)
        both = {*axis.grid(points, log=self.log), *(own if len(own) <= POINTS else ())}
        if axis.key != "protocol.epsilon":
            return tuple(sorted(both))
        drawn = self.draw(point.population, point.seed, self.scenario.folder)
        spec: Any = point.protocol
        known = value_in(point, axis.key) is not None
        return find_step_sides(
            lambda x: (dataclasses.replace(spec, epsilon=x) if known else spec).over(drawn), both
        )

    def _cells(self, point: Point, xs: Iterable[float]) -> Iterator[Cell | None]:
        """Yields the cell at each value of the axis; None if the parameters allow none."""
        patient, parameters = self.draw is draw_population, point.parameters
        cell = None
        for x in xs:
            if time.perf_counter() > self.limit:
                raise UnreadError(_Lengthy())
            try:
                if cell and self.axis.key == LISTED and type(point.attack) not in SEVERAL:
                    listed = ListedTargets(tuple(self.axis.value_at(x)))
                    targets = listed.resolve(cell.population, point.seed)
                    cell = dataclasses.replace(cell, targets=targets)
                elif cell is None or self.axis.key != SHARE:
                    there = self._point_at(point, x)
                    drawn = self.draw(there.population, there.seed, self.scenario.folder)
                    cell = bind(0, there, drawn, there.sifts, limits=False, parameters=parameters)
                elif value_in(point, SHARE) is not None:
                    cell = with_fakes(cell, malicious_users(cell.users, x))
                if not patient:
                    require_solved(cell.fakes, cell.protocol)
                yield cell
            except NO_VALUE:
                yield None

    def _point_at(self, point: Point, x: float) -> Point:
        """The point with the axis's key set to a value, and without rounds."""
        if point.campaign is not None:
            point = dataclasses.replace(point, campaign=None)
        axis = self.axis
        if not axis.lists and value_in(point, axis.key) is None:
            return point
        value = axis.value_at(x)
        value = tuple(value) if isinstance(value, list) else value
        there: Point = _replace_at(point, axis.key.split("."), value)
        return there


class _Lengthy(Struct, frozen=True):
    """Closed forms that take too long for a user to wait for them."""

    doing: str = "working out the closed forms of every item"

    def read(self) -> None:
        """Do nothing: the curves are worked out beside the screen."""


def _replace_at(spec: Any, names: Sequence[str], value: Any) -> Any:
    """A frozen spec with one field, or a field of a field, set."""
    name, *inner = names
    new = _replace_at(getattr(spec, name), inner, value) if inner else value
    return dataclasses.replace(spec, **{name: new})


def _law(law: Callable[[Cell], float | None]) -> Callable[[Cell | None], float]:
    """The function of a cell that returns NaN if the closed form has no value."""

    def value(cell: Cell | None) -> float:
        try:
            found = None if cell is None else law(cell)
        except NO_VALUE:
            found = None
        return math.nan if found is None else found

    return value


@_law
def _gain(cell: Cell) -> float | None:
    """The attack's gain in closed form; None for campaigns and for Bloom filter bits."""
    if not cell.targets.size or cell.rounds or _has_bits(cell):
        return None
    if not cell.is_pure:
        return expected_metric(cell, "gain")
    supported = theory.fake_support(cell)
    return None if supported is None else theory.cell_gain(cell, supported)


@_law
def _bit_gain(cell: Cell) -> float | None:
    """The gain of Bloom filter bits before decoding, in closed form."""
    protocol: Any = cell.protocol
    if not _has_bits(cell) or cell.rounds or getattr(cell.attack, "reacts", True):
        return None
    attack: Any = cell.attack
    gained: float | None = protocol.ideal_bit_gain(
        attack.report_law, cell.targets.size, cell.users, cell.malicious, attack.cohort,
        cell.target_frequency,
    )  # fmt: skip
    return gained


def _has_bits(cell: Cell) -> bool:
    """True if the protocol's bits are Bloom filter bits, which have to be decoded."""
    return getattr(cell.protocol, "place", "") == "bit"


@_law
def _error(cell: Cell) -> float | None:
    """The mean squared error without attack."""
    protocol: Any = cell.protocol
    if isinstance(protocol, PureProtocol):
        # The variance is linear in f, and the frequencies add up to one.
        return float(item_variance(protocol, cell.users, 1 / cell.population.domain_size))
    if not isinstance(protocol, LocalMechanism):
        return central_mse(protocol, *cell.population.distinct)
    return None if _has_bits(cell) else expected_metric(cell, "mse_clean")


@_law
def _least_error(cell: Cell) -> float | None:
    """The least error of all pure protocols."""
    items, epsilon = cell.population.domain_size, getattr(cell.protocol, "epsilon", math.nan)
    return float(item_variance(theory.least_of_all(items, epsilon), cell.users, 1 / items))


def _lines(cell: Cell) -> Mapping[str, float]:
    """The reference lines of a gain, by name; empty if it has none."""
    protocol, population = cell.protocol, cell.population
    several = isinstance(population, Records)
    if not isinstance(protocol, LocalMechanism) or several or not cell.targets.size or cell.rounds:
        return {}
    crafted = not isinstance(protocol, PlacedItems) or protocol.domain_size <= PLACED_ITEMS
    try:
        return theory.gain_lines(protocol, population, cell.targets, cell.share, crafted=crafted)
    except NO_VALUE:
        return {}
