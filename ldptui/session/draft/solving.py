"""Attacks that are solved for: their linear programmes are solved beside the screen."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .populations import UnreadError

if TYPE_CHECKING:
    from ldptui.core.attacks import Fakes
    from ldptui.core.bounds.solver import Programme


@dataclass(frozen=True)
class Unsolved:
    """Programmes to be solved before more can be said."""

    programmes: tuple[Programme, ...]

    @property
    def doing(self) -> str:
        return "solving for the attack"

    def read(self) -> None:
        """Solve them, on any thread; the answers are kept."""
        from ldptui.core.bounds import solver

        for programme in self.programmes:
            solver.solved(programme)


def require_solved(fakes: Iterable[Fakes], protocol: Any) -> None:
    """Raise UnreadError where these fakes have to be solved for first."""
    solving: list[Any] = [group for group in fakes if hasattr(group.strategy, "programme")]
    if not solving:
        return
    from ldptui.core.bounds import solver

    programmes = [group.strategy.programme(protocol, group.targets) for group in solving]
    unknown = tuple(each for each in programmes if not solver.known(each))
    if unknown:
        raise UnreadError(Unsolved(unknown))
