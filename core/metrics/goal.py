"""Goals: a value that a metric shall reach, in place of a share of fake users; and the answer."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import msgspec

from ..base.ranges import Range, RangeChecked
from .measuring import METRICS

if TYPE_CHECKING:
    GoalMetric: TypeAlias = str
else:
    GoalMetric = Literal[tuple(row.name for row in METRICS.values() if row.rises)]
"""A metric that rises with the number of fakes; `_after` in spite of the defence."""


@dataclass(frozen=True)
class Goal(RangeChecked):
    """A goal: find the smallest attack whose expected metric is at least `at_least`.

    A goal of all targets in the top k is reached if 98 % of them are in it on average.

    metric : the name of a metric that increases with the number of fakes.
    over : the form of the answer, a share of all users or a number of fake users.
    """

    metric: GoalMetric
    at_least: Annotated[float, Range()]
    over: Literal["share", "malicious"] = "malicious"


@dataclass(frozen=True)
class GoalAnswer:
    """The smallest number of fake users that reaches a goal, and how it was found.

    reached : whether any number tried reaches the goal.
    malicious, share : the smallest such number, or else the number that comes closest.
    value : the metric with so many fakes, expected or measured.
    by : a closed form, or a search by simulation; "approximation" in runs of versions before 1.0.
    low, confidence : in a search, a number of fakes that is too small, and the confidence that it
    is too small and `malicious` is enough; else None.
    trials : the number of trials that the search simulated.
    """

    reached: bool
    malicious: int
    share: float
    value: float
    by: Literal["closed form", "approximation", "search"]
    low: int | None = None
    confidence: float | None = None
    trials: int = 0

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> GoalAnswer:
        """The answer from a dict of its fields.

        Raises TypeError for a value of a wrong type, ValueError for one out of range.
        """
        answer = msgspec.convert(vars(cls(**given)), cls)
        least = min(answer.malicious, answer.trials, answer.low or 0)
        shares = (answer.share, answer.confidence or 0.0)
        fits = least >= 0 and all(0 <= share <= 1 for share in shares)
        fits = fits and (answer.low is None or bool(answer.confidence))
        if not fits or not math.isfinite(answer.value):
            raise ValueError(f"an answer to a goal that cannot be: {str(dict(given))[:80]}")
        return answer
