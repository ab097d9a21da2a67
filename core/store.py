"""The run store: every run in one SQLite file, kept while it is computed.

A run is its scenario, the blocks that it got, in the order in which they came, and its digest. What
the blocks measured belongs to cells, which are addressed by everything that their numbers depend
on: runs share cells, and a cell that is known is not computed again.

Safety: one short transaction per block, in write-ahead logging. A process that is killed loses the
block it was computing and nothing else. Commits wait for the disk, so that a power loss takes no
more; only where blocks are quicker than `SYNC_PAUSE` they share the wait, and it takes those of the
last moment.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import os
import platform
import socket
import sqlite3
import struct
import threading
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from .cell import Cell
from .errors import FileError, LdpError, ScenarioError, one_line
from .experiment import Experiment, bind
from .metrics import METRICS
from .population import CSVColumn, Explicit, Population
from .results import BLOCK_TRIALS, NOTHING, Block, CellResults, Moments, Tally
from .runner import Results
from .sampling import Counts, Floats
from .scenario import Scenario
from .streams import digest

SIMULATOR: Final = 1
"""Raised with every change of the simulator that changes a number: older cells are then unknown."""

APPLICATION: Final = int.from_bytes(b"LDPt")
"""SQLite's application id of a store."""

PATIENCE: Final = 60.0
"""Seconds to wait for another process that writes."""

SYNC_PAUSE: Final = 0.05
"""Least seconds between two commits that wait for the disk."""

Status: TypeAlias = Literal["running", "done", "partial", "failed", "interrupted"]
"""`interrupted`: the process that ran it is gone without a word."""

_TABLES: Final = (
    """CREATE TABLE runs (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        uid TEXT NOT NULL UNIQUE,
        title TEXT NOT NULL,
        scenario TEXT NOT NULL,
        source TEXT NOT NULL,
        seed INTEGER NOT NULL,
        protocols TEXT NOT NULL,
        attacks TEXT NOT NULL,
        metrics TEXT NOT NULL,
        ldptui TEXT NOT NULL,
        numpy TEXT NOT NULL,
        python TEXT NOT NULL,
        machine TEXT NOT NULL,
        simulator INTEGER NOT NULL,
        status TEXT NOT NULL,
        error TEXT NOT NULL DEFAULT '',
        owner TEXT NOT NULL DEFAULT '',
        started REAL NOT NULL,
        seconds REAL NOT NULL DEFAULT 0,
        done INTEGER NOT NULL DEFAULT 0,
        total INTEGER NOT NULL,
        digest TEXT NOT NULL DEFAULT '',
        star INTEGER NOT NULL DEFAULT 0,
        removed REAL
    )""",
    """CREATE TABLE tags (
        run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
        tag TEXT NOT NULL,
        PRIMARY KEY (run, tag)
    ) WITHOUT ROWID""",
    """CREATE TABLE populations (
        digest TEXT PRIMARY KEY,
        histogram BLOB NOT NULL,
        labels TEXT
    )""",
    """CREATE TABLE cells (
        id INTEGER PRIMARY KEY,
        key TEXT NOT NULL UNIQUE
    )""",
    """CREATE TABLE run_cells (
        run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
        position INTEGER NOT NULL,
        cell INTEGER NOT NULL REFERENCES cells,
        trials INTEGER NOT NULL,
        parameters TEXT NOT NULL,
        users INTEGER NOT NULL,
        malicious INTEGER NOT NULL,
        domain_size INTEGER NOT NULL,
        genuine TEXT NOT NULL,
        histogram TEXT NOT NULL,
        population TEXT REFERENCES populations,
        PRIMARY KEY (run, position)
    ) WITHOUT ROWID""",
    "CREATE INDEX runs_of_cell ON run_cells (cell)",
    """CREATE TABLE run_blocks (
        run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
        position INTEGER NOT NULL,
        number INTEGER NOT NULL,
        trials INTEGER NOT NULL,
        arrival INTEGER NOT NULL,
        seconds REAL NOT NULL,
        PRIMARY KEY (run, position, number)
    ) WITHOUT ROWID""",
    """CREATE TABLE trials (
        cell INTEGER NOT NULL REFERENCES cells ON DELETE CASCADE,
        trial INTEGER NOT NULL,
        fingerprint INTEGER NOT NULL,
        PRIMARY KEY (cell, trial)
    ) WITHOUT ROWID""",
    """CREATE TABLE blocks (
        cell INTEGER NOT NULL REFERENCES cells ON DELETE CASCADE,
        number INTEGER NOT NULL,
        trials INTEGER NOT NULL,
        clean_mean BLOB NOT NULL,
        clean_squares BLOB NOT NULL,
        attacked_mean BLOB,
        attacked_squares BLOB,
        detected BLOB,
        PRIMARY KEY (cell, number, trials)
    )""",
)

