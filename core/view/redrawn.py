"""The bit counts, verdicts and estimates of single trials.

A run stores none of them: the trials are drawn again, with equal results.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from .. import theory
from ..base.arms import ATTACKED, ATTACKED_DEFENDED, CLEAN
from ..base.flags import area_under, roc
from ..base.sampling import Counts, Floats
from ..cell import Cell
from ..collection.counts import block_counts
from ..collection.sifting import detection
from ..law.pure import Items
from ..metrics.results import BLOCK_TRIALS
from ..protocols.rappor import Rappor
from ..task.frequencies import trial_estimates
from . import BitCounts, Detection, TrialEstimates
from .estimated import LINEAR, evenly, short_label

MAX_BITS: Final = 1 << 14
"""The largest number of bit counts that are shown: those of the first cohorts."""

LEVELS: Final = 64
"""Scores that are told apart; of more, as many equal steps."""

CORNERS: Final = 256
"""Points of the ROC curve that are shown."""

MOST: Final = 100
"""Trials that are told one by one; where every report is drawn, those of one block."""
MOST_NUMBERS: Final = 1 << 22
"""Estimates of all items that are drawn for them."""
ITEMS: Final = 12
"""Items that are told: at most half of them targets, then the most frequent ones."""


def bit_counts(cell: Cell) -> BitCounts | None:
    """The bit counts of the first trial; None for protocols other than RAPPOR."""
    if not isinstance(cell.protocol, Rappor):
        return None
    protocol: Any = cell.protocol
    _, drawn = block_counts(cell, 0, 1)
    rows = slice(max(1, MAX_BITS // (protocol.bits + 1)))
    expected, variances = theory.expected_bit_counts(cell), theory.bit_count_variances(cell)
    std = None if variances is None else np.sqrt(variances)

    def users(values: Floats | Counts) -> tuple[float, ...]:
        return _column(values[rows, -1])

    def counts(values: Floats | Counts) -> tuple[float, ...]:
        return _column(values[rows, :-1])

    return BitCounts(
        cohorts=protocol.cohorts,
        bits=protocol.bits,
        p_star=protocol.noise.p_star,
        q_star=protocol.noise.q_star,
        users=users(drawn[0]),
        counts=counts(drawn[0]),
        held=_column(protocol.design.bits_of(cell.population.frequencies)[rows]),
        expected_users=None if expected is None else users(expected),
        users_std=None if std is None else users(std),
        expected_counts=None if expected is None else counts(expected),
        counts_std=None if std is None else counts(std),
    )


def _column(values: Floats | Counts) -> tuple[float, ...]:
    """Numbers of an array, row by row."""
    return tuple(values.astype(np.float64).ravel().tolist())


def verdicts(cell: Cell) -> Detection | None:
    """The first filter's scores of the reports of the first trial; None if it has no scores."""
    first = next(iter(cell.filters), None)
    if first is None or not first.scores:
        return None
    seen = detection(cell, 0)
    if seen.score is None:
        return None
    scores, place = levels(seen.score)
    genuine, fakes = (
        tuple(np.bincount(place[group], minlength=scores.size).tolist())
        for group in (~seen.fakes, seen.fakes)
    )
    parts = first.kind, first.scores, tuple(scores.tolist()), genuine, fakes
    if not seen.fakes.any():
        return Detection(*parts)
    wrong, caught = roc(seen.score, seen.fakes)
    kept = np.unique(evenly(wrong.size, CORNERS))
    flagged = None
    if seen.told:
        out = ~seen.kept
        flagged = float(out[~seen.fakes].mean()), float(out[seen.fakes].mean())
    return Detection(
        *parts,
        wrong=tuple(wrong[kept].tolist()),
        caught=tuple(caught[kept].tolist()),
        area=area_under(seen.score, seen.fakes),
        flagged=flagged,
    )


def levels(score: Floats) -> tuple[Floats, Counts]:
    """The distinct scores, ascending, and the index of each report's score among them.

    More than LEVELS distinct scores are binned into as many equal steps, each with its middle.
    """
    values, place = np.unique(score, return_inverse=True)
    if values.size <= LEVELS:
        return values, place
    edges = np.linspace(values[0], values[-1], LEVELS + 1)
    steps = np.clip(np.searchsorted(edges, score, side="right") - 1, 0, LEVELS - 1)
    return (edges[:-1] + edges[1:]) / 2, steps


def single_trials(cell: Cell) -> TrialEstimates | None:
    """The estimates of the first trials; None for a campaign, and for a task without a list of
    items.
    """
    truth = cell.task.truth(cell)
    if cell.rounds or truth is None or LINEAR not in cell.metrics:
        return None
    most = BLOCK_TRIALS if cell.path == "reports" else MOST
    trials = min(cell.trials, most, max(1, MOST_NUMBERS // truth.size))
    targets, items = _items(cell, truth)
    made = trial_estimates(cell, trials)
    return TrialEstimates(
        items=tuple(items.tolist()),
        labels=tuple(short_label(cell.population, item) for item in items.tolist()),
        targets=targets,
        true=tuple(truth[items].tolist()),
        arms={
            arm.name: tuple(map(tuple, made[arm][:, items].T.tolist()))
            for arm in (CLEAN, ATTACKED, ATTACKED_DEFENDED)
            if arm in made and (cell.attack is not None or not arm.attacked)
        },
        expected=dict(_expected_arms(cell, truth, items)),
    )


def _items(cell: Cell, truth: Floats) -> tuple[int, Items]:
    """The number of targets among the items, and the items."""
    targets = cell.targets[: ITEMS // 2]
    ranked = np.argsort(-truth, kind="stable")[: ITEMS + cell.targets.size]
    others = ranked[~np.isin(ranked, cell.targets)][: ITEMS - targets.size]
    return targets.size, np.concatenate([targets, others]).astype(np.int64)


def _expected_arms(
    cell: Cell, truth: Floats, items: Items
) -> Iterator[tuple[str, tuple[tuple[float, float], ...]]]:
    """The arms with a closed form, and its mean and standard deviation for each item."""
    variances = theory.estimate_variances(cell)
    means = truth, theory.expected_estimate(cell)
    arms = (CLEAN, ATTACKED) if cell.attack is not None else (CLEAN,)
    for arm, mean, variance in zip(arms, means, variances or (), strict=False):
        if mean is not None:
            pairs = zip(mean[items].tolist(), variance[items].tolist(), strict=True)
            yield arm.name, tuple((center, math.sqrt(max(0.0, square))) for center, square in pairs)
