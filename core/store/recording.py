"""A recording: a store with one run, in a file of its own to be shared.

Its cells have addresses of their own: imported results never count as computed here. Reading one
checks every checksum, binds the scenario and compares it with what the file says of its cells; it
simulates nothing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from ..base.errors import FileError, ScenarioError, format_number, reason_of
from ..base.files import whole_file
from ..base.versions import versions
from ..experiment import Experiment
from ..experiment.size_limits import MAX_TRIALS, MAX_USERS
from ..metrics import METRICS, Measures, columns_asked, measures_from_columns, names_of, plain
from ..metrics.results import BLOCK_TRIALS, CellResults, Moments, Rounds, digest
from ..population import STATED
from ..scenario import MAX_CELLS, Scenario
from .block_store import CORRUPTION_ERRORS, sqlite_error_context
from .run_records import Arrival, RunCell, RunRecord
from .run_writer import kinds_in
from .store import TABLES, VERSION, Store
from .store_open import open_store

APPLICATION: Final = int.from_bytes(b"LDPr")
"""SQLite's application id of a recording."""

MAX_BYTES: Final = 1 << 30


def is_recording(path: Path) -> bool:
    """Whether a file has the header of a recording; False if it cannot be read."""
    try:
        with path.open("rb") as file:
            return _is_recording(file.read(100))
    except OSError:
        return False


def _is_recording(data: bytes) -> bool:
    return data[:16] == b"SQLite format 3\0" and data[68:72] == APPLICATION.to_bytes(4)


def write_recording(store: Store, run: int, path: Path) -> None:
    """Write one run of a store to a file that appears complete or not at all; raises FileError or
    ScenarioError.
    """
    about, cells, arrivals = store.run(run), store.cells(run), store.arrivals(run)
    status = "partial" if about.status in ("running", "interrupted") else about.status
    shared = replace(about, id=0, source="", owner="", star=False, removed=False, status=status)
    with open_store(None) as made:
        with made.writing() as db:
            renamed = [replace(cell, key=_key(about, cell.position)) for cell in cells]
            for name in dict.fromkeys(cell.population for cell in cells):
                if name is not None:
                    made.put_population(store.population(name))
            for arrival in arrivals:
                block = store.block(run, arrival, cells)
                made.put_block(renamed[arrival.position].key, arrival.number, block)
            made.insert_run(shared, renamed, arrivals)
            db.execute(f"PRAGMA application_id = {APPLICATION}")
        with whole_file(path) as file:
            file.write(made.serialize())


def _key(run: RunRecord, position: int) -> str:
    """The address of a recorded cell, which nobody computes."""
    return f"{run.uid} {position}"


def read_recording(store: Store, path: Path, limits: bool = True) -> tuple[int, bool]:
    """Import a recording into a store; returns the run's number, and whether the store already had
    the run.

    All of it or nothing. limits : whether to refuse sizes that a run here would be refused for.
    Raises FileError, or ScenarioError if its scenario is invalid.
    """
    try:
        if limits and path.stat().st_size > MAX_BYTES:
            raise FileError(f"{path} is larger than {MAX_BYTES >> 20} MiB (--no-limits lifts this)")
        with sqlite_error_context(path), _open_recording(path) as made:
            return _take(store, made, path, limits)
    except (FileError, ScenarioError):
        raise
    except OSError as error:
        raise FileError(f"{path} cannot be read: {reason_of(error)}") from error
    except CORRUPTION_ERRORS as error:
        raise FileError(f"{path} is damaged, or no recording: {error}") from error


def _open_recording(path: Path) -> Store:
    """The store in a file, which a stranger wrote: nothing but our own tables."""
    data = path.read_bytes()
    if not _is_recording(data):
        raise FileError(f"{path} is not a recording of ldptui")
    db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    store = Store(path, db)
    try:
        db.deserialize(data)
        db.execute("PRAGMA trusted_schema = OFF")
        db.execute("PRAGMA cell_size_check = ON")
        if store.fetch_one("PRAGMA user_version") > (VERSION,):
            raise FileError(f"{path} was written by a newer ldptui: update ldptui to read it")
        tables = {sql for (sql,) in store.fetch("SELECT sql FROM sqlite_master") if sql}
        if tables - {"CREATE TABLE sqlite_sequence(name,seq)"} != {*TABLES}:
            raise FileError(f"{path} is not a recording of ldptui")
        if store.check() != "ok":
            raise FileError(f"{path} is damaged: SQLite cannot read it")
        return store
    except BaseException:
        store.close()
        raise


