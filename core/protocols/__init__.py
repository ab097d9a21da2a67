"""The protocols: one file a family (RAPPOR: a package), and the table of what a scenario can name.

A new pure protocol is a frozen dataclass with the interface of `core.pure.PureProtocol` and a line
in CONSTRUCTORS (or a spec of its own where it has parameters besides epsilon); the contract test
then covers it. RAPPOR has forms that are pure and forms that are not, and a trusted curator is no
local protocol at all: KINDS holds them as well.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Final, Literal, TypeAlias

from ..bounds import check_bounds
from ..errors import ScenarioError, spelled
from ..pure import EPSILON, PureProtocol
from .curators.specs import CENTRAL, AdditiveSpec, CentralSpec, StabilitySpec
from .grr import GRR
from .hashing import BLH, HASH_RANGE, OLH, HashRule, LocalHashing, hash_range_for
from .rappor import BitNoise, Rappor, RapporSpec
from .unary import OUE, SUE, Unary

CONSTRUCTORS: Final[dict[str, Callable[[int, float], PureProtocol]]] = {
    "grr": GRR,
    "sue": SUE,
    "oue": OUE,
    "blh": BLH,
}


@dataclass(frozen=True)
class BudgetSpec:
    """A protocol that needs nothing but its privacy budget, before the domain is known."""

    kind: Literal["grr", "sue", "oue", "blh"]
    epsilon: Annotated[float, EPSILON]

    def __post_init__(self) -> None:
        check_bounds(self)

    def bind(self, domain_size: int, labels: tuple[str, ...] | None = None) -> PureProtocol:  # noqa: ARG002
        return CONSTRUCTORS[self.kind](domain_size, self.epsilon)


@dataclass(frozen=True)
class OLHSpec:
    """Optimised local hashing, before the domain is known; g by a rule or given."""

    kind: Literal["olh"]
    epsilon: Annotated[float, EPSILON]
    hash_range: HashRule | Annotated[int, HASH_RANGE] = "nearest"

    def __post_init__(self) -> None:
        check_bounds(self)
        g = hash_range_for(self.epsilon, self.hash_range)
        if g not in HASH_RANGE:
            raise ScenarioError(
                f"must be {HASH_RANGE}, got {g} (e^ε + 1 at epsilon = "
                f"{spelled(self.epsilon)}); give an integer instead",
                key="hash_range",
            )

    def bind(self, domain_size: int, labels: tuple[str, ...] | None = None) -> PureProtocol:  # noqa: ARG002
        return OLH(domain_size, self.epsilon, self.hash_range)


PureSpec: TypeAlias = BudgetSpec | OLHSpec
ProtocolSpec: TypeAlias = PureSpec | RapporSpec | CentralSpec

PROTOCOLS: Final[dict[str, type[PureSpec]]] = {
    **dict.fromkeys(CONSTRUCTORS, BudgetSpec),
    "olh": OLHSpec,
}
"""The protocols that are pure, and that a privacy budget alone can bind."""

KINDS: Final[dict[str, type[ProtocolSpec]]] = {
    **PROTOCOLS,
    "rappor": RapporSpec,
    **CENTRAL,
}
"""Everything that a scenario can name."""

__all__ = [
    "BLH",
    "CENTRAL",
    "GRR",
    "KINDS",
    "OLH",
    "OUE",
    "PROTOCOLS",
    "SUE",
    "AdditiveSpec",
    "BitNoise",
    "CentralSpec",
    "LocalHashing",
    "ProtocolSpec",
    "PureSpec",
    "Rappor",
    "RapporSpec",
    "StabilitySpec",
    "Unary",
]
