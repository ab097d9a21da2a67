"""A recording: a store with one run, in a file of its own that is shared.

Its cells have addresses of their own: what was read never counts as computed here. Reading one
checks every checksum, type and size before anything of it is kept, and simulates nothing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from ..base.errors import FileError, ScenarioError, reason_of, spelled
from ..base.files import whole_file
from ..base.versions import versions
from ..experiment.limits import MAX_ITEMS, MAX_TRIALS, MAX_USERS
from ..metrics import METRICS, Measures, columns_asked, measures_from_columns, names_of, plain
from ..metrics.results import BLOCK_TRIALS, Arms, CellResults, Rounds, digest
from ..population import STATED
from ..scenario import MAX_CELLS, Point, Scenario
from ..task import Frequencies
from .older_recordings import JSON_START, read_json_recording
from .run_records import Arrival, Run, RunCell
from .run_writer import kinds_in
from .sqlite_errors import CORRUPTION_ERRORS, sqlite_error_context
from .store import TABLES, Store
from .store_open import VERSION, open_store

APPLICATION: Final = int.from_bytes(b"LDPr")
"""SQLite's application id of a recording."""

SQLITE_START: Final = b"SQLite format 3\0"

HEADER_BYTES: Final = 100

MAX_BYTES: Final = 1 << 30


def is_recording(path: Path) -> bool:
    """Return whether a file looks like a recording."""
    try:
        with path.open("rb") as file:
            return _is_recording(file.read(HEADER_BYTES))
    except OSError:
        return False


def _is_recording(data: bytes) -> bool:
    marked = data[:16] == SQLITE_START and data[68:72] == APPLICATION.to_bytes(4)
    return marked or data.startswith(JSON_START)


def write_recording(store: Store, run: int, path: Path) -> None:
    """Write one run of a store to a file, whole or not at all; raises FileError."""
    about, cells, arrivals = store.run(run), store.cells(run), store.arrivals(run)
    status = "partial" if about.status in ("running", "interrupted") else about.status
    shared = replace(about, id=0, source="", owner="", star=False, removed=False, status=status)
    with open_store(None) as made:
        with made.writing() as db:
            renamed = [replace(cell, key=_key(about.uid, cell)) for cell in cells]
            for name in dict.fromkeys(cell.population for cell in cells):
                if name is not None:
                    population = store.population(name)
                    made.put_population(population.histogram, population.labels)
            for arrival in arrivals:
                block = store.block(run, arrival, cells)
                made.put_block(renamed[arrival.position].key, arrival.number, block)
            made.insert_run(shared, renamed, arrivals)
            db.execute(f"PRAGMA application_id = {APPLICATION}")
        with whole_file(path) as file, made.reading() as db:
            file.write(db.serialize())


def _key(uid: str, cell: RunCell) -> str:
    """The address of a recorded cell, which nobody computes."""
    return f"{uid} {cell.position}"


def read_recording(store: Store, path: Path, limits: bool = True) -> tuple[int, bool]:
    """Take a recording into a store: the run's number, and True if it was there before.

    All of it or nothing; raises FileError or ScenarioError. `limits` refuses sizes that a run here
    would be refused for.
    """
    try:
        if limits and path.stat().st_size > MAX_BYTES:
            raise FileError(f"{path} is larger than {MAX_BYTES >> 20} MiB (--no-limits lifts this)")
        data = path.read_bytes()
        if not _is_recording(data):
            raise FileError(f"{path} is not a recording of ldptui")
        is_json = data.startswith(JSON_START)
        with sqlite_error_context(path):
            made = read_json_recording(data, path) if is_json else _open_recording(data, path)
            with made:
                return _take(store, made, path, limits)
    except (FileError, ScenarioError):
        raise
    except OSError as error:
        raise FileError(f"{path} cannot be read: {reason_of(error)}") from error
    except CORRUPTION_ERRORS as error:
        raise FileError(f"{path} is damaged, or no recording: {error}") from error


