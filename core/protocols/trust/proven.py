"""Noisy vectors inside secure aggregation: clients flip bits, and prove how many ones are left.

draft-wang-ppm-differential-privacy adds the noise of clients to Prio's vectors. A proof then has to
admit every honest vector that the noise makes likely, and so as many ones of a fake.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from ...base.errors import ScenarioError, got
from ...base.sampling import hypergeometric_law
from ...law.law import Ask, Lack, Law, Ones
from ..unary import Unary

REFUSED: Final = 1e-6
"""How likely an honest vector may have more ones than the proof admits, as in the draft."""


def least_weight(items: int, q: float) -> int:
    """The ones that a proof has to admit: more are less likely than `REFUSED` in honest vectors.

    The own bit counts as a one; each of the others is one with probability q.
    """
    from scipy.stats import binom

    return min(items, int(binom.isf(REFUSED, items - 1, q)) + 1)


@dataclass(frozen=True)
class ProvenBits(Unary):
    """Unary encoding whose reports are proved to have at most `weight` ones.

    Honest reports with more ones are as unlikely as `REFUSED` says, and drawn as if admitted.
    """

    weight: int

    def __post_init__(self) -> None:
        super().__post_init__()
        least = least_weight(self.domain_size, self.q)
        if not least <= self.weight <= self.domain_size:
            rule = (
                f"must be in [{least}, {self.domain_size}]: a proof that admits fewer ones refuses "
                f"more than one honest vector in a million"
            )
            raise ScenarioError(f"{rule}, {got(self.weight)}", key="weight")

    def law_of(self, ask: Ask) -> Law | Lack:
        """The law of unary encoding; a uniformly random report has `weight` ones anywhere."""
        if ask.law == "random":
            r, d = ask.targets.size, self.domain_size
            inside, chances = hypergeometric_law(d, r, self.weight)
            return self.composed(ask, Ones(inside, self.weight - inside, chances))
        if ask.law == "solved":
            return Lack("ProvenBits, whose proof bounds the number of ones")
        return super().law_of(ask)

    def padding(self, r: int) -> int:
        """The ones beside r targets: as expected of an honest report, and no more than proved."""
        return min(super().padding(r), max(0, self.weight - r))

    def crafted_ones(self, r: int) -> Ones:
        """MGA: as many targets as a proof admits, any of them."""
        if r <= self.weight:
            return super().crafted_ones(r)
        return Ones.fixed(self.weight, 0)

    def subset_ones(self, r: int, subset: int) -> Ones:
        """MGA-A: a subset of the targets, or as many as a proof admits."""
        return super().subset_ones(r, min(subset, self.weight))

    def disguised_ones(self, r: int) -> Ones:
        """APA: as many ones as an honest report has, and no more than a proof admits."""
        honest = super().disguised_ones(r)
        inside = np.minimum(honest.inside, self.weight)
        return Ones(inside, np.minimum(honest.outside, self.weight - inside), honest.law)
