"""A recording: one run in one file, to be shared. Written from a store, read into a store.

Text, one JSON document a line. The first is the head: the scenario, the versions, the cells, the
populations that came from a CSV file. Then one for every block, in the order in which they came:
fingerprints in hexadecimal, metrics as numbers (null: undefined), vectors as float64 or int64,
little-endian, in base64. The last line holds the SHA-256 of all bytes before it.

Reading one checks that digest and every size before anything else is done with it, and simulates
nothing. What was read never counts as computed here: its cells are the recording's own.
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np

from .arms import ARMS, UNDEFENDED, Arm
from .errors import FileError, ScenarioError, spelled
from .files import whole_file
from .goal import Answer
from .limits import MAX_ITEMS, MAX_TRIALS, MAX_USERS
from .metrics import METRICS, named, plain
from .results import BLOCK_TRIALS, Arms, Block, Moments, Rounds, digest
from .scenario import MAX_CELLS, Document, Scenario
from .store import Run, RunCell, Store, versions
from .store.rows import insert_block, insert_run, keep_population, note_arrivals
from .store.store import given_population

FORMAT: Final = 1

MAX_BYTES: Final = 1 << 30
MAX_LINE: Final = 1 << 28


def write_recording(store: Store, run: int, path: Path) -> None:
    """Write one run of a store to a file, whole or not at all; raises FileError."""
    with whole_file(path) as file:
        _write(store, run, file)


def _write(store: Store, run: int, file: BinaryIO) -> None:
    hasher = hashlib.sha256()
    blocks = 0
    for line in _lines(store, run):
        data = json.dumps(line, ensure_ascii=True, allow_nan=False).encode() + b"\n"
        hasher.update(data)
        file.write(data)
        blocks += 1
    end = {"blocks": blocks - 1, "sha256": hasher.hexdigest()}
    file.write(json.dumps(end).encode() + b"\n")


def _lines(store: Store, number: int) -> Iterator[dict[str, Any]]:
    run, cells = store.run(number), store.cells(number)
    names = dict.fromkeys(cell.population for cell in cells if cell.population)
    populations = {name: store.population(name) for name in names}
    yield {
        "ldptui_recording": FORMAT,
        "uid": run.uid,
        "title": run.title,
        "versions": dict(run.versions),
        "status": "partial" if run.status in ("running", "interrupted") else run.status,
        "started": run.started,
        "seconds": run.seconds,
        "total": run.total,
        "digest": run.digest,
        "tags": list(run.tags),
        "metrics": list(METRICS),
        "scenario": run.document,
        "cells": [
            {
                "trials": cell.trials,
                "parameters": dict(cell.parameters),
                "users": cell.users,
                "malicious": cell.malicious,
                "domain_size": cell.domain_size,
                "genuine": cell.genuine,
                "histogram": cell.histogram,
                "population": cell.population,
                **({} if cell.answer is None else {"answer": dataclasses.asdict(cell.answer)}),
            }
            for cell in cells
        ],
        "populations": {
            name: {"histogram": one.histogram.tolist(), "labels": one.labels and list(one.labels)}
            for name, one in populations.items()
        },
    }
    for arrival in store.arrivals(number):
        block = store.block(number, arrival)
        yield {
            "cell": arrival.position,
            "block": arrival.number,
            "seconds": arrival.seconds,
            "fingerprints": [f"{mark:016x}" for mark in block.fingerprints.tolist()],
            "metrics": [[_number(x) for x in row] for row in plain(block.metrics).tolist()],
            **_packed_arms(block.arms),
            "detected": None if block.detected is None else _packed(block.detected, "<i8"),
            **({} if block.rounds is None else {"rounds": _packed_rounds(block.rounds)}),
        }


def _packed_rounds(rounds: Rounds) -> dict[str, Any]:
    return {
        "metrics": [
            [[_number(x) for x in row] for row in trial] for trial in plain(rounds.metrics).tolist()
        ],
        **_packed_arms(rounds.arms),
    }


def _number(value: float) -> float | None:
    return None if value != value else value


def _packed_arms(arms: Arms) -> dict[str, object]:
    """The moments of each arm by its name; "same" where the attack changes nothing."""
    packed: dict[str, object] = {arm.name: None for arm in UNDEFENDED}
    for arm, moments in arms.items():
        if arm.attacked and moments is arms[arm.before]:
            packed[arm.name] = "same"
        else:
            packed[arm.name] = [_packed(moments.mean, "<f8"), _packed(moments.squares, "<f8")]
    return packed


def _packed(values: np.ndarray[Any, Any], kind: str) -> str:
    return base64.b64encode(values.astype(kind).tobytes()).decode()


# Reading.


def is_recording(path: Path) -> bool:
    """Whether a file looks like one."""
    try:
        with path.open("rb") as file:
            return file.read(20) == b'{"ldptui_recording":'
    except OSError:
        return False


def read_recording(store: Store, path: Path, limits: bool = True) -> tuple[int, bool]:
    """Take a recording into a store: the run's number, and whether it was there before.

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
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
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
        there = db.execute("SELECT id FROM runs WHERE uid = ?", (head["uid"],)).fetchone()
        if there is not None:
            db.execute("UPDATE runs SET removed = NULL WHERE id = ?", there)
            return int(there[0]), True
        run, cells = _insert_head(db, head, scenario)
        arrivals, seen = [], set()
        while (line := file.readline(MAX_LINE)).startswith(b'{"cell":'):
            given = json.loads(line)
            block = _block(given, head)
            if (block.cell, block.number) in seen:
                raise ValueError(f"block {block.number} of cell {block.cell} is there twice")
            seen.add((block.cell, block.number))
            insert_block(db, cells[block.cell], block)
            trials, seconds = len(block.metrics), _finite(given["seconds"])
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
        if point.trials != cell["trials"] or int(cell["domain_size"]) < 2:
            raise ValueError("a cell does not fit its scenario")
        cell["parameters"] = dict(point.parameters)
        _check_answer(cell, asked=point.goal is not None, limits=limits, path=path)
        if limits and int(cell["domain_size"]) > MAX_ITEMS:
            raise FileError(f"{path} has more than 2^20 items (--no-limits lifts this)")
        law = point.population
        size = getattr(law, "items", None) or len(getattr(law, "counts", ())) or cell["domain_size"]
        if size != cell["domain_size"] or getattr(law, "users", cell["users"]) != cell["users"]:
            raise ValueError("a population does not fit its scenario")
        if limits and int(cell["users"]) > MAX_USERS:
            raise FileError(f"{path} has more than 10^13 users (--no-limits lifts this)")
        if point.population.kind == "csv" and cell["population"] not in head["populations"]:
            raise ValueError("a population is missing")
        if point.population.kind != "csv" and cell["population"] is not None:
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
    """Of a cell with a goal, the fakes that it takes are not in its scenario."""
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
    for name, given in head["populations"].items():
        labels = given["labels"]
        histogram = np.array(given["histogram"], dtype=np.int64)
        users = given_population(histogram, labels).users
        for cell in head["cells"]:
            if cell["population"] == name and (cell["domain_size"], cell["users"]) != (
                histogram.size,
                users,
            ):
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
        metrics=tuple(str(name) for name in head["metrics"] if name in METRICS),
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


