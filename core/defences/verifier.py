"""The interface of verifiers: steps that decide what users can send at all."""

from __future__ import annotations

from typing import Final, Protocol

from ..base.capability import Capability
from ..protocols.trust import Verified
from .correction import Reader


class Verifier(Reader, Protocol):
    """A step without which fakes can send any report: a `[[defence]]` table, before all others.

    trust : whom users trust in the defended arms.
    """

    @property
    def trust(self) -> Verified: ...


is_verifier: Final[Capability[Verifier]] = Capability("trust")
"""True where a defence decides what users can send."""
