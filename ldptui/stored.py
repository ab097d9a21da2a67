"""The store as the workbench reads it: in a thread, after the first frame."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from core.store import Run as StoredRun
from core.store import open_store

from .runs import Run, Stored
from .snapshot import Snapshot

MOST: Final = 500
"""Runs that the history lists; `ldptui runs` lists them all."""


def history(path: Path) -> list[Run]:
    """The runs of a store, oldest first; none where there is no store. Raises FileError."""
    if not path.exists():
        return []
    with open_store(path, write=False) as store:
        return [listed(run) for run in reversed(store.runs(limit=MOST))]


def listed(run: StoredRun) -> Run:
    """A run of the store as the history lists it."""
    known = run.versions
    stored = Stored(
        number=run.id,
        status=run.status,
        total=run.total,
        star=run.star,
        tags=run.tags,
        source=run.source,
        versions=f"ldptui {known['ldptui']}, NumPy {known['numpy']}, Python {known['python']}",
    )
    snapshot = Snapshot(
        key=-run.id,
        status=run.status if run.status in ("done", "failed") else "partial",
        full=True,
        done=run.done,
        total=run.total,
        seconds=run.seconds,
        digest=run.digest,
        error=run.error,
        stored=run.id,
    )
    return Run(-run.id, run.document, snapshot, run.started, run.title, stored)


def star(path: Path, number: int, on: bool) -> None:
    """Mark a run, or unmark it. Raises FileError, ScenarioError."""
    with open_store(path) as store:
        store.star(number, on)


def remove(path: Path, number: int, on: bool) -> None:
    """Take a run out of the history, or put it back."""
    with open_store(path) as store:
        store.remove(number, on)


def tag(path: Path, number: int, tags: Iterable[str]) -> None:
    """Give a run these tags, and no others."""
    with open_store(path) as store:
        before, after = set(store.run(number).tags), set(tags)
        store.change_tags(number, add=after - before, drop=before - after)


def leave(path: Path, number: int) -> None:
    """A run whose process is gone is left as it is: nobody is asked about it again."""
    with open_store(path) as store:
        store.leave(number)