MIGRATIONS: Final[list[tuple[str, ...]]] = [_TABLES]
"""What brings a store from each version to the next; never changed, only appended to.

`trials` has a column for every metric besides: those are added as metrics come.
"""

NETWORK_FILE_SYSTEMS: Final = frozenset(
    {"9p", "afs", "beegfs", "ceph", "cifs", "fuse.glusterfs", "fuse.sshfs", "gpfs", "lustre"}
    | {"ncpfs", "nfs", "nfs4", "smb3", "smbfs"}
)
"""Where processes on different hosts share files, but not the memory that WAL needs."""


# What a cell's numbers depend on.


def canonical(value: object) -> Any:
    """A value as JSON that is the same for equal values; raises TypeError for unknown types."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, np.generic):
        return canonical(value.item())
    if isinstance(value, float):
        return value.hex()
    if isinstance(value, np.ndarray):
        return [value.dtype.str, list(value.shape), digest(np.ascontiguousarray(value).tobytes())]
    if isinstance(value, list | tuple):
        parts = [canonical(one) for one in value]
        if len(parts) <= 64:
            return parts
        return ["long", len(parts), digest(json.dumps(parts).encode())]
    if dataclasses.is_dataclass(value):
        named = {one.name: canonical(getattr(value, one.name)) for one in dataclasses.fields(value)}
        return [type(value).__name__, named]
    raise TypeError(f"no canonical form of {type(value).__name__}")


def _keys(cell: Cell, histogram: str) -> tuple[str, str]:
    """The address of a cell, and of the draws of its genuine users, which cells may share."""
    where = [SIMULATOR, np.__version__, platform.machine(), BLOCK_TRIALS]
    genuine = [cell.seed, cell.genuine_address, histogram, cell.path]
    everything = {
        "metrics": METRICS,
        "population": cell.population.address,
        "protocol": cell.protocol,
        "attack": cell.attack,
        "malicious": [cell.malicious, cell.malicious_address, cell.targets],
        "top_k": cell.top_k,
        "noise": cell.noise,
    }
    parts = {name: canonical(part) for name, part in everything.items()}
    return _hashed([where, genuine, parts]), _hashed([where, genuine])


def cell_key(cell: Cell) -> str:
    """xxh3_128 of everything that the numbers of a cell depend on, its trials left out."""
    return _keys(cell, digest(cell.population.histogram.tobytes()))[0]


def _hashed(value: Any) -> str:
    return digest(json.dumps(value, sort_keys=True, separators=(",", ":")).encode())


# Runs.


@dataclass(frozen=True)
class Run:
    """One run as the store knows it.

    document : the scenario. source : the file it came from, "" if none.
    metrics : the names of what was measured.
    started : UTC seconds since 1970; seconds : how long it took, by a clock that never goes back.
    done, total : trials. digest : of a run that is done, else "".
    """

    id: int
    uid: str
    title: str
    document: dict[str, Any] = field(hash=False)
    source: str
    seed: int
    protocols: tuple[str, ...]
    attacks: tuple[str, ...]
    metrics: tuple[str, ...]
    versions: Mapping[str, str | int] = field(hash=False)
    status: Status
    error: str
    started: float
    seconds: float
    done: int
    total: int
    digest: str
    star: bool
    removed: bool
    tags: tuple[str, ...]


@dataclass(frozen=True)
class RunCell:
    """One cell of a run. genuine : names the draws of the genuine users; equal: the same ones."""

    position: int
    trials: int
    parameters: Mapping[str, Any] = field(hash=False)
    users: int
    malicious: int
    domain_size: int
    genuine: str
    histogram: str
    population: str | None


@dataclass(frozen=True)
class Arrival:
    """A block of a run: when it came, in seconds since the run started, and its trials."""

    seconds: float
    position: int
    number: int
    trials: int


def versions(ldptui: str = "") -> dict[str, str | int]:
    """What the numbers of a run depend on besides its scenario, and ldptui's own version."""
    return {
        "ldptui": ldptui,
        "numpy": np.__version__,
        "python": platform.python_version(),
        "machine": platform.machine(),
        "simulator": SIMULATOR,
    }


