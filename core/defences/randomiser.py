"""A verified randomiser: users prove that their report is what the protocol drew for some item.

Kato, Cao, Yoshikawa, "Preventing Manipulation Attack in Local Differential Privacy using Verifiable
Randomization Mechanism", DBSec 2021: the cryptography that does it draws with probabilities that
are multiples of 1/L. What is left to fakes is the item that they pretend to hold, and, where nobody
can be held to it, whether to send the report at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, cast

from ..base.ranges import Range
from ..law.capabilities import Quantises, lacking
from ..law.hiding import hides
from ..law.pure import Mechanism
from .correction import ForAll
from .step import Step

LEVELS = Range(2, 2**20)


@dataclass(frozen=True)
class VerifiedRandomiser(ForAll, Step):
    """Accept a report only with a proof that the protocol drew it, from whichever item.

    drop_out : users may keep a report back after they have seen it. Fakes send theirs only if it
        supports the item that they pretend to hold.
    levels : L, the faces of the coin: its probability is a multiple of 1/L, rounded so that no more
        than ε is spent. None: any probability.
    """

    drop_out: bool = False
    levels: Annotated[int, LEVELS] | None = None
    kind: Literal["verified-randomiser"] = "verified-randomiser"

    def reads(self, protocol: Mechanism) -> str | None:
        if self.drop_out and not hides(protocol):
            why = "of whose reports no law is known where some are kept back: leave out drop_out"
            return f"{type(protocol).__name__}, {why}"
        if self.levels is None:
            return None
        return lacking(protocol, "quantised", "which is not drawn by one coin: leave out levels")

    def verified(self, protocol: Mechanism) -> Mechanism:
        if self.levels is None:
            return protocol
        return cast("Quantises", protocol).quantised(self.levels)