def _open_recording(data: bytes, path: Path) -> Store:
    """The store in these bytes, which a stranger wrote: nothing but our own tables."""
    db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    try:
        db.deserialize(data)
        db.execute("PRAGMA trusted_schema = OFF")
        db.execute("PRAGMA cell_size_check = ON")
        (version,) = db.execute("PRAGMA user_version").fetchone()
        if version > VERSION:
            raise FileError(f"{path} was written by a newer ldptui: update ldptui to read it")
        found = {sql for (sql,) in db.execute("SELECT sql FROM sqlite_master") if sql}
        if found - {"CREATE TABLE sqlite_sequence(name,seq)"} != {*TABLES}:
            raise FileError(f"{path} is not a recording of ldptui")
        if db.execute("PRAGMA integrity_check").fetchone() != ("ok",):
            raise FileError(f"{path} is damaged: SQLite cannot read it")
        return Store(path, db)
    except BaseException:
        db.close()
        raise


def _take(store: Store, made: Store, path: Path, limits: bool) -> tuple[int, bool]:
    with made.reading() as db:
        numbers = [number for (number,) in db.execute("SELECT id FROM runs").fetchall()]
    if len(numbers) != 1:
        raise ValueError(f"it has {len(numbers)} runs")
    run, told = made.run(numbers[0]), made.cells(numbers[0])
    if (known := store.run_with_uid(run.uid)) is not None:
        store.remove(known, False)
        return known, True
    scenario, cells = _checked_cells(run, told, path, limits)
    with store.writing():
        cells = list(_with_populations(store, made, cells))
        arrivals, seen = made.arrivals(numbers[0]), set()
        for arrival in arrivals:
            place = arrival.position, arrival.number
            if place in seen or not 0 <= arrival.position < len(cells):
                raise ValueError(f"block {arrival.number} of cell {arrival.position} is not right")
            seen.add(place)
            cell = cells[arrival.position]
            block = _checked_block(made.block(numbers[0], arrival, told), cell, arrival)
            store.put_block(cell.key, arrival.number, block)
        number = store.insert_run(_checked_run(run, scenario, cells, arrivals), cells, arrivals)
        measured = store.measured_cells(number)
        done = sum(cell.trials for cell in measured)
        if run.status == "done" and (done != run.total or not run.digest):
            raise FileError(f"{path} is not whole: it has {done} of {run.total} trials")
        if run.digest and digest(measured) != run.digest:
            raise FileError(f"{path} does not hold what it says: the digest of its trials differs")
    return number, False


def _checked_run(
    run: Run, scenario: Scenario, cells: Sequence[RunCell], arrivals: Sequence[Arrival]
) -> Run:
    """The run as a stranger told it, its words such that they can be shown."""
    if run.status not in ("done", "partial", "failed"):
        raise ValueError(f"its status is {run.status!r}")
    asked = {name for cell in cells for name in columns_asked(cell.parameters)}
    known = {name: run.versions[name] for name in versions()}
    for words in (run.uid, run.title, run.digest, run.error, *run.tags, *known.values()):
        check_printable(words)
    return replace(
        run,
        id=0,
        document=scenario.document,
        source="",
        seed=int(cells[0].parameters["seed"]),
        protocols=kinds_in(cells, "protocol"),
        attacks=kinds_in(cells, "attack"),
        metrics=tuple(name for name in run.metrics if name in METRICS or name in asked),
        versions=known,
        done=sum(arrival.trials for arrival in arrivals),
        star=False,
        removed=False,
        owner="",
    )


def check_printable(words: object) -> None:
    """Raise ValueError for words of a stranger that cannot be shown."""
    if not isinstance(words, int) and not (isinstance(words, str) and words.isprintable()):
        raise ValueError(f"it holds words that cannot be shown: {str(words)[:60]!r}")


def _checked_cells(
    run: Run, told: Sequence[RunCell], path: Path, limits: bool
) -> tuple[Scenario, list[RunCell]]:
    """The scenario, valid, and the cells that it has, under addresses of their own."""
    scenario = Scenario(run.document, str(path))
    if limits and scenario.cells > MAX_CELLS:
        raise FileError(f"{path} has more than {spelled(MAX_CELLS)} cells (--no-limits lifts this)")
    points = list(scenario.points())
    if len(points) != len(told):
        raise ValueError(f"its scenario has {len(points)} cells, it says {len(told)}")
    cells = []
    for position, (point, cell) in enumerate(zip(points, told, strict=True)):
        _check_sizes(point, cell, path, limits)
        check_printable(cell.genuine)
        check_printable(cell.histogram)
        own = replace(cell, position=position, parameters=dict(point.parameters))
        cells.append(_with_fakes(replace(own, key=_key(run.uid, own)), point.goal is not None))
    total = sum(point.trials for point in points)
    if limits and total > MAX_TRIALS:
        most = spelled(MAX_TRIALS)
        raise FileError(f"{path} has more than {most} trials (--no-limits lifts this)")
    if total != run.total:
        raise ValueError(f"its scenario has {total} trials, it says {run.total}")
    return scenario, cells


