"""Reads the recordings of ldptui 0.1 and 0.2, lines of JSON, as a store with one run."""

from __future__ import annotations

import base64
import hashlib
import json
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np

from ..base.arms import ARMS, Arm
from ..base.errors import FileError
from ..metrics import measures_from_columns
from ..metrics.results import Arms, CellResults, Moments, Rounds
from ..population import given_population
from .run_records import Arrival, Run, RunCell
from .store import TABLES, Store

JSON_START: Final = b'{"ldptui_recording":'

FORMAT: Final = 1


def read_json_recording(data: bytes, path: Path) -> Store:
    """A store in memory that has the run of a recording, its digest right; raises FileError.

    Raises ValueError and the like where the lines are not what they should be.
    """
    body, _, end = data.rstrip(b"\n").rpartition(b"\n")
    try:
        right = json.loads(end)["sha256"] == hashlib.sha256(body + b"\n").hexdigest()
    except (ValueError, TypeError, KeyError):
        raise FileError(f"{path} is cut off: its last line is not its digest") from None
    if not right:
        raise FileError(f"{path} is damaged or was changed: its digest is not the one it says")
    head, *lines = [json.loads(line) for line in body.split(b"\n")]
    if head["ldptui_recording"] != FORMAT:
        raise FileError(f"{path} was written by a newer ldptui: update ldptui to read it")
    db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    store = Store(path, db)
    try:
        with store.writing() as db:
            for table in TABLES:
                db.execute(table)
            _fill(store, head, lines)
    except BaseException:
        store.close()
        raise
    return store


def _fill(store: Store, head: Mapping[str, Any], lines: Sequence[Mapping[str, Any]]) -> None:
    populations: dict[str | None, str | None] = {None: None}
    for name, each in head["populations"].items():
        histogram = np.array(each["histogram"], dtype=np.int64)
        given_population(histogram, each["labels"])  # which checks it
        populations[name] = store.put_population(histogram, each["labels"])
    cells = [
        msgspec.convert(
            {**told, "position": at, "key": f"{head['uid']} {at}", "parameters": {},
             "population": populations[told["population"]]},
            RunCell,
        )
        for at, told in enumerate(head["cells"])
    ]  # fmt: skip
    arrivals = []
    for line in lines:
        position, number = int(line["cell"]), int(line["block"])
        if not 0 <= position < len(cells):
            raise ValueError(f"there is no cell {position}")
        block = _block_of(line, head["metrics"])
        store.put_block(cells[position].key, number, block)
        came = {"seconds": line["seconds"], "position": position, "number": number}
        arrivals.append(msgspec.convert({**came, "trials": block.trials}, Arrival))
    fields = {**head, "document": head["scenario"], "seed": 0, "error": head.get("error", "")}
    store.insert_run(msgspec.convert(fields, Run), cells, arrivals)


def _block_of(line: Mapping[str, Any], names: Sequence[str]) -> CellResults:
    marks = np.array([int(mark, 16) for mark in line["fingerprints"]], dtype=np.uint64)
    rows = np.array(line["metrics"], dtype=np.float64).reshape(marks.size, len(names))
    detected = None if line["detected"] is None else _vector(line["detected"], "<i8")
    rounds = None
    if "rounds" in line:
        values = np.array(line["rounds"]["metrics"], dtype=np.float64)
        if values.ndim != 3 or values.shape[::2] != (marks.size, len(names)):
            raise ValueError("a round has no right metrics")
        shape = (values.shape[1], -1)
        rounds = Rounds(
            measures_from_columns(names, values), _arms_of(line["rounds"], marks.size, shape)
        )
    arms = _arms_of(line, marks.size, (-1,))
    return CellResults(measures_from_columns(names, rows), marks, arms, detected, rounds)


def _arms_of(line: Mapping[str, Any], trials: int, shape: tuple[int, ...]) -> Arms:
    """The moments of each arm, of this shape each; "same" where the attack changes nothing."""
    arms: dict[Arm, Moments] = {}
    for arm in ARMS:
        packed = line.get(arm.name)
        if packed == "same":
            arms[arm] = arms[arm.before]
        elif packed is not None:
            mean, squares = (_vector(vector, "<f8").reshape(shape) for vector in packed)
            arms[arm] = Moments(trials, mean, squares)
    return arms


def _vector(text: str, kind: str) -> np.ndarray[Any, Any]:
    return np.frombuffer(base64.b64decode(text, validate=True), dtype=kind)
