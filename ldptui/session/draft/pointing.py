"""The draft at another cell of its scenario: what a chart's cursor points at."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ldptui.core.base.errors import LdpError

from .looking import base
from .populations import UnreadError, ready
from .state import Draft


def pointed_at(draft: Draft, values: Mapping[str, Any]) -> Draft | None:
    """The draft without its sweep, with the cell that has these values; its text stays.

    None where there is no such cell, or none that can be bound while somebody waits.
    """
    from ldptui.core.experiment import experiment

    if draft.scenario is None or draft.unread is not None:
        return None
    try:
        single = base(draft.scenario, values)
        point = next(single.points())
        drawn = ready(point.population, point.seed, single.folder)
        cell = experiment.bind(0, point, drawn, point.sifts)
    except (LdpError, UnreadError):
        return None
    return dataclasses.replace(draft, scenario=single, cell=cell)
