"""A campaign's rounds as the worker's lines of JSON: see `session.snapshot.Rounds`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ldptui.core.base.arms import ATTACKED, Arm
from ldptui.core.base.sampling import Floats
from ldptui.core.cell import Cell
from ldptui.core.metrics.results import CellResults, round_of
from ldptui.core.theory import expected_estimate
from ldptui.core.theory.campaign import entry_of, for_each_round, round_theories, rounds_of

from .columns import sigmas

MAX_TARGETS: Final = 16
"""The number of targets whose estimates in every round are sent."""

MAX_ESTIMATES: Final = 1 << 18
"""The largest number of frequencies that are sent, over all rounds together: where there are more,
those of every other round are sent, or of every third, and so on."""


@dataclass(frozen=True, eq=False)
class Expected:
    """The closed forms of the rounds, each None where there is none.

    theories : those of the metrics. estimates : float64[d], those of the attacked arm.
    sigmas : σ of one trial's estimates, in the arms that have a closed form.
    """

    theories: list[dict[str, float | None]]
    estimates: list[Floats | None]
    sigmas: list[dict[Arm, Floats]]

    @classmethod
    def of(cls, cell: Cell) -> Expected:
        return cls(
            round_theories(cell),
            for_each_round(cell, expected_estimate),
            for_each_round(cell, sigmas),
        )


def round_columns(cell: Cell, measured: CellResults, expected: Expected) -> dict[str, Any]:
    """The fields of `session.snapshot.Rounds`, its numbers in lists; None where undefined."""
    kept = measured.rounds
    assert kept is not None
    rounds, entry = rounds_of(cell, measured, expected.theories), entry_of(cell, measured)
    targets = cell.targets[:MAX_TARGETS]
    populations = [each.population for each in cell.rounds]
    attacked = kept.arms[ATTACKED]
    spread = attacked.std
    errors = None if spread is None else spread[:, targets] / np.sqrt(measured.trials)
    return {
        "users": [row.users for row in rounds],
        "malicious": [row.malicious for row in rounds],
        "share": [row.share for row in rounds],
        "spent": [row.spent for row in rounds],
        "metrics": {
            name: [[*vars(row.metrics[name]).values()] for row in rounds] for name in cell.metrics
        },
        "targets": targets.tolist(),
        "true": [population.frequencies[targets].tolist() for population in populations],
        "arms": {arm.name: moments.mean[:, targets].tolist() for arm, moments in kept.arms.items()},
        "errors": None if errors is None else errors.tolist(),
        "expected": [
            None if estimate is None else estimate[targets].tolist()
            for estimate in expected.estimates
        ],
        "rank": [
            [int((estimate > estimate[target]).sum()) + 1 for target in targets]
            for estimate in attacked.mean
        ],
        "trials": measured.trials,
        "entered": entry.reached,
        "entry": entry.mean,
        "entry_error": entry.standard_error,
    }


def rounds_sent(cell: Cell, most_items: int) -> range:
    """The rounds whose frequencies are sent: evenly spread where there are too many."""
    items = min(cell.task.size(cell), most_items)
    count = len(cell.rounds)
    return range(0, count, -(-count * items // MAX_ESTIMATES))


def round_result(cell: Cell, measured: CellResults, number: int) -> tuple[Cell, CellResults]:
    """One round, with what it measured as a cell of its own."""
    rounds = measured.rounds
    assert rounds is not None
    arms, metrics = round_of(rounds.arms, number), rounds.metrics[:, number]
    return cell.rounds[number], CellResults(metrics, measured.fingerprints, arms)
