"""Reads the stores of ldptui 0.1 and 0.2, which had a row for each trial, into one of today.

Keys of cells are what they were, so that what is known stays known. The old file says nothing of
its own damage: `ldptui replay` computes a run again.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np

from ..base.errors import FileError, reason_of
from ..base.files import is_there
from ..metrics import measures_from_columns
from ..metrics.goal import Answer
from ..metrics.results import BLOCK_TRIALS, MOMENTS, Arms, CellResults, Rounds, arms_of
from .run_records import Arrival, Run, RunCell, encode_answer
from .sqlite_errors import corruption_context
from .store import Store

NEWEST_OLD_VERSION: Final = 5
"""The version of the tables of 0.2; those of 0.1 lack some tables and columns."""

Row = Mapping[str, Any]


def carry_over(path: Path, old: sqlite3.Connection, make: Callable[[Path], Store]) -> Path:
    """Replace an old store by one of today; the old file's new place. Raises FileError.

    old : is open on the file, and closed in the end. make : opens a new store. All of it or
    nothing: until the last step the file is as it was, and what is kept of it is the same file.
    """
    kept = path.with_name(f"{path.name}.old")
    made = path.with_name(f"{path.name}.new")
    try:
        before = path.stat()
        (journal,) = old.execute("PRAGMA journal_mode = DELETE").fetchone()  # its log is taken in
        if journal != "delete":
            raise FileError(f"{path} of an older ldptui is in use: close what uses it first")
        old.execute("BEGIN EXCLUSIVE")
        if path.stat().st_ino != before.st_ino or is_there(kept):
            raise FileError(f"{path} cannot be carried over: {kept} is there already")
        made.unlink(missing_ok=True)
        with make(made) as store:
            convert_store(old, store)
        for log in ("-wal", "-shm"):
            made.with_name(made.name + log).unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            kept.hardlink_to(path)
        if not is_there(kept):  # the file system has no links
            shutil.copyfile(path, kept)
        made.replace(path)
    except OSError as error:
        raise FileError(f"{path} cannot be carried over: {reason_of(error)}") from error
    finally:
        old.close()
        made.unlink(missing_ok=True)
    return kept


def convert_store(old: sqlite3.Connection, store: Store) -> None:
    """Put all runs, blocks, populations and answers of an old store into one of today."""
    tables = {name for (name,) in old.execute("SELECT name FROM sqlite_master")}
    names = {row["digest"]: row for row in _rows(old, "populations")}
    keys = {row["id"]: row["key"] for row in _rows(old, "cells")}
    with store.writing(), corruption_context(store.path):
        populations = {
            name: store.put_population(
                np.frombuffer(row["histogram"], "<i8"), json.loads(row["labels"] or "null")
            )
            for name, row in names.items()
        }
        for place, key in keys.items():
            for number, block in _blocks_of(old, tables, place):
                store.put_block(key, number, block)
        for row in _rows(old, "answers") if "answers" in tables else ():
            answer = Answer.read(json.loads(row["answer"]))
            store.put_bytes(encode_answer(answer), f"answer {row['key']}")
        tags = defaultdict[int, list[str]](list)
        for row in _rows(old, "tags", "ORDER BY tag"):
            tags[row["run"]].append(row["tag"])
        for row in _rows(old, "runs", "ORDER BY id"):
            cells = tuple(
                _cell_of(cell, keys, populations)
                for cell in _rows(old, "run_cells", "WHERE run = ? ORDER BY position", row["id"])
            )
            arrivals = tuple(
                Arrival(each["seconds"], each["position"], each["number"], each["trials"])
                for each in _rows(old, "run_blocks", "WHERE run = ? ORDER BY arrival", row["id"])
            )
            store.insert_run(_run_of(row, tags[row["id"]]), cells, arrivals)


def _rows(db: sqlite3.Connection, table: str, rest: str = "", *values: object) -> Iterator[Row]:
    """The rows of a table by the names of its columns."""
    found = db.execute(f"SELECT * FROM {table} {rest}", values)
    columns = [column[0] for column in found.description]
    for row in found.fetchall():
        yield dict(zip(columns, row, strict=True))


def _run_of(row: Row, tags: Sequence[str]) -> Run:
    fields = {
        **row,
        "document": json.loads(row["scenario"]),
        "protocols": row["protocols"].split(","),
        "attacks": row["attacks"].split(","),
        "metrics": json.loads(row["metrics"]),
        "versions": {
            name: row[name] for name in ("ldptui", "numpy", "python", "machine", "simulator")
        },
        "star": bool(row["star"]),
        "removed": row["removed"] is not None,
        "tags": tags,
    }
    return msgspec.convert(fields, Run)


def _cell_of(row: Row, keys: Mapping[int, str], populations: Mapping[str, str]) -> RunCell:
    answer = row.get("answer")
    fields = {
        **row,
        "key": keys[row["cell"]],
        "parameters": json.loads(row["parameters"]),
        "population": row["population"] and populations[row["population"]],
        "answer": answer and vars(Answer.read(json.loads(answer))),
    }
    return msgspec.convert(fields, RunCell)


def _blocks_of(
    db: sqlite3.Connection, tables: set[str], cell: int
) -> Iterator[tuple[int, CellResults]]:
    """The blocks of a cell with their numbers, the shorter ones of a number first."""
    rows: dict[int, dict[int, Row]] = defaultdict(dict)
    for row in _rows(db, "trials", "WHERE cell = ?", cell):
        rows[row["trial"] // BLOCK_TRIALS][row["trial"] % BLOCK_TRIALS] = row
    moments = {(row["number"], row["trials"]): row for row in _rows(
        db, "blocks", "WHERE cell = ?", cell)}  # fmt: skip
    both = "run_blocks AS b JOIN run_cells USING (run, position)"
    asked = f"SELECT DISTINCT number, b.trials FROM {both} WHERE cell = ?"
    lengths = set(db.execute(asked, (cell,))) | {*moments}
    rounds = {}
    if "rounds" in tables:
        found = _rows(db, "rounds", "WHERE cell = ? ORDER BY trials DESC", cell)
        rounds = {(row["number"], row["trials"]): row for row in found}
    for number, there in rows.items():
        whole = next(at for at in range(BLOCK_TRIALS + 1) if at not in there)
        for trials in sorted({whole} | {long for n, long in lengths if n == number}):
            if 0 < trials <= whole:
                part = [there[at] for at in range(trials)]
                longer = sorted(long for n, long in rounds if n == number and long >= trials)
                yield (
                    number,
                    _block_of(
                        part,
                        moments.get((number, trials)),
                        rounds[number, longer[0]] if longer else None,
                    ),
                )


def _block_of(trials: Sequence[Row], moments: Row | None, rounds: Row | None) -> CellResults:
    count = len(trials)
    marks = np.array([row["fingerprint"] for row in trials], dtype=np.int64).view(np.uint64)
    fixed = ("cell", "trial", "fingerprint", "python_metrics")
    columns = [name for name in trials[0] if name not in fixed]
    others = [json.loads(row.get("python_metrics") or "{}") for row in trials]
    more = list(dict.fromkeys(name for values in others for name in values))
    values = np.array(  # NULL becomes NaN
        [
            [*(row[name] for name in columns), *map(other.get, more)]
            for row, other in zip(trials, others, strict=True)
        ],
        dtype=np.float64,
    )
    detected = None if moments is None else moments["detected"]
    return CellResults(
        measures_from_columns([*columns, *more], values),
        marks,
        {} if moments is None else _arms_of(moments, count, (-1,)),
        None if detected is None else np.frombuffer(detected, "<i8"),
        None if rounds is None else _rounds_of(rounds, count),
    )


def _rounds_of(row: Row, trials: int) -> Rounds:
    whole, count, names = row["trials"], row["rounds"], json.loads(row["names"])
    values = np.frombuffer(row["metrics"], "<f8").reshape(whole, count, len(names))
    arms = _arms_of(row, trials, (count, -1)) if whole == trials else {}
    return Rounds(measures_from_columns(names, values[:trials]), arms)


def _arms_of(row: Row, trials: int, shape: tuple[int, ...]) -> Arms:
    return arms_of([row.get(name) for name in MOMENTS], trials, shape)
