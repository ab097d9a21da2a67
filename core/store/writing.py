"""Records runs: a row when one begins, a short transaction for each block of it."""

from __future__ import annotations

import json
import math
import sqlite3
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..base.errors import FileError, one_line
from ..base.versions import differing, versions
from ..cell import Cell
from ..experiment import Experiment
from ..metrics.results import BLOCK_TRIALS, CellResults
from ..population import STATED
from ..running.runner import Results
from ..view.cells import metric_names
from .address import addresses, cell_keys, histogram_digests
from .owner import me, process_of
from .records import Run, RunCell
from .rows import cell_number, insert_block, insert_run, keep_population, note_arrivals
from .store import Store


def begin(
    store: Store,
    experiment: Experiment,
    ldptui: str = "",
    *,
    tags: Iterable[str] = (),
    source: str = "",
    fresh: bool = False,
    frequencies: bool = True,
) -> RunMemory:
    """Start to keep a run; hand what comes back to `core.running.runner.run` as its memory.

    fresh : compute everything again. frequencies : as for `run`.
    """
    scenario, marks = experiment.scenario, histogram_digests(experiment.cells)
    named = [addresses(*each) for each in zip(experiment.cells, marks, strict=True)]
    with store.writing() as db:
        cells = [
            _row_of(db, cell, mark, genuine)
            for cell, mark, (_, genuine) in zip(experiment.cells, marks, named, strict=True)
        ]
        run = Run(
            uid=uuid.uuid4().hex,
            # Not where the file is: a recording is shared.
            title=one_line(str(scenario.document.get("title") or Path(scenario.name).name)),
            document=scenario.document,
            source=one_line(source),
            seed=experiment.cells[0].seed,
            metrics=tuple(metric_names(experiment.cells)),
            versions=versions(ldptui),
            status="running",
            started=time.time(),
            total=experiment.trials,
            tags=tuple(tags),
        )
        number, places = insert_run(db, run, cells, [key for key, _ in named])
    return RunMemory(store, number, places, fresh, frequencies)


def _row_of(db: sqlite3.Connection, cell: Cell, mark: str, genuine: str) -> RunCell:
    """The row of a cell; its population is kept too where the scenario does not state it.

    mark : the digest of its histogram. genuine : the address of its genuine users.
    """
    population, name = cell.first.population, None
    if cell.parameters["population.kind"] not in STATED:
        labels = json.dumps(population.labels, ensure_ascii=False)
        name = keep_population(db, population.histogram, labels)
    return RunCell(
        position=cell.index,
        trials=cell.trials,
        parameters=cell.parameters,
        users=population.users,
        malicious=cell.malicious,
        domain_size=cell.task.size(cell.first),
        genuine=genuine,
        histogram=mark,
        population=name,
        answer=cell.answer,
    )


def resume(
    store: Store, run: int, frequencies: bool = True, experiment: Experiment | None = None
) -> RunMemory:
    """Go on with a run that did not end; what it has is known.

    experiment : that of the run, ready to be computed, where it has attacks in Python: their code
        must be what it was.
    """
    with store.writing() as db:
        cells = [row[0] for row in db.execute(
            "SELECT cell FROM run_cells WHERE run = ? ORDER BY position", (run,)
        )]  # fmt: skip
        stored = store.run(run)
        if stored.status == "running":
            raise FileError(f"run {run} is running, in process {process_of(db, run)}")
        other = differing(stored.versions) or _other_code(db, run, experiment)
        if other:
            raise FileError(
                f"run {run} cannot be resumed, its other trials would not be of one kind: "
                f"{other}; run it again instead"
            )
        before = _last_arrival(store, db, run)
        db.execute(
            "UPDATE runs SET status = 'running', error = '', owner = ? WHERE id = ?",
            (me(), run),
        )
    return RunMemory(store, run, cells, False, frequencies, before)


def _last_arrival(store: Store, db: sqlite3.Connection, run: int) -> tuple[float, int]:
    """The seconds and the number of the block of a run that came last; zeros where none did."""
    row = db.execute(
        "SELECT seconds, arrival FROM run_blocks WHERE run = ? ORDER BY arrival DESC LIMIT 1",
        (run,),
    ).fetchone()
    seconds, arrival = row or (0.0, 0)
    timed = isinstance(seconds, int | float) and math.isfinite(seconds)
    if not (timed and isinstance(arrival, int)):
        raise FileError(f"{store.path} is damaged: a block of run {run} came at no time")
    return seconds, arrival


def _other_code(db: sqlite3.Connection, run: int, experiment: Experiment | None) -> str:
    """A sentence about cells that are missing, or code that has changed; "" where all is there."""
    if experiment is None:
        return ""
    before = db.execute(
        "SELECT key FROM run_cells JOIN cells ON cells.id = cell WHERE run = ? ORDER BY position",
        (run,),
    ).fetchall()
    if len(before) != len(experiment.cells):
        return f"it has {len(before)} of its {len(experiment.cells)} cells"
    for cell, key, (old,) in zip(
        experiment.cells, cell_keys(experiment.cells), before, strict=True
    ):
        for what, name in _code(cell) if key != old else ():
            return f"the code of {what} {name!r} is not that of its other trials"
    return ""


def _code(cell: Cell) -> Iterator[tuple[str, str]]:
    """The code that a cell's numbers depend on: what for, and its name."""
    yield from cell.python_code
    for what in ("protocol", "population"):
        if f"{what}.name" in cell.parameters:
            yield what, str(cell.parameters[f"{what}.name"])


