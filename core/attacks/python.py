"""The attack that a scenario asks for by name, and that somebody wrote in Python.

Nothing here finds or runs its code: `core.plugins` does, where the user allows it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, NoReturn

from ..base.errors import AttackError
from ..base.named import check_named
from ..base.ranges import SHARE, check_bounds
from ..law.law import Law, LawName
from ..law.pure import Items, Mechanism
from ..population.targets import Targets
from .strategy import Strategy, View


@dataclass(frozen=True)
class PythonAttack(Strategy):
    """An attack of somebody's, by its name. No law of its reports is known here.

    options : what its code takes besides, as TOML has it; kept with sorted keys.
    """

    reacts: ClassVar[bool] = True
    report_law: ClassVar[LawName] = "unknown"
    share: Annotated[float, SHARE]
    targets: Targets
    name: str
    options: dict[str, Any] = field(default_factory=dict, hash=False)
    kind: Literal["plugin"] = "plugin"

    def __post_init__(self) -> None:
        check_bounds(self)
        check_named(self, "attack")

    @property
    def code(self) -> str:
        """The name of the code that makes the reports, user by user; other attacks have none."""
        return self.name

    def check(self, protocol: Mechanism, targets: Items) -> None:
        """Its code alone knows where it makes sense."""

    def law(self, protocol: Any, view: View) -> Law:  # noqa: ARG002
        """Nothing is known of one report, and the code alone makes it."""
        return Law(self._reports, self._counts)

    def _reports(self, *_: object) -> NoReturn:
        raise AttackError(f"attack {self.name!r} is somebody's code and not allowed")

    def _counts(self, *_: object) -> NoReturn:
        raise AttackError(f"attack {self.name!r} is Python code: it makes reports, user by user")
