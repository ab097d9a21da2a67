"""The attack of a scenario that is a plug-in in Python.

Nothing here locates or runs its code: `core.plugins` does, if the user permits it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NoReturn

from ..base.code import PythonCode, What
from ..base.errors import AttackError
from ..law.law import Law, LawName
from ..law.pure import Items, Mechanism
from .strategy import Promoting, View


@dataclass(frozen=True)
class PythonAttack(PythonCode, Promoting):
    """An attack written in Python, by its name; its distribution of reports is unknown.

    Its reports cannot be drawn before the code is permitted: AttackError.
    """

    what: ClassVar[What] = "attack"
    reacts: ClassVar[bool] = True
    report_law: ClassVar[LawName] = "unknown"
    kind: Literal["plugin"] = "plugin"

    def check(self, protocol: Mechanism, targets: Items) -> None:
        """Accept every protocol and targets: only the attack's own code knows which make sense."""

    def law(self, protocol: Any, view: View) -> Law:  # noqa: ARG002
        """A distribution whose moments are unknown; to draw from it raises AttackError."""
        return Law(self._reports, self._counts)

    def _reports(self, *_: object) -> NoReturn:
        raise AttackError(f"attack {self.name!r} is somebody's code and not allowed")

    def _counts(self, *_: object) -> NoReturn:
        raise AttackError(f"attack {self.name!r} is Python code: it makes reports, user by user")
