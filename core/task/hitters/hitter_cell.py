"""A heavy-hitters cell with what its trials need: prefixes, oracles and watched items.

Its measurements as plain values, and each of its groups as a collection of its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...base.arms import UNDEFENDED
from ...base.named import fields_of
from ...base.sampling import Floats
from ...cell import Cell
from ...metrics.results import Arms, Moments
from ...population import Population
from ...protocols import ProtocolSpec
from .counting import DrawnCounts, LevelOracle, at_random, block_streams, in_groups
from .pem import LevelMean, Tree, WatchedItems, grow
from .prefixes import Prefixes, candidate_counts, code_text


@dataclass(frozen=True, eq=False)
class HitterCell:
    """A cell of the heavy hitter task with its items' prefixes, the oracles and the
    watched items.
    """

    cell: Cell
    prefixes: Prefixes
    oracle: LevelOracle
    watched: WatchedItems

    def trees(self, number: int, trials: int) -> Iterator[tuple[Tree, Tree]]:
        """Yields, for each of the first `trials` trials of block `number`, the levels without and
        with the attack.
        """
        genuine, more, malicious = block_streams(self.cell, number)
        groups, attacked = len(self.prefixes.lengths), self.cell.attack is not None
        for _ in range(trials):
            shared = in_groups(self.cell.population.histogram, groups, genuine)
            fakes = at_random(self.cell.fakes, groups, malicious)
            streams = genuine, more, malicious
            draws = DrawnCounts(self.prefixes, self.oracle, shared, fakes, streams)
            yield grow(self.prefixes, draws, attacked)


def asked_of(hitters: HitterCell, spec: ProtocolSpec, number: int) -> Cell:
    """The collection of the group that user `number` joins, as a cell whose items are prefixes.

    With a hashing oracle these are the prefixes that items have, with another oracle all prefixes
    of the level. If a part of the fakes has other targets than the cell, the cell itself is
    returned.
    """
    cell, groups = hitters.cell, len(hitters.prefixes.lengths)
    if any(not np.array_equal(part.targets, cell.targets) for part in cell.fakes):
        return cell
    level = hitters.prefixes.levels[number % groups]
    known = level.held
    if hitters.oracle.whole(level.number) is not None:
        known = np.arange(2**level.length, dtype=np.uint64)
    users = level.of(level.users(cell.population.histogram), known)
    place = f"group {level.number + 1} of {groups}"
    labels = tuple(f"{code_text(int(prefix), level.length)}, {place}" for prefix in known)
    address = f"{cell.population.address} of {place}"
    targets = np.searchsorted(known, hitters.prefixes.cut(hitters.prefixes.codes[cell.targets],
                                                       level.number))  # fmt: skip
    return replace(
        cell,
        population=Population(users, labels, address, users / users.sum()),
        protocol=spec.bind(max(2, known.size)),
        targets=np.unique(targets),
    )


def details_of(hitters: HitterCell, arms: Arms) -> dict[str, Any]:
    """The levels and watched items of a cell, for JSON; empty lists before the first trial."""
    if not arms or not next(iter(arms.values())).trials:
        return {"levels": [], "watched": []}
    return {"levels": _levels(hitters, arms), "watched": _describe_watched(hitters, arms)}


def _levels(hitters: HitterCell, arms: Arms) -> list[dict[str, Any]]:
    """The prefixes of each level and, in each arm, the targets and true hitters that survive."""
    prefixes, groups = hitters.prefixes, len(hitters.prefixes.lengths)
    candidates = candidate_counts(prefixes.lengths, prefixes.k)
    targets = prefixes.codes[hitters.cell.targets]
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
    for arm in UNDEFENDED:
        moments = arms[arm]
        mean = fields_of(LevelMean.of(moments.mean, groups))
        errors = fields_of(LevelMean.of(_standard_errors(moments), groups))
        for number, level in enumerate(levels):
            level[arm.name] = {
                name: {
                    "mean": float(mean[name][number]),
                    "standard_error": _finite(float(errors[name][number])),
                }
                for name in ("targets", "hitters")
            }
    return levels


def _describe_watched(hitters: HitterCell, arms: Arms) -> list[dict[str, Any]]:
    """The targets and the true hitters: what is true of each, and what came of it in each arm.

    `estimate` is the mean of the estimated frequencies where the item is in the answer; None where
    it never is.
    """
    cell, watched, prefixes = hitters.cell, hitters.watched, hitters.prefixes
    groups = len(prefixes.lengths)
    means = {arm: LevelMean.of(arms[arm].mean, groups) for arm in UNDEFENDED}
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