class RunPart:
    """The memory of a part of a run: an experiment with cells of the run, and with others.

    The run's own cells count as blocks of the run. The others are kept for whoever needs them next,
    until `Store.gc`.

    keys : of the cells; those of the run's own are not read. positions : of each cell, where the
    run has it.
    """

    def __init__(
        self,
        memory: RunMemory,
        keys: Sequence[str],
        positions: Sequence[Sequence[int]],
        frequencies: bool,
    ) -> None:
        self._run, self._keys, self._frequencies = memory, keys, frequencies
        self._positions = positions

    def knows(self, cell: Cell) -> bool:
        """True if the store has the first block of a cell; this takes nothing from it."""
        place, trials = self._known(cell), min(BLOCK_TRIALS, cell.trials)
        if place is None:
            return False
        try:
            store, items = self._run.store, cell.task.size(cell)
            return bool(store.known_block(place, 0, trials, self._frequencies, items))
        except FileError:
            return False  # computing it will say why

    def find(self, cell: Cell, number: int, trials: int) -> CellResults | None:
        """The block, if the store has it."""
        positions = self._positions[cell.index]
        place = self._known(cell)
        if place is None:
            return None
        return self._run._find(cell, place, positions, number, trials, self._frequencies)

    def keep(self, cell: Cell, number: int, block: CellResults) -> None:
        """Commit a finished block."""
        positions = self._positions[cell.index]
        if positions:
            place = self._run.cell_at(positions[0])
            self._run._write((number, block), positions, lambda _: place)
        else:
            key = self._keys[cell.index]
            self._run._write((number, block), (), lambda db: cell_number(db, key))

    def _known(self, cell: Cell) -> int | None:
        if self._positions[cell.index]:
            return self._run.cell_at(self._positions[cell.index][0])
        if self._run.failure:
            return None
        try:
            return self._run.store.cell_number(self._keys[cell.index])
        except FileError as error:
            self._run.failure = str(error)
            return None


class RunMemory(RunPart):
    """A run while it is computed and kept: the memory of all its cells.

    A store that cannot be written any more does not stop the run: `failure` says what happened.
    """

    def __init__(
        self,
        store: Store,
        run: int,
        cells: Sequence[int],
        fresh: bool,
        frequencies: bool,
        before: tuple[float, int] = (0.0, 0),
    ) -> None:
        super().__init__(self, (), [(at,) for at in range(len(cells))], frequencies)
        self.store, self.run = store, run
        self.failure = ""
        self.reused = 0
        """Trials that were in the store before the run."""
        self._computed: set[tuple[int, int]] = set()
        self._cells, self._fresh = cells, fresh
        self._started = time.monotonic() - before[0]
        self._arrivals = before[1]
        self._hits: list[tuple[Any, ...]] = []
        self._lock = threading.RLock()  # blocks may be found and kept by two threads

    def part(
        self, experiment: Experiment, positions: Mapping[str, Sequence[int]], frequencies: bool
    ) -> RunPart:
        """The memory of another experiment that is worked on for the same run.

        positions : where the run has a cell, by the cell's key. frequencies : as for `run`.
        """
        keys = cell_keys(experiment.cells)
        return RunPart(self, keys, [positions.get(key, ()) for key in keys], frequencies)

    def finish(self, results: Results | None = None, error: str = "") -> None:
        """The run has ended: it is done, partial, or failed with this error."""
        complete = results is not None and results.complete
        stopped = results is not None and not results.ended
        status = "done" if complete else "failed" if error and not stopped else "partial"
        self._write()
        if self.failure:
            return
        try:
            with self.store.writing() as db:
                db.execute(
                    "UPDATE runs SET status = ?, error = ?, digest = ?, seconds = ? WHERE id = ?",
                    (
                        status,
                        error,
                        results.digest if results is not None and complete else "",
                        self._seconds,
                        self.run,
                    ),
                )
        except FileError as reason:
            self.failure = str(reason)

    def cell_at(self, position: int) -> int:
        """The store's number of the cell at a position of the run."""
        return self._cells[position]

    @property
    def _seconds(self) -> float:
        return time.monotonic() - self._started

    def _arrived(self, position: int, number: int, trials: int) -> tuple[Any, ...]:
        self._arrivals += 1
        return (self.run, position, number, trials, self._arrivals, self._seconds)

    def _find(
        self,
        cell: Cell,
        place: int,
        positions: Sequence[int],
        number: int,
        trials: int,
        frequencies: bool,
    ) -> CellResults | None:
        """A block of a cell, known by this number, which is also at these positions of the run."""
        if self._fresh or self.failure:
            return None
        with self._lock:
            try:
                items = cell.task.size(cell)
                block = self.store.known_block(place, number, trials, frequencies, items)
            except FileError as error:
                self.failure = str(error)
                return None
            if block is not None:
                if (place, number) not in self._computed:
                    self.reused += trials
                self._hits += [self._arrived(position, number, trials) for position in positions]
                if len(self._hits) >= 1000:
                    self._write()
        return block

    def _write(
        self,
        block: tuple[int, CellResults] | None = None,
        positions: Sequence[int] = (),
        cell_of: Callable[[sqlite3.Connection], int] | None = None,
    ) -> None:
        """Write down the hits so far, and a block; nothing after a failure."""
        if self.failure:
            return
        with self._lock:
            rows, self._hits = self._hits, []
            try:
                with self.store.writing(now=False) as db:
                    if block is not None and cell_of is not None:
                        cell, (number, measured) = cell_of(db), block
                        insert_block(db, cell, number, measured)
                        self._computed.add((cell, number))
                        trials = measured.trials
                        rows += [self._arrived(position, number, trials) for position in positions]
                    note_arrivals(db, self.run, rows)
            except FileError as error:
                self.failure = str(error)
