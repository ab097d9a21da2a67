"""The blocks of a recorded run, and the sums of their frequencies up to any of them."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from typing import Final

from ldptui.core.base.sampling import Counts
from ldptui.core.metrics.results import Arms, Block, CellResults, added
from ldptui.core.store import Arrival, Store

CHECKPOINTS: Final = 64
"""Sums of the frequencies that are kept, so that going back is quick."""

MAX_BYTES: Final = 1 << 27
"""The bytes that those sums may take: of many items in many rounds fewer are kept."""


class Blocks:
    """The blocks of one cell of a run, and when each of them closed the gap before it."""

    def __init__(self) -> None:
        self.arrivals: dict[int, tuple[int, Arrival]] = {}
        self._ready: list[int] = []
        self._trials = [0]

    def line_up(self) -> None:
        last = 0
        while (arrived := self.arrivals.get(len(self._ready))) is not None:
            last = max(last, arrived[0])
            self._ready.append(last)
            self._trials.append(self._trials[-1] + arrived[1].trials)

    def ready(self, count: int) -> int:
        """The number of the cell's blocks, up to the first gap, among the run's first `count`."""
        return bisect_right(self._ready, count)

    def trials(self, count: int) -> int:
        return self._trials[self.ready(count)]


@dataclass(frozen=True, eq=False)
class Summed:
    """Moments of the frequencies over blocks, those of the rounds, and what was detected."""

    arms: Arms
    rounds: Arms
    detected: Counts | None

    @classmethod
    def over(cls, block: Block) -> Summed:
        rounds = {} if block.rounds is None else block.rounds.arms
        return cls(block.arms, rounds, block.detected)

    def __add__(self, other: Summed) -> Summed:
        detected = self.detected
        if detected is not None and other.detected is not None:
            detected = detected + other.detected
        arms, rounds = added(self.arms, other.arms), added(self.rounds, other.rounds)
        return Summed(arms, rounds, detected)

    @property
    def bytes(self) -> int:
        every = (*self.arms.values(), *self.rounds.values())
        return sum(moments.mean.nbytes + moments.squares.nbytes for moments in every)

    def of(self, measured: CellResults) -> CellResults:
        """The results of a cell, with these moments."""
        rounds = measured.rounds and replace(measured.rounds, arms=self.rounds)
        return replace(measured, arms=self.arms, detected=self.detected, rounds=rounds)


class Sums:
    """Sums of the frequencies over the first blocks of a cell; going on from what is kept."""

    def __init__(self, store: Store, run: int) -> None:
        self._store, self._run = store, run
        self._kept: dict[int, Summed] = {}

    def after(self, blocks: Blocks, count: int) -> Summed | None:
        """The sum of the first `count` blocks; None without blocks or their frequencies."""
        start = max((at for at in self._kept if at <= count), default=0)
        total = self._kept.get(start)
        most, stride = CHECKPOINTS, 1
        for number in range(start, count):
            block = self._store.block(self._run, blocks.arrivals[number][1])
            if not block.arms:
                return None
            new = Summed.over(block)
            total = new if total is None else total + new
            most = max(1, min(CHECKPOINTS, MAX_BYTES // new.bytes))
            stride = -(-len(blocks.arrivals) // most)
            if (number + 1) % stride == 0 or number + 1 == count:
                self._kept[number + 1] = total
        if len(self._kept) > 4 * most:
            self._kept = {at: kept for at, kept in self._kept.items() if at % stride == 0}
        return total
