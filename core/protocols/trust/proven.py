"""Noisy vectors inside secure aggregation: clients flip bits, and prove how many ones are left.

draft-wang-ppm-differential-privacy adds the noise of clients to Prio's vectors. A proof then has to
admit every honest vector that the noise makes likely, and so as many ones of a fake.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Final

import numpy as np

from ...base.errors import ScenarioError, got
from ...base.sampling import hypergeometric_law
from ...law.law import Ask, LawName, SupportSizes
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

    lacks: ClassVar[dict[str, str]] = {
        "disguised": "ProvenBits, whose proof bounds the number of ones",
    }
    crafted: ClassVar[frozenset[LawName]] = Unary.crafted - {"solved"} | {"random"}

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

    def padding(self, r: int) -> int:
        """The ones beside r targets: as expected of an honest report, and no more than proved."""
        return min(super().padding(r), max(0, self.weight - r))

    def craft_sizes(self, ask: Ask) -> SupportSizes:
        """As in unary encoding, and no more ones than a proof admits."""
        r, weight = ask.targets.size, self.weight
        if ask.law == "random":  # `weight` ones anywhere
            inside, chances = hypergeometric_law(self.domain_size, r, weight)
            return SupportSizes(inside, chances, weight - inside)
        if ask.law == "crafted" and r > weight:
            return SupportSizes.of_one_size(weight, 0)
        if ask.law == "subset":
            ask = replace(ask, subset=min(ask.subset, weight))
        sizes = super().craft_sizes(ask)
        if ask.law != "disguised":
            return sizes
        assert sizes.other_sizes is not None
        inside = np.minimum(sizes.target_sizes, weight)
        others = np.minimum(sizes.other_sizes, weight - inside)
        return SupportSizes(inside, sizes.probabilities, others)
