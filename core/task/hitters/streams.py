"""The random streams of a heavy-hitters trial."""

from __future__ import annotations

from dataclasses import dataclass

from ...base.streams import stream
from ...cell import Cell
from ...law.pure import Rng


def block_streams(cell: Cell, number: int) -> tuple[Rng, Rng, Rng]:
    """The streams of a block on the counts path.

    They draw for the genuine users, for their support of candidates that the attacked arm alone
    has, and for the fakes.
    """
    genuine = stream(cell.seed, cell.genuine_address, "genuine", "counts", (number,))
    more = stream(cell.seed, cell.malicious_address, "genuine", "counts", (number,))
    malicious = stream(cell.seed, cell.malicious_address, "malicious", "counts", (number,))
    return genuine, more, malicious


@dataclass(frozen=True, eq=False)
class TrialStreams:
    """The streams of a trial on the reports path: one for every 65,536 users of a group."""

    cell: Cell
    trial: int

    def groups(self, block: int) -> Rng:
        """The groups that the genuine users of a block join."""
        address = f"{self.cell.genuine_address} groups"
        return stream(self.cell.seed, address, "genuine", "reports", (self.trial, block))

    def fake_groups(self) -> Rng:
        """The numbers of fakes that join each group."""
        address = f"{self.cell.malicious_address} groups"
        return stream(self.cell.seed, address, "malicious", "reports", (self.trial,))

    def genuine(self, level: int, block: int) -> Rng:
        """The reports of the genuine users of a group."""
        address, key = self.cell.genuine_address, (self.trial, block, level)
        return stream(self.cell.seed, address, "genuine", "reports", key)

    def malicious(self, level: int, part: int, block: int) -> Rng:
        """The reports of the fakes of one kind in a group."""
        address, key = self.cell.malicious_address, (self.trial, block, level, part)
        return stream(self.cell.seed, address, "malicious", "reports", key)
