"""An open store: its transactions, what it knows, and how runs are kept in order."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np

from ..base.errors import FileError, ScenarioError
from ..cell import Cell
from ..experiment import Experiment, bound
from ..experiment.search import with_fakes
from ..metrics.results import BLOCK_TRIALS, MOMENTS, CellResults, Tally
from ..population import STATED, Population, PopulationSpec, given_population
from ..running.runner import Results
from ..scenario import Point, Scenario
from .faults import damaged, explained
from .records import Arrival, Run, RunCell, checked, run_cell_of, run_of
from .rows import block_of
from .schema import measured_columns

SYNC_PAUSE: Final = 0.05
"""Least seconds between two commits that wait for the disk."""


class Store:
    """An open store. Methods raise FileError; any thread may call them, one at a time.

    journal : "wal", or "delete" where the file system cannot carry WAL, or "memory" where nothing
        is written to a file.
    note : what a user should know about it; "" if nothing.
    faults : a sentence for each run that was left out because its row is damaged.
    """

    def __init__(self, path: Path | None, connection: sqlite3.Connection) -> None:
        self.path, self._db = path, connection
        self.journal, self.note = "memory", ""
        self.faults: list[str] = []
        self._lock = threading.RLock()
        self._synced, self._sync_cost = -math.inf, 0.0
        self._file: tuple[int, int] | None = None

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        with self._lock:
            self._db.close()

    # Transactions.

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """One statement at a time; raises FileError."""
        with self._lock, explained(self.path):
            yield self._db

    @contextlib.contextmanager
    def writing(self, now: bool = True) -> Iterator[sqlite3.Connection]:
        """A transaction, whole or not at all; raises FileError. `now`: on the disk when it ends."""
        with self._lock, explained(self.path):
            self._check_there()
            if self._db.in_transaction:  # an interrupt came where nothing could clean up
                self._db.execute("ROLLBACK")
            start = time.monotonic()
            sync = now or start >= self._synced + max(SYNC_PAUSE, 10 * self._sync_cost)
            if self.journal == "wal":
                self._db.execute(f"PRAGMA synchronous = {'FULL' if sync else 'NORMAL'}")
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                before = time.monotonic()
                self._db.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
                raise
            if sync:
                self._synced = time.monotonic()
                self._sync_cost = self._synced - before

    def _check_there(self) -> None:
        """Refuse a file that was deleted or replaced: SQLite would write what nobody finds."""
        if self.path is None:
            return
        try:
            status = self.path.stat()
        except OSError:
            raise FileError(f"{self.path} was deleted while it was in use") from None
        file = status.st_dev, status.st_ino
        self._file = self._file or file
        if file != self._file:
            raise FileError(f"{self.path} was replaced by another file while it was in use")

    # Reading.

    def runs(
        self,
        *,
        protocol: str | None = None,
        attack: str | None = None,
        tag: str | None = None,
        since: float | None = None,
        until: float | None = None,
        removed: bool = False,
        limit: int | None = None,
    ) -> list[Run]:
        """The runs that fit, newest first, the first `limit` of them.

        By number: clocks go back at times.
        """
        where = ["removed IS NOT NULL" if removed else "removed IS NULL"]
        values: list[object] = []
        for column, kind in (("protocols", protocol), ("attacks", attack)):
            if kind is not None:
                where.append(f"instr(',' || {column} || ',', ',' || ? || ',')")
                values.append(kind)
        if tag is not None:
            where.append("id IN (SELECT run FROM tags WHERE tag = ?)")
            values.append(tag)
        for test, moment in (("started >= ?", since), ("started < ?", until)):
            if moment is not None:
                where.append(test)
                values.append(moment)
        return self._runs(" AND ".join(where), values, limit)

    def run(self, number: int) -> Run:
        """One run, removed or not; raises ScenarioError if there is none of this number."""
        before = len(self.faults)
        runs = self._runs("id = ?", [number])
        if len(self.faults) > before:
            raise FileError(self.faults.pop())
        if not runs:
            raise ScenarioError(f"there is no run {number} in {self.path or 'this store'}")
        return runs[0]

    def _runs(self, where: str, values: Sequence[object], limit: int | None = None) -> list[Run]:
        with self.reading() as db:
            rows = db.execute(
                f"SELECT * FROM runs WHERE {where} ORDER BY id DESC LIMIT ?",
                [*values, -1 if limit is None else limit],
            )
            names = [column[0] for column in rows.description]
            fields = [dict(zip(names, row, strict=True)) for row in rows]
            tags: dict[int, list[str]] = {}
            for run, tag in db.execute("SELECT run, tag FROM tags ORDER BY tag"):
                tags.setdefault(run, []).append(tag)
        listed = []
        for row in fields:
            try:
                with damaged(self.path):
                    listed.append(run_of(row, tags.get(row["id"], [])))
            except FileError as error:
                self.faults.append(f"run {row['id']} cannot be shown: {error}")
        return listed

    def cells(self, run: int) -> list[RunCell]:
        """The cells of a run, in order."""
        names = [field.name for field in dataclasses.fields(RunCell)]
        with self.reading() as db:
            rows = db.execute(
                f"SELECT {', '.join(names)} FROM run_cells WHERE run = ? ORDER BY position", (run,)
            ).fetchall()
        with damaged(self.path):
            return [run_cell_of(dict(zip(names, row, strict=True))) for row in rows]

    def arrivals(self, run: int) -> list[Arrival]:
        """The blocks of a run in the order in which they came."""
        with self.reading() as db:
            rows = db.execute(
                "SELECT seconds, position, number, trials FROM run_blocks WHERE run = ?"
                " ORDER BY arrival, position, number",
                (run,),
            ).fetchall()
        with damaged(self.path):
            return [checked(Arrival(*row)) for row in rows]

    def block(self, run: int, arrival: Arrival) -> CellResults:
        """A block of a run; without moments where they were not kept."""
        with self.reading() as db:
            row = db.execute(
                "SELECT cell, domain_size FROM run_cells WHERE run = ? AND position = ?",
                (run, arrival.position),
            ).fetchone()
        block = row and self.known_block(row[0], arrival.number, arrival.trials, False, row[1])
        if not block:
            raise FileError(
                f"{self.path} is damaged: block {arrival.number} of cell {arrival.position} "
                f"of run {run} is missing"
            )
        return block

    def cell_number(self, key: str) -> int | None:
        """The number of the cell of this key; None if there is none."""
        with self.reading() as db:
            row = db.execute("SELECT id FROM cells WHERE key = ?", (key,)).fetchone()
        return row and int(row[0])

    def known_block(
        self, cell: int, number: int, trials: int, frequencies: bool, items: int
    ) -> CellResults | None:
        """A block of a cell of d items; None if it is not known.

        A part of a longer block has everything but its moments: with `frequencies` it is not known.
        """
        first = number * BLOCK_TRIALS
        with self.reading() as db:
            moments = db.execute(
                f"SELECT detected, {', '.join(MOMENTS)}"
                " FROM blocks WHERE cell = ? AND number = ? AND trials = ?",
                (cell, number, trials),
            ).fetchone()
            if moments is None and frequencies:
                return None
            rows = db.execute(
                f"SELECT fingerprint, {', '.join(measured_columns())} FROM trials"
                " WHERE cell = ? AND trial >= ? AND trial < ? ORDER BY trial",
                (cell, first, first + trials),
            ).fetchall()
            # Where there is no block of this length, the rounds of a longer one's first trials.
            rounds = db.execute(
                f"SELECT trials, rounds, names, metrics, {', '.join(MOMENTS)}"
                " FROM rounds WHERE cell = ? AND number = ? AND trials >= ?"
                " ORDER BY trials LIMIT 1",
                (cell, number, trials),
            ).fetchone()
        if len(rows) < trials:
            return None
        with damaged(self.path):
            return block_of(trials, items, rows, moments, rounds)

    def measured_cell(self, cell: int, trials: int, frequencies: bool, items: int) -> CellResults:
        """The first trials of a cell of d items, up to a gap, whichever run computed them."""
        tally = Tally()
        for number, first in enumerate(range(0, trials, BLOCK_TRIALS)):
            size = min(BLOCK_TRIALS, trials - first)
            block = self.known_block(cell, number, size, frequencies, items)
            if block is None:
                break
            tally.add(number, block if frequencies else block.bare)
        return tally.results

    def experiment(self, run: int, limits: bool = False) -> Experiment:
        """The run's experiment, bound again; users from a file or of code as they were then.

        Goals are not searched for again: a cell has the fakes and the answer that it had. Charts
        whose closed forms need the file find it where it was, if it is there still.
        """
        about = self.run(run)
        name = "the recording" if self.path is None else f"run {run}"
        scenario = Scenario(about.document, name, Path(about.source).parent)
        stored = {cell.position: cell for cell in self.cells(run)}

        @cache
        def drawn(spec: PopulationSpec, seed: int) -> Population:
            if spec.kind not in STATED:
                raise FileError(f"{self.path} is damaged: the population of run {run} is missing")
            return spec.bind(seed, scenario.folder)

        kept = cache(self.population)

        def population_of(index: int, point: Point) -> Population:
            name = stored[index].population if index in stored else None
            return drawn(point.population, point.seed) if name is None else kept(name)

        def answered(cell: Cell) -> Cell:
            if cell.goal is None or cell.index not in stored:
                return cell
            known = stored[cell.index]
            return replace(with_fakes(cell, known.malicious), answer=known.answer)

        cells = bound(tuple(scenario.points()), population_of, limits)
        return Experiment(scenario, tuple(map(answered, cells)), limits)

    def population(self, name: str) -> Population:
        """A population that came from a file or of code."""
        with self.reading() as db:
            row = db.execute(
                "SELECT histogram, labels FROM populations WHERE digest = ?", (name,)
            ).fetchone()
        with damaged(self.path):
            return given_population(np.frombuffer(row[0], dtype="<i8"), json.loads(row[1]))

    def results(self, run: int, experiment: Experiment | None = None) -> Results:
        """The results of a run in one piece, for `core.export`, tables and charts."""
        experiment = experiment or self.experiment(run)
        return Results(experiment, self.measured(run))

    def measured(self, run: int) -> tuple[CellResults, ...]:
        """The results of a run's cells, each up to its first gap; simulates nothing."""
        tallies = [Tally() for _ in self.cells(run)]
        with self.reading() as db:
            bare = {
                position
                for (position,) in db.execute(
                    "SELECT DISTINCT position FROM run_blocks AS r"
                    " JOIN run_cells USING (run, position)"
                    " WHERE run = ? AND NOT EXISTS (SELECT 1 FROM blocks AS b WHERE"
                    " b.cell = run_cells.cell AND b.number = r.number AND b.trials = r.trials)",
                    (run,),
                )
            }
        for arrival in self.arrivals(run):
            block = self.block(run, arrival)
            if arrival.position in bare:
                block = block.bare
            with damaged(self.path):
                tallies[arrival.position].add(arrival.number, block)
        return tuple(tally.results for tally in tallies)

    # Changing.

    def change_tags(self, run: int, add: Iterable[str] = (), drop: Iterable[str] = ()) -> None:
        """Tag a run."""
        self.run(run)
        with self.writing() as db:
            db.executemany("INSERT OR IGNORE INTO tags VALUES (?, ?)", [(run, tag) for tag in add])
            db.executemany("DELETE FROM tags WHERE run = ? AND tag = ?", [(run, t) for t in drop])

    def star(self, run: int, on: bool = True) -> None:
        """Mark a run, or unmark it; `gc` leaves marked ones."""
        self._update(run, "star", int(on))

    def remove(self, run: int, on: bool = True) -> None:
        """Take a run out of the list, or put it back; `gc` makes it final."""
        if on and self.run(run).status == "running":
            raise FileError(f"run {run} is running: stop it first")
        self._update(run, "removed", time.time() if on else None)

    def leave(self, run: int) -> None:
        """Mark a run whose process is gone as stopped; it can be resumed as before.

        Without effect on others.
        """
        if self.run(run).status == "interrupted":
            self._update(run, "status", "partial")

    def _update(self, run: int, column: str, value: object) -> None:
        self.run(run)
        with self.writing() as db:
            db.execute(f"UPDATE runs SET {column} = ? WHERE id = ?", (value, run))

    def gc(self, before: float | None = None, compact: bool = True) -> tuple[int, int]:
        """Forget removed runs, and what no run needs; return the numbers of runs and cells.

        before : runs that started earlier go as well, but for starred and running ones.
        compact : give the room back to the file system, unless a run is going on: it would wait.
        """
        old = [
            run.id
            for run in (self.runs(until=before) if before is not None else ())
            if not run.star and run.status != "running"
        ]
        old += [run.id for run in self.runs(removed=True)]
        with self.writing() as db:
            db.executemany("DELETE FROM runs WHERE id = ?", [(run,) for run in old])
            cells = db.execute(
                "DELETE FROM cells WHERE id NOT IN (SELECT cell FROM run_cells)"
            ).rowcount
            db.execute(
                "DELETE FROM answers WHERE answer NOT IN"
                " (SELECT answer FROM run_cells WHERE answer IS NOT NULL)"
            )
            db.execute(
                "DELETE FROM populations WHERE digest NOT IN"
                " (SELECT population FROM run_cells WHERE population IS NOT NULL)"
            )
        if compact and not any(run.status == "running" for run in self.runs()):
            with self.reading() as db:
                db.execute("VACUUM")
                if self.journal == "wal":
                    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return len(old), cells

    def check(self) -> str:
        """SQLite's own check of the whole file: "ok", or its complaints."""
        with self.reading() as db:
            return str(db.execute("PRAGMA integrity_check").fetchone()[0])
