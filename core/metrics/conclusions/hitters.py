"""The conclusions about heavy hitters, the items that the server names, and their metrics.

Identification metrics: Cao, Jia, Gong, USENIX Security 2021, section 5; NCR: Wang, Li, Jha, TDSC
2019.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ...base.arms import ATTACKED, CLEAN, Arm
from ...base.sampling import Floats
from ...law.pure import Items
from ..conclusion import Conclusion, Metric


@dataclass(frozen=True, eq=False)
class HitterAnswer:
    """The heavy hitters that the server names in several trials, for w items of interest.

    survived : bool[trials, G, w], whether the prefix of an item survives a level; at the last of G
    levels, whether the item is named.
    estimates : float64[trials, w], the estimated frequency of each item; 0 if it is not named.
    size : the number of items that the server names.
    """

    survived: NDArray[np.bool_]
    estimates: Floats
    size: int

    @property
    def named_items(self) -> NDArray[np.bool_]:
        """bool[trials, w]: whether the server names each item."""
        return np.asarray(self.survived[:, -1])

    @property
    def lasted_levels(self) -> Floats:
        """float64[trials, w]: the number of levels that an item's prefixes survive before the first
        that one does not.
        """
        return np.asarray(np.logical_and.accumulate(self.survived, axis=1).sum(axis=1), np.float64)


@dataclass(frozen=True, eq=False)
class HitterConclusion(Conclusion):
    """The heavy hitters that the server names in several trials, by arm, with the true heavy
    hitters.

    targets : int64[r], the targets' places among the w items; empty without an attack.
    hitters : int64[h], the places of the k most frequent items with any users, the most frequent
    first.
    """

    answers: Mapping[Arm, HitterAnswer]
    targets: Items
    hitters: Items

    @property
    def trials(self) -> int:
        return len(self.answers[CLEAN].survived)

    @property
    def arms(self) -> Set[Arm]:
        return self.answers.keys()

    def targets_in_top_k(self, arm: Arm) -> Floats:
        """float64[trials]: the number of targets among the named heavy hitters."""
        return np.asarray(
            self.answers[arm].named_items[:, self.targets].sum(axis=1), dtype=np.float64
        )

    def _find_targets(self, arm: Arm) -> Floats:
        return np.asarray(
            self.answers[arm].named_items[:, self.hitters].sum(axis=1), dtype=np.float64
        )

    def precision(self, arm: Arm) -> Floats:
        """float64[trials]: the share of the named heavy hitters that are true heavy hitters."""
        return self._find_targets(arm) / self.answers[arm].size

    def recall(self, arm: Arm) -> Floats:
        """float64[trials]: the share of the true heavy hitters that the server names."""
        return self._find_targets(arm) / self.hitters.size

    def f1(self, arm: Arm) -> Floats:
        """float64[trials]: the harmonic mean of precision and recall."""
        return 2 * self._find_targets(arm) / (self.answers[arm].size + self.hitters.size)

    def ncr(self, arm: Arm) -> Floats:
        """float64[trials]: the normalised cumulative rank, the rank weights of the named true heavy
        hitters over all rank weights.
        """
        return np.asarray(
            self.answers[arm].named_items[:, self.hitters] @ rank_weights(self.hitters.size)
        )

    def target_levels(self, arm: Arm) -> Floats:
        """float64[trials]: the mean number of levels that the targets survive."""
        return np.asarray(self.answers[arm].lasted_levels[:, self.targets].mean(axis=1))

    def hitter_levels(self, arm: Arm) -> Floats:
        """float64[trials]: the mean number of levels that the true heavy hitters survive."""
        return np.asarray(self.answers[arm].lasted_levels[:, self.hitters].mean(axis=1))


def rank_weights(hitters: int) -> Floats:
    """float64[h]: h, h - 1, …, 1, scaled to add up to 1."""
    ranks = np.arange(hitters, 0, -1, dtype=np.float64)
    return np.asarray(ranks / ranks.sum())


_named = partial(Metric.in_arm, of=(HitterConclusion,))

METRICS: Final = (
    _named("hitter_precision", HitterConclusion.precision, ATTACKED),
    _named("hitter_recall", HitterConclusion.recall, ATTACKED),
    _named("hitter_f1", HitterConclusion.f1, ATTACKED),
    _named("ncr", HitterConclusion.ncr, ATTACKED),
    _named("target_levels", HitterConclusion.target_levels, ATTACKED, targets=True),
    _named("hitter_levels", HitterConclusion.hitter_levels, ATTACKED),
    _named("hitter_recall_clean", HitterConclusion.recall, CLEAN),
    _named("ncr_clean", HitterConclusion.ncr, CLEAN),
)
"""The metrics that heavy hitters alone have, in the order of columns."""

COLUMNS = ((1, METRICS),)