def differing(recorded: Mapping[str, str | int]) -> str:
    """What numbers depend on and is not as it was then: "" if nothing."""
    here = versions()
    names = {"numpy": "NumPy", "machine": "a processor of the family", "simulator": "simulator"}
    return ", ".join(
        f"recorded with {words} {recorded[name]}, here it is {here[name]}"
        for name, words in names.items()
        if recorded[name] != here[name]
    )


class Store:
    """An open store. Methods raise FileError; any thread may call them, one at a time.

    journal : "wal", or "delete" where the file system cannot carry WAL, or "memory" where nothing
        is written to a file.
    note : what a user should know about it; "" if nothing.
    """

    def __init__(self, path: Path | None, connection: sqlite3.Connection) -> None:
        self.path, self._db = path, connection
        self.journal, self.note = "memory", ""
        self._lock = threading.RLock()
        self._synced, self._sync_cost = -math.inf, 0.0

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

    # Recording.

    def begin(
        self,
        experiment: Experiment,
        ldptui: str = "",
        *,
        tags: Iterable[str] = (),
        source: str = "",
        fresh: bool = False,
        frequencies: bool = True,
    ) -> Recording:
        """Start to record a run; hand the recording to `core.runner.run` as its memory.

        fresh : compute everything again. frequencies : as for `run`.
        """
        scenario, marks = experiment.scenario, dict[int, str]()
        cells, keys = [], []
        with self.writing() as db:
            for cell in experiment.cells:
                population = cell.population
                if id(population) not in marks:
                    marks[id(population)] = digest(population.histogram.tobytes())
                mark, name = marks[id(population)], None
                if cell.parameters["population.kind"] == CSVColumn.kind:
                    labels = json.dumps(population.labels, ensure_ascii=False)
                    name = self.keep_population(db, population.histogram, labels)
                key, genuine = _keys(cell, mark)
                keys.append(key)
                cells.append(
                    RunCell(
                        position=cell.index,
                        trials=cell.trials,
                        parameters=cell.parameters,
                        users=cell.users,
                        malicious=cell.malicious,
                        domain_size=population.domain_size,
                        genuine=genuine,
                        histogram=mark,
                        population=name,
                    )
                )
            run = Run(
                id=0,
                uid=uuid.uuid4().hex,
                # Not where the file is: recordings are shared.
                title=one_line(str(scenario.document.get("title") or Path(scenario.name).name)),
                document=scenario.document,
                source=one_line(source),
                seed=experiment.cells[0].seed,
                protocols=(),
                attacks=(),
                metrics=METRICS,
                versions=versions(ldptui),
                status="running",
                error="",
                started=time.time(),
                seconds=0.0,
                done=0,
                total=experiment.trials,
                digest="",
                star=False,
                removed=False,
                tags=tuple(tags),
            )
            number, own = self.insert_run(db, run, cells, keys)
        return Recording(self, number, own, fresh, frequencies)

    def insert_run(
        self, db: sqlite3.Connection, run: Run, cells: Sequence[RunCell], keys: Sequence[str]
    ) -> tuple[int, list[int]]:
        """Write a run without its blocks; its number here, and its cells' by their keys.

        The number, protocols and attacks of `run` do not count.
        """
        kinds = {
            name: ",".join(dict.fromkeys(str(cell.parameters[f"{name}.kind"]) for cell in cells))
            for name in ("protocol", "attack")
        }
        number = _insert(
            db,
            "runs",
            uid=run.uid,
            title=run.title,
            scenario=_json(run.document),
            source=run.source,
            seed=run.seed,
            protocols=kinds["protocol"],
            attacks=kinds["attack"],
            metrics=json.dumps(run.metrics),
            **run.versions,
            status=run.status,
            owner=_me(),
            started=run.started,
            seconds=run.seconds,
            total=run.total,
            digest=run.digest,
        )
        own = []
        for cell, key in zip(cells, keys, strict=True):
            db.execute("INSERT OR IGNORE INTO cells (key) VALUES (?)", (key,))
            (found,) = db.execute("SELECT id FROM cells WHERE key = ?", (key,)).fetchone()
            own.append(found)
            columns = {one.name: getattr(cell, one.name) for one in dataclasses.fields(RunCell)}
            columns |= {"run": number, "cell": found, "parameters": _json(dict(cell.parameters))}
            _insert(db, "run_cells", **columns)
        db.executemany(
            "INSERT OR IGNORE INTO tags VALUES (?, ?)", [(number, tag) for tag in run.tags]
        )
        return number, own

    def keep_population(self, db: sqlite3.Connection, histogram: Counts, labels: str) -> str:
        """Write a population with its labels as JSON; its name."""
        data = histogram.astype("<i8").tobytes()
        name = digest(data + labels.encode("utf-8", "surrogatepass"))
        db.execute("INSERT OR IGNORE INTO populations VALUES (?, ?, ?)", (name, data, labels))
        return name

    def resume(self, run: int, frequencies: bool = True) -> Recording:
        """Go on recording a run that did not end; what it has is known."""
        with self.writing() as db:
            cells = [row[0] for row in db.execute(
                "SELECT cell FROM run_cells WHERE run = ? ORDER BY position", (run,)
            )]  # fmt: skip
            there = self.run(run)
            if there.status == "running":
                raise FileError(f"run {run} is running, in process {_process_of(db, run)}")
            other = differing(there.versions)
            if other or there.metrics != METRICS:
                raise FileError(
                    f"run {run} cannot be resumed, its other trials would not be of one kind: "
                    f"{other or 'it has other metrics'}; run it again instead"
                )
            before = db.execute(
                "SELECT seconds, arrival FROM run_blocks WHERE run = ?"
                " ORDER BY arrival DESC LIMIT 1",
                (run,),
            ).fetchone()
            db.execute(
                "UPDATE runs SET status = 'running', error = '', owner = ? WHERE id = ?",
                (_me(), run),
            )
        return Recording(self, run, cells, False, frequencies, before or (0.0, 0))

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
        found = self._runs("id = ?", [number])
        if not found:
            raise ScenarioError(f"there is no run {number} in {self.path or 'this store'}")
        return found[0]

    def _runs(self, where: str, values: Sequence[object], limit: int | None = None) -> list[Run]:
        with self.reading() as db:
            rows = db.execute(
                f"SELECT * FROM runs WHERE {where} ORDER BY id DESC LIMIT ?",
                [*values, -1 if limit is None else limit],
            )
            names = [column[0] for column in rows.description]
            found = [dict(zip(names, row, strict=True)) for row in rows]
            tags: dict[int, list[str]] = {}
            for run, tag in db.execute("SELECT run, tag FROM tags ORDER BY tag"):
                tags.setdefault(run, []).append(tag)
        with damaged(self.path):
            return [_run(row, tags.get(row["id"], [])) for row in found]

    def cells(self, run: int) -> list[RunCell]:
        """The cells of a run, in order."""
        names = ", ".join(one.name for one in dataclasses.fields(RunCell))
        with self.reading() as db:
            rows = db.execute(
                f"SELECT {names} FROM run_cells WHERE run = ? ORDER BY position", (run,)
            ).fetchall()
        with damaged(self.path):
            return [
                RunCell(position, trials, json.loads(parameters), *rest)
                for position, trials, parameters, *rest in rows
            ]

    def arrivals(self, run: int) -> list[Arrival]:
        """The blocks of a run in the order in which they came."""
        with self.reading() as db:
            rows = db.execute(
                "SELECT seconds, position, number, trials FROM run_blocks WHERE run = ?"
                " ORDER BY arrival, position, number",
                (run,),
            ).fetchall()
        return [Arrival(*row) for row in rows]

    def block(self, run: int, arrival: Arrival) -> Block:
        """What a block of a run measured; without moments where they were not kept."""
        with self.reading() as db:
            row = db.execute(
                "SELECT cell, domain_size FROM run_cells WHERE run = ? AND position = ?",
                (run, arrival.position),
            ).fetchone()
        found = row and self.known_block(
            row[0], arrival.position, arrival.number, arrival.trials, False
        )
        if not found:
            raise FileError(
                f"{self.path} is damaged: block {arrival.number} of cell {arrival.position} "
                f"of run {run} is missing"
            )
        return found

    def known_block(
        self, cell: int, position: int, number: int, trials: int, frequencies: bool
    ) -> Block | None:
        """A block of a cell, for the cell's position in a run; None where it is not known.

        A part of a longer block has everything but its moments: with `frequencies` it is not known.
        """
        first = number * BLOCK_TRIALS
        with self.reading() as db:
            moments = db.execute(
                "SELECT clean_mean, clean_squares, attacked_mean, attacked_squares, detected"
                " FROM blocks WHERE cell = ? AND number = ? AND trials = ?",
                (cell, number, trials),
            ).fetchone()
            if moments is None and frequencies:
                return None
            rows = db.execute(
                f"SELECT fingerprint, {', '.join(METRICS)} FROM trials"
                " WHERE cell = ? AND trial >= ? AND trial < ? ORDER BY trial",
                (cell, first, first + trials),
            ).fetchall()
        if len(rows) < trials:
            return None
        marks = np.array([row[0] for row in rows], dtype=np.int64).view(np.uint64)
        metrics = np.array([row[1:] for row in rows], dtype=np.float64)  # NULL becomes NaN
        clean, attacked, detected = NOTHING, NOTHING, None
        if moments is not None:
            clean = Moments(trials, _floats(moments[0]), _floats(moments[1]))
            attacked = clean
            if moments[2] is not None:
                attacked = Moments(trials, _floats(moments[2]), _floats(moments[3]))
            if moments[4] is not None:
                detected = np.frombuffer(moments[4], dtype="<i8")
        return Block(position, number, metrics, marks, clean, attacked, detected)

    def experiment(self, run: int, limits: bool = False) -> Experiment:
        """The run's experiment, bound again; what came from a CSV file as it was then."""
        scenario = Scenario(self.run(run).document, f"run {run}")
        given = {cell.position: cell.population for cell in self.cells(run)}
        populations: dict[object, Population] = {}
        cells = []
        for index, point in enumerate(scenario.points()):
            name = given.get(index)
            drawn = (point.population, point.seed) if name is None else name
            if drawn not in populations:
                if name is not None:
                    populations[drawn] = self.population(name)
                elif isinstance(point.population, CSVColumn):
                    raise FileError(
                        f"{self.path} is damaged: the population of run {run} is missing"
                    )
                else:
                    populations[drawn] = point.population.bind(point.seed, scenario.folder)
            cells.append(bind(index, point, populations[drawn], limits))
        return Experiment(scenario, tuple(cells))

    def population(self, name: str) -> Population:
        """A population that came from a CSV file."""
        with self.reading() as db:
            row = db.execute(
                "SELECT histogram, labels FROM populations WHERE digest = ?", (name,)
            ).fetchone()
        with damaged(self.path):
            return given_population(np.frombuffer(row[0], dtype="<i8"), json.loads(row[1]))

    def results(self, run: int, experiment: Experiment | None = None) -> Results:
        """What a run measured, in one piece; for `core.export`, tables and charts."""
        experiment = experiment or self.experiment(run)
        return Results(experiment, self.measured(run))

    def measured(self, run: int) -> tuple[CellResults, ...]:
        """What the cells of a run measured, up to the first gap; simulates nothing."""
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
                block = replace(block, clean=NOTHING, attacked=NOTHING, detected=None)
            tallies[arrival.position].add(block)
        return tuple(
            replace(tally.results, clean=None, attacked=None) if index in bare else tally.results
            for index, tally in enumerate(tallies)
        )

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
        """Take a run out of the history, or put it back; `gc` makes it final."""
        if on and self.run(run).status == "running":
            raise FileError(f"run {run} is running: stop it first")
        self._update(run, "removed", time.time() if on else None)

    def _update(self, run: int, column: str, value: object) -> None:
        self.run(run)
        with self.writing() as db:
            db.execute(f"UPDATE runs SET {column} = ? WHERE id = ?", (value, run))

    def gc(self, before: float | None = None, compact: bool = True) -> tuple[int, int]:
        """Forget removed runs, and what no run needs; how many runs and cells that were.

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
        """What SQLite finds wrong with the file; "ok" if nothing. Reads all of it."""
        with self.reading() as db:
            return str(db.execute("PRAGMA integrity_check").fetchone()[0])


class Recording:
    """A run while it is recorded: the memory of `core.runner.run`.

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
        self.store, self.run = store, run
        self.failure = ""
        self.reused = 0
        """Trials that were in the store."""
        self._cells, self._fresh, self._frequencies = cells, fresh, frequencies
        self._started = time.monotonic() - before[0]
        self._arrivals = before[1]
        self._hits: list[tuple[Any, ...]] = []

    def find(self, cell: Cell, number: int, trials: int) -> Block | None:
        """The block, if the store has it."""
        if self._fresh or self.failure:
            return None
        try:
            block = self.store.known_block(
                self._cells[cell.index], cell.index, number, trials, self._frequencies
            )
        except FileError as error:
            self.failure = str(error)
            return None
        if block is not None:
            self.reused += trials
            self._hits.append(self._arrived(cell.index, number, trials))
            if len(self._hits) >= 1000:
                self._write()
        return block

    def keep(self, cell: Cell, block: Block) -> None:
        """Commit a finished block."""
        self._write(cell, block)

    def finish(self, results: Results | None = None, error: str = "") -> None:
        """The run has ended: it is done, partial, or failed with this error."""
        complete = results is not None and results.complete
        status = "failed" if error else "done" if complete else "partial"
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

    @property
    def _seconds(self) -> float:
        return time.monotonic() - self._started

    def _arrived(self, position: int, number: int, trials: int) -> tuple[Any, ...]:
        self._arrivals += 1
        return (self.run, position, number, trials, self._arrivals, self._seconds)

    def _write(self, cell: Cell | None = None, block: Block | None = None) -> None:
        """The hits so far, and a block."""
        if self.failure:
            return
        rows, self._hits = self._hits, []
        try:
            with self.store.writing(now=False) as db:
                if cell is not None and block is not None:
                    insert_block(db, self._cells[cell.index], block)
                    rows.append(self._arrived(cell.index, block.number, len(block.metrics)))
                note_arrivals(db, self.run, rows)
        except FileError as error:
            self.failure = str(error)


