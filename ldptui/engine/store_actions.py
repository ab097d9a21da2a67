"""The store as the workbench reads and changes it: each of these in a thread.

Nothing heavy is imported before it is asked. All raise FileError, ScenarioError.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from ldptui.core.base.files import is_there, write_atomically

from ..session.runs import Run
from ..session.snapshot import Snapshot

if TYPE_CHECKING:
    from ldptui.core.store import RunRecord as StoredRun
    from ldptui.core.store import Store

    from .replay import RunReplay

Change: TypeAlias = Literal["star", "remove"]
"""A method of the store: its other values follow the run's number."""

MOST: Final = 500
"""Runs that the Runs pane lists; `ldptui runs` lists them all."""


def kept_runs(path: Path) -> list[Run]:
    """The runs of the store at a path, oldest first; empty if there is no store."""
    if not is_there(path):
        return []
    with _store(path, write=False) as store:
        return [run_from_store(run) for run in reversed(store.runs(limit=MOST))]


def run_from_store(run: StoredRun) -> Run:
    """A stored run as an entry of the pane Runs."""
    snapshot = Snapshot(
        key=-run.id,
        status=run.status if run.status in ("done", "failed") else "partial",
        full=True,
        done=run.done,
        total=run.total,
        seconds=run.seconds,
        digest=run.digest,
        numpy=str(run.versions["numpy"]),
        error=run.error,
        kept=run.id,
    )
    return Run(-run.id, run.document, snapshot, run.started, run.title, run)


def state_of(path: Path) -> tuple[tuple[int, int], ...]:
    """The modification times and sizes of a store's files, which change with every write."""
    states = []
    for file in (path, path.with_name(f"{path.name}-wal")):
        with contextlib.suppress(OSError):
            status = file.stat()
            states += [(status.st_mtime_ns, status.st_size)] if status.st_size else []
    return tuple(states)


def open_run(path: Path, number: int, key: int) -> RunReplay:
    """The replay of a stored run; `key` is the key of its snapshots."""
    return _replay(_store(path, write=False), number, key)


def open_recording(file: Path) -> RunReplay:
    """The replay of a recording file, without importing it into the store."""
    from ldptui.core.store import open_store
    from ldptui.core.store.recording import read_recording

    store = open_store(None)
    number, _ = read_recording(store, file)
    return _replay(store, number, -number)


def _replay(store: Store, number: int, key: int) -> RunReplay:
    from .replay import RunReplay

    try:
        return RunReplay(store, number, key)
    except BaseException:
        store.close()
        raise


def take(path: Path, file: Path) -> tuple[int, bool]:
    """Import a recording into the store; returns the run's number, and True if the store had it."""
    from ldptui.core.store.recording import read_recording

    with _store(path) as store:
        return read_recording(store, file)


def write_trials(path: Path, number: int, out: Path) -> None:
    """Write a run as CSV, a row for each trial."""
    from ldptui.core.export import to_csv

    with _store(path, write=False) as store:
        write_atomically(out, to_csv(store.results(number)))


def change(path: Path, number: int, what: Change, *values: Any) -> None:
    """Change a run's tags, star or removal in the store."""
    with _store(path) as store:
        getattr(store, what)(number, *values)


def _store(path: Path, write: bool = True) -> Store:
    from ldptui.core.store import open_store

    return open_store(path, write=write)
