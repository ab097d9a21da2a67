"""Converts the stores of ldptui 0.1 and 0.2, which had a row for each trial.

An old store has no checksums: `ldptui replay` recomputes a run to check it.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from ..base.errors import FileError, reason_of
from ..base.files import is_there
from ..metrics import measures_from_columns
from ..metrics.goal import GoalAnswer
from ..metrics.results import BLOCK_TRIALS, MOMENTS, Arms, CellResults, Rounds, arms_of
from ..population import given_population
from .block_store import corruption_context
from .run_records import Arrival, RunCell, RunRecord
from .store import Store

Row = Mapping[str, Any]


def carry_over(path: Path, old: sqlite3.Connection, make: Callable[[Path], Store]) -> Path:
    """The new path of an old store that is replaced by a converted one; raises FileError.

    old : an open connection to the file, closed in the end. make : opens a new store at a path.
    """
    kept, made = (path.with_name(f"{path.name}.{end}") for end in ("old", "new"))
    try:
        before = path.stat().st_ino
        (journal,) = old.execute("PRAGMA journal_mode = DELETE").fetchone()  # its log is taken in
        if journal != "delete":
            raise FileError(f"{path} of an older ldptui is in use: close what uses it first")
        old.execute("BEGIN EXCLUSIVE")
        if path.stat().st_ino != before or is_there(kept):
            raise FileError(f"{path} cannot be carried over: {kept} is there already")
        made.unlink(missing_ok=True)
        with make(made) as store:
            convert_store(old, store)
        for log in ("-wal", "-shm"):
            made.with_name(made.name + log).unlink(missing_ok=True)
        path.rename(kept)
        made.rename(path)
    except OSError as error:
        raise FileError(f"{path} cannot be carried over: {reason_of(error)}") from error
    finally:
        old.close()
        made.unlink(missing_ok=True)
    return kept


def convert_store(old: sqlite3.Connection, store: Store) -> None:
    """Copy all runs, blocks and populations of an old store into a new one."""
    tables = {name for (name,) in old.execute("SELECT name FROM sqlite_master")}

    def rows(table: str, rest: str = "", *values: object) -> Iterator[Row]:
        """The rows of a table as dicts by column; none if the table does not exist."""
        if table in tables:
            cursor = old.execute(f"SELECT * FROM {table} {rest}", values)
            columns = [column[0] for column in cursor.description]
            yield from (dict(zip(columns, row, strict=True)) for row in cursor.fetchall())

    with store.writing(), corruption_context(store.path):
        populations: dict[str | None, str | None] = {None: None}
        for row in rows("populations"):
            histogram = np.frombuffer(row["histogram"], "<i8")
            population = given_population(histogram, json.loads(row["labels"] or "null"))
            populations[row["digest"]] = store.put_population(population)
        keys = {row["id"]: row["key"] for row in rows("cells")}
        for place, key in keys.items():
            parts = (rows(name, "WHERE cell = ?", place) for name in ("trials", "blocks", "rounds"))
            for number, block in _blocks_of(*parts):
                store.put_block(key, number, block)
        tags = defaultdict[int, list[str]](list)
        for row in rows("tags", "ORDER BY tag"):
            tags[row["run"]].append(row["tag"])
        for row in rows("runs", "ORDER BY id"):
            cells = [
                _cell_of(cell, keys, populations)
                for cell in rows("run_cells", "WHERE run = ? ORDER BY position", row["id"])
            ]
            arrivals = [
                Arrival(each["seconds"], each["position"], each["number"], each["trials"])
                for each in rows("run_blocks", "WHERE run = ? ORDER BY arrival", row["id"])
            ]
            store.insert_run(_run_of(row, tags[row["id"]]), cells, arrivals)


def _run_of(row: Row, tags: Sequence[str]) -> RunRecord:
    versions = ("ldptui", "numpy", "python", "machine", "simulator")
    return msgspec.convert(
        {
            **row,
            "document": json.loads(row["scenario"]),
            "protocols": row["protocols"].split(","),
            "attacks": row["attacks"].split(","),
            "metrics": json.loads(row["metrics"]),
            "versions": {name: row[name] for name in versions},
            "star": bool(row["star"]),
            "removed": row["removed"] is not None,
            "tags": tags,
        },
        RunRecord,
    )


def _cell_of(
    row: Row, keys: Mapping[int, str], populations: Mapping[str | None, str | None]
) -> RunCell:
    answer = row.get("answer")
    fields = {
        **row,
        "key": keys[row["cell"]],
        "parameters": json.loads(row["parameters"]),
        "population": populations[row["population"]],
        "answer": answer and vars(GoalAnswer.read(json.loads(answer))),
    }
    return msgspec.convert(fields, RunCell)


def _blocks_of(
    trials: Iterator[Row], moments: Iterator[Row], rounds: Iterator[Row]
) -> Iterator[tuple[int, CellResults]]:
    """The blocks of a cell with their numbers: whole ones, and shorter ones that have moments."""
    by_block: dict[int, list[Row]] = defaultdict(list)
    for row in trials:
        if row["trial"] % BLOCK_TRIALS == len(by_block[row["trial"] // BLOCK_TRIALS]):
            by_block[row["trial"] // BLOCK_TRIALS].append(row)  # up to a gap
    items = {(row["number"], row["trials"]): row for row in moments}
    in_rounds = {(row["number"], row["trials"]): row for row in rounds}
    for number, there in by_block.items():
        for count in sorted({len(there), *(size for at, size in items if at == number)}):
            sizes = [size for at, size in in_rounds if at == number and size >= count]
            if 0 < count <= len(there):
                yield (
                    number,
                    _block_of(
                        there[:count],
                        items.get((number, count), {}),
                        in_rounds[number, min(sizes)] if sizes else None,
                    ),
                )


def _block_of(trials: Sequence[Row], items: Row, rounds: Row | None) -> CellResults:
    fixed = ("cell", "trial", "fingerprint", "python_metrics")
    rows = [
        {name: value for name, value in row.items() if name not in fixed}
        | json.loads(row.get("python_metrics") or "{}")
        for row in trials
    ]
    names = list(dict.fromkeys(name for row in rows for name in row))
    values = np.array([[row.get(name) for name in names] for row in rows], np.float64)
    marks = np.array([row["fingerprint"] for row in trials], np.int64).view(np.uint64)
    measured = None
    if rounds is not None:
        named, count = json.loads(rounds["names"]), rounds["rounds"]
        table = np.frombuffer(rounds["metrics"], "<f8").reshape(-1, count, len(named))
        whole = rounds if len(table) == len(trials) else {}
        arms = _arms_of(whole, len(trials), (count, -1))
        measured = Rounds(measures_from_columns(named, table[: len(trials)]), arms)
    detected = items.get("detected")
    return CellResults(
        measures_from_columns(names, values),
        marks,
        _arms_of(items, len(trials), (-1,)),
        None if detected is None else np.frombuffer(detected, "<i8"),
        measured,
    )


def _arms_of(items: Row, trials: int, shape: tuple[int, ...]) -> Arms:
    return arms_of([items.get(name) for name in MOMENTS], trials, shape)
