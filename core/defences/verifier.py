"""The interface of verifiers: steps that decide what users can send at all."""

from __future__ import annotations

from typing import Final, Protocol

from ..base.capability import Capability
from ..law.pure import Mechanism
from .correction import Known


class Verifier(Protocol):
    """A step without which fakes can send any report: a `[[defence]]` table, before all others.

    drop_out : users may still keep a report back, and fakes do so as it suits them.
    """

    @property
    def kind(self) -> str: ...

    @property
    def muted(self) -> bool | None: ...

    @property
    def drop_out(self) -> bool: ...

    def check(self, known: Known) -> None:
        """Raise ScenarioError where it makes no sense for such a collection."""
        ...

    def reads(self, protocol: Mechanism) -> str | None:
        """The reason why it cannot verify such reports, "GRR, whose …"; None if it can."""
        ...

    def verified(self, protocol: Mechanism) -> Mechanism:
        """The protocol as users are asked by it; raises ScenarioError at its own key."""
        ...


is_verifier: Final[Capability[Verifier]] = Capability("verified")
"""True where a defence decides what users can send."""
