"""The reports of all users of one trial, a small batch at a time. No input or output."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from ..attacks import View
from ..base.sampling import Counts, Floats
from ..base.streams import stream
from ..cell import Cell
from ..law.longitudinal import Memoising
from ..law.pure import Items, LocalMechanism, Reports, Rng
from ..protocols.hashing import LocalHashing

USER_BLOCK = 65_536
"""Users that share one stream on the reports path."""

PAIRS = 1 << 24
"""(user, item) pairs handled at once on the reports path: some 20 ms.

Also the bytes of reports that are held at once, where a report has more bytes than there are items.
"""


@dataclass(frozen=True, eq=False)
class CampaignHistory:
    """The past rounds of a campaign as its fakes know them, with the last published estimates.

    rounds : the number of all rounds. published : the estimates of the previous round,
    float64[trials, d], or float64[d] for one trial; None in the first round.
    """

    rounds: int = 1
    published: Floats | None = None

    def of(self, row: int) -> CampaignHistory:
        """The history of one trial, the one in this row, of the campaign."""
        return self if self.published is None else CampaignHistory(self.rounds, self.published[row])

    def view(self, cell: Cell, targets: Items) -> View:
        """The knowledge of fakes who promote these targets and know the history."""
        return View(targets, cell.round, self.rounds, self.published, cell.top_k)


ALONE: Final = CampaignHistory()
"""The history of the one collection that there is."""


def genuine_reports(
    cell: Cell,
    trial: int,
    permanent: str = "",
    first: Reports | None = None,
) -> Iterator[Reports]:
    """Yields the genuine users' reports in batches, ordered by item.

    permanent : the address of the streams of memoised answers; "" without. first : their first
    reports, if these are their second ones; else None.
    """
    held_until = np.cumsum(cell.population.groups)
    addresses = [_address(cell.genuine_address, first), *([permanent] if permanent else [])]
    for start, stop, (rng, *kept) in _users(cell, "genuine", addresses, trial):
        values = _values(held_until, start, stop)
        if kept:
            assert isinstance(cell.protocol, Memoising)
            yield cell.protocol.memoised_reports(values, kept[0], rng)
        else:
            yield _protocol(cell, first, start, stop).perturb(values, rng)


def fake_reports(
    cell: Cell,
    trial: int,
    history: CampaignHistory = ALONE,
    first: Reports | None = None,
) -> Iterator[Reports]:
    """Yields the reports of the fakes who send one, group by group of the attack.

    history : of this trial. first : as for `genuine_reports`.
    """
    addresses = [_address(cell.malicious_address, first)]
    for start, stop, (rng,) in _users(cell, "malicious", addresses, trial):
        before = 0
        for fakes in cell.fakes:
            begin, end = max(start, before), min(stop, before + fakes.count)
            if end > begin:
                view = history.view(cell, fakes.targets)
                protocol = _protocol(cell, first, begin, end)
                count = int(fakes.sending(np.array(end - begin), rng))
                yield fakes.strategy.reports(protocol, view, count, rng)
            before += fakes.count


def _address(address: str, first: Reports | None) -> str:
    return address if first is None else f"{address} again"


def _protocol(cell: Cell, first: Reports | None, start: int, stop: int) -> LocalMechanism:
    """The protocol by which users start … stop - 1 report, once more after their first reports."""
    protocol = cell.local
    if first is None or not isinstance(protocol, LocalHashing):
        return protocol
    return protocol.again(first[start:stop])


def users_at_once(mechanism: LocalMechanism) -> int:
    """The number of users whose reports are generated in one batch."""
    size = max(mechanism.domain_size, math.ceil(mechanism.report_bits / 8))
    return max(1, min(USER_BLOCK, PAIRS // size))


def no_reports(cell: Cell) -> Reports:
    """An empty array of the type and shape of the protocol's reports."""
    return cell.local.perturb(np.empty(0, dtype=np.int64), np.random.default_rng(0))


def _users(
    cell: Cell,
    role: Literal["genuine", "malicious"],
    addresses: Sequence[str],
    trial: int,
) -> Iterator[tuple[int, int, list[Rng]]]:
    """The users of one trial as (first, last + 1, their generators), a small piece at a time.

    Every 65,536 users have a stream of their own for each address; a piece is a fixed part of such
    a block, so that memory does not grow with the domain.
    """
    users = cell.users if role == "genuine" else cell.malicious
    piece = users_at_once(cell.local)
    for block in range(-(-users // USER_BLOCK)):
        first = block * USER_BLOCK
        rngs = [
            stream(cell.seed, address, role, "reports", (trial, block)) for address in addresses
        ]
        end = min(first + USER_BLOCK, users)
        for start in range(first, end, piece):
            yield start, min(start + piece, end), rngs


def _values(held_until: Counts, start: int, stop: int) -> Items:
    """The items of users start … stop - 1, when users stand in the order of their items."""
    first, last = np.searchsorted(held_until, (start, stop - 1), side="right")
    edges = np.clip(held_until[first : last + 1], start, stop)
    return np.repeat(np.arange(first, last + 1), np.diff(edges, prepend=start))
