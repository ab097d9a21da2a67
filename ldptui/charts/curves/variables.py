"""The variables that can be on the axis of a chart of curves, with their ranges."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
from msgspec import Struct

from ldptui.core.base.errors import LdpError
from ldptui.core.experiment.size_limits import MAX_ITEMS
from ldptui.core.population.targets import ListedTargets
from ldptui.core.protocols import ProtocolSpec
from ldptui.core.scenario import Point, Scenario, sweep_of
from ldptui.core.task import task_over

from ...catalogue import key_words, listed_keys
from ...session.draft import draw_population
from ...session.snapshot import ChartSelection
from .selections import SIMULATED, gain_selection, metric_series, own_values


class Variable(Struct, frozen=True):
    """A numeric key that can be put on the x-axis, with its range.

    log : True if its values are spaced by logarithms at first.
    lists : for a sweep over lists of targets, pairs of a place on the axis and the list there.
    """

    key: str
    symbol: str
    label: str
    low: float
    high: float
    log: bool = False
    integer: bool = False
    lists: tuple[tuple[float, list[Any]], ...] = ()

    def value_at(self, x: float) -> Any:
        """The value of the key at a position of the axis."""
        return next((listed for place, listed in self.lists if place == x), x)

    def place_of(self, value: Any) -> Any:
        """The position of a value on the axis."""
        return next((place for place, listed in self.lists if listed == value), value)

    def start(self, log: bool) -> float:
        """The low end of the axis; zero has no place on a logarithmic one."""
        return self.low if self.low > 0 or not log else self.high / 1000

    def grid(self, points: int, *, log: bool | None = None) -> tuple[float, ...]:
        """About `points` values between the ends of the range; whole numbers only once."""
        if self.lists:
            return tuple(sorted(place for place, _ in self.lists))
        log = self.log if log is None else log
        spaced = np.geomspace if log else np.linspace
        ends = self.start(log), self.high
        values = [float(f"{x:.6g}") for x in spaced(*ends, max(2, points))]
        if not self.integer:
            return tuple(values)
        return tuple(dict.fromkeys(round(value) for value in values))


def _keys(chart: str) -> list[str]:
    """The keys that the x-axis of a chart may show, in order."""
    places = {key: key_words(key).axis.get(chart) for key in listed_keys()}
    return sorted((key for key in places if places[key]), key=lambda key: places[key] or 0)


def axes_of(
    scenario: Scenario, points: Sequence[Point], chart: str, only: Sequence[str] = ()
) -> tuple[Variable, ...]:
    """The variables that all points of a chart have, and that can be put on its x-axis."""
    keys = [key for key in _keys(chart) if not only or key in only]
    if not points:
        return ()
    try:
        room = min(_domain_size(point, scenario.folder) for point in points)
    except LdpError:
        return ()
    axes = []
    for key in keys:
        if key == LISTED:
            axes += _target_list_axis(scenario, points[0])
            continue
        values = [value for point in points if (value := value_in(point, key)) is not None]
        # Every cell must know the key, but for the seeds, which only some attacks have.
        if len(values) < len(points) and not (key == "attack.seeds" and values):
            continue
        if key == "attack.seeds" and not any(_hashes(point) for point in points):
            continue
        swept = own_values(scenario, key)
        if not swept and key.startswith("task."):
            low, high = _task_range(key, max(values), points, scenario.folder)
            log = False
        elif swept:
            low, high = min(swept), max(swept)
            log = _is_log(scenario, key, swept)
        else:
            low, high, log = _default_range(key, max(values), points, room)
        words, integer = key_words(key), all(isinstance(value, int) for value in values)
        if low < high:
            axes.append(Variable(key, words.short, words.noun, low, high, log, integer))
    return tuple(axes)


LISTED: Final = "attack.targets.items"


def _target_list_axis(scenario: Scenario, point: Point) -> list[Variable]:
    """The axis of swept lists of targets: their lengths, or the number of users who hold the
    targets.
    """
    lists = scenario.sweep.get(LISTED, [])
    if not hasattr(getattr(point.attack, "targets", None), "items"):
        return []
    places: list[float] = [len(listed) for listed in lists]
    words, symbol = key_words("attack.targets.count").noun, key_words("attack.targets.count").symbol
    if len(set(places)) < len(places):
        population = draw_population(point.population, point.seed, scenario.folder)
        resolved = (
            ListedTargets(tuple(listed)).resolve(population, point.seed) for listed in lists
        )
        places = [float(population.frequencies[items].sum()) for items in resolved]
        words, symbol = "true frequency of targets f_T", "f_T"
    if len(set(places)) < max(2, len(places)):
        return []
    low, high, whole = min(places), max(places), symbol != "f_T"
    wide = not whole and 0 < 30 * low < high
    together = tuple(zip(places, lists, strict=True))
    return [Variable(LISTED, symbol, words, low, high, wide, whole, together)]


def _hashes(point: Point) -> bool:
    """True if fakes search for a hash function; otherwise the number of seeds has no effect."""
    hashed = any(key.name == "hash_range" for key in fields(point.protocol.mechanism))
    return hashed and hasattr(point.attack, "seeds")


def value_in(point: Point, key: str) -> float | None:
    """The number at a dotted key of a point; None if the point has no such key."""
    place: Any = point
    for name in key.split("."):
        place = getattr(place, name, None)
    return place if isinstance(place, int | float) else None


def _is_log(scenario: Scenario, key: str, values: list[float]) -> bool:
    entry = sweep_of(scenario.document).get(key)
    if isinstance(entry, Mapping):
        return entry.get("scale") == "log"
    return min(values) > 0 and max(values) / min(values) > 30


def _default_range(
    key: str, value: float, points: Sequence[Point], room: int
) -> tuple[float, float, bool]:
    """The low end, the high end and the scale of a key's axis around its present `value`."""
    targets = [getattr(point.attack, "targets", None) for point in points]
    if key == "attack.share":
        return 0.0, 0.1 if value <= 0.1 else min(0.9, math.ceil(15 * value) / 10), False
    if key == "protocol.epsilon":
        high = max(4.0, min(20.0, math.ceil(2 * value)))
        if any(isinstance(getattr(p.protocol, "hash_range", None), str) for p in points):
            high = min(high, 13.0)  # beyond it e^ε + 1 buckets are more than allowed
        high = min(high, *(_most_epsilon(point.protocol) for point in points))
        return min(0.5, value / 2), high, False
    if key == "population.items":
        high = min(MAX_ITEMS, max(4096, 4 * value if value <= 2**14 else value))
        needed = max((_needs_items(target) for target in targets), default=2)
        # More candidates than bits can tell apart take long to decode.
        high = min(high, *(max(value, _room(point.protocol)) for point in points))
        return max(16 if value > 16 else 2, needed), high, True
    if key == "population.users":
        return max(1.0, value / 100), min(1e12, value * 100), True
    if key == "attack.targets.count":
        return 1, min(room, max(20, 2 * value)), False
    if (span := key_words(key).span) is not None:
        return span["from"], span["to"], span.get("scale") == "log"
    return 1, min(10**6, max(10**4, 10 * value)), True


