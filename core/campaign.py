"""What a campaign says over its rounds: each round's numbers beside their closed forms."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from .cell import Cell
from .metrics import metrics_of
from .results import CellResults, Estimate, estimate_of
from .task import task_of
from .theory import privacy_spent

Found = TypeVar("Found")


@dataclass(frozen=True)
class Round:
    """One round of a cell. users, malicious : its own; spent : ε of a user who was there so far."""

    number: int
    users: int
    malicious: int
    share: float
    spent: float
    metrics: Mapping[str, Estimate]


def for_each_round(cell: Cell, work: Callable[[Cell], Found]) -> list[Found]:
    """`work` of every round, done once for rounds with the same users and the same fakes.

    The first round is apart from the others where fakes react to what was published before.
    """
    known: dict[Hashable, Found] = {}
    found = []
    for one in cell.rounds:
        fakes = tuple(
            (some.strategy, id(some.targets), some.count, some.strategy.reacts and one.round > 0)
            for some in one.fakes
        )
        key = id(one.population.histogram), fakes
        if key not in known:
            known[key] = work(one)
        found.append(known[key])
    return found


def round_theories(cell: Cell) -> list[dict[str, float | None]]:
    """The closed form of each metric in each round."""
    return for_each_round(cell, task_of(cell).expected)


def rounds_of(
    cell: Cell, measured: CellResults, theories: Sequence[Mapping[str, float | None]] | None = None
) -> list[Round]:
    """The rounds of a cell, measured and expected; none before the first trials are done."""
    if measured.rounds is None:
        return []
    expected = round_theories(cell) if theories is None else theories
    columns = {
        name: measured.rounds.estimates(name, [theory[name] for theory in expected])
        for name in metrics_of(cell.arms)
    }
    return [
        Round(
            one.round,
            one.users,
            one.malicious,
            one.share,
            spent,
            {name: column[one.round] for name, column in columns.items()},
        )
        for one, spent in zip(cell.rounds, privacy_spent(cell), strict=True)
    ]


@dataclass(frozen=True)
class Entry:
    """When all targets first were in the top k: in so many trials, in which round on average.

    mean, standard_error : over those trials; rounds count from 0.
    """

    reached: int
    mean: float | None
    standard_error: float | None


def entry_of(cell: Cell, measured: CellResults) -> Entry:
    """The entry round of a cell over its trials."""
    if measured.rounds is None or not cell.targets.size:
        return Entry(0, None, None)
    entries = measured.rounds.entries(cell.targets.size)
    found = entries[~np.isnan(entries)]
    entered = estimate_of(found)
    return Entry(found.size, entered.mean, entered.standard_error)
