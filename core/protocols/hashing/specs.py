"""The kinds of local hashing: BLH, OLH and LH, before and after the domain is known.

They differ in the number of buckets g alone. Wang, Blocki, Li, Jha, USENIX Security 2017 (W17).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from ...base.errors import ScenarioError, spelled
from ..budget import Budget, Dial
from .local import HASH_RANGE, LocalHashing

HashRule: TypeAlias = Literal["nearest", "ceil", "floor"]


def hash_range_for(epsilon: float, rule: HashRule | int = "nearest") -> int:
    """The integer g for a privacy budget: e^ε + 1 rounded by the rule, at least 2; or as given.

    nearest: W17 section 6.1; ceil: Cao, Jia, Gong section 5.1; floor: Li et al. 2025.
    """
    if isinstance(rule, int):
        return rule
    ideal = math.exp(epsilon) + 1
    rounded = {"nearest": round(ideal), "ceil": math.ceil(ideal), "floor": math.floor(ideal)}
    return max(2, rounded[rule])


def BLH(domain_size: int, epsilon: float) -> LocalHashing:  # noqa: N802
    """Binary local hashing: g = 2. W17 section 4.4."""
    return LocalHashing(domain_size, epsilon, 2)


def OLH(  # noqa: N802
    domain_size: int, epsilon: float, hash_range: HashRule | int = "nearest"
) -> LocalHashing:
    """Optimised local hashing: g = e^ε + 1, rounded by the rule. W17 section 4.4."""
    return LocalHashing(domain_size, epsilon, hash_range_for(epsilon, hash_range))


@dataclass(frozen=True)
class BLHSpec(Budget, kind="blh", mechanism=LocalHashing, make=BLH):
    """BLH, before the domain is known."""


@dataclass(frozen=True)
class _HashRangeTable(Budget, mechanism=LocalHashing):
    """The table of a kind with the key g: by a rule or given."""

    hash_range: HashRule | Annotated[int, HASH_RANGE] = "nearest"

    def __post_init__(self) -> None:
        super().__post_init__()
        g = hash_range_for(self.epsilon, self.hash_range)
        if g not in HASH_RANGE:
            raise ScenarioError(
                f"must be {HASH_RANGE}, got {g} (e^ε + 1 at epsilon = "
                f"{spelled(self.epsilon)}); give an integer instead",
                key="hash_range",
            )

    def bind(self, domain_size: int) -> LocalHashing:
        return OLH(domain_size, self.epsilon, self.hash_range)


@dataclass(frozen=True)
class OLHSpec(_HashRangeTable, kind="olh"):
    """OLH, before the domain is known."""


@dataclass(frozen=True)
class LHSpec(_HashRangeTable, kind="lh", dial=Dial("hash_range", HASH_RANGE, whole=True)):
    """Local hashing with any g, before the domain is known: BLH and OLH are two settings of it."""
