"""The part that tasks of numbers share: the range, and which populations have numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from ..base.errors import LIFTED, ScenarioError, got, spelled
from ..base.ranges import Range, check_bounds, check_span
from ..base.streams import Path
from ..cell import Cell, Share, Task
from ..collection.counts import shares_of
from ..population import Population

MAX_REPORTS: Final = 10**10
"""Users on the reports path."""


@dataclass(frozen=True)
class OfNumbers(Task):
    """A task whose items stand for numbers of a range.

    low, high : the ends of the range.
    """

    low: Annotated[float, Range()] = -1.0
    high: Annotated[float, Range()] = 1.0

    def __post_init__(self) -> None:
        check_bounds(self)
        check_span(self.low, self.high)

    @property
    def half(self) -> float:
        """Half the length of the range: what a step of 1 is to the protocol."""
        return (self.high - self.low) / 2

    def check(self, cell: Cell) -> None:
        super().check(cell)
        if cell.population.labels is not None:
            rule = 'must have items that are as far apart, as "values" or "normal", where'
            rule = f'{rule} task.kind = "{self.kind}"'
            raise ScenarioError(f"{rule}, got labels", key="population.kind")
        span = cell.population.span
        if span not in (None, (self.low, self.high)):
            rule = f"must be the range of the population, [{spelled(span[0])}, {spelled(span[1])}]"
            shown = f"got [{spelled(self.low)}, {spelled(self.high)}]"
            raise ScenarioError(f"{rule}, {shown}", key="task.low")

    def check_size(
        self, population: Population, malicious: int, path: Path, rounds: int | None
    ) -> None:
        users = (population.users + malicious) * (rounds or 1)
        if path == "reports" and users > MAX_REPORTS:
            rule = f'must be "counts" where users exceed 10^10, {got(users)}{LIFTED}'
            raise ScenarioError(rule, key="simulate.path")

    def shares(self, cell: Cell, number: int, trials: int) -> Sequence[Share]:
        return shares_of(cell, number, trials)