def _check_sizes(point: Point, cell: RunCell, path: Path, limits: bool) -> None:
    """Refuse a cell that does not fit the point of its scenario, or that is too large."""
    listed = point.task == Frequencies()  # other tasks keep vectors of another length
    if point.trials != cell.trials or cell.domain_size < (2 if listed else 1):
        raise ValueError("a cell does not fit its scenario")
    if limits and cell.domain_size > MAX_ITEMS:
        raise FileError(f"{path} has more than 2^20 items (--no-limits lifts this)")
    law = point.population
    size = getattr(law, "items", None) or len(getattr(law, "counts", ())) or cell.domain_size
    if (listed and size != cell.domain_size) or getattr(law, "users", cell.users) != cell.users:
        raise ValueError("a population does not fit its scenario")
    if limits and cell.users + (point.goal is not None) * cell.malicious > MAX_USERS:
        raise FileError(f"{path} has more than 10^13 users (--no-limits lifts this)")
    if (law.kind in STATED) != (cell.population is None):
        raise ValueError("a population is missing, or does not belong to its cell")


def _with_fakes(cell: RunCell, has_goal: bool) -> RunCell:
    """The cell with its share of fakes; refuses a wrong answer to a goal, or one without a goal."""
    if not has_goal:
        if cell.answer is not None:
            raise ValueError("an answer without a goal")
        return cell
    malicious = cell.malicious
    if malicious < 0 or (cell.answer is not None and cell.answer.malicious != malicious):
        raise ValueError("an answer does not fit its cell")
    share = malicious / max(1, cell.users + malicious)
    return replace(cell, parameters={**cell.parameters, "attack.share": share})


def _with_populations(store: Store, made: Store, cells: Sequence[RunCell]) -> Iterator[RunCell]:
    """The cells, their populations taken under names of what they hold."""
    names: dict[str, str] = {}
    for cell in cells:
        if cell.population is None:
            yield cell
            continue
        population = made.population(cell.population)
        size = population.histogram.size
        listed = "task.kind" not in cell.parameters
        if population.users != cell.users or (listed and size != cell.domain_size):
            raise ValueError("a population does not fit its cell")
        if cell.population not in names:
            name = store.put_population(population.histogram, population.labels)
            names[cell.population] = name
        yield replace(cell, population=names[cell.population])


def _checked_block(block: CellResults, cell: RunCell, arrival: Arrival) -> CellResults:
    """A block of the sizes of its cell, with the metrics that its scenario asks for."""
    size, trials = cell.domain_size, block.trials
    due = min(BLOCK_TRIALS, cell.trials - arrival.number * BLOCK_TRIALS)
    if arrival.number < 0 or not trials == arrival.trials == due:
        where = f"block {arrival.number} of cell {arrival.position}"
        raise ValueError(f"{where} has {trials} trials")
    _check_arms(block.arms, (size,))
    detected, rounds = block.detected, block.rounds
    if detected is not None and (
        detected.shape != (size,) or (detected < 0).any() or (detected > trials).any()
    ):
        raise ValueError("an item is detected in more trials than there are")
    if rounds is not None:
        count = int(cell.parameters["campaign.rounds"])
        if rounds.metrics.shape != (trials, count):
            raise ValueError("a round has no right metrics")
        _check_arms(rounds.arms, (count, size))
        rounds = Rounds(_known_metrics(rounds.metrics, cell), rounds.arms)
    return replace(block, metrics=_known_metrics(block.metrics, cell), rounds=rounds)


def _known_metrics(measures: Measures, cell: RunCell) -> Measures:
    """The measures that are ours, or that the cell's scenario asks code for; none is infinite."""
    wanted = {*METRICS, *columns_asked(cell.parameters)}
    names = [name for name in names_of(measures) if name in wanted]
    values = plain(measures, names)
    if np.isinf(values).any():
        raise ValueError("a metric is infinite")
    return measures_from_columns(names, values)


def _check_arms(arms: Arms, shape: tuple[int, ...]) -> None:
    for moments in arms.values():
        for values in (moments.mean, moments.squares):
            if values.shape != shape or not np.isfinite(values).all():
                raise ValueError("a vector is of another length, or has infinite numbers")
