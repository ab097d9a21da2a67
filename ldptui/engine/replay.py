"""A stored run as the workbench shows it: whole at once, or block by block as it was computed.

Nothing is simulated: all numbers come from the blocks in the store.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from ldptui.core.metrics.results import Tally
from ldptui.core.store import Store

from ..session.snapshot import Snapshot
from ..text import format as fmt
from .measured import MeasuredRun, swept_words

REPLAYED: Final = "replayed, nothing is simulated"


class RunReplay:
    """The block-by-block replay of one stored run; owns the open store. Not thread-safe."""

    def __init__(self, store: Store, number: int, key: int) -> None:
        self._store, self.run, self._key = store, store.run(number), key
        self._experiment, self._cells = store.experiment(number), store.cells(number)
        self._charts = MeasuredRun(self._experiment)
        self._arrivals = store.arrivals(number)
        self.blocks = len(self._arrivals)
        self._tallies, self._count = [Tally() for _ in self._cells], 0

    def close(self) -> None:
        self._store.close()

    def refresh(self) -> None:
        """Read the blocks that another process has stored since."""
        self.run, arrivals = self._store.run(self.run.id), self._store.arrivals(self.run.id)
        there = self._arrivals[: self._count]
        known = {(arrival.position, arrival.number) for arrival in there}
        more = (each for each in arrivals if (each.position, each.number) not in known)
        self._arrivals = (*there, *more)
        self.blocks = len(self._arrivals)

    def describe(self, count: int) -> str:
        """The first `count` blocks in words: `run 3: block 2 of 9 · 40 of 180 trials`."""
        trials = f"{fmt.count(self._trials(count))} of {fmt.count(self.run.total)} trials"
        name = "recording" if self._store.path is None else f"run {self.run.id}"
        return f"{name}: block {count} of {self.blocks} · {trials}"

    def frame(self, count: int | None = None) -> Snapshot:
        """The snapshot after the first `count` blocks; after all of them if it is None."""
        count = self.blocks if count is None else count
        self._read(count)
        is_whole = count == self.blocks
        end = self.run.status if self.run.status in ("done", "failed") else "partial"
        latest = self._arrivals[count - 1] if count else None
        measured = [tally.results for tally in self._tallies]
        sweep = self._experiment.scenario.sweep
        return replace(
            self._charts.snapshot(self._key, end if is_whole else "running", measured),
            done=self._trials(count),
            total=self.run.total,
            seconds=self.run.seconds if is_whole else latest.seconds if latest else 0.0,
            latest=swept_words(self._experiment.cells[latest.position], sweep) if latest else "",
            digest=self.run.digest if is_whole else "",
            numpy=str(self.run.versions["numpy"]),
            error=self.run.error if is_whole else "",
            kept=None if self._store.path is None else self.run.id,
            note=REPLAYED,
        )

    def _trials(self, count: int) -> int:
        return sum(arrival.trials for arrival in self._arrivals[:count])

    def _read(self, count: int) -> None:
        """Read blocks up to the first `count`; a smaller count starts again from the first."""
        if count < self._count:
            self._tallies, self._count = [Tally() for _ in self._cells], 0
        for arrival in self._arrivals[self._count : count]:
            block = self._store.block(self.run.id, arrival, self._cells)
            self._tallies[arrival.position].add(arrival.number, block)
        self._count = count
