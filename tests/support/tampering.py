"""Changes a field of a store as a stranger may: SQLite keeps text where numbers belong."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path


def change(path: Path, table: str, column: str, value: object) -> None:
    """Give the last row of a table another value in one column."""
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA ignore_check_constraints = ON")
        last = f"(SELECT max(rowid) FROM {table})"
        if table in ("trials", "blocks", "run_blocks"):
            last = f"(SELECT max({'run' if table == 'run_blocks' else 'cell'}) FROM {table})"
            key = "run" if table == "run_blocks" else "cell"
        else:
            key = "rowid"
        db.execute(f"UPDATE {table} SET {column} = ? WHERE {key} = {last}", (value,))
        db.commit()
