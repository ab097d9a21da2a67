"""The cells of a scenario that each chart asks for, and the scenario that has them alone."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from itertools import product
from typing import Any, Final, get_args

from ldptui.core.attacks import NoAttack
from ldptui.core.base.arms import ARMS, UNDEFENDED
from ldptui.core.base.errors import ScenarioError
from ldptui.core.metrics import METRICS, metrics_of
from ldptui.core.metrics.goal import GoalMetric
from ldptui.core.protocols import NAMED
from ldptui.core.scenario import Point, Scenario, value_at

from ...catalogue import leading_metrics, swept_kinds
from ...session.draft import base, keys_of
from ...session.snapshot import ChartSelection

SIMULATED: Final = 11
"""Points of the default sweep of a chart, and of any in a preview."""

SPITE: Final = "_after"
"""The end of the names of metrics in spite of the defence."""

MOST_SERIES: Final = 36
"""More curves than this are never simulated for one chart: they stand in six panels of six."""

FEW_SERIES: Final = 6
"""Series of a metric in one chart at most: more cannot be told apart."""

PROTOCOL_KEYS: Final = {
    kind: tuple(field.name for field in fields(spec) if field.name != "kind")
    for kind, spec in NAMED.items()
    if "epsilon" in {field.name for field in fields(spec)}
}
"""The protocols that an error chart may compare, with the keys that each of them knows."""


def points_of(document: Mapping[str, Any] | None, scenario: Scenario) -> tuple[Point, ...]:
    """The points of a scenario document's sweep; () if the document is invalid."""
    if document is None:
        return ()
    try:
        return tuple(Scenario(dict(document), scenario.name, scenario.folder).points())
    except ScenarioError:
        return ()


def point_of_base(scenario: Scenario) -> Point | None:
    """The sweep point whose frequencies the charts show; None if it is invalid."""
    return next(iter(points_of(base(scenario).document, scenario)), None)


def names_items(scenario: Scenario) -> bool:
    """True if the server names heavy hitters, so that there is neither a gain nor an error."""
    point = point_of_base(scenario)
    return point is not None and not METRICS["gain"].told_by(point.task.concludes)


def success_metrics(scenario: Scenario) -> tuple[str, ...]:
    """The metrics that the chart Success can show: metrics in Python, or those of the task.

    Metrics that are known for several arms come first. Without an attack, a sweep's leading metrics
    come first, and metrics of targets are left out.
    """
    point = point_of_base(scenario)
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


