"""The options of the topic price."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from ldptui.core.base.ranges import USERS

from ..options import Blank
from .shared import Curator, LocalBudget, Neighbours, Scenario, Slack, users_of


@dataclass(frozen=True, kw_only=True)
class Options:
    """epsilon, users : those of the scenario, if none is given. mechanism : of the verdict."""

    scenario: Scenario
    over: Annotated[
        Literal["users", "epsilon"], Blank(choices=(("users", "over n"), ("epsilon", "over ε")))
    ] = "users"
    epsilon: LocalBudget | None = None
    users: Annotated[int | None, USERS, Blank(10_000, users_of, steps="ladder")] = None
    mechanism: Curator = "laplace"
    delta: Slack = 1e-6
    neighbours: Neighbours = "change-one"
