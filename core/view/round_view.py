"""Views of a campaign's rounds, and of the frequencies in each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from msgspec.structs import replace

from ..base.arms import ATTACKED, Arm
from ..base.sampling import Floats
from ..cell import Cell
from ..metrics.results import CellResults, round_of
from ..theory import expected_estimate
from ..theory.campaign import entry_of, for_each_round, round_theories, rounds_of
from . import FrequencySummary, RoundSummary
from .estimated import closed_sigmas, frequencies

MAX_TARGETS: Final = 16
"""The number of targets whose estimates are shown in every round."""

MAX_ESTIMATES: Final = 1 << 18
"""The largest number of frequencies that are shown, over all rounds together: where there are more,
those of every other round are, or of every third, and so on."""


@dataclass(frozen=True, eq=False)
class RoundExpectations:
    """The closed forms of each round, None if there are none.

    theories : of the metrics, by name.
    estimates : float64[d], of the estimates with the attack.
    sigmas : float64[d] by arm, σ of one trial's estimates.
    """

    theories: list[dict[str, float | None]]
    estimates: list[Floats | None]
    sigmas: list[dict[Arm, Floats]]

    @classmethod
    def of(cls, cell: Cell) -> RoundExpectations:
        return cls(
            round_theories(cell),
            for_each_round(cell, expected_estimate),
            for_each_round(cell, closed_sigmas),
        )


def rounds_view(
    cell: Cell, measured: CellResults, expected: RoundExpectations | None = None
) -> RoundSummary:
    """The summary of a campaign's rounds after the measured trials.

    expected : the closed forms; without them the estimates of the first targets are left out.
    """
    theories = None if expected is None else expected.theories
    rounds, entry = rounds_of(cell, measured, theories), entry_of(cell, measured)
    viewed = RoundSummary(
        users=tuple(row.users for row in rounds),
        malicious=tuple(row.malicious for row in rounds),
        share=tuple(row.share for row in rounds),
        spent=tuple(row.spent for row in rounds),
        metrics={name: tuple(row.metrics[name] for row in rounds) for name in cell.metrics},
        trials=measured.trials,
        entered=entry.reached,
        entry=entry.mean,
        entry_error=entry.standard_error,
    )
    return viewed if expected is None else replace(viewed, **_targets(cell, measured, expected))


def _targets(cell: Cell, measured: CellResults, expected: RoundExpectations) -> dict[str, Any]:
    """The columns of the first targets, in every round."""
    assert measured.rounds is not None
    targets, arms = cell.targets[:MAX_TARGETS], measured.rounds.arms
    attacked = arms[ATTACKED]
    spread = attacked.std
    errors = None if spread is None else spread[:, targets] / np.sqrt(measured.trials)
    return {
        "targets": tuple(targets.tolist()),
        "true": tuple(tuple(each.population.frequencies[targets].tolist()) for each in cell.rounds),
        "arms": {arm.name: _rows(moments.mean[:, targets]) for arm, moments in arms.items()},
        "errors": None if errors is None else _rows(errors),
        "expected": tuple(
            None if estimate is None else tuple(estimate[targets].tolist())
            for estimate in expected.estimates
        ),
        "rank": tuple(
            tuple(int((estimate > estimate[target]).sum()) + 1 for target in targets)
            for estimate in attacked.mean
        ),
    }


def _rows(values: Floats) -> tuple[tuple[float, ...], ...]:
    return tuple(map(tuple, values.tolist()))


def rounds_shown(cell: Cell, most_items: int) -> range:
    """The rounds whose frequencies are shown, at even distances if there are too many numbers."""
    items = min(cell.task.size(cell), most_items)
    count = len(cell.rounds)
    return range(0, count, -(-count * items // MAX_ESTIMATES))


def round_frequencies(
    cell: Cell,
    measured: CellResults,
    number: int,
    expected: RoundExpectations | None = None,
    most: int | None = None,
) -> FrequencySummary | None:
    """The estimates of one round, summarised like those of a cell.

    expected : the closed forms, for σ. most : the largest number of items to show; None for all.
    """
    rounds = measured.rounds
    assert rounds is not None
    arms, metrics = round_of(rounds.arms, number), rounds.metrics[:, number]
    alone = CellResults(metrics, measured.fingerprints, arms)
    sigmas = {} if expected is None else expected.sigmas[number]
    return frequencies(cell.rounds[number], alone, sigmas, most)
