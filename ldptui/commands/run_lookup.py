"""Reading the command line's words for a run, its store and a moment; a run as JSON and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from ldptui.core.base.errors import FileError, ScenarioError, got
from ldptui.core.base.files import is_file, is_there
from ldptui.core.base.versions import versions
from ldptui.core.store import Run, Store, open_store
from ldptui.core.store.recording import read_recording

from ..terminal import places


def opened(place: str | None, write: bool = False) -> Store:
    """The store of a command that works on kept runs, at this place or the usual one."""
    path, _ = places.chosen_store(place)
    if not is_there(path):
        raise FileError(f"there are no runs: {path} does not exist")
    return open_store(path, write)


def number_of(store: Store, word: str) -> int:
    """The run that a word names: its number, or the last one."""
    if word == "last":
        newest = store.runs(limit=1)
        if not newest:
            raise ScenarioError("must be a run, and there are none", key="RUN")
        return newest[0].id
    if not (word.isascii() and word.isdigit() and len(word) < 19):
        raise ScenarioError(f'must be the number of a run, or "last", {got(word)}', key="RUN")
    return store.run(int(word)).id


def run_or_file(word: str, place: str | None, limits: bool = True) -> tuple[Store, int]:
    """The run that a word names, in the store at a place or in a recording of its own."""
    path, recorded = Path(word), word != "last" and not word.isdigit()
    if recorded and not (is_file(path) or path.suffix):
        rule = f'must be the number of a run, "last" or a file, {got(word)}'
        raise ScenarioError(rule, key="RUN")
    store = open_store(None) if recorded else opened(place)
    try:
        return store, read_recording(store, path, limits)[0] if recorded else number_of(store, word)
    except BaseException:
        store.close()
        raise


def moment_of(written: str | None, option: str, after: bool = False) -> float | None:
    """A day or a time, local where it does not say otherwise; `after`: the end of that day."""
    if written is None:
        return None
    try:
        moment = datetime.fromisoformat(written)
        if after and len(written) <= 10:
            moment += timedelta(days=1)
        return moment.timestamp()
    except (ValueError, OverflowError, OSError):
        raise ScenarioError(f"must be a day as 2026-01-31, {got(written)}", key=option) from None


SUMMARY: Final = (
    *("run", "uid", "title", "status", "error", "started", "seconds", "done", "total", "seed"),
    *("protocols", "attacks", "tags", "star", "removed", "source", *versions(), "digest"),
)
"""The facts about a run that a list of runs has, in this order."""


def summary_of(run: Run) -> dict[str, Any]:
    known = {**vars(run), **run.versions, "run": run.id}
    told = {name: known[name] for name in SUMMARY}
    return {name: [*value] if isinstance(value, tuple) else value for name, value in told.items()}


def as_json(run: Run) -> dict[str, Any]:
    return {**summary_of(run), "scenario": run.document}


def drawn_with(run: Run) -> dict[str, str]:
    """The versions that a run was computed with, as the document of its results has them."""
    return {name: str(run.versions[name]) for name in ("ldptui", "numpy")}


def csv_text(rows: Sequence[Sequence[object]]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(rows)
    return buffer.getvalue()
