"""Defences of a scenario that are plug-ins in Python.

Nothing here locates or runs their code: `core.plugins` does, if the user permits it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NoReturn

from ..base.code import PythonCode, What
from ..base.errors import DefenceError
from .step import Correction, Filter, Load, Step


@dataclass(frozen=True)
class PythonDefence(PythonCode, Step):
    """The base of defences in Python, by their names; to apply one without its code raises
    DefenceError.
    """

    what: ClassVar[What] = "defence"

    def refuse(self) -> NoReturn:
        """Raise DefenceError, as the defence's code is not permitted to run."""
        raise DefenceError(f"defence {self.name!r} is somebody's code and not allowed")


@dataclass(frozen=True)
class PythonCorrection(PythonDefence, Correction):
    """A correction in Python: `correct(frequencies, known)`."""

    kind: Literal["plugin"] = "plugin"

    def correct(self, *_: Any, **__: Any) -> Any:
        self.refuse()


@dataclass(frozen=True)
class PythonFilter(PythonDefence, Filter):
    """A filter in Python: `sift(received)`, for reports of any protocol."""

    kind: Literal["plugin-filter"] = "plugin-filter"

    def sift(self, *_: Any, **__: Any) -> Any:
        self.refuse()

    def memory(self, load: Load) -> int:
        return 8 * load.users
