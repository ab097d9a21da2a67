"""How a scenario names a trusted curator, to stand beside the local protocols."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final, Literal, TypeAlias

from ...bounds import check_bounds
from ...pure import EPSILON
from . import Geometric, Laplace, Neighbours, Stability
from .accuracy import DELTA, require_delta


@dataclass(frozen=True)
class AdditiveSpec:
    """A histogram with noise in every bin, before the domain is known."""

    kind: Literal["laplace", "geometric"]
    epsilon: Annotated[float, EPSILON]
    neighbours: Neighbours = "change-one"

    def __post_init__(self) -> None:
        check_bounds(self)

    def bind(self, domain_size: int, labels: tuple[str, ...] | None = None) -> Laplace | Geometric:  # noqa: ARG002
        mechanism = Laplace if self.kind == "laplace" else Geometric
        return mechanism(domain_size, self.epsilon, self.neighbours)


@dataclass(frozen=True)
class StabilitySpec:
    """A histogram of the items that somebody has, before the domain is known."""

    kind: Literal["stability"]
    epsilon: Annotated[float, EPSILON]
    delta: Annotated[float, DELTA] = 1e-6
    neighbours: Neighbours = "change-one"

    def __post_init__(self) -> None:
        require_delta(self.delta)
        check_bounds(self)

    def bind(self, domain_size: int, labels: tuple[str, ...] | None = None) -> Stability:  # noqa: ARG002
        return Stability(domain_size, self.epsilon, self.neighbours, delta=self.delta)


CentralSpec: TypeAlias = AdditiveSpec | StabilitySpec

CENTRAL: Final[dict[str, type[CentralSpec]]] = {
    "laplace": AdditiveSpec,
    "geometric": AdditiveSpec,
    "stability": StabilitySpec,
}
"""The central mechanisms that a scenario can name."""
