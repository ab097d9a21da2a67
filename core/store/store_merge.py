"""Imports the runs of one store into another: those of shards, or of another machine."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..base.errors import FileError
from ..base.processes import describe_process
from ..metrics.results import BLOCK_TRIALS
from .block_codec import decode_block
from .block_store import corruption_context
from .store import Store
from .store_open import open_store


@dataclass(frozen=True)
class MergeSummary:
    """The result of merging a store: the imported runs' new numbers, and the number of new
    trials.
    """

    runs: tuple[int, ...]
    trials: int


def merge(store: Store, path: Path) -> MergeSummary:
    """Import all runs and undamaged blocks of another store, atomically.

    Imported blocks count as computed, unlike those of a recording: merge only stores that you
    trust. A run that is here already gets the additional blocks. Raises FileError, also if a run is
    in progress there, and if both stores measured a trial differently.
    """
    if store.path is not None and path.resolve() == store.path.resolve():
        raise FileError(f"{path} is this store itself")
    with open_store(path, write=False) as other, store.writing(), corruption_context(path):
        trials = _take_blocks(store, other)
        runs = [_take_run(store, other, run.id) for run in reversed(other.runs())]
    return MergeSummary(tuple(runs), trials)


def _take_blocks(store: Store, other: Store) -> int:
    """Take what is under each address there; the trials of blocks that were not known here."""
    new = 0
    for cell, number, trials in other.fetch("SELECT cell, number, trials FROM blocks"):
        body = other.get_bytes(cell, number, trials)
        if body is None:
            continue
        if not trials:
            store.put_bytes(body, cell)
            continue
        block, known = decode_block(body), store.get_block(cell, number, trials, False)
        if known is None:
            new += trials
        elif (differs := known.fingerprints != block.fingerprints).any():
            trial = number * BLOCK_TRIALS + int(np.flatnonzero(differs)[0])
            raise FileError(
                f"{other.path} measured trial {trial} of a cell otherwise than this store: "
                "one of them is damaged, or was made by another simulator"
            )
        store.put_block(cell, number, block)
    return new


def _take_run(store: Store, other: Store, number: int) -> int:
    """Take a run, or what it has got since; its number here."""
    run = other.run(number)
    if run.status == "running":
        where = f"in process {describe_process(run.owner)}"
        raise FileError(f"run {number} of {other.path} is running, {where}: merge when it is done")
    run = replace(run, id=0, status="partial" if run.status == "interrupted" else run.status)
    arrivals, here = other.arrivals(number), store.run_with_uid(run.uid)
    if here is None:
        return store.insert_run(run, other.cells(number), arrivals)
    both = {(each.position, each.number): each for each in (*arrivals, *store.arrivals(here))}
    done = sum(each.trials for each in both.values())
    changes = {"done": done}
    if run.done == done == run.total:
        changes |= {name: getattr(run, name) for name in ("status", "error", "digest", "seconds")}
    store.update_run(here, [*both.values()], **changes)
    return here
