"""Defences that a scenario asks for by name, and that somebody wrote in Python.

Nothing here finds or runs their code: `core.plugins` does, where the user allows it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NoReturn

from ..base.code import PythonCode, What
from ..base.errors import DefenceError
from .filter import Load
from .step import ForAll, Step


@dataclass(frozen=True)
class PythonDefence(ForAll, PythonCode, Step):
    """A defence of somebody's, by its name."""

    what: ClassVar[What] = "defence"

    def refuse(self) -> NoReturn:
        """Say that its code may not run: it raises DefenceError."""
        raise DefenceError(f"defence {self.name!r} is somebody's code and not allowed")


@dataclass(frozen=True)
class PythonCorrection(PythonDefence):
    """A correction in Python: `correct(frequencies, known)`."""

    kind: Literal["plugin"] = "plugin"

    def correct(self, *_: Any, **__: Any) -> Any:
        self.refuse()


@dataclass(frozen=True)
class PythonFilter(PythonDefence):
    """A filter in Python: `sift(received)`, whatever reports it is given."""

    kind: Literal["plugin-filter"] = "plugin-filter"

    def sift(self, *_: Any, **__: Any) -> Any:
        self.refuse()

    def reads(self, *_: object) -> None:
        """Nothing speaks against any protocol."""

    def memory(self, load: Load) -> int:
        return 8 * load.users
