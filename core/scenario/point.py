"""What a scenario says at one point: the dataclasses of its parts are the schema."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Final,
    Literal,
    TypeAlias,
    Union,
    get_type_hints,
)

from pydantic import Discriminator, Tag, TypeAdapter

from ..attacks import (
    ATTACKS,
    SHARE,
    Attack,
    AttackSpec,
    ListedTargets,
    Mixture,
    NoAttack,
    Part,
    Targets,
)
from ..attacks.mixture import WEIGHT
from ..bounds import Range, check_bounds
from ..errors import ScenarioError
from ..goal import Goal
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


def _part_of(kind: type) -> type:
    """The schema of a part of a mixture: a kind's own keys less `share`, and a `weight`.

    Its targets may be left to the mixture.
    """
    hints = get_type_hints(kind, include_extras=True)
    described: list[tuple[str, Any, Any]] = [("weight", Annotated[float, WEIGHT], field())]
    for one in dataclasses.fields(kind):
        if one.name == "targets":
            described.append((one.name, hints[one.name] | None, field(default=None)))
        elif one.name != "share":
            again: Any = {"default": one.default, "default_factory": one.default_factory}
            described.append((one.name, hints[one.name], field(hash=one.hash, **again)))

    def whole(part: Any, share: float, targets: Targets | None) -> Attack:
        own = {name: getattr(part, name) for name, _, _ in described[1:]}
        if "targets" in own:
            own["targets"] = part.targets or targets
        attack: Attack = kind(share=share, **own)
        return attack

    def check(part: Any) -> None:
        check_bounds(part)
        whole(part, 0.0, ListedTargets((0,)))

    return dataclasses.make_dataclass(
        f"{kind.__name__}Part",
        described,
        frozen=True,
        kw_only=True,
        namespace={"__post_init__": check, "whole": whole, "__module__": __name__},
    )


PARTS: Final[dict[str, type]] = {
    name: _part_of(kind) for name, kind in ATTACKS.items() if kind is not NoAttack
}
"""The kinds that a part of a mixture can have."""

if TYPE_CHECKING:
    PartSpec: TypeAlias = Any
else:
    PartSpec = Union[tuple(PARTS.values())]  # noqa: UP007


@dataclass(frozen=True)
class MixtureSpec:
    """Several kinds of fakes at once, before their targets are known."""

    share: Annotated[float, SHARE]
    mix: tuple[Annotated[PartSpec, Discriminator("kind")], ...]
    targets: Targets | None = None

    def __post_init__(self) -> None:
        check_bounds(self)
        if not self.mix:
            raise ScenarioError("must list at least one part, got []", key="mix")
        self.bind()

    def bind(self) -> Mixture:
        """What the fakes do; raises ScenarioError where a part has no targets."""
        for number, part in enumerate(self.mix):
            if getattr(part, "targets", self) is None and self.targets is None:
                raise ScenarioError(
                    "is required where attack.targets is not given", key=f"mix.{number}.targets"
                )
        parts = (Part(part.weight, part.whole(self.share, self.targets)) for part in self.mix)
        return Mixture(self.share, tuple(parts), self.targets)


ONE_KIND: Final = "(one kind)"
MIXTURE: Final = "(mixture)"


def _mode(attack: Any) -> str:
    """Which tag an attack table has: it has one kind or a mixture."""
    mixed = "mix" in attack if isinstance(attack, dict) else isinstance(attack, MixtureSpec)
    return MIXTURE if mixed else ONE_KIND


AttackTable: TypeAlias = Annotated[
    Annotated[Annotated[AttackSpec, Discriminator("kind")], Tag(ONE_KIND)]
    | Annotated[MixtureSpec, Tag(MIXTURE)],
    Discriminator(_mode),
]
"""`[attack]`: one kind, or a mixture of several."""


def kinds_at(table: str) -> Mapping[str, type]:
    """The kinds that a table can have, by its dotted name; empty where it has none."""
    if re.fullmatch(r"attack(\.phase\.\d+)?\.mix\.\d+", table):
        return PARTS
    return (KINDS | NESTED).get(table, {})


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
    attack: AttackTable = field(default_factory=NoAttack)
    title: str = ""
    about: str = ""
    seed: Annotated[int, Range(0, 2**63, "[)")] = 0
    trials: Annotated[int, Range(1)] = 20
    simulate: Simulate = field(default_factory=Simulate)
    campaign: Campaign | None = None
    goal: Goal | None = None

    def __post_init__(self) -> None:
        check_bounds(self)

    @property
    def parameters(self) -> dict[str, Any]:
        """Every key with its value, dotted and down to scalars and lists; titles left out."""
        tables = {name: getattr(self, name) for name in KINDS}
        kinds = {name: {"kind": one.kind} for name, one in tables.items() if hasattr(one, "kind")}
        plain = dataclasses.asdict(self)
        for name in ("format", "title", "about"):
            del plain[name]
        tables = {name: {**kinds.get(name, {}), **value} for name, value in plain.items()
                  if isinstance(value, dict)}  # fmt: skip
        return dict(flatten({**plain, **tables}))


POINT: Final = TypeAdapter(Point)
