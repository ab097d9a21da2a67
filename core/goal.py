"""Goals: instead of a share of fake users, what they shall reach; and the answer to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from .bounds import Range, check_bounds

GoalMetric: TypeAlias = Literal["gain", "target_frequency", "targets_in_top_k"]


@dataclass(frozen=True)
class Goal:
    """The smallest attack is looked for that brings a metric to `at_least`, in expectation.

    All targets are in the top k where 98 % of them are, as chance keeps one out now and then.

    over : whether the answer is a share of all users or a number of fake users.
    """

    metric: GoalMetric
    at_least: Annotated[float, Range()]
    over: Literal["share", "malicious"] = "malicious"

    def __post_init__(self) -> None:
        check_bounds(self)


@dataclass(frozen=True)
class Answer:
    """How many fake users it takes.

    reached : whether any number that was tried reaches the goal. malicious, share : the smallest
    that does, else the one that comes closest. value : the metric there, expected or measured.
    by : a closed form, or a search by simulation. Of a search, `low` fake users were too few and
    `malicious` were enough, both with `confidence`; trials : of all that it simulated.
    """

    reached: bool
    malicious: int
    share: float
    value: float
    by: Literal["closed form", "search"]
    low: int | None = None
    confidence: float | None = None
    trials: int = 0
