"""Rows of the store: written for runs, cells, populations and blocks; read back as blocks."""

from __future__ import annotations

import dataclasses
import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..base.named import fields_of
from ..base.sampling import Counts, Floats
from ..base.streams import digest
from ..metrics import METRICS, Measures, named, names_of, others_of, plain
from ..metrics.results import BLOCK_TRIALS, CellResults, Rounds, arms_of, columns_of
from .owner import me
from .records import Run, RunCell


def insert_run(
    db: sqlite3.Connection, run: Run, cells: Sequence[RunCell], keys: Sequence[str]
) -> tuple[int, list[int]]:
    """Write a run without its blocks; its number here, and its cells' by their keys.

    The number, protocols and attacks of `run` do not count.
    """
    kinds = {
        name: ",".join(dict.fromkeys(_kind(cell.parameters, name) for cell in cells))
        for name in ("protocol", "attack")
    }
    number = _insert(
        db,
        "INSERT INTO runs",
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
        error=run.error,
        owner=me(),
        started=run.started,
        seconds=run.seconds,
        total=run.total,
        digest=run.digest,
    )
    places = []
    for cell, key in zip(cells, keys, strict=True):
        place = cell_number(db, key)
        places.append(place)
        columns = fields_of(cell) | {
            "run": number,
            "cell": place,
            "parameters": _json(dict(cell.parameters)),
        }
        columns["answer"] = cell.answer and _json(dataclasses.asdict(cell.answer))
        _insert(db, "INSERT INTO run_cells", **columns)
    db.executemany("INSERT OR IGNORE INTO tags VALUES (?, ?)", [(number, tag) for tag in run.tags])
    return number, places


def cell_number(db: sqlite3.Connection, key: str) -> int:
    """The number of the cell of this key, which is made if there is none."""
    db.execute("INSERT OR IGNORE INTO cells (key) VALUES (?)", (key,))
    (number,) = db.execute("SELECT id FROM cells WHERE key = ?", (key,)).fetchone()
    return int(number)


def _kind(parameters: Mapping[str, Any], table: str) -> str:
    """The kind of a table; "mix" or "phase" for an attack that has no single kind."""
    several = "phase" if f"{table}.phase.0.rounds" in parameters else "mix"
    return str(parameters.get(f"{table}.kind", several))


def keep_population(db: sqlite3.Connection, histogram: Counts, labels: str) -> str:
    """Write a population with its labels as JSON; its name."""
    data = histogram.astype("<i8").tobytes()
    name = digest(data + labels.encode("utf-8", "surrogatepass"))
    db.execute("INSERT OR IGNORE INTO populations VALUES (?, ?, ?)", (name, data, labels))
    return name


def insert_block(db: sqlite3.Connection, cell: int, number: int, block: CellResults) -> None:
    """Write what a block of a cell measured."""
    first = number * BLOCK_TRIALS
    columns = ", ".join(("cell", "trial", "fingerprint", *METRICS, "python_metrics"))
    marks = block.fingerprints.view(np.int64).tolist()
    values = plain(block.metrics, METRICS).tolist(), _others(block.metrics)
    db.executemany(
        f"INSERT OR REPLACE INTO trials ({columns}) VALUES (?, ?, ?{', ?' * len(METRICS)}, ?)",
        [
            (cell, first + row, mark, *metrics, others)  # SQLite keeps NaN as NULL
            for row, (mark, metrics, others) in enumerate(zip(marks, *values, strict=True))
        ],
    )
    place = {"cell": cell, "number": number, "trials": block.trials}
    if block.arms:
        detected = None if block.detected is None else block.detected.astype("<i8").tobytes()
        vectors = {**columns_of(block.arms), "detected": detected}
        _insert(db, "INSERT OR REPLACE INTO blocks", **place, **vectors)
    if block.rounds is not None:
        _insert(
            db,
            "INSERT OR REPLACE INTO rounds",
            **place,
            rounds=block.rounds.metrics.shape[1],
            names=json.dumps(names_of(block.rounds.metrics)),
            metrics=_bytes(plain(block.rounds.metrics)),
            **columns_of(block.rounds.arms),
        )


def _others(measures: Measures) -> list[str | None]:
    """The metrics in Python of each trial as JSON; None where there is none."""
    names = others_of(measures)
    if not names:
        return [None] * len(measures)
    rows = plain(measures, names).tolist()
    return [
        json.dumps({name: None if x != x else x for name, x in zip(names, row, strict=True)})
        for row in rows
    ]


def note_arrivals(db: sqlite3.Connection, run: int, rows: Sequence[tuple[Any, ...]]) -> None:
    """Note the blocks of a run that came: (run, position, number, trials, arrival, seconds)."""
    new = 0
    for row in rows:
        done = db.execute("INSERT OR IGNORE INTO run_blocks VALUES (?, ?, ?, ?, ?, ?)", row)
        new += row[3] * done.rowcount
    db.execute("UPDATE runs SET done = done + ? WHERE id = ?", (new, run))


def _insert(db: sqlite3.Connection, verb: str, **values: object) -> int:
    names, marks = ", ".join(values), ", ".join("?" * len(values))
    done = db.execute(f"{verb} ({names}) VALUES ({marks})", tuple(values.values()))
    return int(done.lastrowid or 0)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _bytes(values: Floats) -> bytes:
    return values.astype("<f8").tobytes()


def block_of(
    trials: int,
    items: int,
    rows: Sequence[Sequence[Any]],
    moments: Sequence[Any] | None,
    rounds: Sequence[Any] | None,
) -> CellResults:
    """A block of n trials from its n rows, and from those of its moments and rounds, if kept.

    Raises ValueError where they do not fit together.
    """
    marks = np.array([row[0] for row in rows], dtype=np.int64).view(np.uint64)
    others = [json.loads(row[-1] or "{}") for row in rows]
    names = list(dict.fromkeys(name for values in others for name in values))
    values = np.array(  # NULL becomes NaN
        [[*row[1:-1], *map(other.get, names)] for row, other in zip(rows, others, strict=True)],
        dtype=np.float64,
    )
    metrics = named([*METRICS, *names], values)
    counted, *columns = moments or (None,)
    arms = arms_of(columns, trials, (items,)) if columns else {}
    detected = None if counted is None else np.frombuffer(counted, dtype="<i8").reshape(items)
    kept = None if rounds is None else _rounds(rounds, trials, items)
    return CellResults(metrics, marks, arms, detected, kept)


def _rounds(row: Sequence[Any], trials: int, items: int) -> Rounds:
    """The rounds of the first trials of a block; moments are of all its trials or not there."""
    whole, count, names, data, *moments = row
    measured = json.loads(names)
    values = np.frombuffer(data, dtype="<f8").reshape(whole, count, len(measured))
    metrics = named(measured, values[:trials])
    return Rounds(metrics, arms_of(moments, trials, (count, items)) if whole == trials else {})
