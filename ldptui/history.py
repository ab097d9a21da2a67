"""The runs that are kept: how they are recorded, shown, replayed, shared and compared."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import math
import os
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np

from core import store as core_store
from core.errors import FileError, RunError, ScenarioError
from core.experiment import Experiment, compile  # noqa: A004
from core.export import to_csv, to_json
from core.files import write_atomically
from core.metrics import METRICS
from core.recording import is_recording, read_recording, write_recording
from core.replay import replay as replay_run
from core.results import CellResults
from core.runner import Results
from core.store import Recording, Run, RunCell, Store, begin, differing, open_store

from . import __version__, attack_options, cli, headless, places, table
from . import format as text
from .runs import described


def measure(experiment: Experiment, options: Namespace, source: str) -> Results:
    """Run an experiment and keep the run. A store that nobody asked for only gives a note."""

    def alone() -> Results:
        return headless.measure(experiment, options.workers, options.frequencies, options.quiet)

    if not options.keep:
        return alone()
    path, chosen = places.chosen_store(options.store)
    try:
        store = open_store(path)
        try:
            recording = begin(
                store,
                experiment,
                __version__,
                tags=_tags(options.tags),
                source=source,
                fresh=options.fresh,
                frequencies=options.frequencies,
            )
        except BaseException:
            store.close()
            raise
    except FileError as error:
        if chosen:
            raise
        headless.note(f"note: this run is not kept: {error}")
        return alone()
    with store:
        return _recorded(recording, experiment, options)


def _recorded(recording: Recording, experiment: Experiment, options: Namespace) -> Results:
    results, error = None, ""
    quiet = options.quiet
    if recording.store.note and not quiet:
        headless.note(f"note: {recording.store.note}")
    try:
        results = headless.measure(
            experiment, options.workers, options.frequencies, quiet, recording
        )
    except Exception as reason:
        error = str(reason) or type(reason).__name__
        raise
    finally:
        recording.finish(results, error or (results.error if results is not None else ""))
        if recording.failure:
            headless.note(f"note: this run is not kept, or in part: {recording.failure}")
        elif recording.reused and not quiet:
            known = f"{text.count(recording.reused)} of {text.count(experiment.trials)}"
            headless.note(f"note: {known} trials were known (--fresh computes them again)")
        if results is not None and not results.ended and not recording.failure:
            headless.note(f"ldptui: ldptui resume {recording.run} goes on with it")
    assert results is not None
    return results


def _tags(given: Sequence[str]) -> list[str]:
    for tag in given:
        if not tag.strip() or not tag.isprintable() or "," in tag:
            raise ScenarioError(f"must be words without commas, got {tag!r}", key="--tag")
    return [tag.strip() for tag in given]


def _opened(options: Namespace, write: bool = False) -> Store:
    """The store of a command that works on what is there."""
    path, _ = places.chosen_store(options.store)
    if not path.exists():
        raise FileError(f"there are no runs: {path} does not exist")
    return open_store(path, write)


def _number(store: Store, word: str) -> int:
    """The run that a word names: its number, or the last one."""
    if word == "last":
        newest = store.runs(limit=1)
        if not newest:
            raise ScenarioError("must be a run, and there are none", key="RUN")
        return newest[0].id
    if not (word.isascii() and word.isdigit() and len(word) < 19):
        raise ScenarioError(f'must be the number of a run, or "last", got {word}', key="RUN")
    return store.run(int(word)).id


def _run_or_file(word: str, options: Namespace, limits: bool = True) -> tuple[Store, int]:
    """The run that a word names, in the store or in a recording of its own."""
    path = Path(word)
    if word != "last" and not word.isdigit() and path.is_file():
        store = open_store(None)
        return store, read_recording(store, path, limits)[0]
    store = _opened(options)
    try:
        return store, _number(store, word)
    except BaseException:
        store.close()
        raise


# ldptui resume, record, replay


def resume(options: Namespace) -> int:
    """Go on with a run that was interrupted."""
    headless.check_output(options)
    with _opened(options, write=True) as store:
        run = _number(store, options.run)
        experiment = attack_options.permitted(store.experiment(run), options)
        recording = core_store.resume(store, run, options.frequencies, experiment)
        return headless.report(_recorded(recording, experiment, options), options)


def record(options: Namespace) -> int:
    """Simulate a scenario and write one file that holds it all."""
    out = headless.check_output(options)
    assert out is not None
    scenario, source = headless.scenario_of(options)
    experiment = attack_options.permitted(compile(scenario, limits=options.limits), options)
    options.frequencies = True
    if options.store or os.environ.get(places.STORE):
        store = open_store(places.chosen_store(options.store)[0])
    else:
        store = open_store(None)
    with store:
        recording = begin(
            store, experiment, __version__, tags=_tags(options.tags), source=source, fresh=True
        )
        results = _recorded(recording, experiment, options)
        if recording.failure:
            raise RunError(f"nothing was written: {recording.failure}")
        write_recording(store, recording.run, out)
    if not options.quiet:
        headless.note(f"wrote {out}: {text.count(results.trials)} trials, {results.digest}")
    headless.tell_failures(results)
    if not results.ended:
        return cli.INTERRUPTED
    return cli.FAILED if results.failures else cli.DONE


def replay(options: Namespace) -> int:
    """Compute a run again and compare; 0 if identical. With --show, play it back."""
    headless.check_workers(options)
    if options.show:
        return _play(options)
    store, number = _run_or_file(options.run, options, options.limits)
    with store:
        run = store.run(number)
        limits = options.limits and store.path is None  # a stranger's file
        experiment = attack_options.permitted(store.experiment(number, limits), options)
        bar = headless.Bar(sys.stderr, experiment, options.quiet)
        try:
            found = replay_run(store, number, options.workers, show=bar.show, experiment=experiment)
        finally:
            bar.erase()
    other = differing(run.versions)
    if run.versions["ldptui"] != __version__:
        own = f"recorded with ldptui {run.versions['ldptui']}, this is {__version__}"
        other = f"{own}, {other}" if other else own
    if not found.difference:
        part = "" if run.done == run.total else f" (of a run of {text.count(run.total)})"
        headless.write_out(f"identical: {text.count(found.trials)} trials{part}, {found.digest}\n")
        if other and not options.quiet:
            headless.note(f"note: {other}, and yet the numbers are the same")
        return cli.DONE
    headless.write_out(f"different: {found.difference}\n")
    if other:
        headless.note(f"note: {other}: numbers may differ for that reason")
    return cli.FAILED


def _play(options: Namespace) -> int:
    """Open the workbench on a recording; what is wrong with it is said before that."""
    from . import start

    reason = start.unfit_terminal()
    if reason is not None:
        raise ScenarioError(reason)
    from .film import Film

    store, number = _run_or_file(options.run, options, options.limits)
    try:
        film = Film(store, number, key=-number)
    except BaseException:
        store.close()
        raise
    return start.open_workbench(None, store=options.store, film=film)


# ldptui runs


def runs(options: Namespace) -> int:
    """List, show, remove, tag, export and import runs."""
    actions: Mapping[str | None, Callable[[Namespace], int]] = {
        None: _list,
        "list": _list,
        "show": _show,
        "rm": _remove,
        "tag": _tag,
        "star": _star,
        "export": _export,
        "import": _import,
        "gc": _gc,
        "dictionary": _dictionary,
    }
    return actions[options.action](options)


def _list(options: Namespace) -> int:
    since, until = _moment(options.since, "--since"), _moment(options.until, "--until", after=True)
    path, chosen = places.chosen_store(options.store)
    found: list[Run] = []
    if path.exists() or chosen:
        with _opened(options) as store:
            found = store.runs(
                protocol=options.protocol,
                attack=options.attack,
                tag=options.tag,
                since=since,
                until=until,
                removed=options.removed,
            )
    if options.format == "json":
        rows = [_as_json(run) for run in found]
        headless.write_out(json.dumps(rows, indent=2, ensure_ascii=False) + "\n", exactly=True)
    elif options.format == "csv":
        names = list(_as_json_names())
        lists = [
            [" ".join(one) if isinstance(one, list) else one for one in _summary(run).values()]
            for run in found
        ]
        headless.write_out(_csv([names, *lists]), exactly=True)
    elif not found:
        headless.write_out("no runs\n")
    else:
        headless.write_out(runs_table(found, headless.width()))
    return cli.DONE


def runs_table(found: Sequence[Run], width: int) -> str:
    """A line for each run; titles are shortened to fit, and further if there are tags."""
    heads: tuple[str, ...] = ("run", "started", "status", "trials", "protocol", "attack")
    heads += ("tags", "title")
    rows = [_row(run, width) for run in found]
    if not any(run.tags for run in found):
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
        _day(run.started)[: 16 if width >= 100 else 10],
        run.status,
        trials,
        _shortened(" ".join(run.protocols), 16),
        _shortened(" ".join(run.attacks), 12),
        _shortened(" ".join(run.tags), width // 7),
        "".join(char if char.isprintable() else "?" for char in run.title),
    )


def _day(moment: float) -> str:
    """Local time, to the minute; a clock may have been anywhere."""
    try:
        return datetime.fromtimestamp(moment).strftime("%Y-%m-%d %H:%M")
    except (ValueError, OverflowError, OSError):
        return "–"


def _summary(run: Run) -> dict[str, Any]:
    return {
        "run": run.id,
        "uid": run.uid,
        "title": run.title,
        "status": run.status,
        "error": run.error,
        "started": run.started,
        "seconds": run.seconds,
        "done": run.done,
        "total": run.total,
        "seed": run.seed,
        "protocols": list(run.protocols),
        "attacks": list(run.attacks),
        "tags": list(run.tags),
        "star": run.star,
        "removed": run.removed,
        "source": run.source,
        **run.versions,
        "digest": run.digest,
    }


def _as_json(run: Run) -> dict[str, Any]:
    return {**_summary(run), "scenario": run.document}


def _as_json_names() -> Iterator[str]:
    yield from ("run", "uid", "title", "status", "error", "started", "seconds", "done", "total")
    yield from ("seed", "protocols", "attacks", "tags", "star", "removed", "source")
    yield from ("ldptui", "numpy", "python", "machine", "simulator", "digest")


def _show(options: Namespace) -> int:
    with _opened(options) as store:
        run = store.run(_number(store, options.run))
        results = store.results(run.id)
    if options.format == "json":
        headless.write_out(_results_json(run, results, options.frequencies), exactly=True)
        return cli.DONE
    if options.format == "csv":
        headless.write_out(to_csv(results), exactly=True)
        return cli.DONE
    ran = [
        f"run {run.id}: {run.status}",
        f"{_day(run.started)}, {text.duration(run.seconds)}",
        f"ldptui {run.versions['ldptui']}, NumPy {run.versions['numpy']}",
        f"Python {run.versions['python']} on {run.versions['machine']}",
    ]
    lines = [" · ".join(ran), described(run.document)]
    lines += [f"tags: {', '.join(run.tags)}"] if run.tags else []
    lines += [f"failed: {run.error}"] if run.error else []
    shown = table.results_table(results, headless.width(), headless.in_colour(sys.stdout))
    headless.write_out("\n".join([*lines, "", shown]))
    return cli.DONE


def _results_json(run: Run, results: Results, frequencies: bool) -> str:
    """As `ldptui run --format json`, with the versions that it ran with."""
    known = {name: str(run.versions[name]) for name in ("ldptui", "numpy")}
    return to_json(results, known, frequencies)


def _remove(options: Namespace) -> int:
    with _opened(options, write=True) as store:
        for number in [_number(store, word) for word in options.runs]:
            store.remove(number, not options.undo)
            done = "back" if options.undo else f"removed; ldptui runs rm --undo {number} undoes it"
            headless.write_out(f"run {number} is {done}\n")
    return cli.DONE


def _tag(options: Namespace) -> int:
    tags = _tags(options.tags)
    with _opened(options, write=True) as store:
        number = _number(store, options.run)
        if options.remove:
            store.change_tags(number, drop=tags)
        else:
            store.change_tags(number, add=tags)
        now = ", ".join(store.run(number).tags) or "none"
    headless.write_out(f"tags of run {number}: {now}\n")
    return cli.DONE


def _star(options: Namespace) -> int:
    with _opened(options, write=True) as store:
        number = _number(store, options.run)
        store.star(number, not options.off)
    headless.write_out(f"run {number} is {'unmarked' if options.off else 'marked'}\n")
    return cli.DONE


def _import(options: Namespace) -> int:
    path = Path(options.file)
    if not path.is_file():
        raise FileError(f"{path} cannot be read: no such file")
    if not is_recording(path):
        raise FileError(f"{path} is not a recording of ldptui")
    with open_store(places.chosen_store(options.store)[0]) as store:
        number, before = read_recording(store, path, options.limits)
    headless.write_out(f"run {number} {'was here already' if before else 'imported'}\n")
    return cli.DONE


def _gc(options: Namespace) -> int:
    with _opened(options, write=True) as store:
        assert store.path is not None
        before = store.path.stat().st_size
        gone, cells = store.gc(_moment(options.before, "--before"))
        after = store.path.stat().st_size
    saved = max(0, before - after) / 2**20
    headless.write_out(f"forgot {gone} runs and {cells} cells, {saved:.1f} MiB\n")
    return cli.DONE


def _moment(given: str | None, option: str, after: bool = False) -> float | None:
    """A day or a time, local where it does not say otherwise; `after`: the end of that day."""
    if given is None:
        return None
    try:
        moment = datetime.fromisoformat(given)
        if after and len(given) <= 10:
            moment += timedelta(days=1)
        return moment.timestamp()
    except (ValueError, OverflowError, OSError):
        raise ScenarioError(f"must be a day as 2026-01-31, got {given}", key=option) from None


# Export.

COLUMNS: Final[dict[str, tuple[str, str]]] = {
    "cell": ("integer", "position in the sweep, from 0; the last swept key changes fastest"),
    "trial": ("integer", "number of the trial in its cell, from 0"),
    "fingerprint": ("text", "xxh3_64 of the trial's support counts, hexadecimal"),
    "seed": ("integer", "the scenario's seed"),
    "trials": ("integer", "trials of the cell that the scenario asks for"),
    "population.items": ("integer", "domain size d"),
    "population.users": ("integer", "genuine users n"),
    "protocol.epsilon": ("number", "privacy budget ε, in nats"),
    "protocol.hash_range": ("integer or text", "g of local hashing, or the rule that gives it"),
    "protocol.delta": ("number", "δ of the stability histogram"),
    "protocol.neighbours": ("text", "which tables of a curator must look alike"),
    "attack.share": ("number", "share β of malicious users among all, as asked for"),
    "attack.targets.count": ("integer", "number of targets r"),
    "gain": ("number", "sum over the targets of attacked − clean estimate"),
    "normalised_gain": ("number", "(gain + f_T) / f_T, f_T the targets' true total"),
    "target_frequency": ("number", "sum over the targets of the estimate after the attack"),
    "target_frequency_clean": ("number", "the same before the attack"),
    "mse": ("number", "mean over the items of (attacked estimate − true frequency)²"),
    "mse_clean": ("number", "the same before the attack"),
    "l1_error": ("number", "sum over the items of |attacked estimate − true frequency|"),
    "max_error": ("number", "largest |attacked estimate − true frequency|"),
    "targets_in_top_k": ("integer", "targets among the k largest attacked estimates"),
    "detected": ("integer", "items detected after the attack (RAPPOR)"),
    "false_detected": ("integer", "of these, items that nobody holds (RAPPOR)"),
}
"""What the columns mean; other parameters are the scenario's own keys."""


