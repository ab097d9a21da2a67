"""The runs of a store as tables and files: what `ldptui runs` lists, shows and exports."""

from __future__ import annotations

import csv
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from ldptui.core.base.files import is_there, write_atomically
from ldptui.core.export import trial_rows
from ldptui.core.metrics import METRICS
from ldptui.core.running.runner import Results
from ldptui.core.store import Run
from ldptui.core.store.recording import write_recording

from ..session.runs import describe_scenario
from ..terminal import exits, output, places
from ..text import format as text
from ..text import table
from .column_dictionary import dictionary, write_dictionary
from .option_groups import RunFilter
from .output_options import Output
from .result_formats import FORMATS, Written
from .run_lookup import (
    SUMMARY,
    as_json,
    csv_text,
    drawn_with,
    moment_of,
    number_of,
    opened,
    summary_of,
)


def export(word: str, place: str | None, asked: Output, meanings: str | None) -> int:
    """Write a run to a file, and what its columns mean to another one."""
    out, kind = asked.path, asked.format
    assert out is not None
    with opened(place) as store:
        run = store.run(number_of(store, word))
        if kind == "recording":
            write_recording(store, run.id, out)
            names = ["fingerprint", *dict.fromkeys([*METRICS, *run.metrics])]
        else:
            results = store.results(run.id)
            asked = asked.of_results(results.experiment)
            written = FORMATS[kind].write(_written(run, results, asked), out)
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


def _written(run: Run, results: Results, asked: Output) -> Written:
    """What is written of a kept run."""
    versions = drawn_with(run)
    return Written(results, versions, asked.choice, asked.frequencies, as_json(run))


def find_runs(filters: RunFilter, place: str | None) -> list[Run]:
    """The runs that are kept at a place, newest first; notes what is wrong with the store."""
    since = moment_of(filters.since, "--since")
    until = moment_of(filters.until, "--until", after=True)
    path, chosen = places.chosen_store(place)
    if not (is_there(path) or chosen):
        return []
    with opened(place) as store:
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


def write_runs(runs: Sequence[Run], form: str) -> str:
    """The list of runs as a table, CSV or JSON."""
    if form == "json":
        return output.as_json([as_json(run) for run in runs])
    if form == "csv":
        facts = [summary_of(run).values() for run in runs]
        rows = [[" ".join(v) if isinstance(v, list) else v for v in values] for values in facts]
        return csv_text([SUMMARY, *rows])
    return runs_table(runs, output.width()) if runs else "no runs\n"


def runs_table(runs: Sequence[Run], width: int) -> str:
    """A line for each run; titles are shortened to fit, and further if there are tags."""
    heads: tuple[str, ...] = ("run", "started", "status", "trials", "protocol", "attack")
    heads += ("tags", "title")
    rows = [_row(run, width) for run in runs]
    if not any(run.tags for run in runs):
        heads, rows = _without(heads, 6), [_without(row, 6) for row in rows]
    taken = sum(max(len(line[at]) for line in (heads, *rows)) + 2 for at in range(len(heads) - 1))
    room = max(12, width - taken)
    rows = [(*row[:-1], _shortened(row[-1], room)) for row in rows]
    return table.plain_table(heads, rows)


def _without(row: tuple[str, ...], at: int) -> tuple[str, ...]:
    return row[:at] + row[at + 1 :]


def _shortened(words: str, width: int) -> str:
    return words if len(words) <= width else f"{words[: width - 1]}…"


def _row(run: Run, width: int) -> tuple[str, ...]:
    trials = text.count(run.total)
    if run.done < run.total:
        trials = f"{text.count(run.done)} of {trials}"
    return (
        f"{run.id}{'*' if run.star else ''}",
        day(run.started)[: 16 if width >= 100 else 10],
        run.status,
        trials,
        _shortened(" ".join(run.protocols), 16),
        _shortened(" ".join(run.attacks), 12),
        _shortened(" ".join(run.tags), width // 7),
        run.title,
    )


def day(moment: float) -> str:
    """Local time, to the minute; a clock may have been anywhere."""
    try:
        return datetime.fromtimestamp(moment).strftime("%Y-%m-%d %H:%M")
    except (ValueError, OverflowError, OSError):
        return "–"


def write_run(word: str, place: str | None, asked: Output) -> str:
    """What a run measured, in the format that is asked for."""
    with opened(place) as store:
        run = store.run(number_of(store, word))
        results = store.results(run.id)
    asked = asked.of_results(results.experiment)
    written = replace(
        _written(run, results, asked), width=output.width(), colour=output.in_colour(sys.stdout)
    )
    shown = FORMATS[asked.format].text(written)
    if asked.format != "table":
        return shown
    ran = [
        f"run {run.id}: {run.status}",
        f"{day(run.started)}, {text.duration(run.seconds)}",
        f"ldptui {run.versions['ldptui']}, NumPy {run.versions['numpy']}",
        f"Python {run.versions['python']} on {run.versions['machine']}",
    ]
    lines = [" · ".join(ran), describe_scenario(run.document)]
    lines += [f"tags: {', '.join(run.tags)}"] if run.tags else []
    lines += [f"failed: {run.error}"] if run.error else []
    return "\n".join([*lines, "", shown])