def _task_range(
    key: str, value: float, points: Sequence[Point], folder: Path
) -> tuple[float, float]:
    """The range of a key of the task, around its present value, that all points allow."""
    name, span = key.removeprefix("task."), key_words(key).span or {"from": value, "to": value}

    def can_be(candidate: int) -> bool:
        return all(_can_have(point, name, candidate, folder) for point in points)

    low = high = round(value)
    while low > span["from"] and can_be(low - 1):
        low -= 1
    while high < span["to"] and can_be(high + 1):
        high += 1
    return low, high


def _can_have(point: Point, name: str, value: int, folder: Path) -> bool:
    try:
        population = draw_population(point.population, point.seed, folder)
        spec = replace(cast("Any", point.task), **{name: value})
        task: Any = task_over(spec, point.protocol)
        task.check_population(population)
    except LdpError:
        return False
    return True


def _most_epsilon(spec: ProtocolSpec) -> float:
    """The largest ε of RAPPOR's fresh noise, rounded down; infinite for most protocols."""
    most = getattr(spec, "most_epsilon", math.inf)
    return math.floor(99 * most) / 100 if math.isfinite(most) else math.inf


def _room(spec: ProtocolSpec) -> float:
    """The number of candidates that the protocol estimates together; infinite for most
    protocols.
    """
    return float(getattr(spec, "room", math.inf))


def _needs_items(targets: Any) -> int:
    """The least domain that has room for the targets."""
    listed = getattr(targets, "items", None)
    if listed is not None:
        return max((item + 1 for item in listed if isinstance(item, int)), default=2)
    return max(2, getattr(targets, "count", 2))


def _domain_size(point: Point, folder: Path) -> int:
    items = getattr(point.population, "items", None)
    return (
        items
        if items is not None
        else draw_population(point.population, point.seed, folder).domain_size
    )


def chart_selection(chart: str, scenario: Scenario, axis: Variable | None) -> ChartSelection | None:
    """The cells of a chart at the swept values of its axis, else at some points of the axis.

    None without an axis, and for the error chart: every cell has the error without attack.
    """
    if axis is None or chart == "error":
        return None
    key = axis.key
    selection = metric_series(scenario, key) if chart == "success" else gain_selection(scenario)
    if selection is None:
        return None
    swept = bool(axis.lists or own_values(scenario, key))
    points = scenario.sweep[key] if swept else axis.grid(SIMULATED)
    values = {name: value for name, value in selection.values.items() if name != key}
    return ChartSelection(values, {**selection.sweep, key: list(points)})
