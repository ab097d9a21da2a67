"""Reports without noise, to test with what is around a protocol: clients, files and a server."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from ..protocols.grr import GRR

KIND: Final = "exact"

WARNING: Final = (
    "EXACT adds no noise (ε is infinite): its reports are the users' items and protect nobody"
)


@dataclass(frozen=True)
class Exact(GRR):
    """Report the own item: GRR with p = 1. It protects nobody."""

    epsilon: float = math.inf

    def __post_init__(self) -> None:
        """Nothing bounds ε."""

    @property
    def p(self) -> float:
        return 1.0

    @property
    def q(self) -> float:
        return 0.0
