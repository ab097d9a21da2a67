"""The schema of mixtures of attacks, and of campaigns: rounds, their users, phases of mixtures."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
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

from pydantic import Discriminator, Field, Tag

from ..attacks import ATTACKS, Attack, ListedTargets, Mixture, NoAttack, Part, Targets
from ..attacks.mixture import WEIGHT
from ..base.errors import ScenarioError, got
from ..base.ranges import SHARE, Range, RangeChecked, check_bounds, require
from ..population import StatedSpec


def _part_of(kind: type) -> type:
    """The schema of a part of a mixture: a kind's own keys less `share`, and a `weight`.

    Its targets may be left to the mixture.
    """
    hints = get_type_hints(kind, include_extras=True)
    described: list[tuple[str, Any, Any]] = [("weight", Annotated[float, WEIGHT], field())]
    for key in dataclasses.fields(kind):
        if key.name == "targets":
            described.append((key.name, hints[key.name] | None, field(default=None)))
        elif key.name != "share":
            again: Any = {"default": key.default, "default_factory": key.default_factory}
            described.append((key.name, hints[key.name], field(hash=key.hash, **again)))

    def whole(part: Any, share: float, targets: Targets | None) -> Attack:
        values = {name: vars(part)[name] for name, _, _ in described[1:]}
        if "targets" in values:
            values["targets"] = part.targets or targets
        attack: Attack = kind(share=share, **values)
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
    """The `mix` of an attack table: several kinds of fakes at once, before their targets are known.

    share : β of all. targets : of parts without their own. ScenarioError without a part, or
    targets.
    """

    share: Annotated[float, SHARE]
    mix: tuple[Annotated[PartSpec, Discriminator("kind")], ...]
    targets: Targets | None = None

    def __post_init__(self) -> None:
        check_bounds(self)
        if not self.mix:
            raise ScenarioError("must list at least one part, got []", key="mix")
        self.bind()

    def bind(self) -> Mixture:
        """The mixture of these attacks; raises ScenarioError for a part without targets."""
        for number, part in enumerate(self.mix):
            if getattr(part, "targets", self) is None and self.targets is None:
                raise ScenarioError(
                    "is required where attack.targets is not given", key=f"mix.{number}.targets"
                )
        parts = (Part(part.weight, part.whole(self.share, self.targets)) for part in self.mix)
        return Mixture(self.share, tuple(parts), self.targets)


ROUNDS: Final = Range(1, 1000)


@dataclass(frozen=True)
class Campaign(RangeChecked):
    """The `[campaign]` table: rounds, and how the users change between them.

    rounds : their number; None for the rounds of all phases of the attack.
    churn : the share of users that are replaced by new ones before each round.
    drift : a second population, towards which the users change linearly over the rounds.
    """

    rounds: Annotated[int, ROUNDS] | None = None
    churn: Annotated[float, Range(0, 1)] = 0.0
    drift: Annotated[StatedSpec, Discriminator("kind")] | None = None


@dataclass(frozen=True)
class Ramp:
    """A share of fakes that changes over the rounds of a phase, from `start` to `end`.

    shape : by equal steps, by equal factors, or all at once in the phase's round `at`, from 0.
    Raises ScenarioError if `at` or a share does not fit the shape.
    """

    KEYS: ClassVar = {"start": "from", "end": "to"}
    """The names in scenarios of the fields whose names Python keeps for itself."""

    start: Annotated[float, SHARE, Field(alias="from")]
    end: Annotated[float, SHARE, Field(alias="to")]
    shape: Literal["linear", "exponential", "step"] = "linear"
    at: Annotated[int, Range(1, ROUNDS.high, "[)")] | None = None

    def __post_init__(self) -> None:
        try:
            check_bounds(self)
        except ScenarioError as error:
            key = self.KEYS.get(error.key, error.key)
            raise ScenarioError(error.rule, key) from error
        for key, value in (("from", self.start), ("to", self.end)):
            if self.shape == "exponential" and not value > 0:
                rule = f"must be greater than 0 where the shape is exponential, {got(value)}"
                raise ScenarioError(rule, key)
        if self.shape == "step" and self.at is None:
            raise ScenarioError("is required where the shape is step", "at")
        if self.shape != "step" and self.at is not None:
            rule = f"must be left out where the shape is {self.shape}, got {self.at}"
            raise ScenarioError(rule, "at")

    def value(self, number: int, rounds: int) -> float:
        """The share of fakes β in round `number` of `rounds`; the start value if there is a single
        round.
        """
        if self.at is not None:
            return self.start if number < self.at else self.end
        along = number / (rounds - 1) if rounds > 1 else 0.0
        if self.shape == "exponential":
            return math.pow(self.start, 1 - along) * math.pow(self.end, along)
        return self.start * (1 - along) + self.end * along


NUMBER: Final = "(number)"
RAMP: Final = "(ramp)"


def _shape(share: Any) -> str:
    return RAMP if isinstance(share, dict | Ramp) else NUMBER


Share: TypeAlias = Annotated[
    Annotated[float, SHARE, Tag(NUMBER)] | Annotated[Ramp, Tag(RAMP)], Discriminator(_shape)
]


@dataclass(frozen=True)
class PhaseSpec:
    """A phase of an attack: a number of rounds with a share of fakes and a mixture of attacks.

    muted : whether these rounds have no fakes. Raises ScenarioError without a part, or if the step
    of a ramp is after the phase.
    """

    rounds: Annotated[int, ROUNDS]
    share: Share
    mix: tuple[Annotated[PartSpec, Discriminator("kind")], ...]
    targets: Targets | None = None
    muted: bool = False

    def __post_init__(self) -> None:
        check_bounds(self)
        if not isinstance(self.share, Ramp):
            require("share", self.share, SHARE)
        elif self.share.at is not None and self.share.at >= self.rounds:
            raise ScenarioError(
                f"must be below the rounds of the phase, {self.rounds}, got {self.share.at}",
                key="share.at",
            )
        if not self.mix:
            raise ScenarioError("must list at least one part, got []", key="mix")

    def mixture(self, share: float, targets: Targets | None) -> Mixture:
        """The attack in one round, with this share of fakes; `targets` if the phase has none of its
        own.
        """
        return MixtureSpec(share, self.mix, self.targets or targets).bind()

    def shares(self) -> Iterator[float]:
        """Yields the share of fakes β in each round of the phase."""
        for number in range(self.rounds):
            ramp = self.share
            yield ramp.value(number, self.rounds) if isinstance(ramp, Ramp) else ramp


@dataclass(frozen=True)
class PhasesSpec:
    """The phases of an attack, one after the other; after the last there are no fakes.

    targets : the targets that metrics count, and of parts without targets in phases without
    targets. Raises ScenarioError without a phase, or with too many rounds.
    """

    phase: tuple[PhaseSpec, ...]
    targets: Targets | None = None

    def __post_init__(self) -> None:
        if not self.phase:
            raise ScenarioError("must list at least one phase, got []", key="phase")
        if self.rounds not in ROUNDS:
            rule = f"must have at most {ROUNDS.high} rounds in all phases, got {self.rounds}"
            raise ScenarioError(rule, key="phase")
        for number, phase in enumerate(self.phase):
            try:
                phase.mixture(0.0, self.targets)
            except ScenarioError as error:
                raise error.within(f"phase.{number}") from error

    @property
    def rounds(self) -> int:
        """The total number of rounds of all phases."""
        return sum(phase.rounds for phase in self.phase)
