"""The attack that a scenario asks for by name, and that somebody wrote in Python.

Nothing here finds or runs its code: `core.plugins` does, where the user allows it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, NoReturn, Self

from ..base.errors import AttackError
from ..base.named import check_named
from ..base.ranges import SHARE, check_bounds
from ..base.sampling import Counts
from ..law.capabilities import SendsBits
from ..law.pure import Items, LocalMechanism, Mechanism, Reports, Rng, Supporting
from ..population import Population
from ..population.targets import Targets
from .strategy import ReportLaw, Usual, View


@dataclass(frozen=True)
class PythonAttack(Usual):
    """An attack of somebody's, by its name. No law of its reports is known here.

    options : what its code takes besides, as TOML has it; kept with sorted keys.
    """

    reacts: ClassVar[bool] = True
    report_law: ClassVar[ReportLaw] = "unknown"
    share: Annotated[float, SHARE]
    targets: Targets
    name: str
    options: dict[str, Any] = field(default_factory=dict, hash=False)
    kind: Literal["plugin"] = "plugin"

    def __post_init__(self) -> None:
        check_bounds(self)
        check_named(self, "attack")

    @property
    def cohort(self) -> None:
        return None

    @property
    def code(self) -> str:
        """The name of the code that makes the reports, user by user; other attacks have none."""
        return self.name

    def among(self, population: Population, count: int) -> Self:  # noqa: ARG002
        return self

    def check(self, protocol: Mechanism, targets: Items) -> None:
        """Its code alone knows where it makes sense."""

    def reports(self, protocol: LocalMechanism, view: View, count: int, rng: Rng) -> Reports:  # noqa: ARG002
        raise AttackError(f"attack {self.name!r} is somebody's code and not allowed")

    def counts(self, protocol: Mechanism, view: View, count: Counts, rng: Rng) -> NoReturn:  # noqa: ARG002
        raise AttackError(f"attack {self.name!r} is Python code: it makes reports, user by user")

    def item_support(self, protocol: Supporting, targets: Items, counted: Items) -> None:  # noqa: ARG002
        return None

    def bits(self, protocol: SendsBits, targets: Items) -> None:  # noqa: ARG002
        return None
