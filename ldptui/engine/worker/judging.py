"""The verdict of the filters on each report of one trial, as columns: scores and the ROC curve."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ldptui.core.base.flags import area_under, roc
from ldptui.core.base.pulse import Pulse
from ldptui.core.base.sampling import Counts, Floats
from ldptui.core.cell import Cell
from ldptui.core.collection.sifting import detection

LEVELS: Final = 64
"""Scores that are told apart; of more, as many equal steps."""

CORNERS: Final = 256
"""Points of the ROC curve that are sent."""


def detection_columns(cell: Cell, pulse: Pulse) -> dict[str, Any] | None:
    """The columns of `Detection` of the first trial; None where the first filter has no score."""
    first = next(iter(cell.filters), None)
    if first is None or not hasattr(first, "scores"):
        return None
    seen = detection(cell, 0, pulse)
    if seen.score is None:
        return None
    scores, place = levels(seen.score)
    counts = [
        np.bincount(place[group], minlength=scores.size) for group in (~seen.fakes, seen.fakes)
    ]
    columns: dict[str, Any] = {
        "kind": first.kind,
        "meaning": first.scores,
        "scores": scores.tolist(),
        "genuine": counts[0].tolist(),
        "fakes": counts[1].tolist(),
        "wrong": [],
        "caught": [],
        "area": None,
        "flagged": None,
    }
    if seen.fakes.any():
        wrong, caught = roc(seen.score, seen.fakes)
        kept = np.unique(np.linspace(0, wrong.size - 1, CORNERS).round().astype(int))
        columns |= {
            "wrong": wrong[kept].tolist(),
            "caught": caught[kept].tolist(),
            "area": area_under(seen.score, seen.fakes),
        }
        if seen.told:
            out = ~seen.kept
            columns["flagged"] = [float(out[~seen.fakes].mean()), float(out[seen.fakes].mean())]
    return columns


def levels(score: Floats) -> tuple[Floats, Counts]:
    """The scores that there are, rising, and the place of each report's among them.

    Very many are put into equal steps, each with its middle.
    """
    values, place = np.unique(score, return_inverse=True)
    if values.size <= LEVELS:
        return values, place
    edges = np.linspace(values[0], values[-1], LEVELS + 1)
    steps = np.clip(np.searchsorted(edges, score, side="right") - 1, 0, LEVELS - 1)
    return (edges[:-1] + edges[1:]) / 2, steps
