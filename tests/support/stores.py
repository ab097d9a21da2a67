"""Runs that are recorded in a store, and results that are the same."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ldptui import core
from ldptui.core.base.arms import UNDEFENDED
from ldptui.core.base.sampling import Floats
from ldptui.core.metrics.results import CellResults
from ldptui.core.store import RunMemory, RunRecord, Store, begin, cell_keys
from ldptui.core.store.block_codec import encode_block, seal, unseal
from ldptui.core.store.run_records import encode_cells

from .cases import alike, results_of


def record(
    to: Store, work: core.Experiment, workers: int = 1, frequencies: bool = True, **how: Any
) -> tuple[core.RunResults, RunMemory]:
    kept = begin(to, work, "test", frequencies=frequencies, **how)
    results = results_of(work, workers=workers, frequencies=frequencies, memory=kept)
    kept.finish(results)
    return results, kept


def listed(number: int, **known: Any) -> RunRecord:
    """A run as a store lists it, of 20 trials."""
    made = {"uid": "", "title": "there", "document": {}, "seed": 0, "metrics": (), "total": 20,
            "versions": {"ldptui": "0.1", "numpy": "2.0", "python": "3.11"}, "status": "done",
            "started": float(number)}  # fmt: skip
    return RunRecord(id=number, **made | known)


def key_of(cell: core.Cell) -> str:
    return cell_keys([cell])[0]


def assert_same(one: core.RunResults, other: core.RunResults) -> None:
    """To the last bit."""
    assert one.digest == other.digest
    for a, b in zip(one.cells, other.cells, strict=True):
        assert alike(a.metrics, b.metrics)
        np.testing.assert_array_equal(a.fingerprints, b.fingerprints)
        for before, after in ((a.arms[arm], b.arms[arm]) for arm in UNDEFENDED):
            assert before is not None
            assert after is not None
            assert before.trials == after.trials
            np.testing.assert_array_equal(before.mean, after.mean)
            np.testing.assert_array_equal(before.squares, after.squares)
        np.testing.assert_array_equal(np.asarray(a.detected), np.asarray(b.detected))


def change_block(
    store: Store, run: int, position: int, number: int, change: Callable[[CellResults], CellResults]
) -> None:
    """Keep another block in place of one of a run, with a right checksum."""
    arrival = next(
        come for come in store.arrivals(run) if (come.position, come.number) == (position, number)
    )
    block = change(store.block(run, arrival))
    with store.writing():
        key = store.cells(run)[position].key
        store.put_bytes(encode_block(block), key, number, arrival.trials)


def change_metric(
    metric: str, change: Callable[[Floats], object]
) -> Callable[[CellResults], CellResults]:
    """The change of a block that has other values of a metric."""

    def changed(block: CellResults) -> CellResults:
        metrics = block.metrics.copy()
        metrics[metric] = change(metrics[metric])
        return replace(block, metrics=metrics)

    return changed


def change_cell(store: Store, run: int, position: int, **fields: Any) -> None:
    """Let a run have other facts of a cell."""
    cells = list(store.cells(run))
    cells[position] = replace(cells[position], **fields)
    body = seal(f"cells {store.run(run).uid}", encode_cells(cells))
    with store.writing() as db:
        db.execute("UPDATE runs SET cells = ? WHERE id = ?", (body, run))


def change_run(store: Store, run: int, **fields: Any) -> None:
    """Let a run have other facts."""
    with store.writing():
        store.update_run(run, **fields)


def drop_arrival(store: Store, run: int, position: int, number: int) -> None:
    """Let a run be without a block, which is gone."""
    left = [
        each for each in store.arrivals(run) if (each.position, each.number) != (position, number)
    ]
    with store.writing() as db:
        store.update_run(run, left, done=sum(each.trials for each in left))
        key = store.cells(run)[position].key
        db.execute("DELETE FROM blocks WHERE cell = ? AND number = ?", (key, number))


def forge_cells(file: Path, change: Callable[[Any], object]) -> None:
    """Change the cells that a recording tells of, as JSON, and sign them again."""
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        uid, body = db.execute("SELECT uid, cells FROM runs").fetchone()
        cells = json.loads(unseal(f"cells {uid}", body))
        change(cells)
        db.execute("UPDATE runs SET cells = ?", (seal(f"cells {uid}", json.dumps(cells).encode()),))
