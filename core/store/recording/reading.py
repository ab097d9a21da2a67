"""Reads a recording into a store, after checking all that it says."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np

from ...base.errors import FileError, ScenarioError, spelled
from ...experiment.limits import MAX_ITEMS, MAX_TRIALS, MAX_USERS
from ...metrics import METRICS, columns_asked
from ...metrics.goal import Answer
from ...metrics.results import digest
from ...population import STATED, given_population
from ...scenario import MAX_CELLS, Document, Scenario
from ...task import Frequencies
from .. import Run, RunCell, Store, versions
from ..faults import CHANGED
from ..rows import insert_block, insert_run, keep_population, note_arrivals
from .blocks import block_of
from .writing import FORMAT

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
        raise FileError(f"{path} cannot be read: {error.strerror or error}") from error
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
    scenario = _checked_scenario(head, path, limits)
    with store.writing() as db:
        known = db.execute("SELECT id FROM runs WHERE uid = ?", (head["uid"],)).fetchone()
        if known is not None:
            db.execute("UPDATE runs SET removed = NULL WHERE id = ?", known)
            return int(known[0]), True
        run, cells = _insert_head(db, head, scenario)
        arrivals, seen = [], set()
        while (line := file.readline(MAX_LINE)).startswith(b'{"cell":'):
            fields = json.loads(line)
            block = block_of(fields, head)
            if (block.cell, block.number) in seen:
                raise ValueError(f"block {block.number} of cell {block.cell} is there twice")
            seen.add((block.cell, block.number))
            insert_block(db, cells[block.cell], block)
            trials, seconds = len(block.metrics), _finite(fields["seconds"])
            arrivals.append((run, block.cell, block.number, trials, len(seen), seconds))
        note_arrivals(db, run, arrivals)
        measured = store.measured(run)
        done = sum(cell.trials for cell in measured)
        if head["status"] == "done" and (done != head["total"] or not head["digest"]):
            raise FileError(f"{path} is not whole: it has {done} of {head['total']} trials")
        if head["digest"] and digest(measured) != head["digest"]:
            raise FileError(f"{path} does not hold what it says: the digest of its trials differs")
    return run, False


def _checked_scenario(head: Mapping[str, Any], path: Path, limits: bool) -> Scenario:
    """The scenario, valid, with cells and populations that fit it."""
    document: Document = head["scenario"]
    if not isinstance(document, dict):
        raise TypeError("its scenario is not a table")
    scenario = Scenario(document, str(path))
    if limits and scenario.cells > MAX_CELLS:
        raise FileError(f"{path} has more than {spelled(MAX_CELLS)} cells (--no-limits lifts this)")
    points = list(scenario.points())
    cells = head["cells"]
    if len(points) != len(cells):
        raise ValueError(f"its scenario has {len(points)} cells, it says {len(cells)}")
    for point, cell in zip(points, cells, strict=True):
        listed = point.task == Frequencies()  # other tasks keep vectors of another length
        if point.trials != cell["trials"] or int(cell["domain_size"]) < (2 if listed else 1):
            raise ValueError("a cell does not fit its scenario")
        cell["parameters"] = dict(point.parameters)
        _check_answer(cell, asked=point.goal is not None, limits=limits, path=path)
        if limits and int(cell["domain_size"]) > MAX_ITEMS:
            raise FileError(f"{path} has more than 2^20 items (--no-limits lifts this)")
        law = point.population
        size = getattr(law, "items", None) or len(getattr(law, "counts", ())) or cell["domain_size"]
        if listed and size != cell["domain_size"]:
            raise ValueError("a population does not fit its scenario")
        if getattr(law, "users", cell["users"]) != cell["users"]:
            raise ValueError("a population does not fit its scenario")
        if limits and int(cell["users"]) > MAX_USERS:
            raise FileError(f"{path} has more than 10^13 users (--no-limits lifts this)")
        if point.population.kind not in STATED and cell["population"] not in head["populations"]:
            raise ValueError("a population is missing")
        if point.population.kind in STATED and cell["population"] is not None:
            raise ValueError("a population does not belong to its cell")
    total = sum(point.trials for point in points)
    if limits and total > MAX_TRIALS:
        raise FileError(
            f"{path} has more than {spelled(MAX_TRIALS)} trials (--no-limits lifts this)"
        )
    if total != head["total"]:
        raise ValueError(f"its scenario has {total} trials, it says {head['total']}")
    return scenario


def _check_answer(cell: dict[str, Any], *, asked: bool, limits: bool, path: Path) -> None:
    """Refuse a wrong answer to a goal: it names fakes that the cell's scenario does not."""
    answer = None if "answer" not in cell else Answer.read(cell["answer"])
    if not asked and answer is not None:
        raise ValueError("an answer without a goal")
    if not asked:
        return
    users, malicious = int(cell["users"]), int(cell["malicious"])
    if malicious < 0 or (answer is not None and answer.malicious != malicious):
        raise ValueError("an answer does not fit its cell")
    if limits and users + malicious > MAX_USERS:
        raise FileError(f"{path} has more than 10^13 users (--no-limits lifts this)")
    cell["parameters"]["attack.share"] = malicious / max(1, users + malicious)


