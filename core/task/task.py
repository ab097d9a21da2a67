"""A task: the functions that trials, outputs and searches reach it by."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from ..arms import Arm
from ..cell import Cell
from ..metrics import Measures
from ..sampling import Counts, Floats
from ..sifting import Sifted


class Pool(Protocol):
    """The server's knowledge, gathered from the rounds of a campaign one after the other."""

    def add(
        self,
        collection: Cell,
        clean: Counts,
        attacked: Counts,
        concluded: Mapping[Arm, Any],
        sifted: Mapping[Arm, Sifted],
    ) -> None:
        """Take in one round: its counts without and with the fakes, and its conclusions."""
        ...

    def conclude(self, trials: int, pulse: Callable[[], None]) -> Mapping[Arm, Any]:
        """The conclusions from all rounds together, of the first trials."""
        ...


@dataclass(frozen=True)
class Task:
    """The purpose of a collection. A conclusion is what the server makes of counts in one arm.

    conclude : the conclusion in each arm of a cell, from its counts [trials, …] without and with
        the fakes, one object where the attack changes nothing; from what filters left of both; and
        from the conclusions of the round before. It calls the pulse as it works.
    pool : gathers the rounds of a campaign.
    measure : the measures [trials] of the conclusions.
    kept : float64[trials, …], the numbers of a conclusion that are averaged over the trials, and
        that an attacker who reacts can see.
    detected : int64[…], the number of trials that detected each item; None where nothing is tested.
    expected : the closed form of each metric of a cell by name; None where there is none.
    """

    name: str
    conclude: Callable[
        [Cell, Counts, Counts, Callable[[], None], Mapping[Arm, Sifted], Mapping[Arm, Any]],
        Mapping[Arm, Any],
    ]
    pool: Callable[[Cell], Pool]
    measure: Callable[[Cell, Mapping[Arm, Any]], Measures]
    kept: Callable[[Any], Floats]
    detected: Callable[[Any], Counts | None]
    expected: Callable[[Cell], dict[str, float | None]]