def select_cells(scenario: Scenario, selection: ChartSelection) -> Scenario:
    """The scenario swept over the selected values only; every other key has the value of the base
    cell.
    """
    if not selection.sweep and None not in selection.values.values():
        return base(scenario, selection.values)
    sweep, plain, kept = scenario.sweep, base(scenario).document, scenario
    values = dict(selection.values)
    for key in sweep:
        if key not in selection.sweep:
            # The base lacks a key that its kind does not know, but another swept kind does.
            own = value_at(plain, key)
            values.setdefault(key, sweep[key][len(sweep[key]) // 2] if own is None else own)
    for key in sorted(values, key=lambda name: name.endswith(".kind")):
        if values[key] is not None:
            kept = kept.with_value(key, values[key])
    document = copy.deepcopy(dict(kept.document))
    for key in values:
        if values[key] is None:
            document.pop(key, None)
    document["sweep"] = {key: list(some) for key, some in selection.sweep.items()}
    _drop_unknown(document)
    if not selection.sweep:
        del document["sweep"]
    return replace(scenario, document=document)


def _drop_unknown(document: Mapping[str, Any]) -> None:
    """Remove the keys that no remaining kind of their table knows, which would be refused."""
    for table, name in _tables(document):
        kinds = document["sweep"].get(f"{name}.kind") or [table.get("kind")]
        named = [kind for kind in kinds if isinstance(kind, str)]
        known = {key for kind in named for key in keys_of(name.split(".")[0], kind)}
        for key in [key for key in table if named and key != "kind" and key not in known]:
            del table[key]


def _tables(document: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """The tables of a document whose keys depend on their kinds, with their dotted names."""
    for name in ("protocol", "attack", "defence"):
        given = document.get(name)
        if isinstance(given, dict):
            yield given, name
        elif isinstance(given, list):
            yield from ((each, f"{name}.{at}") for at, each in enumerate(given))


def gain_selection(scenario: Scenario) -> ChartSelection | None:
    """The cells of the swept texts (protocols, attacks) of an attacked scenario, at most
    `MOST_SERIES`; None without an attack.
    """
    sweep = {
        key: list(values)
        for key, values in scenario.sweep.items()
        if any(isinstance(value, str) for value in values)
    }
    plain = base(scenario).document
    if "attack.kind" in sweep:
        sweep["attack.kind"] = [kind for kind in sweep["attack.kind"] if kind != "none"]
        if not sweep["attack.kind"]:
            return None
    elif not is_attacked(plain):
        return None
    room = MOST_SERIES
    for key, values in sweep.items():
        sweep[key] = some_of(values, room, value_at(plain, key))
        room //= len(sweep[key])
    return series_selection(scenario, sweep)


def series_selection(scenario: Scenario, series: Mapping[str, Sequence[Any]]) -> ChartSelection:
    """A selection with one series for each of these values; with a goal, the share is on the
    axis.
    """
    goal = {"goal": None, "attack.share": 0.0} if "goal" in scenario.document else {}
    single = {key: values[0] for key, values in series.items() if len(values) == 1}
    several = {key: values for key, values in series.items() if len(values) > 1}
    return ChartSelection(goal | single, several)


def metric_series(scenario: Scenario, axis: str) -> ChartSelection:
    """The cells with at most `FEW_SERIES` values of the swept keys other than `axis`, words before
    numbers.

    Numbers get a series each only if `axis` is swept too, as then all its cells are selected.
    """
    plain, sweep, room = base(scenario), scenario.sweep, FEW_SERIES
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
    return series_selection(scenario, series)


def chart_document(chart: str, scenario: Scenario, axis: str = "") -> Mapping[str, Any] | None:
    """The scenario document whose cells are the series of a chart; None if there is none."""
    if chart == "error":
        return error_document(scenario)
    selection = metric_series(scenario, axis) if chart == "success" else gain_selection(scenario)
    return None if selection is None else select_cells(scenario, selection).document


def error_document(scenario: Scenario) -> dict[str, Any]:
    """The scenario without attack and defence, swept over the protocols of its error chart."""
    document = copy.deepcopy(base(scenario).document)
    for table in ("attack", "goal", "defence"):
        document.pop(table, None)
    point = point_of_base(scenario)
    kinds = error_protocols(scenario)
    protocol = document.get("protocol", {})
    known = {key for kind in kinds for key in PROTOCOL_KEYS[kind]} - {"f"}
    kept = {key: value for key, value in protocol.items() if key in known}
    # A scenario may have no budget of its own: the others get that of one report.
    spent = getattr(point.protocol, "epsilon_one", None) if point is not None else None
    epsilon = 1.0 if spent is None else float(f"{spent:.3g}")
    document["protocol"] = {"epsilon": epsilon, **kept}
    document["sweep"] = {"protocol.kind": list(kinds)}
    return document


def error_protocols(scenario: Scenario) -> tuple[str, ...]:
    """The protocols of an error chart: the swept ones, else a few and the chosen one."""
    swept = [kind for kind in scenario.sweep.get("protocol.kind", []) if kind in PROTOCOL_KEYS]
    if len(swept) > 1:
        return tuple(swept)
    chosen = value_at(base(scenario).document, "protocol.kind")
    return tuple(kind for kind in swept_kinds("protocol", str(chosen)) if kind in PROTOCOL_KEYS)


def own_values(scenario: Scenario, key: str) -> list[float]:
    """The numbers that the scenario sweeps a key over, if there are at least two."""
    values = scenario.sweep.get(key, [])
    numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
    return numbers if len(set(numbers)) > 1 else []


def is_attacked(document: Mapping[str, Any]) -> bool:
    """True if the document of one cell has an attack."""
    attack = document.get("attack", {})
    return "mix" in attack or attack.get("kind", "none") != "none"


def some_of(values: Sequence[Any], room: int, own: Any) -> list[Any]:
    """The first `room` values of a sweep, the scenario's own value included."""
    first = list(values[:room])
    return first if own in first or own not in values else [*first[:-1], own]


def answer_selections(scenario: Scenario) -> tuple[ChartSelection, ...]:
    """The cells for which the smallest attack that reaches the goal is searched; ()
    without a goal.
    """
    return (ChartSelection({}, dict(scenario.sweep)),) if "goal" in scenario.document else ()


def spite_selections(scenario: Scenario) -> tuple[ChartSelection, ...]:
    """The base cell's goal under each of its defences, under all of them, and without any.

    The goal's own defences are left out; empty without a goal that can be met after defences.
    """
    document = base(scenario).document
    goal, steps = document.get("goal"), document.get("defence")
    steps = [steps] if isinstance(steps, dict) else list(steps or ())
    plain = str(goal["metric"]).removesuffix(SPITE) if isinstance(goal, dict) else ""
    if goal is None or not steps or f"{plain}{SPITE}" not in get_args(GoalMetric):
        return ()
    own = len(steps) if goal["metric"] != plain else 0
    chosen = [steps[:0], *([step] for step in steps), steps]
    if len(steps) == 1:
        chosen.pop()
    return tuple(
        ChartSelection({"defence": some, "goal.metric": f"{plain}{SPITE}" if some else plain})
        for some in chosen
        if len(some) != own
    )


def map_keys(scenario: Scenario) -> tuple[str, ...]:
    """The two swept keys of a map: one of a defence and one of an attack if there are both, else
    the first two.

    One or none if fewer are swept.
    """
    keys = tuple(scenario.sweep)
    defences = [key for key in keys if re.fullmatch(r"defence\.(\d+\.)?kind", key)]
    if defences and "attack.kind" in keys:
        return tuple(key for key in keys if key in ("attack.kind", defences[0]))
    return keys[:2]


def map_layers(scenario: Scenario) -> list[dict[str, Any]]:
    """The combinations of values of the swept keys that are not sides of the map."""
    others = [key for key in scenario.sweep if key not in map_keys(scenario)]
    return [
        dict(zip(others, values, strict=True))
        for values in product(*(scenario.sweep[key] for key in others))
    ]


def middle_layer(scenario: Scenario) -> int:
    """The number of the layer that has the middle value of every key."""
    place = 0
    for key in scenario.sweep:
        if key not in map_keys(scenario):
            place = place * len(scenario.sweep[key]) + len(scenario.sweep[key]) // 2
    return place


def map_selection(scenario: Scenario, chosen: str | None = None) -> ChartSelection | None:
    """All pairs of values of two swept keys, at fixed values of the others; None without two.

    chosen : the number of the layer, by default the middle one.
    """
    keys = map_keys(scenario)
    if len(keys) < 2:
        return None
    layers, at = map_layers(scenario), int(chosen or middle_layer(scenario))
    layer = layers[at if at < len(layers) else 0]
    return ChartSelection(dict(layer), {key: scenario.sweep[key] for key in keys})


def thin_out(selection: ChartSelection) -> ChartSelection:
    """The selection as a preview measures it: few values of a long numeric sweep, the ends
    included.
    """
    sweep = {key: _some_numbers(values) for key, values in selection.sweep.items()}
    return ChartSelection(
        selection.values, sweep, selection.estimates, selection.by_trial, selection.detection
    )


def _some_numbers(values: Sequence[Any]) -> Sequence[Any]:
    """Values spread evenly over a long list of numbers; all of a list of words."""
    if len(values) <= SIMULATED or not all(isinstance(value, int | float) for value in values):
        return values
    last = len(values) - 1
    return [values[round(step * last / (SIMULATED - 1))] for step in range(SIMULATED)]
