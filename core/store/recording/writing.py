"""Writes a run of a store as a recording."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final

from ...base.files import whole_file
from ...base.named import fields_of
from ...metrics import METRICS
from .. import RunCell, Store
from ..faults import damaged
from .blocks import line_of

FORMAT: Final = 1

RECORDED: Final = [field.name for field in dataclasses.fields(RunCell)][1:-1]
"""The fields of a cell that a recording says: all but its position, and the answer if any."""


def write_recording(store: Store, run: int, path: Path) -> None:
    """Write one run of a store to a file, whole or not at all; raises FileError."""
    with whole_file(path) as file, damaged(store.path):
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
    names = list(dict.fromkeys([*METRICS, *run.metrics]))
    held = dict.fromkeys(cell.population for cell in cells if cell.population)
    populations = {name: store.population(name) for name in held}
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
        "error": run.error,
        "tags": list(run.tags),
        "metrics": names,
        "scenario": run.document,
        "cells": [
            {
                **{name: value for name, value in fields_of(cell).items() if name in RECORDED},
                **({} if cell.answer is None else {"answer": dataclasses.asdict(cell.answer)}),
            }
            for cell in cells
        ],
        "populations": {
            name: {
                "histogram": held.histogram.tolist(),
                "labels": held.labels and list(held.labels),
            }
            for name, held in populations.items()
        },
    }
    for arrival in store.arrivals(number):
        yield line_of(arrival, store.block(number, arrival), names)