def insert_block(db: sqlite3.Connection, cell: int, block: Block) -> None:
    """Write what a block of a cell measured."""
    trials, first = len(block.metrics), block.number * BLOCK_TRIALS
    columns = ", ".join(("cell", "trial", "fingerprint", *METRICS))
    marks = block.fingerprints.view(np.int64).tolist()
    db.executemany(
        f"INSERT OR REPLACE INTO trials ({columns}) VALUES (?, ?, ?{', ?' * len(METRICS)})",
        [
            (cell, first + row, mark, *metrics)  # SQLite keeps NaN as NULL
            for row, (mark, metrics) in enumerate(zip(marks, block.metrics.tolist(), strict=True))
        ],
    )
    if block.clean.trials:
        same = block.attacked is block.clean
        db.execute(
            "INSERT OR REPLACE INTO blocks VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                cell,
                block.number,
                trials,
                _bytes(block.clean.mean),
                _bytes(block.clean.squares),
                None if same else _bytes(block.attacked.mean),
                None if same else _bytes(block.attacked.squares),
                None if block.detected is None else block.detected.astype("<i8").tobytes(),
            ),
        )


def note_arrivals(db: sqlite3.Connection, run: int, rows: Sequence[tuple[Any, ...]]) -> None:
    """Blocks of a run have come: (run, position, number, trials, arrival, seconds) each."""
    new = 0
    for row in rows:
        done = db.execute("INSERT OR IGNORE INTO run_blocks VALUES (?, ?, ?, ?, ?, ?)", row)
        new += row[3] * done.rowcount
    db.execute("UPDATE runs SET done = done + ? WHERE id = ?", (new, run))


