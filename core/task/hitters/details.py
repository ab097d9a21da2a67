"""The measurements of the levels, and of the items that are watched, as plain values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...base.arms import UNDEFENDED
from ...base.sampling import Floats
from ...metrics.results import Arms, Moments
from .codes import code_text
from .collection import Hunt
from .levels import candidate_counts
from .watched import Followed


def details_of(hunt: Hunt, arms: Arms) -> dict[str, Any]:
    """The levels and the watched items of a cell; empty lists before anything is measured."""
    if not arms or not next(iter(arms.values())).trials:
        return {"levels": [], "watched": []}
    return {"levels": _levels(hunt, arms), "watched": _watched(hunt, arms)}


def _levels(hunt: Hunt, arms: Arms) -> list[dict[str, Any]]:
    """The prefixes of each level and, in each arm, the targets and true hitters that survive."""
    prefixes, watched, groups = hunt.prefixes, hunt.watched, len(hunt.prefixes.lengths)
    candidates = candidate_counts(prefixes.lengths, prefixes.k)
    targets = prefixes.codes[hunt.cell.targets]
    levels: list[dict[str, Any]] = [
        {
            "level": number + 1,
            "bits": prefixes.lengths[number],
            "candidates": candidates[number],
            # Targets that share a prefix are aimed at once.
            "target_prefixes": int(np.unique(prefixes.cut(targets, number)).size),
        }
        for number in range(groups)
    ]
    for arm, expected in zip(UNDEFENDED, hunt.expected, strict=True):
        moments = arms[arm]
        mean = Followed.of(moments.mean, groups)
        errors = Followed.of(_standard_errors(moments), groups)
        for number, level in enumerate(levels):
            chances = expected[number].survived[watched.items]
            level[arm.name] = {
                name: {
                    "mean": float(getattr(mean, name)[number]),
                    "standard_error": _finite(float(getattr(errors, name)[number])),
                    "theory": float(chances[places].sum()),
                }
                for name, places in (("targets", watched.targets), ("hitters", watched.hitters))
            }
    return levels


def _watched(hunt: Hunt, arms: Arms) -> list[dict[str, Any]]:
    """The targets and the true hitters: what is true of each, and what came of it in each arm.

    `estimate` is the mean of the estimated frequencies where the item is in the answer; None where
    it never is.
    """
    cell, watched, prefixes = hunt.cell, hunt.watched, hunt.prefixes
    groups = len(prefixes.lengths)
    means = {arm: Followed.of(arms[arm].mean, groups) for arm in UNDEFENDED}
    ranks = {place: rank for rank, place in enumerate(watched.hitters.tolist(), 1)}
    rows = []
    for place, item in enumerate(watched.items.tolist()):
        row: dict[str, Any] = {
            "item": cell.population.label(item),
            "code": code_text(int(prefixes.codes[item]), prefixes.bits),
            "target": place < watched.targets.size,
            "rank": ranks.get(place),
            "true": int(cell.population.histogram[item]),
        }
        for arm in UNDEFENDED:
            survived = means[arm].survived[:, place]
            named, estimate = float(survived[-1]), float(means[arm].estimates[place])
            row[arm.name] = {
                "survived": survived.tolist(),
                "estimate": estimate / named if named else None,
            }
        rows.append(row)
    return rows


def _standard_errors(moments: Moments) -> Floats:
    std = moments.std
    if std is None:
        return np.full(moments.mean.size, np.nan)
    return np.asarray(std / math.sqrt(moments.trials))


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
