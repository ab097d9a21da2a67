"""The attack that a scenario asks for by name, and that somebody wrote in Python.

Nothing here finds or runs its code: `core.plugins` does, where the user allows it.
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
    """An attack written in Python, by its name; its distribution of reports is unknown."""

    what: ClassVar[What] = "attack"
    reacts: ClassVar[bool] = True
    report_law: ClassVar[LawName] = "unknown"
    kind: Literal["plugin"] = "plugin"

    def check(self, protocol: Mechanism, targets: Items) -> None:
        """Accept every collection: only the attack's own code knows where the attack makes
        sense.
        """

    def law(self, protocol: Any, view: View) -> Law:  # noqa: ARG002
        """A distribution whose reports the attack's code makes, and whose moments are unknown."""
        return Law(self._reports, self._counts)

    def _reports(self, *_: object) -> NoReturn:
        raise AttackError(f"attack {self.name!r} is somebody's code and not allowed")

    def _counts(self, *_: object) -> NoReturn:
        raise AttackError(f"attack {self.name!r} is Python code: it makes reports, user by user")
