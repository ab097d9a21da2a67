"""What a scenario says at one point: the dataclasses of its parts are the schema."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import Discriminator, TypeAdapter

from ..attacks import ATTACKS, AttackSpec, NoAttack
from ..bounds import Range, check_bounds
from ..population import POPULATIONS, STATED, PopulationSpec, StatedSpec
from ..protocols import KINDS as PROTOCOL_KINDS
from ..protocols import ProtocolSpec
from .document import flatten

FORMAT: Final = 1
KINDS: Final[dict[str, Mapping[str, type]]] = {
    "population": POPULATIONS,
    "protocol": PROTOCOL_KINDS,
    "attack": ATTACKS,
}
"""The tables whose `kind` decides what they hold."""
NESTED: Final[dict[str, Mapping[str, type]]] = {"campaign.drift": STATED}
"""The same of tables within tables."""


@dataclass(frozen=True)
class Simulate:
    """How to simulate: which path, and the k of `targets_in_top_k`."""

    path: Literal["auto", "counts", "reports"] = "auto"
    top_k: Annotated[int, Range(1)] = 20

    def __post_init__(self) -> None:
        check_bounds(self)


ROUNDS: Final = Range(1, 1000)


@dataclass(frozen=True)
class Campaign:
    """A collection in rounds, and how its users change from one to the next.

    rounds : how many. churn : the share of users that are replaced by new ones before a round.
    drift : a second population that is mixed in evenly over the rounds.
    """

    rounds: Annotated[int, ROUNDS]
    churn: Annotated[float, Range(0, 1)] = 0.0
    drift: Annotated[StatedSpec, Discriminator("kind")] | None = None

    def __post_init__(self) -> None:
        check_bounds(self)


@dataclass(frozen=True)
class Point:
    """One point of a scenario: every parameter has one value."""

    __pydantic_config__: ClassVar = {"extra": "forbid", "strict": True}

    format: Literal[1]
    population: Annotated[PopulationSpec, Discriminator("kind")]
    protocol: Annotated[ProtocolSpec, Discriminator("kind")]
    attack: Annotated[AttackSpec, Discriminator("kind")] = field(default_factory=NoAttack)
    title: str = ""
    about: str = ""
    seed: Annotated[int, Range(0, 2**63, "[)")] = 0
    trials: Annotated[int, Range(1)] = 20
    simulate: Simulate = field(default_factory=Simulate)
    campaign: Campaign | None = None

    def __post_init__(self) -> None:
        check_bounds(self)

    @property
    def parameters(self) -> dict[str, Any]:
        """Every key with its value, dotted and down to scalars and lists; titles left out."""
        kinds = {name: {"kind": getattr(self, name).kind} for name in KINDS}
        plain = dataclasses.asdict(self)
        for name in ("format", "title", "about"):
            del plain[name]
        tables = {name: {**kinds.get(name, {}), **value} for name, value in plain.items()
                  if isinstance(value, dict)}  # fmt: skip
        return dict(flatten({**plain, **tables}))


POINT: Final = TypeAdapter(Point)
