"""Bytes under addresses in one SQLite file: its transactions, and the blocks stored in it.

The table `blocks` has all that never changes: blocks of trials by the key of their cell, their
number and their trials, and populations and answers to goals by a digest. Everything stored begins
with a checksum over its address and its bytes: damaged bytes are never read as a number.
"""

from __future__ import annotations

import contextlib
import math
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec
import numpy as np

from ..base.errors import FileError, LdpError
from ..base.streams import digest
from ..metrics.results import CellResults
from ..population import Population, Records, given_population, records_population
from .block_codec import decode_block, encode_block, seal, unseal

REASONS: Final = {
    "not a database": "is not a store of ldptui",
    "malformed": "is damaged: SQLite cannot read it",
    "full": "cannot be written: the disk is full",
    "readonly": "cannot be written: it is read-only",
    "locked": "is being written by another process for very long",
    "disk I/O": "cannot be read or written: the disk reports an error",
    "unable to open": "cannot be opened: is the folder there, and may you write to it?",
}

CORRUPTION_ERRORS: Final = (
    *(ValueError, TypeError, LookupError),
    *(AttributeError, ArithmeticError, RecursionError),
)
"""The exceptions of reading a file that others have changed; msgspec's are of them."""


@contextlib.contextmanager
def sqlite_error_context(path: Path | None) -> Iterator[None]:
    """A context manager that raises FileError for SQLite's errors."""
    try:
        yield
    except (sqlite3.Error, OverflowError) as error:
        message = str(error)
        sentence = next((words for key, words in REASONS.items() if key in message), None)
        where = path or "the store in memory"
        raise FileError(f"{where} {sentence or f'cannot be used: {message}'}") from error


@contextlib.contextmanager
def corruption_context(path: Path | None, what: str = "") -> Iterator[None]:
    """A context manager that raises FileError for errors from damaged data.

    what : the damaged part, for the message; "" for the whole file.
    """
    try:
        yield
    except LdpError:
        raise
    except CORRUPTION_ERRORS as error:
        where = f"{path or 'the store'} is damaged: {what}{': ' if what else ''}"
        raise FileError(f"{where}{error}") from error


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
    """An open store file of blocks. Methods raise FileError; any thread may call them, one at a
    time.

    journal : "wal", or "delete" if the file system does not support WAL, or "memory" if nothing is
        written to a file.
    note : what a user should know about the store; "" if nothing.
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

    def fetch(self, query: str, *values: object) -> list[Any]:
        """The rows of a query; raises FileError."""
        with self._lock, sqlite_error_context(self.path):
            return self._db.execute(query, values).fetchall()

    def fetch_one(self, query: str, *values: object) -> Any:
        """The first row of a query; None if there is no row. Raises FileError."""
        return next(iter(self.fetch(query, *values)), None)

    @contextlib.contextmanager
    def writing(self, now: bool = True) -> Iterator[sqlite3.Connection]:
        """A context manager of an atomic transaction; raises FileError.

        now : whether to flush to disk at its end; if not, it may be delayed to a later transaction.
        """
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
        """The bytes stored under an address; None if they are absent or damaged."""
        row = self.fetch_one(
            "SELECT body FROM blocks WHERE cell = ? AND number = ? AND trials = ?",
            cell, number, trials,
        )  # fmt: skip
        with contextlib.suppress(ValueError):
            return row and unseal(block_address(cell, number, trials), row[0])
        return None

    def put_bytes(self, body: bytes, cell: str, number: int = 0, trials: int = 0) -> None:
        """Store bytes under an address, inside a transaction, replacing earlier ones."""
        row = (cell, number, trials, seal(block_address(cell, number, trials), body))
        self._db.execute("INSERT OR REPLACE INTO blocks VALUES (?, ?, ?, ?)", row)

    def get_block(
        self, cell: str, number: int, trials: int, frequencies: bool
    ) -> CellResults | None:
        """The stored block of a cell; None if it is absent or damaged.

        frequencies : whether the moments of every item are needed; if not, the first trials of a
        longer block do as well.
        """
        rows = self.fetch(
            "SELECT trials, body FROM blocks WHERE cell = ? AND number = ? AND trials >= ?"
            " ORDER BY trials", cell, number, trials,
        )  # fmt: skip
        for length, sealed in rows:
            try:
                block = decode_block(unseal(block_address(cell, number, length), sealed))
            except CORRUPTION_ERRORS:
                continue
            if length == trials and (block.arms or not frequencies):
                return block
            if not frequencies:
                return block.first(trials).bare
        return None

    def put_block(self, cell: str, number: int, block: CellResults) -> None:
        """Store a block of a cell, inside a transaction.

        A block without the moments of items never replaces one with them.
        """
        if block.arms or self.get_block(cell, number, block.trials, True) is None:
            self.put_bytes(encode_block(block), cell, number, block.trials)

    def population(self, name: str) -> Population:
        """A stored population, read from a file or made by code; raises FileError if it is
        missing.
        """
        body = self.get_bytes(name)
        if body is None:
            raise FileError(f"{self.path} is damaged: the population of a run is missing")
        with corruption_context(self.path):
            counts, labels, *more = msgspec.msgpack.decode(body)
            groups = np.frombuffer(counts, dtype="<i8")
            if not more:
                return given_population(groups, labels)
            records, attributes = np.frombuffer(more[0], dtype="<i8"), more[1]
            rows = records.reshape(groups.size, len(attributes))
            return records_population(rows, groups, attributes, labels)

    def put_population(self, population: Population) -> str:
        """Store a population, inside a transaction; returns its name."""
        kept: tuple[Any, ...] = population.groups.astype("<i8").tobytes(), population.labels
        if isinstance(population, Records):
            sizes = dict(zip(population.attributes, population.sizes.tolist(), strict=True))
            kept += population.records.astype("<i8").tobytes(), sizes
        body = msgspec.msgpack.encode(kept)
        name = f"population {digest(body)}"
        self.put_bytes(body, name)
        return name

    def serialize(self) -> bytes:
        """The whole store as the bytes of a file."""
        with self._lock:
            return self._db.serialize()

    def check(self) -> str:
        """The result of SQLite's integrity check: "ok", or its complaints."""
        return str(self.fetch_one("PRAGMA integrity_check")[0])


def block_address(cell: str, number: int, trials: int) -> str:
    """The address of a block in words; populations and answers have number and trials 0."""
    return f"{cell} {number} {trials}"
