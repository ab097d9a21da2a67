"""Bytes under addresses in one SQLite file: its transactions, and the blocks that are kept in it.

`blocks` has all that never changes: blocks of trials by the key of their cell, their number and
their trials, and populations and answers of goals by a digest. Whatever is kept begins with a
checksum over its address and its bytes: what is damaged is never read as a number.
"""

from __future__ import annotations

import contextlib
import math
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, TypeVar

import msgspec
import numpy as np

from ..base.errors import FileError
from ..base.sampling import Counts
from ..base.streams import digest
from ..metrics.results import BLOCK_TRIALS, CellResults, Tally
from ..population import Population, given_population
from .block_codec import decode_block, encode_block, seal, unseal
from .sqlite_errors import corruption_context, sqlite_error_context

SYNC_PAUSE: Final = 0.05
"""Least seconds between two commits that wait for the disk."""

BLOCKS_TABLE: Final = """CREATE TABLE blocks (
        cell TEXT NOT NULL,
        number INTEGER NOT NULL,
        trials INTEGER NOT NULL,
        body BLOB NOT NULL,
        PRIMARY KEY (cell, number, trials)
    )"""

StoreType = TypeVar("StoreType", bound="BlockStore")


class BlockStore:
    """An open file. Methods raise FileError; any thread may call them, one at a time.

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

    def __enter__(self: StoreType) -> StoreType:
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
        with self._lock, sqlite_error_context(self.path):
            yield self._db

    @contextlib.contextmanager
    def writing(self, now: bool = True) -> Iterator[sqlite3.Connection]:
        """A transaction, whole or not at all; raises FileError. `now`: on the disk when it ends."""
        with self._lock, sqlite_error_context(self.path):
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

    # Blocks.

    def get_bytes(self, cell: str, number: int = 0, trials: int = 0) -> bytes | None:
        """The bytes under an address; None where there are none, or where they are damaged."""
        with self.reading() as db:
            row = db.execute(
                "SELECT body FROM blocks WHERE cell = ? AND number = ? AND trials = ?",
                (cell, number, trials),
            ).fetchone()
        if row is None:
            return None
        try:
            return unseal(block_address(cell, number, trials), row[0])
        except ValueError:
            return None

    def put_bytes(self, body: bytes, cell: str, number: int = 0, trials: int = 0) -> None:
        """Keep bytes under an address, inside a transaction; what is there is replaced."""
        sealed = seal(block_address(cell, number, trials), body)
        row = (cell, number, trials, sealed)
        self._db.execute("INSERT OR REPLACE INTO blocks VALUES (?, ?, ?, ?)", row)

    def get_block(
        self, cell: str, number: int, trials: int, frequencies: bool
    ) -> CellResults | None:
        """A block of the cell of this key; None if it is not known, or damaged.

        frequencies : with what it knows of each item. Without, the first trials of a longer block
        do as well.
        """
        with self.reading() as db:
            lengths = db.execute(
                "SELECT trials FROM blocks WHERE cell = ? AND number = ? AND trials >= ?"
                " ORDER BY trials",
                (cell, number, trials),
            ).fetchall()
        for (length,) in lengths:
            body = self.get_bytes(cell, number, length)
            if body is None:
                continue
            with corruption_context(self.path):
                block = decode_block(body)
            if length == trials and (block.arms or not frequencies):
                return block
            if not frequencies:
                return block.first(trials).bare
        return None

    def longest_block(self, cell: str, number: int) -> CellResults | None:
        """The block of this number that has the most trials; None if there is none."""
        with self.reading() as db:
            query = "SELECT max(trials) FROM blocks WHERE cell = ? AND number = ?"
            (trials,) = db.execute(query, (cell, number)).fetchone()
        return None if trials is None else self.get_block(cell, number, trials, False)

    def put_block(self, cell: str, number: int, block: CellResults) -> None:
        """Keep a block of the cell of this key, inside a transaction.

        A block that says nothing of each item takes the place of none that does.
        """
        if not block.arms and self.get_block(cell, number, block.trials, True) is not None:
            return
        self.put_bytes(encode_block(block), cell, number, block.trials)

    def measured_cell(self, cell: str, trials: int, frequencies: bool) -> CellResults:
        """The first trials of the cell of this key, up to a gap, whichever run computed them."""
        tally = Tally()
        for number, first in enumerate(range(0, trials, BLOCK_TRIALS)):
            size = min(BLOCK_TRIALS, trials - first)
            block = self.get_block(cell, number, size, frequencies)
            if block is None:
                break
            tally.add(number, block if frequencies else block.bare)
        return tally.results

    def population(self, name: str) -> Population:
        """A population that came from a file or of code; raises FileError where it is missing."""
        body = self.get_bytes(name)
        if body is None:
            raise FileError(f"{self.path} is damaged: the population of a run is missing")
        with corruption_context(self.path):
            histogram, labels = msgspec.msgpack.decode(body, type=tuple[bytes, list[str] | None])
            return given_population(np.frombuffer(histogram, dtype="<i8"), labels)

    def put_population(self, histogram: Counts, labels: Sequence[str] | None) -> str:
        """Keep a population, inside a transaction; its name."""
        names = None if labels is None else [*labels]
        body = msgspec.msgpack.encode((histogram.astype("<i8").tobytes(), names))
        name = f"population {digest(body)}"
        self.put_bytes(body, name)
        return name

    def check(self) -> str:
        """SQLite's own check of the whole file: "ok", or its complaints."""
        with self.reading() as db:
            return str(db.execute("PRAGMA integrity_check").fetchone()[0])


def block_address(cell: str, number: int, trials: int) -> str:
    """The address of a block in words; populations and answers have number and trials 0."""
    return f"{cell} {number} {trials}"
