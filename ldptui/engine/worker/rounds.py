"""What the worker tells of a campaign's rounds, as lines of JSON: see `session.snapshot.Rounds`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from core.campaign import entry_of, for_each_round, round_theories, rounds_of
from core.cell import Cell
from core.metrics import METRICS
from core.results import CellResults
from core.sampling import Floats
from core.theory import estimate_variances, expected_estimate

MAX_TARGETS: Final = 16
"""Of so many targets the estimates in every round are sent."""

MAX_ESTIMATES: Final = 1 << 18
"""Frequencies of so many items, of all rounds together, are sent: else those of every other round,
or every third, and so on."""


@dataclass(frozen=True, eq=False)
class Expected:
    """The closed forms of the rounds, each None where there is none.

    theories : of the metrics. estimates : float64[d], of the attacked estimates. sigmas : the
    standard deviations of one trial's estimates, before and after the attack.
    """

    theories: list[dict[str, float | None]]
    estimates: list[Floats | None]
    sigmas: list[tuple[Floats, Floats] | None]

    @classmethod
    def of(cls, cell: Cell) -> Expected:
        return cls(
            round_theories(cell),
            for_each_round(cell, expected_estimate),
            for_each_round(cell, _sigmas),
        )


def _sigmas(one: Cell) -> tuple[Floats, Floats] | None:
    variances = estimate_variances(one)
    if variances is None:
        return None
    before, after = (np.sqrt(np.maximum(each, 0)) for each in variances)
    return before, after


def round_columns(cell: Cell, measured: CellResults, expected: Expected) -> dict[str, Any]:
    """The fields of `session.snapshot.Rounds`, its numbers in lists; None where undefined."""
    kept = measured.rounds
    assert kept is not None
    rounds, entry = rounds_of(cell, measured, expected.theories), entry_of(cell, measured)
    targets = cell.targets[:MAX_TARGETS]
    populations = [one.population for one in cell.rounds]
    clean, attacked = kept.clean, kept.attacked
    spread = attacked.std
    errors = None if spread is None else spread[:, targets] / np.sqrt(measured.trials)
    return {
        "users": [one.users for one in rounds],
        "malicious": [one.malicious for one in rounds],
        "share": [one.share for one in rounds],
        "spent": [one.spent for one in rounds],
        "metrics": {
            name: [
                [one.metrics[name].mean, one.metrics[name].standard_error, one.metrics[name].theory]
                for one in rounds
            ]
            for name in METRICS
        },
        "targets": targets.tolist(),
        "true": [one.frequencies[targets].tolist() for one in populations],
        "clean": clean.mean[:, targets].tolist(),
        "attacked": attacked.mean[:, targets].tolist(),
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
    items = min(cell.population.domain_size, most_items)
    count = len(cell.rounds)
    return range(0, count, -(-count * items // MAX_ESTIMATES))


def round_result(cell: Cell, measured: CellResults, number: int) -> tuple[Cell, CellResults]:
    """One round, with what it measured as a cell of its own."""
    rounds = measured.rounds
    assert rounds is not None
    clean, attacked = rounds.clean.row(number), rounds.attacked.row(number)
    own = rounds.metrics[:, number]
    return cell.rounds[number], CellResults(own, measured.fingerprints, clean, attacked)
