"""The parts of a scenario that a run simulates: its base, the points of each chart."""

from __future__ import annotations

import copy
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, get_args

from msgspec.structs import replace

from ldptui.core.experiment.limits import MAX_TRIALS
from ldptui.core.metrics.goal import GoalMetric
from ldptui.core.scenario import Scenario

from ...session.draft import base
from ...session.snapshot import Part
from .documents import error_document, gain_document, sweep_entry
from .variables import SIMULATED, Variable, own_values

PREVIEW_TRIALS: Final = 20

SPITE: Final = "_after"
"""The end of the names of metrics in spite of the defence."""


def base_part(scenario: Scenario) -> Part:
    """The one cell that the charts of frequencies show."""
    return Part("base", base(scenario).document)


def gain_part(scenario: Scenario, axis: Variable) -> Part | None:
    """The part to simulate for a gain curve; None without an attack."""
    document = gain_document(scenario)
    return None if document is None else Part("gain", swept(document, scenario, axis))


def error_part(scenario: Scenario, axis: Variable) -> Part:
    """The part to simulate for an error curve: each protocol along the axis, without attack."""
    return Part("error", swept(error_document(scenario), scenario, axis))


def goal_part(scenario: Scenario) -> Part | None:
    """The cells whose smallest attack is looked for; None without a goal."""
    return Part("answer", scenario.document) if "goal" in scenario.document else None


def spite_parts(scenario: Scenario) -> tuple[Part, ...]:
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
    made: list[Part] = []
    for some in chosen:
        if len(some) != own:
            metric = f"{plain}{SPITE}" if some else plain
            changed = {**document, "defence": some, "goal": {**goal, "metric": metric}}
            made.append(Part(f"spite {len(made)}", changed))
    return tuple(made)


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


def map_part(scenario: Scenario, layer: Mapping[str, Any] | None = None) -> Part | None:
    """The part to simulate for a map: every pair of two swept keys; None without two of them.

    layer : the values of the other swept keys; None: all that are swept.
    """
    if len(map_keys(scenario)) < 2:
        return None
    kept = scenario
    for key, value in (layer or {}).items():
        kept = kept.with_value(key, value)
    document = copy.deepcopy(kept.document)
    document.pop("goal", None)
    return Part("map", document)


def swept(document: dict[str, Any], scenario: Scenario, axis: Variable) -> dict[str, Any]:
    """The document with a sweep of the axis: the scenario's own one, else some points."""
    made = copy.deepcopy(document)
    asked = bool(axis.lists or own_values(scenario, axis.key))
    if asked:
        values = sweep_entry(scenario, axis.key)
    else:
        values = list(axis.grid(SIMULATED))
    made["sweep"] = {**made.get("sweep", {}), axis.key: values}
    if not asked:
        # Points that nobody asked for must not make a scenario larger than a run may be.
        cells = math.prod(len(values) for values in made["sweep"].values())
        if int(scenario.document.get("trials", 1)) * cells > MAX_TRIALS:
            made["trials"] = MAX_TRIALS // cells
    return made


def preview_part(part: Part) -> Part:
    """A part as it is simulated with every edit: few trials, and of a long sweep few points.

    On the counts path wherever there is one. Both ends of a sweep stay.
    """
    document = dict(part.document)
    document["trials"] = min(int(document.get("trials", PREVIEW_TRIALS)), PREVIEW_TRIALS)
    document["simulate"] = {**document.get("simulate", {}), "path": "auto"}
    if "sweep" in document:
        sweep = Scenario(document, "", Path()).sweep
        document["sweep"] = {key: _thinned(values) for key, values in sweep.items()}
    return replace(part, document=document)


def _thinned(values: list[Any]) -> list[Any]:
    """Values spread evenly over a long list of numbers; all of a list of words."""
    if len(values) <= SIMULATED or not all(isinstance(value, int | float) for value in values):
        return values
    last = len(values) - 1
    return [values[round(step * last / (SIMULATED - 1))] for step in range(SIMULATED)]
