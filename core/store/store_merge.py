"""Takes the runs of one store into another: those of shards, or of another machine."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..base.errors import FileError
from ..metrics.results import BLOCK_TRIALS
from .block_codec import decode_block
from .run_process import describe_process
from .sqlite_errors import corruption_context
from .store import Store
from .store_open import open_store


@dataclass(frozen=True)
class MergeSummary:
    """The gain of a merge: runs by their numbers here, and trials that were not known before."""

    runs: tuple[int, ...]
    trials: int


def merge(store: Store, path: Path) -> MergeSummary:
    """Take all runs of another store, and all blocks that are not damaged; all of it or nothing.

    What a store holds counts as computed, other than what is in a recording: so merge only those
    that you trust. A run that is here already gets the blocks that it has there besides. Raises
    FileError, also where a run is under way there, and where both measured one trial and differ.
    """
    if store.path is not None and path.resolve() == store.path.resolve():
        raise FileError(f"{path} is this store itself")
    with open_store(path, write=False) as other, store.writing(), corruption_context(path):
        trials = _take_blocks(store, other)
        runs = [_take_run(store, other, run.id) for run in reversed(other.runs())]
    return MergeSummary(tuple(runs), trials)


def _take_blocks(store: Store, other: Store) -> int:
    """Take what is under each address there; the trials that were not known here."""
    with other.reading() as db:
        addresses = db.execute("SELECT cell, number, trials FROM blocks").fetchall()
    new = 0
    for cell, number, trials in addresses:
        body = other.get_bytes(cell, number, trials)
        if body is None:
            continue
        if trials:
            known, block = store.longest_block(cell, number), decode_block(body)
            if known is not None:
                both = min(known.trials, block.trials)
                differs = known.fingerprints[:both] != block.fingerprints[:both]
                if differs.any():
                    trial = number * BLOCK_TRIALS + int(np.flatnonzero(differs)[0])
                    raise FileError(
                        f"{other.path} measured trial {trial} of a cell otherwise than this store: "
                        "one of them is damaged, or was made by another simulator"
                    )
            new += max(0, block.trials - (0 if known is None else known.trials))
            store.put_block(cell, number, block)
        elif store.get_bytes(cell) is None:
            store.put_bytes(body, cell)
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
    mine = {(each.position, each.number): each for each in store.arrivals(here)}
    for each in arrivals:
        mine.setdefault((each.position, each.number), each)
    done = sum(each.trials for each in mine.values())
    changes = {"done": done}
    if run.done == done == run.total:
        changes |= {name: getattr(run, name) for name in ("status", "error", "digest", "seconds")}
    store.update_run(here, [*mine.values()], **changes)
    return here