def given_population(histogram: Counts, labels: Sequence[str] | None) -> Population:
    """A population from its histogram; raises ScenarioError where it cannot be one."""
    population = Explicit(tuple(histogram.tolist())).bind(0, Path())
    if labels is None:
        return population
    if len(labels) != histogram.size or not all(isinstance(one, str) for one in labels):
        raise ScenarioError(f"must be {histogram.size} names, got {len(labels)}", key="labels")
    return replace(population, labels=tuple(labels))


def _insert(db: sqlite3.Connection, into: str, **values: object) -> int:
    names, marks = ", ".join(values), ", ".join("?" * len(values))
    done = db.execute(f"INSERT INTO {into} ({names}) VALUES ({marks})", tuple(values.values()))
    return int(done.lastrowid or 0)


def _run(row: dict[str, Any], tags: Sequence[str]) -> Run:
    status = row["status"]
    if status == "running" and not _alive(row["owner"]):
        status = "interrupted"
    return Run(
        id=row["id"],
        uid=row["uid"],
        title=row["title"],
        document=json.loads(row["scenario"]),
        source=row["source"],
        seed=row["seed"],
        protocols=tuple(row["protocols"].split(",")),
        attacks=tuple(row["attacks"].split(",")),
        metrics=tuple(json.loads(row["metrics"])),
        versions={name: row[name] for name in versions()},
        status=status,
        error=row["error"],
        started=row["started"],
        seconds=row["seconds"],
        done=row["done"],
        total=row["total"],
        digest=row["digest"],
        star=bool(row["star"]),
        removed=row["removed"] is not None,
        tags=tuple(tags),
    )


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _floats(data: bytes) -> Floats:
    return np.frombuffer(data, dtype="<f8")


