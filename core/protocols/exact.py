"""The protocol without noise, to test clients, files and servers with."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Final

from .budget import ProtocolSpec
from .grr import GRR

WARNING: Final = (
    "EXACT adds no noise (ε is infinite): its reports are the users' items and protect nobody"
)


@dataclass(frozen=True)
class Exact(GRR):
    """The identity protocol: users report their own item; no privacy."""

    family: ClassVar[str] = "exact"

    epsilon: float = math.inf

    def __post_init__(self) -> None:
        """Nothing bounds ε."""

    @property
    def p(self) -> float:
        return 1.0

    @property
    def q(self) -> float:
        return 0.0

    @property
    def warnings(self) -> tuple[str, ...]:
        return (WARNING,)


@dataclass(frozen=True)
class ExactSpec(ProtocolSpec, kind="exact", mechanism=Exact):
    """The `[protocol]` table of the identity protocol, before the domain is known; it has no
    budget.
    """
