"""A stored run as the workbench shows it: whole at once, or block by block as it was computed.

Nothing is simulated: all numbers come from the blocks in the store.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from ldptui.core.cell import Cell
from ldptui.core.metrics.results import CellResults
from ldptui.core.store import Arrival, Store, cell_keys, open_store

from ..session.snapshot import Snapshot
from ..text import format as fmt
from .measured import charted_parts, positions
from .worker.picture import Picture

Prefixes = Mapping[int, Sequence[Arrival]]
"""By the position of a cell its blocks in order, up to the first that is missing."""
REPLAYED: Final = "replayed, nothing is simulated"


class RunReplay:
    """One run of an open store, which it closes. For one thread at a time.

    with_others : show besides the run's own cells what the store knows of the same charts.
    """

    def __init__(self, store: Store, number: int, key: int, *, with_others: bool = False) -> None:
        self._store, self.run = store, store.run(number)
        self._experiment = store.experiment(number)
        self._measured = store.measured(number)
        self._arrivals = store.arrivals(number)
        self._at = positions(self._experiment)
        self._others: dict[str, CellResults] = {}
        self._with_others = with_others
        self._parts = charted_parts(self._experiment, self._known_cells)
        self._sum: tuple[int, CellResults | None] = (0, None)  # over so many blocks of the base
        self._key, self._picture = key, Picture()
        self.blocks = len(self._arrivals)

    def close(self) -> None:
        self._store.close()

    @property
    def name(self) -> str:
        """What is replayed; the number of a run means something in a store on the disk."""
        return "recording" if self._store.path is None else f"run {self.run.id}"

    def describe(self, count: int) -> str:
        """The first `count` blocks in words: `run 3: block 2 of 9 · 40 of 180 trials`."""
        done = sum(arrival.trials for arrival in self._arrivals[:count])
        trials = f"{fmt.count(done)} of {fmt.count(self.run.total)} trials"
        return f"{self.name}: block {count} of {self.blocks} · {trials}"

    def frame(self, count: int | None = None) -> Snapshot:
        """The snapshot after the first `count` blocks; None: after all of them."""
        count = self.blocks if count is None else count
        prefixes = self._prefixes(count)
        for part in self._parts.values():
            for index, name in enumerate(part.keys):
                part.measured[index] = self._measured_so_far(name, prefixes)
            part.reckon()
            part.news()
        is_whole = count == self.blocks
        status = self.run.status if self.run.status in ("done", "failed") else "partial"
        latest = self._arrivals[count - 1] if count else None
        return Snapshot(
            self._key,
            status if is_whole else "running",
            full=True,
            done=sum(arrival.trials for arrival in self._arrivals[:count]),
            total=self.run.total,
            seconds=self.run.seconds if is_whole else latest.seconds if latest else 0.0,
            parts={
                name: tuple(part.views.values()) for name, part in self._parts.items() if part.views
            },
            latest=self._describe_cell(latest),
            digest=self.run.digest if is_whole else "",
            numpy=str(self.run.versions["numpy"]),
            error=self.run.error if is_whole else "",
            kept=None if self._store.path is None else self.run.id,
            note=REPLAYED,
            **self._conclusion(prefixes),
        )

    def _prefixes(self, count: int) -> Prefixes:
        found: dict[int, dict[int, Arrival]] = {}
        for arrival in self._arrivals[:count]:
            found.setdefault(arrival.position, {})[arrival.number] = arrival
        return {
            position: [blocks[n] for n in takewhile(blocks.__contains__, range(len(blocks)))]
            for position, blocks in found.items()
        }

    def _known_cells(self, cells: list[Cell], details: bool) -> list[Cell]:
        """The cells that the run has, and those of other runs that the store has."""
        names = cell_keys(cells)
        for name, cell in zip(names, cells, strict=True):
            if name in self._at or name in self._others or not self._with_others:
                continue
            stored = self._store.measured_cell(name, cell.trials, details)
            if stored.trials:
                self._others[name] = stored
        is_known = (name in self._at or name in self._others for name in names)
        return [cell for cell, known in zip(cells, is_known, strict=True) if known]

    def _measured_so_far(self, name: str, prefixes: Prefixes) -> CellResults:
        if name not in self._at:
            return self._others[name]
        position = self._at[name]
        trials = sum(arrival.trials for arrival in prefixes.get(position, ()))
        return self._measured[position].bare.first(trials)

    def _conclusion(self, prefixes: Prefixes) -> dict[str, Any]:
        """The frequencies of the base, and its rounds; nothing where there are none."""
        base = self._parts["base"]
        name, cell = base.keys[0], base.experiment.cells[0]
        measured = base.measured[0]
        if name in self._at:
            total = self._sum_blocks(prefixes.get(self._at[name], ()))
            if total is None:
                return {}
            measured = measured.telling(total)
        if not measured.trials or not measured.arms:
            return {}
        self._picture.reckon(cell)
        return self._picture.conclusion(cell, measured)

    def _sum_blocks(self, arrivals: Sequence[Arrival]) -> CellResults | None:
        """The sum of these blocks; None without blocks, or without frequencies in them."""
        count, total = self._sum if self._sum[0] <= len(arrivals) else (0, None)
        for arrival in arrivals[count:]:
            block = self._store.block(self.run.id, arrival)
            if not block.arms:
                return None
            total = block.first(0) if total is None else total + block.first(0)
        self._sum = len(arrivals), total
        return total

    def _describe_cell(self, latest: Arrival | None) -> str:
        if latest is None:
            return ""
        return next(iter(self._parts.values())).words(self._experiment.cells[latest.position])


def open_replay(path: Path, number: int, key: int, *, with_others: bool = False) -> RunReplay:
    """The replay of a run of a store. Raises FileError, ScenarioError."""
    store = open_store(path, write=False)
    try:
        return RunReplay(store, number, key, with_others=with_others)
    except BaseException:
        store.close()
        raise


def read_snapshot(path: Path, number: int, key: int) -> Snapshot:
    """A run of a store, whole, with what the store knows of its charts besides."""
    replay = open_replay(path, number, key, with_others=True)
    try:
        return replace(replay.frame(), note="")
    finally:
        replay.close()
