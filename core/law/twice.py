"""The capabilities of protocols whose users can be asked for a second report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from ..base.capability import Capability
from .law import LawName
from .pure import BoolArray, Items, LocalMechanism, PureProtocol, Reports


class DrawsSeeds(PureProtocol, Protocol):
    """Its users draw the seed of a hash function, which is a part of the report."""

    def seeds(self, reports: Reports) -> NDArray[np.uint32]:
        """uint32[n]: the seeds, which honest users draw uniformly."""
        ...

    def again(self, first: Reports) -> LocalMechanism:
        """The protocol of the second reports of the users who sent these, with their seeds."""
        ...


@dataclass(frozen=True, eq=False)
class Twice:
    """Two reports of each of some users, and the items that are compared where there are bits."""

    first: Reports
    second: Reports
    items: Items


@dataclass(frozen=True)
class Sender:
    """A user who reports twice.

    law : of a fake's reports, as the attacks name it: "random", "honest" of one of r targets,
        drawn afresh for each report, or "crafted"; None of a genuine user.
    compared : the number of items that are compared, drawn at random.
    """

    compared: int
    law: LawName | None = None
    r: int = 1


class AsksTwice(PureProtocol, Protocol):
    """Its users can be asked for a second report, which says more beside the first one.

    What the server has drawn for a user, such as a hash function, stays the same.
    """

    def coincide(self, pair: Twice) -> BoolArray:
        """bool[n]: whether both reports say the same, of the items where there are many bits."""
        ...

    def coincidence(self, sender: Sender) -> float:
        """Probability that both reports of a user coincide."""
        ...


draws_seeds: Final[Capability[DrawsSeeds]] = Capability("seeds")
"""True where a report has a seed that its user drew."""
