"""Opens a store: checks the file, chooses its journal, converts an older one."""

from __future__ import annotations

import errno
import os
import sqlite3
import time
from pathlib import Path
from typing import Any, Final

from ..base.errors import FileError, reason_of
from ..base.files import is_folder, is_there
from .block_store import REASONS, corruption_context, sqlite_error_context
from .older_stores import carry_over
from .store import APPLICATION, VERSION, Store

WAIT_S: Final = 60.0
"""Seconds to wait for another process that writes."""

NETWORK_FILE_SYSTEMS: Final = frozenset(
    {"9p", "afs", "beegfs", "ceph", "cifs", "fuse.glusterfs", "fuse.sshfs", "gpfs", "lustre"}
    | {"ncpfs", "nfs", "nfs4", "smb3", "smbfs"}
)
"""File systems whose hosts share files, but not the memory that WAL needs."""


def open_store(path: Path | None, write: bool = True) -> Store:
    """An open store, created if absent; in memory if the path is None. Raises FileError.

    write : False opens an existing store for reading, even on a read-only file system.
    """
    if path is None:
        store = Store(None, sqlite3.connect(":memory:", **_OPTIONS))
        store.make_tables()
        return store
    if is_folder(path):
        raise FileError(f"{path} is a folder, not a store")
    if not write:
        try:
            return _open_file(path, "rw")  # to read the log of a process that was killed
        except FileError as error:
            if not any(REASONS[key] in str(error) for key in ("readonly", "unable to open")):
                raise
            return _open_file(path, "ro&immutable=1")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = reason_of(error)
        raise FileError(f"{path.parent} cannot be made: {reason}") from error
    return _open_file(path, "rwc")


_OPTIONS: Final[dict[str, Any]] = {
    "timeout": WAIT_S,
    "isolation_level": None,
    "check_same_thread": False,
}


def is_store(path: Path) -> bool:
    """Whether a file has the header of an SQLite file.

    Not for a file that this process has open as a store: see `_open_file`.
    """
    with path.open("rb") as file:
        return file.read(16) == b"SQLite format 3\0"


def _open_file(path: Path, mode: str) -> Store:
    """A store that SQLite alone reads: closing a file of our own would drop its locks.

    They are the process's, not the connection's: another process would then take itself for the
    last one, and remove the log that a connection here still writes to.
    Source: https://sqlite.org/howtocorrupt.html, section 2.2
    """
    if is_there(path) and not os.access(path, os.R_OK):
        raise FileError(f"{path} cannot be read: {os.strerror(errno.EACCES)}")
    if is_there(path) and path.stat().st_size == 1:  # SQLite takes one byte for an empty file
        raise FileError(f"{path} is not a store of ldptui")
    with sqlite_error_context(path):
        uri = f"{path.absolute().as_uri()}?mode={mode}"
        connection = sqlite3.connect(uri, uri=True, **_OPTIONS)
        connection.execute("PRAGMA trusted_schema = OFF")
        try:
            with corruption_context(path):
                _check_end(path, connection)
                version = _read_version(path, connection)
                if 0 < version < VERSION:
                    kept = carry_over(path, connection, lambda place: _open_file(place, "rwc"))
                    store = _open_file(path, "rwc")
                    store.note = f"{path} was carried over to this version; the old one is {kept}"
                    return store
                store = Store(path, connection)
                if mode.startswith("rw"):
                    _choose_journal(store, path)
                if not version:
                    store.make_tables()
                return store
        except BaseException:
            connection.close()
            raise


def _read_version(path: Path | None, db: sqlite3.Connection) -> int:
    """The version of the file, 0 for an empty one; raises FileError if it is not for us."""
    # One statement, so that it does not see half of what another process makes meanwhile.
    version, application, tables = db.execute(
        "SELECT user_version, application_id, (SELECT count(*) FROM sqlite_master)"
        " FROM pragma_user_version, pragma_application_id"
    ).fetchone()
    if application != APPLICATION and (tables or application or version):
        raise FileError(f"{path} is not a store of ldptui: another program made it")
    if version > VERSION:
        raise FileError(
            f"{path} was made by a newer ldptui (version {version} of the store, this one knows "
            f"{VERSION}): update ldptui, or use another store"
        )
    return int(version)


def _check_end(path: Path, db: sqlite3.Connection) -> None:
    """Refuse a file whose last page is not whole, which SQLite would fill up with zeros."""
    beside = [path.with_name(path.name + end) for end in ("-wal", "-journal")]
    db.execute("BEGIN")  # nobody shortens or lengthens the file while it is read
    (size,) = db.execute(
        "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
    ).fetchone()
    begun = any(is_there(file) and file.stat().st_size for file in beside)
    cut_off = not begun and path.stat().st_size < size
    db.execute("ROLLBACK")
    if cut_off:
        raise FileError(f"{path} is damaged: the end of the file is missing")


def _choose_journal(store: Store, path: Path) -> None:
    kind = file_system(path)
    if kind in NETWORK_FILE_SYSTEMS:
        _fall_back(store, f"{path} is on a network file system ({kind})")
        return
    deadline = time.monotonic() + WAIT_S
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
    """The name of a path's file system under Linux; "" on other systems."""
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
