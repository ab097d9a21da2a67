"""The options of the topic choose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from ldptui.core.base.ranges import Range

from ..options import Blank
from .shared import LocalBudget, Scenario, Seed


@dataclass(frozen=True, kw_only=True)
class Options:
    """epsilon : that of the scenario, if none is given."""

    scenario: Scenario
    epsilon: LocalBudget | None = None
    trials: Annotated[int, Range(1, 10**6), Blank(200, steps="ladder")] = 1000
    seed: Seed = 0
