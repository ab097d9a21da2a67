"""The task of frequencies: which share of the users holds each item of a domain that can be listed.

A conclusion is `Estimates`: a frequency for each item.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..arms import ATTACKED, ATTACKED_DEFENDED, CLEAN, CLEAN_DEFENDED, Arm
from ..cell import Cell
from ..defences import corrected, known
from ..metrics import Measures, Outcome, measure
from ..pure import Estimates
from ..sampling import Counts, Floats
from ..theory import expected_metrics
from .task import Task


def _conclude(
    cell: Cell, clean: Counts, attacked: Counts, pulse: Callable[[], None]
) -> Mapping[Arm, Estimates]:
    """The estimates in each arm; the counts are estimated once where they are one object."""
    pulse()
    before = cell.protocol.estimates(clean, cell.users)
    pulse()
    if attacked is clean:
        return _in_arms(cell, before, before)
    return _in_arms(cell, before, cell.protocol.estimates(attacked, cell.users + cell.malicious))


def _in_arms(cell: Cell, before: Estimates, after: Estimates) -> Mapping[Arm, Estimates]:
    """The estimates in each arm, from those without a defence."""
    arms = {CLEAN: before, ATTACKED: after}
    if cell.defences:
        users, everyone = cell.users, cell.users + cell.malicious
        arms[CLEAN_DEFENDED] = defended = _corrected(cell, before, users)
        same = after is before
        arms[ATTACKED_DEFENDED] = defended if same else _corrected(cell, after, everyone)
    return arms


def _corrected(cell: Cell, made: Estimates, users: int) -> Estimates:
    known_here = known(cell.protocol, users, cell.targets)
    return Estimates(corrected(made.frequencies, cell.defences, known_here), made.detected)


class _Pool:
    """The mean of the rounds' estimates, by their users.

    That is what a pure protocol makes of all reports. A mechanism whose rounds say more together
    has `pooled_estimates` of the sum of their counts.
    """

    def __init__(self, cell: Cell) -> None:
        self._cell, self._by_counts = cell, hasattr(cell.protocol, "pooled_estimates")
        self._clean: Any = 0
        self._attacked: Any = 0

    def add(
        self, collection: Cell, clean: Counts, attacked: Counts, concluded: Mapping[Arm, Estimates]
    ) -> None:
        if self._by_counts:
            self._clean, self._attacked = self._clean + clean, self._attacked + attacked
            return
        everyone = collection.users + collection.malicious
        self._clean = self._clean + collection.users * concluded[CLEAN].frequencies
        self._attacked = self._attacked + everyone * concluded[ATTACKED].frequencies

    def conclude(self, trials: int, pulse: Callable[[], None]) -> Mapping[Arm, Estimates]:
        cell, clean = self._cell, self._clean[:trials]
        attacked = clean if cell.attack is None else self._attacked[:trials]
        if self._by_counts:
            return _conclude(cell, clean, attacked, pulse)
        before = Estimates(clean / cell.users)
        everyone = cell.users + cell.malicious
        after = before if cell.attack is None else Estimates(attacked / everyone)
        return _in_arms(cell, before, after)


def _measure(cell: Cell, concluded: Mapping[Arm, Estimates]) -> Measures:
    return measure(Outcome(concluded, cell.population.frequencies, cell.targets, cell.top_k))


def _kept(made: Estimates) -> Floats:
    return made.frequencies


def _detected(made: Estimates) -> Counts | None:
    return None if made.detected is None else made.detected.sum(axis=0)


FREQUENCIES = Task("frequencies", _conclude, _Pool, _measure, _kept, _detected, expected_metrics)