def _block(given: Mapping[str, Any], head: Mapping[str, Any]) -> Block:
    """One block, its sizes checked against its cell."""
    position, number = int(given["cell"]), int(given["block"])
    if not 0 <= position < len(head["cells"]):
        raise ValueError(f"there is no cell {position}")
    cell = head["cells"][position]
    size, first = int(cell["domain_size"]), number * BLOCK_TRIALS
    marks = np.array([int(mark, 16) for mark in given["fingerprints"]], dtype=np.uint64)
    trials = marks.size
    if number < 0 or trials != min(BLOCK_TRIALS, int(cell["trials"]) - first):
        raise ValueError(f"block {number} of cell {position} has {trials} trials")
    names = list(head["metrics"])
    rows = np.array(given["metrics"], dtype=np.float64)
    if rows.shape != (trials, len(names)) or np.isinf(rows).any():
        raise ValueError(f"block {number} of cell {position} has no right metrics")
    arms = _unpacked_arms(given, trials, size)
    found = given["detected"]
    detected = None if found is None else _unpacked(found, "<i8", size)
    rounds = (
        None if "rounds" not in given else _unpacked_rounds(given["rounds"], head, cell, trials)
    )
    return Block(position, number, named(names, rows), marks, arms, detected, rounds)


def _unpacked_rounds(
    given: Mapping[str, Any], head: Mapping[str, Any], cell: Mapping[str, Any], trials: int
) -> Rounds:
    names, count = list(head["metrics"]), int(cell["parameters"]["campaign.rounds"])
    rows = np.array(given["metrics"], dtype=np.float64)
    if rows.shape != (trials, count, len(names)) or np.isinf(rows).any():
        raise ValueError("a round has no right metrics")
    size = int(cell["domain_size"])
    return Rounds(named(names, rows), _unpacked_arms(given, trials, size, count))


def _unpacked_arms(
    line: Mapping[str, Any], trials: int, size: int, rounds: int | None = None
) -> Arms:
    """The moments of each arm: vectors of `size` items, one for each of the rounds if there are."""
    arms: dict[Arm, Moments] = {}
    for arm in ARMS:
        packed = line.get(arm.name)
        if packed == "same":
            arms[arm] = arms[arm.before]
        elif packed is not None:
            arrays = [_unpacked(vector, "<f8", size * (rounds or 1)) for vector in packed]
            shape = (size,) if rounds is None else (rounds, size)
            mean, squares = (array.reshape(shape) for array in arrays)
            arms[arm] = Moments(trials, mean, squares)
    if tuple(arms) not in ((), UNDEFENDED, ARMS):
        raise ValueError(f"it has only the arms {', '.join(arm.name for arm in arms)}")
    return arms


def _unpacked(text: str, kind: str, size: int) -> np.ndarray[Any, Any]:
    values = np.frombuffer(base64.b64decode(text, validate=True), dtype=kind)
    if values.size != size or not np.isfinite(values).all():
        raise ValueError(f"a vector has {values.size} numbers, not {size}, or infinite ones")
    return values