def dictionary(names: Sequence[str] = ()) -> list[tuple[str, str, str]]:
    """Column, type and meaning, of these columns or of all that are known."""
    rows = []
    for name in names or [*COLUMNS, *(one for one in METRICS if one not in COLUMNS)]:
        kind, meaning = COLUMNS.get(name, ("", f"the scenario's key {name}"))
        rows.append((name, kind, meaning))
    return rows


def _dictionary(options: Namespace) -> int:
    headless.write_out(_written_dictionary(dictionary(), options.format), exactly=True)
    return cli.DONE


def _written_dictionary(rows: Sequence[tuple[str, str, str]], form: str) -> str:
    heads = ("column", "type", "meaning")
    if form == "json":
        return json.dumps([dict(zip(heads, row, strict=True)) for row in rows], indent=2,
                          ensure_ascii=False) + "\n"  # fmt: skip
    return _csv([heads, *rows]) if form == "csv" else table.plain_table(heads, rows)


def _csv(rows: Sequence[Sequence[object]]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(rows)
    return buffer.getvalue()


def _export(options: Namespace) -> int:
    out = headless.check_output(options)
    assert out is not None
    kinds = {".csv": "csv", ".json": "json", ".parquet": "parquet"}
    kind = options.format or kinds.get(out.suffix.lower(), "recording")
    with _opened(options) as store:
        run = store.run(_number(store, options.run))
        if kind == "recording":
            write_recording(store, run.id, out)
            names: list[str] = ["fingerprint", *METRICS]
        else:
            results = store.results(run.id)
            written = to_csv(results)
            names = next(csv.reader([written[: written.index("\n")]]))
            if kind == "parquet":
                names = ["cell", "trial", "fingerprint", *names[2:]]
                _write_parquet(out, results, names, run)
            elif kind == "json":
                write_atomically(out, _results_json(run, results, options.frequencies))
            else:
                write_atomically(out, written)
    if options.dictionary:
        place = Path(options.dictionary)
        form = "json" if place.suffix.lower() == ".json" else "csv"
        write_atomically(place, _written_dictionary(dictionary(names), form))
    headless.note(f"wrote {out}")
    return cli.DONE


def columns(results: Results, names: Sequence[str]) -> dict[str, list[Any]]:
    """A column per name, a value per trial; None where it is not defined."""
    found: dict[str, list[Any]] = {name: [] for name in names}
    for cell, measured in zip(results.experiment.cells, results.cells, strict=True):
        own = {"cell": cell.index, **cell.parameters}
        for name in names:
            if name == "trial":
                values: list[Any] = list(range(measured.trials))
            elif name == "fingerprint":
                values = [f"{mark:016x}" for mark in measured.fingerprints.tolist()]
            elif name in METRICS:
                numbers = measured.metrics[:, METRICS.index(name)].tolist()
                values = [None if math.isnan(one) else one for one in numbers]
            else:
                values = [own.get(name)] * measured.trials
            found[name] += values
    # A column has one type: numbers, or else words.
    for name, values in found.items():
        if len({isinstance(one, str) for one in values if one is not None}) > 1:
            found[name] = [None if one is None else str(one) for one in values]
    return found


def _write_parquet(out: Path, results: Results, names: Sequence[str], run: Run) -> None:
    try:
        pyarrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise FileError(
            f"{out} cannot be written: Parquet needs pyarrow (pip install ldptui[parquet])"
        ) from None
    data = columns(results, names)
    meanings = {name: meaning for name, _, meaning in dictionary(names)}
    made = pyarrow.table(data)
    fields = [one.with_metadata({"description": meanings[one.name]}) for one in made.schema]
    about = {"ldptui": json.dumps(_as_json(run), default=str), "digest": results.digest}
    schema = pyarrow.schema(fields, metadata=about)
    draft = out.with_name(f".{out.name}.{os.getpid()}")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        parquet.write_table(made.cast(schema), draft)
        draft.replace(out)
    except OSError as error:
        raise FileError(f"{out} cannot be written: {error.strerror or error}") from error
    finally:
        draft.unlink(missing_ok=True)


# ldptui compare


@dataclasses.dataclass(frozen=True)
class Difference:
    """B − A of one metric in one pair of cells; None where it is not defined.

    paired : the trials drew the same genuine users' reports, and are compared one by one.
    """

    a: float | None
    b: float | None
    difference: float | None
    standard_error: float | None
    trials: int
    paired: bool

    @property
    def z(self) -> float | None:
        if self.difference is None or not self.standard_error:
            return None
        return self.difference / self.standard_error


def difference(a: CellResults, b: CellResults, metric: str, shared: bool) -> Difference:
    """B − A of a metric over the trials; `shared`: both drew the same genuine reports."""
    at = METRICS.index(metric)
    left, right = a.metrics[:, at], b.metrics[:, at]
    if shared:
        trials = min(left.size, right.size)
        left, right = left[:trials], right[:trials]
    trials = min(left.size, right.size)
    if not trials or np.isnan(left).any() or np.isnan(right).any():
        return Difference(None, None, None, None, trials, shared)
    means = float(left.mean()), float(right.mean())
    if trials == 1:
        error = None
    elif shared:
        error = float((right - left).std(ddof=1) / math.sqrt(trials))
    else:
        error = math.sqrt(left.var(ddof=1) / left.size + right.var(ddof=1) / right.size)
    apart = float((right - left).mean()) if shared else means[1] - means[0]
    return Difference(*means, apart, error, trials, shared)


def pairs(a: Sequence[RunCell], b: Sequence[RunCell]) -> list[tuple[RunCell, RunCell]]:
    """Which cells belong together: those with the same values of the keys that vary in both runs.

    Where that leaves a choice, or nothing varies in both, cells go together by position.
    """
    keys = [key for key in _varying(a) if key in _varying(b)]
    left, right = _by_values(a, keys), _by_values(b, keys)
    if keys and len(left) == len(a) and len(right) == len(b):
        found = [(left[values], right[values]) for values in left if values in right]
        if found:
            return found
    if len(a) != len(b):
        raise ScenarioError(
            f"have {len(a)} and {len(b)} cells that do not vary in the same keys: "
            "it is not clear which belong together",
            key="A and B",
        )
    return list(zip(a, b, strict=True))


def _varying(cells: Sequence[RunCell]) -> list[str]:
    names = dict.fromkeys(key for cell in cells for key in cell.parameters)
    return [name for name in names if len({repr(cell.parameters.get(name)) for cell in cells}) > 1]


def _by_values(cells: Sequence[RunCell], keys: Sequence[str]) -> dict[str, RunCell]:
    return {repr([cell.parameters.get(key) for key in keys]): cell for cell in cells}


def compare(options: Namespace) -> int:
    """Print the differences of two runs."""
    unknown = [name for name in options.metric if name not in METRICS]
    if unknown:
        raise ScenarioError(
            f"must be one of {', '.join(METRICS)}, got {unknown[0]}", key="--metric"
        )
    sides = []
    for word in (options.a, options.b):
        store, number = _run_or_file(word, options)
        with store:
            sides.append((store.run(number), store.cells(number), store.measured(number)))
    (a, cells_a, measured_a), (b, cells_b, measured_b) = sides
    together = pairs(cells_a, cells_b)
    swept = [key for key in _varying(cells_a) if key in _varying(cells_b)]
    rows = []
    for one, other in together:
        shared = one.genuine == other.genuine
        for metric in options.metric or METRICS:
            left, right = measured_a[one.position], measured_b[other.position]
            found = difference(left, right, metric, shared)
            if found.difference is not None:
                rows.append((one, other, metric, found))
    if options.format != "table":
        documents = [
            {
                "cell_a": one.position,
                "cell_b": other.position,
                **({key: one.parameters.get(key) for key in swept}),
                "metric": metric,
                **dataclasses.asdict(found),
                "z": found.z,
            }
            for one, other, metric, found in rows
        ]
        if options.format == "json":
            whole = {"a": _as_json(a), "b": _as_json(b), "changed": _changed(a, b),
                     "differences": documents}  # fmt: skip
            headless.write_out(json.dumps(whole, indent=2, ensure_ascii=False, default=str) + "\n",
                               exactly=True)  # fmt: skip
        else:
            names = list(documents[0]) if documents else ["cell_a", "cell_b", "metric"]
            lines = [["" if one is None else one for one in row.values()] for row in documents]
            headless.write_out(_csv([names, *lines]), exactly=True)
        return cli.DONE
    heads = (*(key.rpartition(".")[2] for key in swept), "metric", "A", "B", "B − A", "±", "z")
    shown = [
        (
            *(table.value_text(one.parameters.get(key)) for key in swept),
            metric,
            text.short(found.a),
            text.short(found.b),
            text.short(found.difference, sign=True),
            text.short(found.standard_error, 2),
            "–" if found.z is None else f"{found.z:.1f}",
        )
        for one, other, metric, found in rows
    ]
    paired = sum(found.paired for *_, found in rows)
    notes = [
        f"A is run {a.id}: {a.title}",
        f"B is run {b.id}: {b.title}",
        f"changed: {_changed(a, b) or 'nothing'}",
    ]
    if not rows:
        how = "nothing was measured in both"
    elif paired == len(rows):
        how = "paired: both drew the same genuine users' reports, trial by trial"
    elif paired:
        how = "paired where both drew the same genuine users' reports, else independent"
    else:
        how = "independent: the genuine users' reports are different ones"
    notes += ["", *([table.plain_table(heads, shown)] if shown else []), how]
    headless.write_out("\n".join(notes) + "\n")
    return cli.DONE


def _changed(a: Run, b: Run) -> str:
    from .runs import differences

    return differences(a.document, b.document)
