"""A scenario as a preview runs it, and how many trials it takes."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ldptui.core.base.errors import ScenarioError
from ldptui.core.scenario import Scenario

PREVIEW_TRIALS: Final = 20
"""Trials of a cell in a preview at most."""


def shorten_run(scenario: Scenario) -> Scenario:
    """The scenario as a preview runs it: few trials, on the counts path wherever there is one."""
    document = scenario.document
    trials = document.get("trials", PREVIEW_TRIALS)
    few = min(trials, PREVIEW_TRIALS) if isinstance(trials, int) else trials
    path = {**document.get("simulate", {}), "path": "auto"}
    return replace(scenario, document={**document, "trials": few, "simulate": path})


def trials_of(scenario: Scenario) -> int:
    """The number of trials that a scenario asks for, before it is bound; 0 where it is invalid."""
    try:
        sweep = scenario.sweep
    except ScenarioError:
        return 0
    trials = sweep.pop("trials", [scenario.document.get("trials", PREVIEW_TRIALS)])
    for values in sweep.values():
        trials = [sum(count for count in trials if isinstance(count, int)) * len(values)]
    return sum(count for count in trials if isinstance(count, int))
