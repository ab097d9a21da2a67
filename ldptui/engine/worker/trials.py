"""The estimates of some items in each of the first trials, as columns."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from ldptui.core import theory
from ldptui.core.base.arms import ATTACKED, ATTACKED_DEFENDED, CLEAN
from ldptui.core.base.pulse import Pulse
from ldptui.core.base.sampling import Floats
from ldptui.core.cell import Cell
from ldptui.core.law.pure import Items
from ldptui.core.metrics.results import BLOCK_TRIALS
from ldptui.core.task.frequencies import trial_estimates

from .columns import shortened

MOST: Final = 100
"""Trials that are told one by one; where every report is drawn, those of one block."""
MOST_NUMBERS: Final = 1 << 22
"""Estimates of all items that are drawn for them."""
ITEMS: Final = 12
"""Items that are told: at most half of them targets, then the most frequent ones."""


def trial_columns(cell: Cell, pulse: Pulse) -> dict[str, Any] | None:
    """The columns of `TrialEstimates`; None for campaigns and for tasks without a list of items."""
    truth = cell.task.truth(cell)
    if cell.rounds or truth is None:
        return None
    most = BLOCK_TRIALS if cell.path == "reports" else MOST
    trials = min(cell.trials, most, max(1, MOST_NUMBERS // truth.size))
    targets, items = _items(cell, truth)
    made = trial_estimates(cell, trials, pulse)
    labels = cell.population.labels
    return {
        "items": items.tolist(),
        "labels": [str(item) if labels is None else shortened(labels[item]) for item in items],
        "targets": targets,
        "true": truth[items].tolist(),
        "arms": {
            arm.name: made[arm][:, items].T.tolist()
            for arm in (CLEAN, ATTACKED, ATTACKED_DEFENDED)
            if arm in made and (cell.attack is not None or not arm.attacked)
        },
        "expected": dict(_expected(cell, truth, items)),
    }


def _items(cell: Cell, truth: Floats) -> tuple[int, Items]:
    """The number of targets among the items, and the items."""
    targets = cell.targets[: ITEMS // 2]
    ranked = np.argsort(-truth, kind="stable")[: ITEMS + cell.targets.size]
    others = ranked[~np.isin(ranked, cell.targets)][: ITEMS - targets.size]
    return targets.size, np.concatenate([targets, others]).astype(np.int64)


def _expected(cell: Cell, truth: Floats, items: Items) -> Iterator[tuple[str, list[list[float]]]]:
    """The arms with a closed form, and its mean and standard deviation for each item."""
    variances = theory.estimate_variances(cell)
    means = truth, theory.expected_estimate(cell)
    arms = (CLEAN, ATTACKED) if cell.attack is not None else (CLEAN,)
    for arm, mean, variance in zip(arms, means, variances or (), strict=False):
        if mean is not None:
            pairs = zip(mean[items].tolist(), variance[items].tolist(), strict=True)
            yield arm.name, [[center, math.sqrt(max(0.0, square))] for center, square in pairs]
