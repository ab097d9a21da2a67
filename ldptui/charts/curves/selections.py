"""The cells of a scenario that each chart asks for, and the scenario that has them alone."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, get_args

from ldptui.core.metrics.goal import GoalMetric
from ldptui.core.scenario import Scenario, value_at

from ...session.draft import base, keys_of
from ...session.snapshot import Selection

SIMULATED: Final = 11
"""Points of the default sweep of a chart, and of any in a preview."""

SPITE: Final = "_after"
"""The end of the names of metrics in spite of the defence."""

MOST_SERIES: Final = 36
"""More curves than this are never simulated for one chart: they stand in six panels of six."""


def select_cells(scenario: Scenario, selection: Selection) -> Scenario:
    """The scenario with these cells alone: every key that is not selected has its base's value."""
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
    """Take keys out that none of the kinds that are left knows: they would be refused."""
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


def gain_selection(scenario: Scenario) -> Selection | None:
    """The swept words of a scenario with an attack, `MOST_SERIES` cells at most; None without."""
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


def series_selection(scenario: Scenario, series: Mapping[str, Sequence[Any]]) -> Selection:
    """A series for each of these values, of a goal without it: its share is on the axis."""
    goal = {"goal": None, "attack.share": 0.0} if "goal" in scenario.document else {}
    single = {key: values[0] for key, values in series.items() if len(values) == 1}
    several = {key: values for key, values in series.items() if len(values) > 1}
    return Selection(goal | single, several)


def own_values(scenario: Scenario, key: str) -> list[float]:
    """The scenario's own sweep of a key, if it has two numbers at least."""
    values = scenario.sweep.get(key, [])
    numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
    return numbers if len(set(numbers)) > 1 else []


def is_attacked(document: Mapping[str, Any]) -> bool:
    """Return whether a document of one cell has an attack."""
    attack = document.get("attack", {})
    return "mix" in attack or attack.get("kind", "none") != "none"


def some_of(values: Sequence[Any], room: int, own: Any) -> list[Any]:
    """The first values of a sweep, the scenario's own one among them, which other views show."""
    first = list(values[:room])
    return first if own in first or own not in values else [*first[:-1], own]


def answer_selections(scenario: Scenario) -> tuple[Selection, ...]:
    """The cells whose smallest attack is looked for; none without a goal."""
    return (Selection({}, dict(scenario.sweep)),) if "goal" in scenario.document else ()


def spite_selections(scenario: Scenario) -> tuple[Selection, ...]:
    """The base cell's goal in spite of each of its defences, of all of them, and of none.

    All but the one that the goal itself is about; none without a goal that knows of defences.
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
        Selection({"defence": some, "goal.metric": f"{plain}{SPITE}" if some else plain})
        for some in chosen
        if len(some) != own
    )


def map_keys(scenario: Scenario) -> tuple[str, ...]:
    """The two swept keys of a map: those of a defence and an attack where both are, else the first.

    Fewer where fewer are swept.
    """
    keys = tuple(scenario.sweep)
    defences = [key for key in keys if re.fullmatch(r"defence\.(\d+\.)?kind", key)]
    if defences and "attack.kind" in keys:
        return tuple(key for key in keys if key in ("attack.kind", defences[0]))
    return keys[:2]


def map_layer(
    scenario: Scenario, chosen: Mapping[str, Any] | None = None, *, further: bool = False
) -> dict[str, Any]:
    """The values of the swept keys that are no side of the map: a map has one of each.

    chosen : these, where they are still swept; else the middle ones. further : the next ones,
    those of the last key first.
    """
    others = {key: scenario.sweep[key] for key in scenario.sweep if key not in map_keys(scenario)}
    places = {key: len(values) // 2 for key, values in others.items()}
    if chosen is not None and others.keys() == chosen.keys():
        known = all(chosen[key] in values for key, values in others.items())
        places = {key: others[key].index(chosen[key]) for key in others} if known else places
    for key in reversed(others) if further else ():
        places[key] = (places[key] + 1) % len(others[key])
        if places[key]:
            break
    return {key: others[key][place] for key, place in places.items()}


def map_selection(scenario: Scenario, layer: Mapping[str, Any]) -> Selection | None:
    """Every pair of values of two swept keys, in a layer of the others; None without two."""
    keys = map_keys(scenario)
    if len(keys) < 2:
        return None
    return Selection(dict(layer), {key: scenario.sweep[key] for key in keys})


def thin_out(selection: Selection) -> Selection:
    """The selection as a preview measures it: of a long sweep of numbers few, both ends among."""
    sweep = {key: _some_numbers(values) for key, values in selection.sweep.items()}
    return Selection(
        selection.values, sweep, selection.estimates, selection.by_trial, selection.detection
    )


def _some_numbers(values: Sequence[Any]) -> Sequence[Any]:
    """Values spread evenly over a long list of numbers; all of a list of words."""
    if len(values) <= SIMULATED or not all(isinstance(value, int | float) for value in values):
        return values
    last = len(values) - 1
    return [values[round(step * last / (SIMULATED - 1))] for step in range(SIMULATED)]