def _bytes(values: Floats) -> bytes:
    return values.astype("<f8").tobytes()


# Who runs a run.


def _me() -> str:
    """This process: host, number, and when it began, as numbers are used again."""
    return f"{socket.gethostname()}:{os.getpid()}:{_began(os.getpid())}"


def _began(process: int) -> str:
    """When a process of this host began, in the kernel's words; "" where it does not tell."""
    try:
        status = Path(f"/proc/{process}/stat").read_text("utf-8", "replace")
    except OSError:
        return ""
    return status.rpartition(")")[2].split()[19]


def _alive(owner: str) -> bool:
    """Whether a process may still be there; of other hosts nobody knows."""
    host, _, rest = owner.rpartition(":")[0].rpartition(":")
    began = owner.rpartition(":")[2]
    if host != socket.gethostname() or not rest.isdecimal():
        return bool(owner)
    try:
        os.kill(int(rest), 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # somebody else's
    return not began or _began(int(rest)) == began


def _process_of(db: sqlite3.Connection, run: int) -> str:
    (owner,) = db.execute("SELECT owner FROM runs WHERE id = ?", (run,)).fetchone()
    host, _, process = str(owner).rpartition(":")[0].rpartition(":")
    return process if host == socket.gethostname() else f"{process} on {host}"


# Opening.


def open_store(path: Path | None, write: bool = True) -> Store:
    """Open a store, made if there is none; None is one in memory. Raises FileError.

    write : False reads one that is there, even where nothing may be written.
    """
    if path is None:
        return _prepared(None, sqlite3.connect(":memory:", **_OPTIONS))
    if path.is_dir():
        raise FileError(f"{path} is a folder, not a store")
    if not write:
        try:
            return _opened(path, "rw")
        except FileError as error:
            if not any(_REASONS[key] in str(error) for key in ("readonly", "unable to open")):
                raise
            return _opened(path, "ro&immutable=1")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or error
        raise FileError(f"{path.parent} cannot be made: {reason}") from error
    return _opened(path, "rwc")


_OPTIONS: Final[dict[str, Any]] = {
    "timeout": PATIENCE,
    "isolation_level": None,
    "check_same_thread": False,
}


def _opened(path: Path, mode: str) -> Store:
    try:
        if path.exists() and path.stat().st_size:
            with path.open("rb") as file:
                if file.read(16) != b"SQLite format 3\0":
                    raise FileError(f"{path} is not a store of ldptui")
    except FileError:
        raise
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}") from error
    if _cut_off(path):
        time.sleep(0.1)  # another process may be writing it
        if _cut_off(path):
            raise FileError(f"{path} is damaged: the end of the file is missing")
    with explained(path):
        uri = f"{path.absolute().as_uri()}?mode={mode}"
        connection = sqlite3.connect(uri, uri=True, **_OPTIONS)
        try:
            return _prepared(path, connection, mode.startswith("rw"))
        except BaseException:
            connection.close()
            raise


