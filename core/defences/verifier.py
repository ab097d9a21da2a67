"""The interface of verifiers: steps that decide what users can send at all."""

from __future__ import annotations

from typing import Final, Protocol

from ..base.capability import Capability
from ..law.pure import Mechanism
from ..protocols.trust import Verified
from .correction import Known


class Verifier(Protocol):
    """A step without which fakes can send any report: a `[[defence]]` table, before all others.

    trust : whom users trust in the defended arms.
    """

    @property
    def kind(self) -> str: ...

    @property
    def muted(self) -> bool | None: ...

    @property
    def trust(self) -> Verified: ...

    def check(self, known: Known) -> None:
        """Raise ScenarioError where it makes no sense for such a collection."""
        ...

    def reads(self, protocol: Mechanism) -> str | None:
        """The reason why it cannot verify such reports, "GRR, whose …"; None if it can."""
        ...


is_verifier: Final[Capability[Verifier]] = Capability("trust")
"""True where a defence decides what users can send."""
