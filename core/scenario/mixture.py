"""The schema of mixtures: a kind's keys, less the share, and a weight."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias, Union, get_type_hints

from pydantic import Discriminator

from ..attacks import ATTACKS, Attack, ListedTargets, Mixture, NoAttack, Part, Targets
from ..attacks.mixture import WEIGHT
from ..base.errors import ScenarioError
from ..base.ranges import SHARE, check_bounds


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
        """The attack as a cell holds it; raises ScenarioError where a part has no targets."""
        for number, part in enumerate(self.mix):
            if getattr(part, "targets", self) is None and self.targets is None:
                raise ScenarioError(
                    "is required where attack.targets is not given", key=f"mix.{number}.targets"
                )
        parts = (Part(part.weight, part.whole(self.share, self.targets)) for part in self.mix)
        return Mixture(self.share, tuple(parts), self.targets)
