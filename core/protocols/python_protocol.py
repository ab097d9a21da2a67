"""The protocol of a scenario that is a plug-in in Python.

Nothing here locates or runs its code: `core.plugins` does, if the user permits it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, NoReturn

from ..base.code import PythonCode, What
from ..base.errors import ProtocolError
from ..law.law import Ask, Lack, Law
from ..law.mechanism import LocalMechanism, Mechanism
from .budget import Budget

LACKS: Final = {
    "coincide": "a protocol in Python, whose reports of one user are not compared",
    "columns": "a protocol in Python, whose reports have no bits that could go together",
    "sample_background": "a protocol in Python, for which no best way to hide is known",
    "subset": "a protocol in Python, of whose reports no part is chosen",
    "disguised": "a protocol in Python, whose reports have no number of ones",
}
"""What no protocol of somebody's has, with the reasons."""


@dataclass(frozen=True)
class PythonProtocol(LocalMechanism):
    """A protocol in Python whose code is not permitted to run, so that nothing is known of its
    reports.

    Drawing its reports or counts raises ProtocolError.
    """

    family: ClassVar[str] = "plugin"
    lacks: ClassVar[dict[str, str]] = LACKS

    domain_size: int
    epsilon: float
    name: str
    options: dict[str, Any] = field(default_factory=dict, hash=False)

    @property
    def unread_code_name(self) -> str:
        """The name of the code to permit first; "" if the protocol can be simulated."""
        return self.name

    @property
    def report_bits(self) -> float:
        return 0.0

    def law_of(self, ask: Ask) -> Law | Lack:
        everything = ask.law == "avoided" and ask.targets.size == self.domain_size
        if everything or ask.law in ("subset", "disguised", "solved"):
            return self.lack(ask)
        return Law(self._refuse, self._refuse)

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise ProtocolError(f"protocol {self.name!r} is somebody's code and not allowed")

    perturb = unperturbed = support_counts = validate_reports = estimates = _refuse
    sample_counts = unperturbed_counts = _refuse


@dataclass(frozen=True)
class PythonSpec(PythonCode, Budget, kind="plugin", mechanism=PythonProtocol):
    """The `[protocol]` table of a protocol in Python, before the domain is known."""

    what: ClassVar[What] = "protocol"


def awaits_code(mechanism: Mechanism) -> bool:
    """Whether a mechanism needs permission for its code first, so that nothing is known of its
    reports.
    """
    return bool(mechanism.unread_code_name)