def _cut_off(path: Path) -> bool:
    """Whether a file is shorter than its head says, which SQLite would fill up with zeros."""
    try:
        with path.open("rb") as file:
            head = file.read(100)
        if len(head) < 100:
            return bool(head)
        beside = [path.with_name(path.name + end) for end in ("-wal", "-journal")]
        if any(one.exists() and one.stat().st_size for one in beside):
            return False
        page, change, pages, valid = struct.unpack(">16xH6xII60xI4x", head)
        return bool(
            change == valid and path.stat().st_size < pages * (65536 if page == 1 else page)
        )
    except OSError:
        return False  # what opens it will say why


def _prepared(path: Path | None, db: sqlite3.Connection, write: bool = True) -> Store:
    """Check what was opened, before anything is written to it; then bring it up to date."""
    store = Store(path, db)
    db.execute("PRAGMA trusted_schema = OFF")
    db.execute("PRAGMA foreign_keys = ON")
    version = _checked_version(path, db)
    if path is not None and write:
        _choose_journal(store, path)
    missing = set(METRICS)
    if version:
        missing -= {row[1] for row in db.execute("PRAGMA table_info(trials)")}
    if version < len(MIGRATIONS) or missing:
        with store.writing():
            version = _checked_version(path, db)  # another process may have been quicker
            for step in MIGRATIONS[version:]:
                for statement in step:
                    db.execute(statement)
            there = {row[1] for row in db.execute("PRAGMA table_info(trials)")}
            for name in METRICS:
                if name not in there:
                    db.execute(f"ALTER TABLE trials ADD COLUMN {name} REAL")
            db.execute(f"PRAGMA application_id = {APPLICATION}")
            db.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
    return store


