"""The alarm where users choose their group: groups that differ more than chance lets them.

Pearson's chi-square test, Philosophical Magazine 1900; no paper has it against PEM.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Final, Literal, Protocol

import numpy as np

from ..base.capability import Capability
from ..base.ranges import ALPHA
from ..base.sampling import Counts, Floats
from ..law.pure import BoolArray
from .step import Checked, ForAll, Step


class ReadsGroups(Checked, Protocol):
    """A step that reads the sizes of the users' groups, and claims an attack or none."""

    def uneven(self, sizes: Counts) -> BoolArray:
        """bool[trials]: whether it claims an attack, from int64[trials, G] users of the groups."""
        ...

    def power(self, genuine: int, fakes: Floats) -> float:
        """The probability of a claim: users at random, float64[G] fakes besides. Approximate."""
        ...


@dataclass(frozen=True)
class Imbalance(ForAll, Step):
    """Alarm where Σ (N_j - N/G)² / (N/G) is above the 1 - α quantile of χ² with G - 1 degrees.

    alpha : how often it alarms where nobody attacks, exact for many users.
    """

    libraries: ClassVar[tuple[str, ...]] = ("scipy.special",)

    alpha: Annotated[float, ALPHA] = 0.01
    kind: Literal["imbalance"] = "imbalance"

    def threshold(self, groups: int) -> float:
        """The largest statistic without a claim."""
        from scipy.special import chdtri

        return float(chdtri(groups - 1, self.alpha))

    def uneven(self, sizes: Counts) -> BoolArray:
        groups = sizes.shape[1]
        if groups < 2:
            return np.zeros(len(sizes), dtype=np.bool_)
        even = np.maximum(sizes.sum(axis=1, keepdims=True) / groups, 1 / groups)
        return np.asarray(((sizes - even) ** 2 / even).sum(axis=1) > self.threshold(groups))

    def power(self, genuine: int, fakes: Floats) -> float:
        """The probability of an alarm with these fakes in the groups: float64[G].

        The n genuine users of all N are at random, so that N/n of the statistic is noncentral χ².
        """
        from scipy.special import chndtr

        groups, everyone = fakes.size, genuine + float(fakes.sum())
        if groups < 2:
            return 0.0
        shift = float(((fakes - fakes.mean()) ** 2).sum()) * groups / genuine
        limit = self.threshold(groups) * everyone / genuine
        return float(1 - chndtr(limit, groups - 1, shift))


reads_groups: Final[Capability[ReadsGroups]] = Capability("uneven")
"""True where a defence reads the sizes of groups."""
