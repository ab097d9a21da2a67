"""The runs of a store, and the command `ldptui runs`: its actions."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from ldptui.core.base.errors import FileError
from ldptui.core.base.files import fault_of, is_there, write_atomically
from ldptui.core.export import trial_rows
from ldptui.core.metrics import METRICS
from ldptui.core.running.runner import Results
from ldptui.core.store import Run, is_store, merge, open_store
from ldptui.core.store.recording import is_recording, read_recording, write_recording

from ...session.runs import described
from ...terminal import exits, output, places
from ...text import format as text
from ...text import table
from ...text.prose import wrapped
from ..dictionary import dictionary
from ..door import Output, tags_of
from ..formats import FORMATS, Written
from ..opening import Stored
from .opening import (
    SUMMARY,
    as_json,
    csv_text,
    drawn_with,
    moment_of,
    number_of,
    opened,
    summary_of,
)
from .options import (
    Collecting,
    Dictionary,
    Export,
    Import,
    Listing,
    Remove,
    Show,
    Star,
    Tag,
)

WIDTH: Final = 80
"""Cells of a meaning in the table of columns."""


def show_dictionary(options: Dictionary) -> int:
    written = _written_dictionary(dictionary(), options.format)
    output.write_out(written, exactly=options.format != "table")
    return exits.DONE


def _written_dictionary(rows: Sequence[tuple[str, str, str]], form: str) -> str:
    heads = ("column", "type", "meaning")
    if form == "json":
        return output.as_json([dict(zip(heads, row, strict=True)) for row in rows])
    if form == "csv":
        return csv_text([heads, *rows])
    lines = [
        (name if at == 0 else "", kind if at == 0 else "", line)
        for name, kind, meaning in rows
        for at, line in enumerate(wrapped(meaning, WIDTH))
    ]
    return table.plain_table(heads, lines)


def export(options: Export) -> int:
    asked = Output.of(
        options.format,
        options.out,
        options,
        command="export",
        frequencies=options.frequencies,
    )
    out, kind = asked.path, asked.format
    assert out is not None
    with opened(options.store) as store:
        run = store.run(number_of(store, options.run))
        if kind == "recording":
            write_recording(store, run.id, out)
            names = ["fingerprint", *dict.fromkeys([*METRICS, *run.metrics])]
        else:
            results = store.results(run.id)
            asked = asked.of_results(results.experiment)
            written = FORMATS[kind].write(_written(run, results, asked), out)
            if kind in ("csv", "csv-cells"):
                names = next(csv.reader([written[: written.index("\n")]]))
            elif options.dictionary:
                names, _ = trial_rows(results, asked.choice.metrics)
                names[2:2] = ["fingerprint"] * (kind == "parquet")
    if options.dictionary:
        place = Path(options.dictionary)
        form = "json" if place.suffix.lower() == ".json" else "csv"
        write_atomically(
            place, _written_dictionary(dictionary(names, {*METRICS, *run.metrics}), form)
        )
    output.note(f"wrote {out}{', a recording' * (kind == 'recording')}")
    return exits.DONE


def _written(run: Run, results: Results, asked: Output) -> Written:
    """What is written of a kept run."""
    versions = drawn_with(run)
    return Written(results, versions, asked.choice, asked.frequencies, as_json(run))


def list_runs(options: Listing) -> int:
    since, until = (
        moment_of(options.since, "--since"),
        moment_of(options.until, "--until", after=True),
    )
    path, chosen = places.chosen_store(options.store)
    runs: list[Run] = []
    if is_there(path) or chosen:
        with opened(options.store) as store:
            runs = store.runs(
                protocol=options.protocol,
                attack=options.attack,
                tag=options.tag,
                since=since,
                until=until,
                removed=options.removed,
            )
            for sentence in store.faults:
                output.note(f"note: {sentence}")
    if options.format == "json":
        output.write_json([as_json(run) for run in runs])
    elif options.format == "csv":
        lists = [
            [
                " ".join(value) if isinstance(value, list) else value
                for value in summary_of(run).values()
            ]
            for run in runs
        ]
        output.write_out(csv_text([SUMMARY, *lists]), exactly=True)
    elif not runs:
        output.write_out("no runs\n")
    else:
        output.write_out(runs_table(runs, output.width()))
    return exits.DONE


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


def show(options: Show) -> int:
    asked = Output.of(options.format, None, options, frequencies=options.frequencies)
    with opened(options.store) as store:
        run = store.run(number_of(store, options.run))
        results = store.results(run.id)
    asked = asked.of_results(results.experiment)
    written = replace(
        _written(run, results, asked), width=output.width(), colour=output.in_colour(sys.stdout)
    )
    shown = FORMATS[asked.format].text(written)
    if asked.format != "table":
        output.write_out(shown, exactly=True)
        return exits.DONE
    ran = [
        f"run {run.id}: {run.status}",
        f"{day(run.started)}, {text.duration(run.seconds)}",
        f"ldptui {run.versions['ldptui']}, NumPy {run.versions['numpy']}",
        f"Python {run.versions['python']} on {run.versions['machine']}",
    ]
    lines = [" · ".join(ran), described(run.document)]
    lines += [f"tags: {', '.join(run.tags)}"] if run.tags else []
    lines += [f"failed: {run.error}"] if run.error else []
    output.write_out("\n".join([*lines, "", shown]))
    return exits.DONE


def runs(options: Stored) -> int:
    """List, show, remove, tag, export and import runs."""
    return ACTIONS[type(options)](options)


def _remove(options: Remove) -> int:
    with opened(options.store, write=True) as store:
        for number in [number_of(store, word) for word in options.runs]:
            store.remove(number, not options.undo)
            done = "back" if options.undo else f"removed; ldptui runs rm --undo {number} undoes it"
            output.write_out(f"run {number} is {done}\n")
    return exits.DONE


def _tag(options: Tag) -> int:
    tags = tags_of(options.tags)
    with opened(options.store, write=True) as store:
        number = number_of(store, options.run)
        if options.remove:
            store.change_tags(number, drop=tags)
        else:
            store.change_tags(number, add=tags)
        now = ", ".join(store.run(number).tags) or "none"
    output.write_out(f"tags of run {number}: {now}\n")
    return exits.DONE


def _star(options: Star) -> int:
    with opened(options.store, write=True) as store:
        number = number_of(store, options.run)
        store.star(number, not options.off)
    output.write_out(f"run {number} is {'unmarked' if options.off else 'marked'}\n")
    return exits.DONE


def _import(options: Import) -> int:
    paths = [Path(file) for file in options.files]
    recordings = [is_recording(path) for path in paths]  # before a store is open: see `is_store`
    for path, recording in zip(paths, recordings, strict=True):
        if fault := fault_of(path):
            raise FileError(f"{path} cannot be read: {fault}")
        if not (recording or is_store(path)):
            raise FileError(f"{path} is neither a recording nor a store of ldptui")
    with open_store(places.chosen_store(options.store)[0]) as store:
        for path, recording in zip(paths, recordings, strict=True):
            if recording:
                number, before = read_recording(store, path, options.limits)
                output.write_out(f"run {number} {'was here already' if before else 'imported'}\n")
                continue
            merged = merge(store, path)
            runs = text.plural(len(merged.runs), "run")
            output.write_out(f"{path}: {runs}, {text.count(merged.trials)} trials are new\n")
    return exits.DONE


def _gc(options: Collecting) -> int:
    with opened(options.store, write=True) as store:
        assert store.path is not None
        before = store.path.stat().st_size
        gone, cells = store.gc(moment_of(options.before, "--before"))
        after = store.path.stat().st_size
    saved = max(0, before - after) / 2**20
    output.write_out(
        f"forgot {text.count(gone)} runs and {text.count(cells)} cells, {saved:.1f} MiB\n"
    )
    return exits.DONE


ACTIONS: Final[Mapping[type[Stored], Callable[[Any], int]]] = {
    Listing: list_runs,
    Show: show,
    Remove: _remove,
    Tag: _tag,
    Star: _star,
    Export: export,
    Import: _import,
    Collecting: _gc,
    Dictionary: show_dictionary,
}
"""What is done for the options of each action."""
