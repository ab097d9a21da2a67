"""A kept run as the workbench shows it: whole at once, or played back as it happened.

Nothing is simulated: all numbers come from the blocks in the store.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from ldptui.core.cell import Cell
from ldptui.core.metrics.results import CellResults
from ldptui.core.store import Arrival, Store, cell_keys, open_store

from ..session.snapshot import Snapshot
from ..text import format as fmt
from .measured import charted_parts, positions
from .worker.picture import Picture

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


class Sums:
    """Sums of the frequencies over the first blocks of a cell; going on from what is kept."""

    def __init__(self, store: Store, run: int) -> None:
        self._store, self._run = store, run
        self._kept: dict[int, CellResults] = {}

    def after(self, blocks: Blocks, count: int) -> CellResults | None:
        """The sum of the first `count` blocks; None without blocks or their frequencies."""
        start = max((at for at in self._kept if at <= count), default=0)
        total = self._kept.get(start)
        most, stride = CHECKPOINTS, 1
        for number in range(start, count):
            block = self._store.block(self._run, blocks.arrivals[number][1])
            if not block.arms:
                return None
            new = block.first(0)
            total = new if total is None else total + new
            most = max(1, min(CHECKPOINTS, MAX_BYTES // _bytes_of(new)))
            stride = -(-len(blocks.arrivals) // most)
            if (number + 1) % stride == 0 or number + 1 == count:
                self._kept[number + 1] = total
        if len(self._kept) > 4 * most:
            self._kept = {at: kept for at, kept in self._kept.items() if at % stride == 0}
        return total


def _bytes_of(results: CellResults) -> int:
    """The bytes of what results know of each item."""
    rounds = {} if results.rounds is None else results.rounds.arms
    every = (*results.arms.values(), *rounds.values())
    return sum(moments.mean.nbytes + moments.squares.nbytes for moments in every)


PLAYED: Final = "played back, nothing is simulated"


class Beat(Struct, frozen=True):
    """A moment of a playback at which something came; what a transport steps through.

    seconds : since the run began. blocks : how many are there, this one among them. round : the
    round of a campaign that it was, from 0; None: the whole block.
    """

    seconds: float
    blocks: int
    round: int | None = None


class Playback:
    """One run of an open store, which it closes. For one thread at a time.

    company : show besides the run's own cells what the store knows of the same charts.
    """

    def __init__(self, store: Store, number: int, key: int, *, company: bool = False) -> None:
        self._store, self.run = store, store.run(number)
        self._experiment = store.experiment(number)
        self._measured = store.measured(number)
        self._arrivals = store.arrivals(number)
        self._blocks = [Blocks() for _ in self._experiment.cells]
        for count, arrival in enumerate(self._arrivals, start=1):
            self._blocks[arrival.position].arrivals[arrival.number] = count, arrival
        for blocks in self._blocks:
            blocks.line_up()
        self._at = positions(self._experiment)
        self._others: dict[str, CellResults] = {}
        self._company = company
        self._parts = charted_parts(self._experiment, self._those_known)
        self._sums = Sums(store, number)
        self._key, self._picture = key, Picture()
        self._concluded = 0  # the trials of the fields below
        self._fields: dict[str, Any] = {}
        self.beats = tuple(self._beats())

    def close(self) -> None:
        self._store.close()

    @property
    def kept(self) -> bool:
        """True for a run of a store on the disk, where its number means something."""
        return self._store.path is not None

    def beat(self, come: int) -> Beat:
        """The last of the first `come` beats; the start where none has come."""
        return self.beats[come - 1] if come else Beat(0.0, 0)

    def words(self, beat: Beat) -> str:
        """The place of a beat in the playback, in words: round, trials and seconds of the run."""
        done = sum(arrival.trials for arrival in self._arrivals[: beat.blocks])
        count = len(self._parts["base"].experiment.cells[0].rounds)
        rounds = "" if beat.round is None else f", round {beat.round} of 0–{count - 1}"
        return (
            f"block {beat.blocks} of {len(self._arrivals)}{rounds} · {fmt.count(done)} of "
            f"{fmt.count(self.run.total)} trials · {fmt.duration(beat.seconds)}"
        )

    def frame(self, blocks: int | None = None) -> Snapshot:
        """The snapshot after the first `blocks` blocks; None: after all of them."""
        count = len(self._arrivals) if blocks is None else blocks
        for part in self._parts.values():
            for index, name in enumerate(part.keys):
                part.measured[index] = self._known(name, count)
            part.reckon()
            part.news()
        over = count == len(self._arrivals)
        status = self.run.status if self.run.status in ("done", "failed") else "partial"
        latest = self._arrivals[count - 1] if count else None
        return Snapshot(
            self._key,
            status if over else "running",
            full=True,
            done=sum(arrival.trials for arrival in self._arrivals[:count]),
            total=self.run.total,
            seconds=self.run.seconds if over else latest.seconds if latest else 0.0,
            parts={
                name: tuple(part.views.values()) for name, part in self._parts.items() if part.views
            },
            latest=self._words(latest),
            digest=self.run.digest if over else "",
            numpy=str(self.run.versions["numpy"]),
            error=self.run.error if over else "",
            kept=self.run.id if self.kept else None,
            note=PLAYED,
            **self._conclusion(count),
        )

    def _beats(self) -> Iterator[Beat]:
        """A beat for each block; and for the rounds of the first one of a campaign.

        The rounds of a block are drawn one after the other, until all of it comes.
        """
        base = self._parts["base"]
        name, rounds = base.keys[0], len(base.experiment.cells[0].rounds)
        arrivals = self._blocks[self._at[name]].arrivals if name in self._at else {}
        first, _ = arrivals.get(0, (0, None))
        before = 0.0
        for count, arrival in enumerate(self._arrivals, start=1):
            for number in range(rounds if count == first else 0):
                share = (number + 1) / (rounds + 1)
                yield Beat(before + share * max(0.0, arrival.seconds - before), count, number)
            yield Beat(arrival.seconds, count)
            before = arrival.seconds

    # The view.

    def _those_known(self, cells: list[Cell], details: bool) -> list[Cell]:
        """The cells that the run has, and in company those that the store has."""
        names = cell_keys(cells)
        for name, cell in zip(names, cells, strict=True):
            if name in self._at or name in self._others or not self._company:
                continue
            number = self._store.cell_number(name)
            if number is not None:
                size = cell.task.size(cell)
                stored = self._store.measured_cell(number, cell.trials, details, size)
                if stored.trials:
                    self._others[name] = stored
        return [
            cell
            for name, cell in zip(names, cells, strict=True)
            if name in self._at or name in self._others
        ]

    def _known(self, name: str, count: int) -> CellResults:
        """The results of a cell after the first `count` blocks of the run."""
        if name not in self._at:
            return self._others[name]
        position = self._at[name]
        return self._measured[position].bare.first(self._blocks[position].trials(count))

    def _conclusion(self, count: int) -> dict[str, Any]:
        """The frequencies of the base, and its rounds; nothing where there are none."""
        base = self._parts["base"]
        name, cell = base.keys[0], base.experiment.cells[0]
        measured = base.measured[0]
        if name in self._at:
            blocks = self._blocks[self._at[name]]
            sums = self._sums.after(blocks, blocks.ready(count))
            if sums is None:
                return {}
            measured = measured.telling(sums)
        if not measured.trials or not measured.arms:
            return {}
        if measured.trials != self._concluded:
            self._concluded = measured.trials
            self._picture.reckon(cell)
            self._fields = self._picture.conclusion(cell, measured)
        return self._fields

    def _words(self, latest: Arrival | None) -> str:
        if latest is None:
            return ""
        return next(iter(self._parts.values())).words(self._experiment.cells[latest.position])


def kept_playback(path: Path, number: int, key: int, *, company: bool) -> Playback:
    """The playback of a run of a store. Raises FileError, ScenarioError."""
    store = open_store(path, write=False)
    try:
        return Playback(store, number, key, company=company)
    except BaseException:
        store.close()
        raise


def kept_snapshot(path: Path, number: int, key: int) -> Snapshot:
    """A run of a store, whole, with what the store knows of its charts besides."""
    playback = kept_playback(path, number, key, company=True)
    try:
        return replace(playback.frame(), note="")
    finally:
        playback.close()
