"""The runs of a store as a table, and one run as it was shown: ldptui runs list and show."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from datetime import datetime

from ldptui.core.store import Run

from ...session.runs import described
from ...terminal import exits, output, places
from ...text import format as text
from ...text import table
from ..door import Output
from ..options import Listing, Show
from ..reporting import as_text
from .opening import moment_of, number_of, opened
from .written import as_json, csv_text, drawn_with, json_names, summary_of


def list_runs(options: Listing) -> int:
    since, until = (
        moment_of(options.since, "--since"),
        moment_of(options.until, "--until", after=True),
    )
    path, chosen = places.chosen_store(options.store)
    runs: list[Run] = []
    if path.exists() or chosen:
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
        rows = [as_json(run) for run in runs]
        output.write_out(json.dumps(rows, indent=2, ensure_ascii=False) + "\n", exactly=True)
    elif options.format == "csv":
        names = list(json_names())
        lists = [
            [
                " ".join(value) if isinstance(value, list) else value
                for value in summary_of(run).values()
            ]
            for run in runs
        ]
        output.write_out(csv_text([names, *lists]), exactly=True)
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
    if asked.format != "table":
        output.write_out(as_text(results, asked, drawn_with(run)), exactly=True)
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
    shown = table.results_table(
        results, output.width(), output.in_colour(sys.stdout), str(run.versions["numpy"]),
        asked.choice,
    )  # fmt: skip
    output.write_out("\n".join([*lines, "", shown]))
    return exits.DONE
