"""An open store: blocks under their addresses, and the runs that they belong to, in order.

The table `runs` has all that changes: a row for each run, with checksums as blocks have.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from ..base.errors import FileError, ScenarioError
from ..base.processes import is_alive
from ..base.versions import redrawn_words
from ..cell import Cell
from ..experiment import Experiment, bound
from ..experiment.search import with_fakes
from ..experiment.size_limits import check_size
from ..metrics.results import BLOCK_TRIALS, CellResults, Tally
from ..population import STATED, Population, PopulationSpec
from ..running.runner import RunResults
from ..scenario import Point, Scenario
from .block_codec import seal, unseal
from .block_store import BLOCKS_TABLE, CORRUPTION_ERRORS, BlockStore, corruption_context
from .run_records import (
    Arrival,
    RunCell,
    RunRecord,
    decode_arrivals,
    decode_cells,
    decode_run,
    encode_answer,
    encode_arrivals,
    encode_cells,
    encode_run,
)

TABLES: Final = (
    BLOCKS_TABLE,
    """CREATE TABLE runs (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        uid TEXT NOT NULL UNIQUE,
        body BLOB NOT NULL,
        cells BLOB NOT NULL,
        arrivals BLOB NOT NULL
    )""",
)

APPLICATION: Final = int.from_bytes(b"LDPt")
"""SQLite's application id of a store."""

VERSION: Final = 6
"""The version of the tables."""


@contextlib.contextmanager
def _pause_collector() -> Iterator[None]:
    """Thousands of documents are read at once: searching them for garbage takes as long again."""
    is_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_on:
            gc.enable()


