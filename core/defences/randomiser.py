"""A verified randomiser: users prove that their report is what the protocol drew for some item.

The defended arms are those of `[trust] kind = "verified"`, the others those of reports that nobody
proves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from ..law.pure import Mechanism
from ..protocols.trust import Verified
from ..protocols.trust.kinds import LEVELS
from .correction import ForAll
from .step import Step


@dataclass(frozen=True)
class VerifiedRandomiser(ForAll, Step):
    """Accept a report only with a proof that the protocol drew it, from whichever item.

    drop_out, levels : as `core.protocols.trust.Verified` has them.
    """

    drop_out: bool = False
    levels: Annotated[int, LEVELS] | None = None
    kind: Literal["verified-randomiser"] = "verified-randomiser"

    @property
    def trust(self) -> Verified:
        return Verified(self.drop_out, self.levels)

    def reads(self, protocol: Mechanism) -> str | None:
        return self.trust.reads(protocol)
