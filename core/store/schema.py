"""The tables of a store, and the migrations that bring an older one up to date."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final

from ..base.errors import FileError
from ..metrics import METRICS

APPLICATION: Final = int.from_bytes(b"LDPt")
"""SQLite's application id of a store."""


def measured_columns() -> dict[str, str]:
    """The columns of `trials` that hold metrics, with their types: one for each of METRICS.

    `python_metrics` is a JSON object of those in Python by their names, NULL where there is none.
    """
    return {**dict.fromkeys(METRICS, "REAL"), "python_metrics": "TEXT"}


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
    f"""CREATE TABLE trials (
        cell INTEGER NOT NULL REFERENCES cells ON DELETE CASCADE,
        trial INTEGER NOT NULL,
        fingerprint INTEGER NOT NULL,
        {", ".join(map(" ".join, measured_columns().items()))},
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

_ROUNDS: Final = (
    """CREATE TABLE rounds (
        cell INTEGER NOT NULL REFERENCES cells ON DELETE CASCADE,
        number INTEGER NOT NULL,
        trials INTEGER NOT NULL,
        rounds INTEGER NOT NULL,
        names TEXT NOT NULL,
        metrics BLOB NOT NULL,
        clean_mean BLOB,
        clean_squares BLOB,
        attacked_mean BLOB,
        attacked_squares BLOB,
        PRIMARY KEY (cell, number, trials)
    )""",
)
"""The measures of the rounds of a campaign, a row for each block; `names` are their metrics."""

_ANSWERS: Final = ("ALTER TABLE run_cells ADD COLUMN answer TEXT",)
"""The answer to a goal, as JSON; NULL without a goal, and where it was not kept yet."""

_DEFENDED: Final = tuple(
    f"ALTER TABLE {table} ADD COLUMN {column} BLOB"
    for table in ("blocks", "rounds")
    for column in ("clean_defended_mean", "clean_defended_squares",
                   "attacked_defended_mean", "attacked_defended_squares")
)  # fmt: skip
"""The moments of the defended arms. NULL: as before the attack, or not there at all."""

_SEARCHED: Final = (
    "CREATE TABLE answers (key TEXT PRIMARY KEY, answer TEXT NOT NULL) WITHOUT ROWID",
)
"""The answers to goals that took a search, as JSON, by all that they depend on."""


MIGRATIONS: Final[list[tuple[str, ...]]] = [_TABLES, _ROUNDS, _ANSWERS, _DEFENDED, _SEARCHED]
"""The statements that bring a store from each version to the next; only ever appended to.

A new `trials` has all `measured_columns`; to one that is there they are added as metrics come.
"""


def migrate(path: Path | None, db: sqlite3.Connection) -> None:
    """Bring the tables up to date, inside a transaction."""
    version = checked_version(path, db)  # another process may have been quicker
    for step in MIGRATIONS[version:]:
        for statement in step:
            db.execute(statement)
    columns = {row[1] for row in db.execute("PRAGMA table_info(trials)")}
    for name, kind in measured_columns().items():
        if name not in columns:
            db.execute(f"ALTER TABLE trials ADD COLUMN {name} {kind}")
    db.execute(f"PRAGMA application_id = {APPLICATION}")
    db.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")


def outdated(path: Path | None, db: sqlite3.Connection) -> bool:
    """True if `migrate` has something to do; raises FileError if the file is not for us."""
    version, missing = checked_version(path, db), set(measured_columns())
    if version:
        missing -= {row[1] for row in db.execute("PRAGMA table_info(trials)")}
    return version < len(MIGRATIONS) or bool(missing)


def checked_version(path: Path | None, db: sqlite3.Connection) -> int:
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
