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
    """The base of defences that are plug-ins in Python, named in a scenario.

    Such an object only names the code: applying it raises DefenceError. `core.plugins` replaces it
    by the code if the user permits that.
    """

    what: ClassVar[What] = "defence"

    def refuse(self) -> NoReturn:
        """Raise DefenceError, as the defence's code is not permitted to run."""
        raise DefenceError(f"defence {self.name!r} is somebody's code and not allowed")


@dataclass(frozen=True)
class PythonCorrection(PythonDefence, Correction):
    """A correction that is a plug-in in Python: its `correct(frequencies, known)` returns the
    corrected frequencies, float64[trials, d].

    Until the code is permitted, `correct` raises DefenceError.
    """

    kind: Literal["plugin"] = "plugin"

    def correct(self, *_: Any, **__: Any) -> Any:
        self.refuse()


@dataclass(frozen=True)
class PythonFilter(PythonDefence, Filter):
    """A filter that is a plug-in in Python, for any protocol: its `sift(received)` returns a
    Verdict.

    Until the code is permitted, `sift` raises DefenceError.
    """

    kind: Literal["plugin-filter"] = "plugin-filter"

    def sift(self, *_: Any, **__: Any) -> Any:
        self.refuse()

    def memory(self, load: Load) -> int:
        return 8 * load.users