def _insert_head(db: Any, head: Mapping[str, Any], scenario: Scenario) -> tuple[int, list[int]]:
    names = {}
    for name, held in head["populations"].items():
        labels = held["labels"]
        histogram = np.array(held["histogram"], dtype=np.int64)
        users = given_population(histogram, labels).users
        for cell in head["cells"]:
            listed = "task.kind" not in cell["parameters"]
            sizes = cell["domain_size"] if listed else histogram.size, cell["users"]
            if cell["population"] == name and sizes != (histogram.size, users):
                raise ValueError("a population does not fit its cell")
        written = json.dumps(labels, ensure_ascii=False)
        names[name] = keep_population(db, histogram, written)
    cells = [
        RunCell(
            position=position,
            trials=int(cell["trials"]),
            parameters=cell["parameters"],
            users=int(cell["users"]),
            malicious=int(cell["malicious"]),
            domain_size=int(cell["domain_size"]),
            genuine=_words(cell["genuine"]),
            histogram=_words(cell["histogram"]),
            population=None if cell["population"] is None else names[cell["population"]],
            answer=Answer.read(cell["answer"]) if "answer" in cell else None,
        )
        for position, cell in enumerate(head["cells"])
    ]
    asked = {name for cell in head["cells"] for name in columns_asked(cell["parameters"])}
    status = head["status"]
    if status not in ("done", "partial", "failed"):
        raise ValueError(f"its status is {status!r}")
    run = Run(
        id=0,
        uid=_words(head["uid"]),
        title=_words(head["title"]),
        document=scenario.document,
        source="",
        seed=int(head["cells"][0]["parameters"]["seed"]),
        protocols=(),
        attacks=(),
        metrics=tuple(name for name in head["metrics"] if name in METRICS or name in asked),
        versions={
            **{name: _words(head["versions"][name]) for name in versions() if name != "simulator"},
            "simulator": int(head["versions"]["simulator"]),
        },
        status=status,
        error="",
        started=_finite(head["started"]),
        seconds=_finite(head["seconds"]),
        done=0,
        total=int(head["total"]),
        digest=_words(head["digest"]),
        star=False,
        removed=False,
        tags=tuple(_words(tag) for tag in head["tags"]),
    )
    return insert_run(db, run, cells, [f"{run.uid} {cell.position}" for cell in cells])


def _words(value: object) -> str:
    """Words that can be shown: a stranger wrote them."""
    if not isinstance(value, str) or not value.isprintable() or len(value) > 1000:
        raise ValueError(f"it holds words that cannot be shown: {str(value)[:60]!r}")
    return value


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise ValueError(f"it holds {value} as a time")
    return float(value)
