"""The parts of a scenario that a run simulates: its base, the points of each chart."""

from __future__ import annotations

import copy
import math
from typing import Any, Final

from core.limits import MAX_TRIALS
from core.scenario import Scenario
from ldptui.draft import base
from ldptui.snapshot import Part

from .documents import error_document, gain_document, sweep_entry
from .variables import Variable, own_values

SIMULATED: Final = 11
"""Points of the default sweep of a chart."""


def base_part(scenario: Scenario) -> Part:
    """The one cell that the charts of frequencies show."""
    return Part("base", base(scenario).document)


def gain_part(scenario: Scenario, axis: Variable) -> Part | None:
    """What to simulate for a gain curve; None without an attack."""
    document = gain_document(scenario)
    return None if document is None else Part("gain", _swept(document, scenario, axis))


def error_part(scenario: Scenario, axis: Variable) -> Part:
    """What to simulate for an error curve: each protocol along the axis, without attack."""
    return Part("error", _swept(error_document(scenario), scenario, axis))


def _swept(document: dict[str, Any], scenario: Scenario, axis: Variable) -> dict[str, Any]:
    """The document with a sweep of the axis: the scenario's own one, else some points."""
    swept = copy.deepcopy(document)
    if own_values(scenario, axis.key):
        values = sweep_entry(scenario, axis.key)
    else:
        values = list(axis.grid(SIMULATED))
    swept["sweep"] = {**swept.get("sweep", {}), axis.key: values}
    if not own_values(scenario, axis.key):
        # Points that nobody asked for must not make a scenario larger than a run may be.
        cells = math.prod(len(one) for one in swept["sweep"].values())
        if int(scenario.document.get("trials", 1)) * cells > MAX_TRIALS:
            swept["trials"] = MAX_TRIALS // cells
    return swept