def _take(store: Store, made: Store, path: Path, limits: bool) -> tuple[int, bool]:
    ((number,),) = made.fetch("SELECT id FROM runs")
    run, told = made.run(number), made.cells(number)
    if (known := store.run_with_uid(run.uid)) is not None:
        store.remove(known, False)
        return known, True
    cells_asked = Scenario(run.document, str(path)).cells
    if limits and (cells_asked > MAX_CELLS or run.total > MAX_TRIALS):
        most = f"{format_number(MAX_CELLS)} cells, or {format_number(MAX_TRIALS)} trials"
        raise FileError(f"{path} has more than {most} (--no-limits lifts this)")
    experiment = made.experiment(number, limits)
    _check_cells(run, experiment, told, path, limits)
    arrivals = made.arrivals(number)
    with store.writing():
        names = {
            name: store.put_population(made.population(name))
            for name in {cell.population for cell in told} - {None}
            if name is not None
        }
        cells = [
            replace(cell, key=_key(run, cell.position), parameters=bound.parameters,
                    population=cell.population and names[cell.population])
            for cell, bound in zip(told, experiment.cells, strict=True)
        ]  # fmt: skip
        if len({(each.position, each.number) for each in arrivals}) < len(arrivals):
            raise ValueError("a block is there twice")
        for arrival in arrivals:
            block = made.block(number, arrival, told)
            cell = cells[arrival.position]
            store.put_block(cell.key, arrival.number, _checked_block(block, cell, arrival))
        taken = store.insert_run(_checked_run(run, experiment, cells, arrivals), cells, arrivals)
        measured = store.measured_cells(taken)
        done = sum(cell.trials for cell in measured)
        if run.status == "done" and (done != run.total or not run.digest):
            raise FileError(f"{path} is not whole: it has {done} of {run.total} trials")
        if run.digest and digest(measured) != run.digest:
            raise FileError(f"{path} is corrupt: the digest of its trials is not as it says")
    return taken, False


def _check_cells(
    run: RunRecord, experiment: Experiment, told: Sequence[RunCell], path: Path, limits: bool
) -> None:
    """Refuse a run, or a cell, that says of itself other than its scenario."""
    if experiment.trials != run.total or len(experiment.cells) != len(told):
        raise ValueError("its cells or trials are not those of its scenario")
    for cell, known in zip(experiment.cells, told, strict=True):
        check_printable(known.genuine)
        check_printable(known.histogram)
        facts = (cell.index, cell.trials, cell.first.population.users, cell.malicious)
        if facts != (known.position, known.trials, known.users, known.malicious) or (
            cell.task.size(cell.first) != known.domain_size
        ):
            raise ValueError("a cell does not fit its scenario")
        if (cell.parameters["population.kind"] in STATED) != (known.population is None):
            raise ValueError("a population is missing, or does not belong to its cell")
        answer = known.answer
        if known.malicious < 0 or (answer and answer.malicious != known.malicious) or (
            answer and cell.goal is None
        ):  # fmt: skip
            raise ValueError("an answer does not fit its cell")
        if limits and known.users + known.malicious > MAX_USERS:
            raise FileError(f"{path} has more than 10^13 users (--no-limits lifts this)")


def _checked_run(
    run: RunRecord, experiment: Experiment, cells: Sequence[RunCell], arrivals: Sequence[Arrival]
) -> RunRecord:
    """The run as a stranger told it, its words such that they can be shown."""
    if run.status not in ("done", "partial", "failed"):
        raise ValueError(f"its status is {run.status!r}")
    columns = {name for cell in cells for name in columns_asked(cell.parameters)}
    known = {name: run.versions[name] for name in versions()}
    for words in (run.uid, run.title, run.digest, run.error, *run.tags, *known.values()):
        check_printable(words)
    return replace(
        run,
        id=0,
        document=experiment.scenario.document,
        source="",
        seed=experiment.cells[0].seed,
        protocols=kinds_in(cells, "protocol"),
        attacks=kinds_in(cells, "attack"),
        metrics=tuple(name for name in run.metrics if name in METRICS or name in columns),
        versions=known,
        done=sum(arrival.trials for arrival in arrivals),
        star=False,
        removed=False,
        owner="",
    )


def check_printable(words: object) -> None:
    """Raise ValueError for text from outside with unprintable characters."""
    if not isinstance(words, int) and not (isinstance(words, str) and words.isprintable()):
        raise ValueError(f"it holds words that cannot be shown: {str(words)[:60]!r}")


def _checked_block(block: CellResults, cell: RunCell, arrival: Arrival) -> CellResults:
    """A block of the sizes of its cell, with the metrics that its scenario asks for."""
    size, trials, rounds = cell.domain_size, block.trials, block.rounds
    due = min(BLOCK_TRIALS, cell.trials - arrival.number * BLOCK_TRIALS)
    count = int(cell.parameters.get("campaign.rounds", 0))
    vectors: list[tuple[Moments, tuple[int, ...]]] = [
        (moments, (size,)) for moments in block.arms.values()
    ]
    if rounds is not None:
        if rounds.metrics.shape != (trials, count):
            raise ValueError("a round has no right metrics")
        vectors += [(moments, (count, size)) for moments in rounds.arms.values()]
        rounds = Rounds(_known_metrics(rounds.metrics, cell), rounds.arms)
    if arrival.number < 0 or not trials == arrival.trials == due:
        where = f"block {arrival.number} of cell {arrival.position}"
        raise ValueError(f"{where} has {trials} trials")
    detected = np.zeros(size) if block.detected is None else block.detected
    if detected.shape != (size,) or (detected < 0).any() or (detected > trials).any():
        raise ValueError("an item is detected in more trials than there are")
    for moments, shape in vectors:
        for values in (moments.mean, moments.squares):
            if values.shape != shape or not np.isfinite(values).all():
                raise ValueError("a vector is of another length, or has infinite numbers")
    return replace(block, metrics=_known_metrics(block.metrics, cell), rounds=rounds)


def _known_metrics(measures: Measures, cell: RunCell) -> Measures:
    """The measures that are ours, or that the cell's scenario asks code for; none is infinite."""
    wanted = {*METRICS, *columns_asked(cell.parameters)}
    names = [name for name in names_of(measures) if name in wanted]
    values = plain(measures, names)
    if np.isinf(values).any():
        raise ValueError("a metric is infinite")
    return measures_from_columns(names, values)
