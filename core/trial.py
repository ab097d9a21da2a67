"""Trials of one cell: histogram → counts → frequencies → metrics. Pure, no input or output.

Counts path: the counts are drawn, a block of 20 trials at a time, O(d) whatever n.
Reports path: every user's report is made, counted and forgotten, in blocks of 65,536 users.

What is counted is the protocol's own: int64[d] support counts, RAPPOR's bits of each cohort, or a
curator's histogram [2, d] with its noise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, TypeAlias

import numpy as np

from .attacks import View
from .cell import Cell
from .central import Curator
from .metrics import measure
from .pure import Items, Mechanism, Reports, Rng
from .results import BLOCK_TRIALS, Block, Moments, fingerprint
from .sampling import Counts
from .streams import stream

USER_BLOCK = 65_536
"""Users that share one stream on the reports path."""

PAIRS = 1 << 24
"""(user, item) pairs handled between two pulses on the reports path: some 20 ms."""

Pulse: TypeAlias = Callable[[], None]
"""Called between pieces of work; raises to stop the work."""


def no_pulse() -> None:
    """Never stop."""


def run_block(
    cell: Cell, number: int, trials: int = BLOCK_TRIALS, pulse: Pulse = no_pulse
) -> Block:
    """Simulate the first `trials` trials of a block of a cell.

    The numbers depend on the cell and the block's number alone: a shorter block holds the first
    trials of the full one.
    """
    clean, attacked = (draw_counts if cell.path == "counts" else count_reports)(
        cell, number, trials, pulse
    )
    users, everyone = cell.users, cell.users + cell.malicious
    before = cell.protocol.estimates(clean, users)
    pulse()
    after = before if attacked is clean else cell.protocol.estimates(attacked, everyone)
    truth = cell.population.frequencies
    before_moments = Moments.of(before.frequencies)
    return Block(
        cell=cell.index,
        number=number,
        metrics=measure(
            before.frequencies,
            after.frequencies,
            truth,
            cell.targets,
            cell.top_k,
            after.detected,
        ),
        fingerprints=np.array(
            [fingerprint(*pair) for pair in zip(clean, attacked, strict=True)], dtype=np.uint64
        ),
        clean=before_moments,
        attacked=before_moments if after is before else Moments.of(after.frequencies),
        detected=None if after.detected is None else after.detected.sum(axis=0),
    )


def draw_counts(
    cell: Cell, number: int, trials: int, pulse: Pulse, drawn: int = BLOCK_TRIALS
) -> tuple[Counts, Counts]:
    """Counts [trials, …] before and after the attack, drawn from their exact law."""
    pulse()
    histogram = np.broadcast_to(cell.population.histogram, (drawn, cell.population.domain_size))
    rng = stream(cell.seed, cell.genuine_address, "genuine", "counts", (number,))
    clean = genuine_counts(cell.protocol, histogram, rng)[:trials]
    if cell.attack is None:
        return clean, clean
    pulse()
    rng = stream(cell.seed, cell.malicious_address, "malicious", "counts", (number,))
    attacked = clean
    for fakes in cell.fakes:
        view, count = View(fakes.targets, top_k=cell.top_k), np.full(drawn, fakes.count)
        attacked = attacked + fakes.strategy.counts(cell.protocol, view, count, rng)[:trials]
    return clean, attacked


def genuine_counts(protocol: Mechanism, histogram: Counts, rng: Rng) -> Counts:
    """What the server has of int64[trials, d] honest users; of a curator with a release's noise."""
    counts = protocol.sample_counts(histogram, rng)
    if isinstance(protocol, Curator):
        return np.asarray(counts + protocol.noise_counts(len(histogram), rng))
    return counts


def count_reports(cell: Cell, number: int, trials: int, pulse: Pulse) -> tuple[Counts, Counts]:
    """Counts int64[trials, …] before and after the attack, from every user's report."""
    protocol = cell.local
    held_until = np.cumsum(cell.population.histogram)

    def honest(start: int, stop: int, rng: Rng) -> Iterator[Reports]:
        yield protocol.perturb(_values(held_until, start, stop), rng)

    def crafted(start: int, stop: int, rng: Rng) -> Iterator[Reports]:
        # Fakes stand in the order of their parts.
        first = 0
        for fakes in cell.fakes:
            some = min(stop, first + fakes.count) - max(start, first)
            if some > 0:
                view = View(fakes.targets, top_k=cell.top_k)
                yield fakes.strategy.reports(protocol, view, some, rng)
            first += fakes.count

    def counted(
        role: Literal["genuine", "malicious"], make: Callable[[int, int, Rng], Iterator[Reports]]
    ) -> Counts:
        nobody = protocol.support_counts(next(honest(0, 0, np.random.default_rng(0))))
        counts = np.repeat(nobody[None], trials, axis=0)
        for row in range(trials):
            for start, stop, rng in _users(cell, role, number * BLOCK_TRIALS + row):
                pulse()
                for reports in make(start, stop, rng):
                    counts[row] += protocol.support_counts(reports)
        return counts

    clean = counted("genuine", honest)
    if cell.attack is None:
        return clean, clean
    return clean, clean + counted("malicious", crafted)


def _users(
    cell: Cell, role: Literal["genuine", "malicious"], trial: int
) -> Iterator[tuple[int, int, Rng]]:
    """The users of one trial as (first, last + 1, their generator), a small piece at a time.

    Every 65,536 users have a stream of their own; a piece is a fixed part of such a block, so
    neither memory nor the time between two pulses grows with the domain.
    """
    users = cell.users if role == "genuine" else cell.malicious
    address = cell.genuine_address if role == "genuine" else cell.malicious_address
    piece = max(1, min(USER_BLOCK, PAIRS // cell.population.domain_size))
    for block, first in enumerate(range(0, users, USER_BLOCK)):
        rng = stream(cell.seed, address, role, "reports", (trial, block))
        end = min(first + USER_BLOCK, users)
        for start in range(first, end, piece):
            yield start, min(start + piece, end), rng


def _values(held_until: Counts, start: int, stop: int) -> Items:
    """The items of users start … stop - 1, when users stand in the order of their items."""
    first, last = np.searchsorted(held_until, (start, stop - 1), side="right")
    edges = np.clip(held_until[first : last + 1], start, stop)
    return np.repeat(np.arange(first, last + 1), np.diff(edges, prepend=start))
