"""Kept runs: the words that name one, and the tables and files in which runs are shown."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from ldptui.core.base.errors import FileError, ScenarioError, got
from ldptui.core.base.files import is_file, is_there, write_atomically
from ldptui.core.base.versions import versions
from ldptui.core.export import trial_rows
from ldptui.core.metrics import METRICS
from ldptui.core.store import RunRecord, Store, open_store
from ldptui.core.store.recording import read_recording, write_recording

from ..session.runs import describe_scenario
from ..terminal import exits, output, places
from ..text import format as text
from ..text import table
from .column_dictionary import csv_text, dictionary, write_dictionary
from .option_groups import RunFilter
from .result_formats import Output
from .result_output import check_output


def open_kept_runs(place: str | None, write: bool = False) -> Store:
    """The store at a path, or the default store; raises FileError."""
    path, _ = places.chosen_store(place)
    if not is_there(path):
        raise FileError(f"there are no runs: {path} does not exist")
    return open_store(path, write)


def number_of(store: Store, word: str) -> int:
    """The number of the run that a word means: a number, or "last".

    Raises ScenarioError if there is no such run.
    """
    if word == "last":
        newest = store.runs(limit=1)
        if not newest:
            raise ScenarioError("must be a run, and there are none", key="RUN")
        return newest[0].id
    if not (word.isascii() and word.isdigit() and len(word) < 19):
        raise ScenarioError(f'must be the number of a run, or "last", {got(word)}', key="RUN")
    return store.run(int(word)).id


def run_or_file(word: str, place: str | None, limits: bool = True) -> tuple[Store, int]:
    """The store and the number of the run that a word means: a run of the store, or a recording
    file.
    """
    path, recorded = Path(word), word != "last" and not word.isdigit()
    if recorded and not (is_file(path) or path.suffix):
        rule = f'must be the number of a run, "last" or a file, {got(word)}'
        raise ScenarioError(rule, key="RUN")
    store = open_store(None) if recorded else open_kept_runs(place)
    try:
        return store, read_recording(store, path, limits)[0] if recorded else number_of(store, word)
    except BaseException:
        store.close()
        raise


def moment_of(written: str | None, option: str, after: bool = False) -> float | None:
    """The time stamp of a date or time, in local time by default; `after`: the end of that day."""
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


def summary_of(run: RunRecord) -> dict[str, Any]:
    known = {**vars(run), **run.versions, "run": run.id}
    told = {name: known[name] for name in SUMMARY}
    return {name: [*value] if isinstance(value, tuple) else value for name, value in told.items()}


def as_json(run: RunRecord) -> dict[str, Any]:
    return {**summary_of(run), "scenario": run.document}


def export(word: str, place: str | None, asked: Output, meanings: str | None) -> int:
    """Write a run to a file, and the meanings of its columns to another file; returns the exit
    code.
    """
    out, kind = asked.path, asked.format.name
    assert out is not None
    with open_kept_runs(place) as store:
        run = store.run(number_of(store, word))
        if kind == "recording":
            write_recording(store, run.id, out)
            names = ["fingerprint", *dict.fromkeys([*METRICS, *run.metrics])]
        else:
            results = store.results(run.id)
            asked = check_output(asked, results.experiment)
            written = asked.format.write(results, _drawn_with(run), asked)
            if kind in ("csv", "csv-cells"):
                names = next(csv.reader([written[: written.index("\n")]]))
            elif meanings:
                names, _ = trial_rows(results, asked.choice.metrics)
                names[2:2] = ["fingerprint"] * (kind == "parquet")
    if meanings:
        goal = Path(meanings)
        form = "json" if goal.suffix.lower() == ".json" else "csv"
        write_atomically(goal, write_dictionary(dictionary(names, {*METRICS, *run.metrics}), form))
    output.note(f"wrote {out}{', a recording' * (kind == 'recording')}")
    return exits.DONE


def _drawn_with(run: RunRecord) -> dict[str, str]:
    """The versions that drew a run."""
    return {name: str(run.versions[name]) for name in ("ldptui", "numpy")}


def find_runs(filters: RunFilter, place: str | None) -> list[RunRecord]:
    """The stored runs that pass the filters, newest first; prints a note if the store
    is damaged.
    """
    since = moment_of(filters.since, "--since")
    until = moment_of(filters.until, "--until", after=True)
    path, chosen = places.chosen_store(place)
    if not (is_there(path) or chosen):
        return []
    with open_kept_runs(place) as store:
        runs = store.runs(
            protocol=filters.protocol,
            attack=filters.attack,
            tag=filters.tag,
            since=since,
            until=until,
            removed=filters.removed,
        )
        for sentence in store.faults:
            output.note(f"note: {sentence}")
    return runs


def write_runs(runs: Sequence[RunRecord], form: str) -> str:
    """The list of runs as a table, CSV or JSON."""
    if form == "json":
        return output.as_json([as_json(run) for run in runs])
    if form == "csv":
        facts = [summary_of(run).values() for run in runs]
        rows = [[" ".join(v) if isinstance(v, list) else v for v in values] for values in facts]
        return csv_text([SUMMARY, *rows])
    return runs_table(runs, output.width()) if runs else "no runs\n"


def runs_table(runs: Sequence[RunRecord], width: int) -> str:
    """The list of runs as text of `width` columns, a line for each run."""
    heads = ["run", "started", "status", "trials", "protocol", "attack", "tags", "title"]
    rows = []
    for run in runs:
        trials = text.count(run.total)
        trials = trials if run.done == run.total else f"{text.count(run.done)} of {trials}"
        started = day(run.started)[: 16 if width >= 100 else 10]
        words = (_shorten_words(" ".join(names), most) for names, most in (
            (run.protocols, 16), (run.attacks, 12), (run.tags, width // 7),
        ))  # fmt: skip
        rows.append([f"{run.id}{'*' * run.star}", started, run.status, trials, *words, run.title])
    if not any(run.tags for run in runs):
        for line in (heads, *rows):
            del line[6]
    taken = sum(max(len(line[at]) for line in (heads, *rows)) + 2 for at in range(len(heads) - 1))
    rows = [[*row[:-1], _shorten_words(row[-1], max(12, width - taken))] for row in rows]
    return table.plain_table(tuple(heads), rows)


def _shorten_words(words: str, width: int) -> str:
    return words if len(words) <= width else f"{words[: width - 1]}…"


def day(moment: float) -> str:
    """A time stamp in local time, to the minute; "–" for an impossible one."""
    try:
        return datetime.fromtimestamp(moment).strftime("%Y-%m-%d %H:%M")
    except (ValueError, OverflowError, OSError):
        return "–"


def print_run(word: str, place: str | None, asked: Output) -> None:
    """Print the results of a stored run."""
    with open_kept_runs(place) as store:
        run = store.run(number_of(store, word))
        results = store.results(run.id)
    asked = check_output(asked, results.experiment)
    if asked.format.name == "table":
        ran = [
            f"run {run.id}: {run.status}",
            f"{day(run.started)}, {text.duration(run.seconds)}",
            f"ldptui {run.versions['ldptui']}, NumPy {run.versions['numpy']}",
            f"Python {run.versions['python']} on {run.versions['machine']}",
        ]
        lines = [" · ".join(ran), describe_scenario(run.document)]
        lines += [f"tags: {', '.join(run.tags)}"] if run.tags else []
        lines += [f"failed: {run.error}"] if run.error else []
        output.write_out("\n".join([*lines, "", ""]))
    asked.format.write(results, _drawn_with(run), asked)
