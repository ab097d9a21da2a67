"""From estimated frequencies to numbers."""

from __future__ import annotations

from typing import Final

import numpy as np

from .pure import BoolArray, Items
from .sampling import Floats

METRICS: Final = (
    "gain",
    "normalised_gain",
    "target_frequency",
    "target_frequency_clean",
    "mse",
    "mse_clean",
    "l1_error",
    "max_error",
    "targets_in_top_k",
    "detected",
    "false_detected",
)


def in_top(frequencies: Floats, k: int) -> BoolArray:
    """bool[..., d]: which items are among the k largest; ties go to the lower index."""
    d = frequencies.shape[-1]
    threshold = np.partition(frequencies, d - k, axis=-1)[..., d - k, None]
    above = frequencies > threshold
    level = frequencies == threshold
    room = k - above.sum(axis=-1, keepdims=True)
    return np.asarray(above | (level & (np.cumsum(level, axis=-1) <= room)))


def measure(
    clean: Floats,
    attacked: Floats,
    truth: Floats,
    targets: Items,
    top_k: int,
    detected: BoolArray | None = None,
) -> Floats:
    """All METRICS of each trial.

    Parameters
    ----------
    clean, attacked : float64[trials, d], the estimates before and after the attack, from the same
        genuine reports.
    truth : float64[d], the true frequencies of the genuine users.
    targets : indices; empty where there is no attack.
    detected : bool[trials, d], the items taken for held by somebody after the attack; None where
        the protocol does not test for that.

    Returns
    -------
    float64[trials, len(METRICS)]; NaN where a metric is not defined.
    """
    error, error_clean = attacked - truth, clean - truth
    columns = np.full((len(METRICS), len(clean)), np.nan)
    if targets.size:
        before, after = clean[:, targets].sum(axis=1), attacked[:, targets].sum(axis=1)
        held = truth[targets].sum()
        columns[0] = (attacked[:, targets] - clean[:, targets]).sum(axis=1)
        if held > 0:
            columns[1] = (columns[0] + held) / held
        columns[2], columns[3] = after, before
        columns[8] = in_top(attacked, min(top_k, truth.size))[:, targets].sum(axis=1)
    columns[4] = (error**2).mean(axis=1)
    columns[5] = (error_clean**2).mean(axis=1)
    columns[6] = np.abs(error).sum(axis=1)
    columns[7] = np.abs(error).max(axis=1)
    if detected is not None:
        columns[9] = detected.sum(axis=1)
        columns[10] = detected[:, truth == 0].sum(axis=1)
    return columns.T
