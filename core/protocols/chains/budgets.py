"""The two budgets of a longitudinal kind, as a scenario gives them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from ...base.errors import ScenarioError, got, spelled
from ...base.ranges import EPSILON, Range
from ..budget import Budget

KEPT_EPSILON = Range(0, 2 * EPSILON.high, "(]")
"""ε∞, of which ε₁ is a part."""


@dataclass(frozen=True)
class TwoBudgets(Budget):
    """The table of a kind that keeps an answer: `epsilon` is ε₁ of one report.

    epsilon_infinity : ε∞ of all reports of one item; twice ε₁ where it is left out.
    """

    epsilon_infinity: Annotated[float, KEPT_EPSILON] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.epsilon_infinity is not None and self.epsilon >= self.epsilon_infinity:
            raise ScenarioError(
                f"must be below epsilon_infinity = {spelled(self.epsilon_infinity)}, as one report "
                f"tells less than all reports together, {got(self.epsilon)}",
                key="epsilon",
            )

    @property
    def limit(self) -> float:
        """ε∞, in nats."""
        return 2 * self.epsilon if self.epsilon_infinity is None else self.epsilon_infinity