class Store(BlockStore):
    """An open store of runs. Methods raise FileError; any thread may call them, one at a time."""

    def make_tables(self) -> None:
        """Create the tables of an empty file, unless another process already did."""
        with self.writing() as db:
            if db.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,):
                for table in TABLES:
                    db.execute(table)
                db.execute(f"PRAGMA application_id = {APPLICATION}")
                db.execute(f"PRAGMA user_version = {VERSION}")

    # Runs.

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
    ) -> list[RunRecord]:
        """The records of the runs that match the filters, newest first, at most `limit`.

        Newest by number, since clocks are set back at times. since, until : UTC seconds since 1970.
        """
        records: list[RunRecord] = []
        with _pause_collector():
            for row in self.fetch("SELECT id, uid, body FROM runs ORDER BY id DESC"):
                if len(records) == limit:
                    break
                run = self._decode(*row)
                if run is not None and (
                    run.removed is removed
                    and (protocol is None or protocol in run.protocols)
                    and (attack is None or attack in run.attacks)
                    and (tag is None or tag in run.tags)
                    and (since is None or run.started >= since)
                    and (until is None or run.started < until)
                ):
                    records.append(run)
        return [self._as_it_is(run) for run in records]

    def run(self, number: int) -> RunRecord:
        """The record of a run, removed or not; raises ScenarioError for an unknown number."""
        return self._as_it_is(self._noted_run(number))

    def _decode(self, number: int, uid: str, sealed: object) -> RunRecord | None:
        """The run of a row; None, and a sentence in `faults`, where it is damaged."""
        try:
            return decode_run(unseal(f"run {uid}", sealed), number)
        except CORRUPTION_ERRORS as error:
            where = f"{self.path or 'the store'} is damaged: {error}"
            self.faults.append(f"run {number} cannot be shown: {where}")
            return None

    def _noted_run(self, number: int) -> RunRecord:
        """The run of this number as it was noted; raises FileError or ScenarioError."""
        row = self.fetch_one("SELECT id, uid, body FROM runs WHERE id = ?", number)
        if row is None:
            raise ScenarioError(f"there is no run {number} in {self.path or 'this store'}")
        run = self._decode(*row)
        if run is None:
            raise FileError(self.faults.pop())
        return run

    def _as_it_is(self, run: RunRecord) -> RunRecord:
        """The run; one whose end was not noted has the trials that are there.

        It is "interrupted" if its process is gone.
        """
        if run.status != "running":
            return run
        with contextlib.suppress(FileError):
            run = replace(run, done=sum(arrival.trials for arrival in self.arrivals(run.id)))
        return run if is_alive(run.owner) else replace(run, status="interrupted")

    def run_with_uid(self, uid: str) -> int | None:
        """The number of the run with this universal identifier; None if there is none."""
        row = self.fetch_one("SELECT id FROM runs WHERE uid = ?", uid)
        return row and int(row[0])

    def cells(self, run: int) -> tuple[RunCell, ...]:
        """The cells of a run, in order."""
        cells: tuple[RunCell, ...] = self._run_part(run, "cells", decode_cells)
        return cells

    def arrivals(self, run: int) -> tuple[Arrival, ...]:
        """The blocks of a run in order of arrival.

        For a run whose end was not recorded, also the stored blocks of its cells.
        """
        noted: tuple[Arrival, ...] = self._run_part(run, "arrivals", decode_arrivals)
        if self._noted_run(run).status != "running":
            return noted
        known = {(arrival.position, arrival.number) for arrival in noted}
        seconds = noted[-1].seconds if noted else 0.0
        query = "SELECT number, trials FROM blocks WHERE cell = ? ORDER BY number"
        more = [
            Arrival(seconds, cell.position, number, trials)
            for cell in self.cells(run)
            for number, trials in self.fetch(query, cell.key)
            if trials == min(BLOCK_TRIALS, cell.trials - number * BLOCK_TRIALS)
            and (cell.position, number) not in known
        ]
        return (*noted, *more)

    def _run_part(self, run: int, column: str, decode: Any) -> Any:
        row = self.fetch_one(f"SELECT uid, {column} FROM runs WHERE id = ?", run)
        if row is None:
            raise ScenarioError(f"there is no run {run} in {self.path or 'this store'}")
        with corruption_context(self.path, f"the {column} of run {run}"):
            return decode(unseal(f"{column} {row[0]}", row[1]))

    def insert_run(
        self, run: RunRecord, cells: Sequence[RunCell], arrivals: Sequence[Arrival]
    ) -> int:
        """Insert a run inside a transaction; returns its number, a new one if `run.id` is 0."""
        parts = {"run": encode_run(run), "cells": encode_cells(cells),
                 "arrivals": encode_arrivals(arrivals)}  # fmt: skip
        sealed = (seal(f"{name} {run.uid}", part) for name, part in parts.items())
        done = self._db.execute(
            "INSERT INTO runs VALUES (nullif(?, 0), ?, ?, ?, ?)", (run.id, run.uid, *sealed)
        )
        return int(done.lastrowid or 0)

    def update_run(
        self, number: int, arrivals: Sequence[Arrival] | None = None, **changes: Any
    ) -> None:
        """Change fields, and the arrivals if given, of a run, inside a transaction.

        Raises FileError if the run was removed meanwhile.
        """
        try:
            run = replace(self._noted_run(number), **changes)
        except ScenarioError:
            raise FileError(f"run {number} of {self.path} was removed meanwhile") from None
        parts = {"body": seal(f"run {run.uid}", encode_run(run))}
        if arrivals is not None:
            parts["arrivals"] = seal(f"arrivals {run.uid}", encode_arrivals(arrivals))
        for column, sealed in parts.items():
            self._db.execute(f"UPDATE runs SET {column} = ? WHERE id = ?", (sealed, number))

    # Results.

    def block(
        self, run: int, arrival: Arrival, cells: Sequence[RunCell] | None = None
    ) -> CellResults:
        """A stored block of a run, without moments if they were not stored; raises FileError if it
        is missing.

        cells : the run's, if they were read already.
        """
        cells, block = self.cells(run) if cells is None else cells, None
        if 0 <= arrival.position < len(cells):
            key = cells[arrival.position].key
            block = self.get_block(key, arrival.number, arrival.trials, False)
        if block is None:
            raise FileError(
                f"{self.path} is damaged: block {arrival.number} of cell {arrival.position} "
                f"of run {run} is missing; ldptui resume {run} computes it again"
            )
        return block

    def experiment(self, run: int, limits: bool = False) -> Experiment:
        """The run's experiment, bound again, with the stored users of files and plug-in code.

        Goals are not searched for again: a cell has its stored fakes and answer. limits : whether
        to refuse sizes that a run here would be refused for. Raises FileError or ScenarioError.
        """
        about = self.run(run)
        name = "the recording" if self.path is None else f"run {run}"
        scenario = Scenario(about.document, name, Path(about.source).parent)
        stored = {cell.position: cell for cell in self.cells(run)}

        @cache
        def draw_population(spec: PopulationSpec, seed: int) -> Population:
            if spec.kind not in STATED:
                raise FileError(f"{self.path} is damaged: the population of run {run} is missing")
            return spec.bind(seed, scenario.folder)

        kept = cache(self.population)

        def population_of(index: int, point: Point) -> Population:
            name = stored[index].population if index in stored else None
            return draw_population(point.population, point.seed) if name is None else kept(name)

        def answer_cell(cell: Cell) -> Cell:
            if cell.goal is None or cell.index not in stored:
                return cell
            known = stored[cell.index]
            return replace(with_fakes(cell, known.malicious), answer=known.answer)

        points = tuple(scenario.points())
        for point in points if limits else ():
            check_size(point)
        cells = bound(points, population_of, limits)
        return Experiment(scenario, tuple(map(answer_cell, cells)), limits)

    def results(self, run: int, experiment: Experiment | None = None) -> RunResults:
        """The complete results of a run, for exports, tables and charts."""
        experiment = experiment or self.experiment(run)
        about = self.run(run)
        known = (each for each in about.warnings if each not in experiment.warnings)  # of its code
        doubts = (*known, *redrawn_words(about.versions))
        return RunResults(experiment, self.measured_cells(run), doubts=doubts)

    def measured_cells(self, run: int) -> tuple[CellResults, ...]:
        """The stored results of a run's cells, each up to its first missing block; simulates
        nothing.
        """
        cells = self.cells(run)
        tallies = [Tally() for _ in cells]
        for arrival in self.arrivals(run):
            block = self.block(run, arrival, cells)
            with corruption_context(self.path):
                tallies[arrival.position].add(arrival.number, block)
        return tuple(tally.results for tally in tallies)

    # Changing.

    def change_tags(self, run: int, add: Iterable[str] = (), drop: Iterable[str] = ()) -> None:
        """Add tags to a run, and remove tags from it."""
        with self.writing():
            tags = {*self.run(run).tags, *add} - {*drop}
            self.update_run(run, tags=tuple(sorted(tags)))

    def star(self, run: int, on: bool = True) -> None:
        """Star a run, or remove its star; `gc` keeps starred runs."""
        self._change(run, star=on)

    def remove(self, run: int, on: bool = True) -> None:
        """Mark a run as removed, or restore it; `gc` deletes removed runs.

        Raises FileError for a run that is still running.
        """
        if on and self.run(run).status == "running":
            raise FileError(f"run {run} is running: stop it first")
        self._change(run, removed=on)

    def _change(self, run: int, **changes: Any) -> None:
        self.run(run)
        with self.writing():
            self.update_run(run, **changes)

    def gc(self, before: float | None = None) -> tuple[int, int]:
        """Delete removed runs and unused results; returns the numbers of runs and cells deleted.

        Free space returns to the file system, unless a run is going on.
        before : UTC seconds; runs that started earlier are deleted too, except starred and running
        ones.
        """
        old = self.runs(until=before) if before is not None else []
        gone = [run.id for run in old if not run.star and run.status != "running"]
        gone += [run.id for run in self.runs(removed=True)]
        with self.writing() as db:
            db.executemany("DELETE FROM runs WHERE id = ?", [(run,) for run in gone])
            cells = [
                cell for (run,) in self.fetch("SELECT id FROM runs") for cell in self.cells(run)
            ]
            needed = {name for cell in cells for name in (cell.key, cell.population)}
            answers = {encode_answer(cell.answer) for cell in cells if cell.answer is not None}
            free = [
                name
                for (name,) in self.fetch("SELECT DISTINCT cell FROM blocks")
                if name not in needed
                and not (name.startswith("answer ") and self.get_bytes(name) in answers)
            ]
            db.executemany("DELETE FROM blocks WHERE cell = ?", [(name,) for name in free])
        if not any(run.status == "running" for run in self.runs()):
            self.fetch("VACUUM")
            if self.journal == "wal":
                self.fetch("PRAGMA wal_checkpoint(TRUNCATE)")
        return len(gone), sum(" " not in name for name in free)
