"""Changes a field of a store as a stranger may: SQLite keeps text where numbers belong."""

from __future__ import annotations

import math
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

VALUES: Final = (
    "x", b"\xff\x00", None, -1, 2**62, 1e300, "", "[]", "{}", "null", b"", math.inf, "1"
)  # fmt: skip


def tampered(path: Path, copy: Path) -> Iterator[str]:
    """Write a copy of a store for every column and value that differs from it there; say where."""
    with closing(sqlite3.connect(path)) as db:
        tables = [
            name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
        columns = [
            (table, row[1], rows)
            for table in tables
            for (rows,) in db.execute(f"SELECT count(*) FROM {table}").fetchall()
            for row in db.execute(f"PRAGMA table_info({table})").fetchall()
            if rows
        ]
    for table, column, rows in columns:
        for value in VALUES:
            shutil.copy(path, copy)
            with closing(sqlite3.connect(copy)) as db:
                db.execute("PRAGMA ignore_check_constraints = ON")
                last = f"(SELECT {column} FROM {table} LIMIT 1 OFFSET {rows - 1})"
                with suppress(sqlite3.Error):  # a column that refuses it
                    db.execute(
                        f"UPDATE {table} SET {column} = ? WHERE {column} IS {last}", (value,)
                    )
                    db.commit()
                    yield f"{table}.{column} = {value!r}"


def change(path: Path, table: str, column: str, value: object) -> None:
    """Give the last row of a table another value in one column."""
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA ignore_check_constraints = ON")
        last = f"(SELECT max(rowid) FROM {table})"
        db.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = {last}", (value,))
        db.commit()
