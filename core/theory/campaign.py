"""The rounds of a campaign: their metrics beside the closed forms."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from ..base.summary import Estimate
from ..cell import Cell
from ..metrics.results import CellResults, estimate_of
from . import annotate_estimate, expected_metrics, privacy_spent

Result = TypeVar("Result")


@dataclass(frozen=True)
class Round:
    """One round of a campaign: its users, fakes and metrics.

    share : β of the round. spent : ε spent until then by a user of all rounds, in nats.
    """

    number: int
    users: int
    malicious: int
    share: float
    spent: float
    metrics: Mapping[str, Estimate]


def for_each_round(cell: Cell, work: Callable[[Cell], Result]) -> list[Result]:
    """The result of `work` for every round, computed once for rounds with the same users and fakes.

    If fakes react to published estimates, the first round is computed apart from the others.
    """
    known: dict[Hashable, Result] = {}
    results = []
    for collection in cell.rounds:
        later = collection.round > 0
        fakes = tuple(
            (part.strategy, id(part.targets), part.count, part.strategy.reacts and later)
            for part in collection.fakes
        )
        key = id(collection.population.histogram), fakes
        if key not in known:
            known[key] = work(collection)
        results.append(known[key])
    return results


def round_theories(cell: Cell) -> list[dict[str, float | None]]:
    """The closed form of each metric in each round."""
    return for_each_round(cell, expected_metrics)


def rounds_of(
    cell: Cell, measured: CellResults, theories: Sequence[Mapping[str, float | None]] | None = None
) -> list[Round]:
    """The rounds of a cell, measured and expected; [] before the first trial is done."""
    if measured.rounds is None:
        return []
    expected = round_theories(cell) if theories is None else theories
    columns = {
        name: [
            annotate_estimate(
                collection, measured.rounds.metrics[:, collection.round], name, estimate
            )
            for collection, estimate in zip(
                cell.rounds,
                measured.rounds.estimates(name, [theory[name] for theory in expected]),
                strict=True,
            )
        ]
        for name in cell.metrics
    }
    return [
        Round(
            collection.round,
            collection.users,
            collection.malicious,
            collection.share,
            spent,
            {name: column[collection.round] for name, column in columns.items()},
        )
        for collection, spent in zip(cell.rounds, privacy_spent(cell), strict=True)
    ]


@dataclass(frozen=True)
class TopEntry:
    """The first round in which all targets are in the top k, over the trials of a cell.

    reached : the number of trials in which they ever are. mean, standard_error : of the round over
    these trials; rounds count from 0; None without such a trial.
    """

    reached: int
    mean: float | None
    standard_error: float | None


def entry_of(cell: Cell, measured: CellResults) -> TopEntry:
    """The entry round of a cell over its trials."""
    if measured.rounds is None or not cell.targets.size:
        return TopEntry(0, None, None)
    entries = measured.rounds.entries(cell.targets.size)
    entries = entries[~np.isnan(entries)]
    entered = estimate_of(entries)
    return TopEntry(entries.size, entered.mean, entered.standard_error)
