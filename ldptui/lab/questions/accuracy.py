"""The options of the topic accuracy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from ldptui.core.base.ranges import ALPHA, DOMAIN, USERS, Range

from ..options import Argument, Blank
from .offered import where
from .shared import Budget, Curator, Neighbours, Seed, Slack


@dataclass(frozen=True, kw_only=True)
class Options:
    """One of the budget and the accuracy is given; items and users: of the price of locality."""

    goal: Annotated[
        Literal["epsilon", "accuracy"],
        Blank(choices=(("epsilon", "from ε"), ("accuracy", "from a"))),
    ] = "epsilon"
    epsilon: Annotated[
        Budget | None,
        Argument(either=True),
        Blank(1.0, "protocol.epsilon", only=where("goal", "epsilon")),
    ] = None
    accuracy: Annotated[
        float | None,
        Range(0, ends="()"),
        Argument(either=True),
        Blank(10, steps="ladder", only=where("goal", "accuracy")),
    ] = None
    mechanism: Curator = "laplace"
    alpha: Annotated[float, ALPHA, Blank(steps="hundredths")] = 0.05
    bins: int = 1
    delta: Slack = 1e-6
    neighbours: Neighbours = "change-one"
    items: Annotated[int | None, DOMAIN, Argument(renames=("domain_size",))] = None
    users: Annotated[int | None, USERS] = None
    seed: Seed = 0
