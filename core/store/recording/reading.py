"""Reads a recording into a store, after checking all that it says."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np

from ...base.errors import FileError, ScenarioError, reason_of, spelled
from ...experiment.limits import MAX_ITEMS, MAX_TRIALS, MAX_USERS
from ...metrics import METRICS, columns_asked
from ...metrics.goal import Answer
from ...metrics.results import digest
from ...population import STATED, given_population
from ...scenario import MAX_CELLS, Document, Point, Scenario
from ...task import Frequencies
from .. import Arrival, Run, RunCell, Store, versions
from ..faults import CHANGED
from ..records import checked
from ..rows import insert_block, insert_run, keep_population, note_arrivals
from .blocks import block_of
from .writing import FORMAT, RECORDED

MAX_BYTES: Final = 1 << 30
MAX_LINE: Final = 1 << 28


def is_recording(path: Path) -> bool:
    """Return whether a file looks like a recording."""
    try:
        with path.open("rb") as file:
            return file.read(20) == b'{"ldptui_recording":'
    except OSError:
        return False


def read_recording(store: Store, path: Path, limits: bool = True) -> tuple[int, bool]:
    """Take a recording into a store: the run's number, and True if it was there before.

    All of it or nothing; raises FileError or ScenarioError. `limits` refuses sizes that a run here
    would be refused for.
    """
    try:
        size = path.stat().st_size
        if limits and size > MAX_BYTES:
            raise FileError(f"{path} is larger than {MAX_BYTES >> 20} MiB (--no-limits lifts this)")
        with path.open("rb") as file:
            _check_digest(file, path)
            file.seek(0)
            return _read(store, file, path, limits)
    except (FileError, ScenarioError):
        raise
    except OSError as error:
        raise FileError(f"{path} cannot be read: {reason_of(error)}") from error
    except CHANGED as error:
        raise FileError(f"{path} is not a recording: {type(error).__name__}: {error}") from error


def _check_digest(file: BinaryIO, path: Path) -> None:
    """The last line is the digest of all bytes before it."""
    if file.read(20) != b'{"ldptui_recording":':
        raise FileError(f"{path} is not a recording of ldptui")
    file.seek(0)
    hasher, held = hashlib.sha256(), b""
    while line := file.readline(MAX_LINE):
        hasher.update(held)
        held = line
    try:
        end = json.loads(held)
        right = end["sha256"] == hasher.hexdigest()
    except (ValueError, TypeError, KeyError):
        raise FileError(f"{path} is cut off: its last line is not its digest") from None
    if not right:
        raise FileError(f"{path} is damaged or was changed: its digest is not the one it says")


def _read(store: Store, file: BinaryIO, path: Path, limits: bool) -> tuple[int, bool]:
    head = json.loads(file.readline(MAX_LINE))
    if head["ldptui_recording"] != FORMAT:
        raise FileError(f"{path} was written by a newer ldptui: update ldptui to read it")
    scenario, cells = _checked_scenario(head, path, limits)
    with store.writing() as db:
        known = db.execute("SELECT id FROM runs WHERE uid = ?", (head["uid"],)).fetchone()
        if known is not None:
            db.execute("UPDATE runs SET removed = NULL WHERE id = ?", known)
            return int(known[0]), True
        run, places = _insert_head(db, head, scenario, cells)
        arrivals, seen = [], set()
        while (line := file.readline(MAX_LINE)).startswith(b'{"cell":'):
            fields = json.loads(line)
            cell, number, block = block_of(fields, cells, head["metrics"])
            if (cell, number) in seen:
                raise ValueError(f"block {number} of cell {cell} is there twice")
            seen.add((cell, number))
            insert_block(db, places[cell], number, block)
            came = checked(Arrival(fields["seconds"], cell, number, block.trials))
            arrivals.append((run, cell, number, block.trials, len(seen), came.seconds))
        note_arrivals(db, run, arrivals)
        measured = store.measured(run)
        done = sum(cell.trials for cell in measured)
        if head["status"] == "done" and (done != head["total"] or not head["digest"]):
            raise FileError(f"{path} is not whole: it has {done} of {head['total']} trials")
        if head["digest"] and digest(measured) != head["digest"]:
            raise FileError(f"{path} does not hold what it says: the digest of its trials differs")
    return run, False


def _checked_scenario(
    head: Mapping[str, Any], path: Path, limits: bool
) -> tuple[Scenario, list[RunCell]]:
    """The scenario, valid, and the cells, with populations that fit it."""
    document: Document = head["scenario"]
    if not isinstance(document, dict):
        raise TypeError("its scenario is not a table")
    scenario = Scenario(document, str(path))
    if limits and scenario.cells > MAX_CELLS:
        raise FileError(f"{path} has more than {spelled(MAX_CELLS)} cells (--no-limits lifts this)")
    points, cells = list(scenario.points()), list[RunCell]()
    if len(points) != len(head["cells"]):
        raise ValueError(f"its scenario has {len(points)} cells, it says {len(head['cells'])}")
    for point, told in zip(points, head["cells"], strict=True):
        listed = point.task == Frequencies()  # other tasks keep vectors of another length
        cell = _cell_of(told, len(cells), point)
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
        if law.kind not in STATED and cell.population not in head["populations"]:
            raise ValueError("a population is missing")
        if law.kind in STATED and cell.population is not None:
            raise ValueError("a population does not belong to its cell")
        cells.append(_answered(cell, asked=point.goal is not None))
    total = sum(point.trials for point in points)
    if limits and total > MAX_TRIALS:
        raise FileError(
            f"{path} has more than {spelled(MAX_TRIALS)} trials (--no-limits lifts this)"
        )
    if total != head["total"]:
        raise ValueError(f"its scenario has {total} trials, it says {head['total']}")
    return scenario, cells


def _cell_of(told: Mapping[str, Any], position: int, point: Point) -> RunCell:
    """The cell that a stranger wrote down, its fields of their types."""
    fields = {name: told[name] for name in RECORDED} | {"parameters": dict(point.parameters)}
    fields |= {name: _words(told[name]) for name in ("genuine", "histogram")}
    answer = Answer.read(told["answer"]) if "answer" in told else None
    return checked(RunCell(position, answer=answer, **fields))


def _answered(cell: RunCell, *, asked: bool) -> RunCell:
    """The cell with its share of fakes; refuses a wrong answer to a goal, or one without a goal."""
    if not asked:
        if cell.answer is not None:
            raise ValueError("an answer without a goal")
        return cell
    malicious = cell.malicious
    if malicious < 0 or (cell.answer is not None and cell.answer.malicious != malicious):
        raise ValueError("an answer does not fit its cell")
    share = malicious / max(1, cell.users + malicious)
    return replace(cell, parameters={**cell.parameters, "attack.share": share})


def _insert_head(
    db: Any, head: Mapping[str, Any], scenario: Scenario, cells: Sequence[RunCell]
) -> tuple[int, list[int]]:
    names: dict[str | None, str | None] = {None: None}
    for name, held in head["populations"].items():
        labels = held["labels"]
        histogram = np.array(held["histogram"], dtype=np.int64)
        users = given_population(histogram, labels).users
        for cell in cells:
            listed = "task.kind" not in cell.parameters
            sizes = cell.domain_size if listed else histogram.size, cell.users
            if cell.population == name and sizes != (histogram.size, users):
                raise ValueError("a population does not fit its cell")
        written = json.dumps(labels, ensure_ascii=False)
        names[name] = keep_population(db, histogram, written)
    cells = [replace(cell, population=names[cell.population]) for cell in cells]
    asked = {name for cell in cells for name in columns_asked(cell.parameters)}
    if head["status"] not in ("done", "partial", "failed"):
        raise ValueError(f"its status is {head['status']!r}")
    kept = {name: head["versions"][name] for name in versions()}
    told: dict[str, Any] = {name: _words(head[name]) for name in ("uid", "title", "digest")}
    told |= {name: head[name] for name in ("status", "started", "seconds", "total")}
    told["error"] = _words(head.get("error", ""))  # older recordings lack it
    run = Run(
        **told,
        document=scenario.document,
        seed=int(cells[0].parameters["seed"]),
        metrics=tuple(name for name in head["metrics"] if name in METRICS or name in asked),
        versions={name: each if isinstance(each, int) else _words(each)
                  for name, each in kept.items()},
        tags=tuple(map(_words, head["tags"])),
    )  # fmt: skip
    keys = [f"{run.uid} {cell.position}" for cell in cells]
    return insert_run(db, checked(run), cells, keys)


def _words(value: object) -> str:
    """Words that can be shown: a stranger wrote them."""
    if not isinstance(value, str) or not value.isprintable():
        raise ValueError(f"it holds words that cannot be shown: {str(value)[:60]!r}")
    return value