def _checked_version(path: Path | None, db: sqlite3.Connection) -> int:
    """The version of the file, 0 for an empty one; raises FileError if it is not for us."""
    # One statement, so that it does not see half of what another process makes meanwhile.
    version, application, tables = db.execute(
        "SELECT user_version, application_id, (SELECT count(*) FROM sqlite_master)"
        " FROM pragma_user_version, pragma_application_id"
    ).fetchone()
    if application != APPLICATION and (tables or application or version):
        raise FileError(f"{path} is not a store of ldptui: another program made it")
    if version > len(MIGRATIONS):
        raise FileError(
            f"{path} was made by a newer ldptui (version {version} of the store, this one knows "
            f"{len(MIGRATIONS)}): update ldptui, or use another store"
        )
    return int(version)


def _choose_journal(store: Store, path: Path) -> None:
    kind = file_system(path)
    if kind in NETWORK_FILE_SYSTEMS:
        _fall_back(store, f"{path} is on a network file system ({kind})")
        return
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            (mode,) = store._db.execute("PRAGMA journal_mode = WAL").fetchone()
            break
        except sqlite3.OperationalError as error:
            if "locked" in str(error) and time.monotonic() < deadline:
                time.sleep(0.01)  # SQLite does not wait by itself here
                continue
            if "locking protocol" not in str(error) and "disk I/O" not in str(error):
                raise
            mode = ""
            break
    if mode == "wal":
        store.journal = "wal"
    else:
        _fall_back(store, f"the file system of {path} cannot carry write-ahead logging")


def _fall_back(store: Store, reason: str) -> None:
    (store.journal,) = store._db.execute("PRAGMA journal_mode = DELETE").fetchone()
    store._db.execute("PRAGMA synchronous = FULL")
    store.note = f"{reason}: using a rollback journal, which is slower"


def file_system(path: Path) -> str:
    """The kind of file system that a path is on, as Linux calls it; "" elsewhere."""
    try:
        lines = Path("/proc/self/mounts").read_text("utf-8", "replace").splitlines()
    except OSError:
        return ""
    best, kind = "", ""
    place = path.absolute()
    for fields in (line.split() for line in lines):
        mounted = fields[1].replace("\\040", " ")
        if len(mounted) >= len(best) and place.is_relative_to(mounted):
            best, kind = mounted, fields[2]
    return kind


# Errors.

_REASONS: Final = {
    "not a database": "is not a store of ldptui",
    "malformed": "is damaged: SQLite cannot read it",
    "full": "cannot be written: the disk is full",
    "readonly": "cannot be written: it is read-only",
    "locked": "is being written by another process for very long",
    "disk I/O": "cannot be read or written: the disk reports an error",
    "unable to open": "cannot be opened: is the folder there, and may you write to it?",
}


@contextlib.contextmanager
def explained(path: Path | None) -> Iterator[None]:
    """SQLite's errors as FileError, in one sentence."""
    try:
        yield
    except (sqlite3.Error, OverflowError) as error:
        message = str(error)
        sentence = next((words for key, words in _REASONS.items() if key in message), None)
        where = path or "the store in memory"
        raise FileError(f"{where} {sentence or f'cannot be used: {message}'}") from error


@contextlib.contextmanager
def damaged(path: Path | None) -> Iterator[None]:
    """What a file that was changed by others may hold, as FileError."""
    try:
        yield
    except LdpError:
        raise
    except (ValueError, TypeError, KeyError, IndexError, struct.error) as error:
        raise FileError(f"{path or 'the store'} is damaged: {error}") from error
