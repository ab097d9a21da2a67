"""One fully bound point of an experiment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .attacks import Attack
from .population import Population
from .pure import Items, PureProtocol
from .streams import Path


@dataclass(frozen=True, eq=False)
class Cell:
    """Everything that the numbers of one cell depend on.

    parameters : the scenario's keys at this point, dotted, down to scalars and lists.
    targets : int64[r], empty without an attack.
    malicious : m, the number of fake users; users : n, the genuine ones.
    """

    index: int
    parameters: Mapping[str, object]
    seed: int
    trials: int
    population: Population
    protocol: PureProtocol
    attack: Attack | None
    targets: Items
    malicious: int
    path: Path
    top_k: int

    @property
    def users(self) -> int:
        return self.population.users

    @property
    def share(self) -> float:
        """β = m / (n + m), as it came out after m was rounded."""
        return self.malicious / (self.users + self.malicious)

    @property
    def target_frequency(self) -> float:
        """f_T, what the genuine users really hold of the targets."""
        return float(self.population.frequencies[self.targets].sum())

    @property
    def hash_range(self) -> int | None:
        return getattr(self.protocol, "hash_range", None)

    @property
    def genuine_address(self) -> str:
        return f"{self.population.address} {self.protocol!r}"

    @property
    def malicious_address(self) -> str:
        return f"{self.genuine_address} {self.attack!r} {self.targets.tolist()}"
