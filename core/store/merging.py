"""Takes the runs of one store into another: those of shards, or of another machine."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from ..base.errors import FileError
from .faults import damaged
from .opening import open_store
from .owner import process_of
from .records import Status
from .rows import cell_number, insert_run, note_arrivals
from .store import Store


@dataclass(frozen=True)
class Merged:
    """The gain of a merge: runs by their numbers here, and trials that were not known before."""

    runs: tuple[int, ...]
    trials: int


def merge(store: Store, path: Path) -> Merged:
    """Take all runs of another store, and all that its cells measured; all of it or nothing.

    What a store holds counts as computed, other than what is in a recording: so merge only those
    that you trust. A run that is here already gets the blocks that it has there besides. Raises
    FileError, also where a run is under way there, and where both measured one trial and differ.
    """
    if store.path is not None and path.resolve() == store.path.resolve():
        raise FileError(f"{path} is this store itself")
    with (
        open_store(path, write=False) as other,
        store.writing() as db,
        other.reading() as there,
        damaged(path),
    ):
        for row in there.execute("SELECT digest, histogram, labels FROM populations"):
            db.execute("INSERT OR IGNORE INTO populations VALUES (?, ?, ?)", row)
        for row in there.execute("SELECT key, answer FROM answers"):
            db.execute("INSERT OR IGNORE INTO answers VALUES (?, ?)", row)
        trials = sum(
            _take_cell(db, there, place, cell_number(db, key), path)
            for place, key in there.execute("SELECT id, key FROM cells").fetchall()
        )
        runs = [_take_run(db, there, other, run.id) for run in reversed(other.runs())]
    return Merged(tuple(runs), trials)


def _take_cell(
    db: sqlite3.Connection, there: sqlite3.Connection, place: int, here: int, path: Path
) -> int:
    """Take what a cell measured; the trials that were not known here."""
    marks = "SELECT trial, fingerprint FROM trials WHERE cell = ?"
    known = dict(db.execute(marks, (here,)))
    new = 0
    for trial, fingerprint in there.execute(marks, (place,)):
        if known.get(trial, fingerprint) != fingerprint:
            raise FileError(
                f"{path} measured trial {trial} of a cell otherwise than this store: one of them "
                "is damaged, or was made by another simulator"
            )
        new += trial not in known
    for table in ("trials", "blocks", "rounds"):
        names = [row[1] for row in there.execute(f"PRAGMA table_info({table})")]
        names.remove("cell")
        columns, places = ", ".join(names), ", ?" * len(names)
        db.executemany(
            f"INSERT OR IGNORE INTO {table} (cell, {columns}) VALUES ({here}{places})",
            there.execute(f"SELECT {columns} FROM {table} WHERE cell = ?", (place,)),
        )
    return new


def _take_run(db: sqlite3.Connection, there: sqlite3.Connection, other: Store, number: int) -> int:
    """Take a run, or what it has got since; its number here."""
    run = other.run(number)
    if run.status == "running":
        where = f"in process {process_of(there, number)}"
        raise FileError(f"run {number} of {other.path} is running, {where}: merge when it is done")
    known = db.execute("SELECT id FROM runs WHERE uid = ?", (run.uid,)).fetchone()
    if known is not None:
        here = int(known[0])
    else:
        keys = [key for (key,) in there.execute(
            "SELECT key FROM run_cells JOIN cells ON cells.id = cell WHERE run = ?"
            " ORDER BY position", (number,)
        )]  # fmt: skip
        here, _ = insert_run(db, run, other.cells(number), keys)
        db.execute("UPDATE runs SET star = ? WHERE id = ?", (run.star, here))
    blocks = there.execute(
        "SELECT position, number, trials, arrival, seconds FROM run_blocks WHERE run = ?"
        " ORDER BY arrival",
        (number,),
    )
    note_arrivals(db, here, [(here, *block) for block in blocks])
    done, total = db.execute("SELECT done, total FROM runs WHERE id = ?", (here,)).fetchone()
    if known is None or run.done == done == total:
        db.execute(
            "UPDATE runs SET status = ?, error = ?, digest = ?, seconds = ? WHERE id = ?",
            (_settled(run.status), run.error, run.digest, run.seconds, here),
        )
    return here


def _settled(status: Status) -> Status:
    return "partial" if status == "interrupted" else status
