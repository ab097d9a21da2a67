"""The address of a cell in the store: a digest of everything that its numbers depend on."""

from __future__ import annotations

import dataclasses
import json
import platform
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..base.named import fields_of
from ..base.streams import digest
from ..base.versions import SIMULATOR
from ..cell import Cell
from ..metrics.results import BLOCK_TRIALS
from ..task import Frequencies


def canonical(value: object) -> Any:
    """A value as canonical JSON, the same for equal values; raises TypeError for unknown types.

    Fields that dataclasses do not compare are left out.
    """
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, np.generic):
        return canonical(value.item())
    if isinstance(value, float):
        return value.hex()
    if isinstance(value, np.ndarray):
        return [value.dtype.str, list(value.shape), digest(np.ascontiguousarray(value).tobytes())]
    if isinstance(value, list | tuple):
        parts = [canonical(part) for part in value]
        if len(parts) <= 64:
            return parts
        return ["long", len(parts), digest(json.dumps(parts).encode())]
    if isinstance(value, dict):
        return ["table", [[str(key), canonical(value[key])] for key in sorted(value)]]
    if dataclasses.is_dataclass(value):
        counted = {field.name for field in dataclasses.fields(value) if field.compare}
        named = {key: canonical(part) for key, part in fields_of(value).items() if key in counted}
        return [type(value).__name__, named]
    raise TypeError(f"no canonical form of {type(value).__name__}")


def addresses(cell: Cell, histogram: str) -> tuple[str, str]:
    """The address of a cell, and the address of its genuine users' draws, which cells may share."""
    where = [SIMULATOR, np.__version__, platform.machine(), BLOCK_TRIALS]
    genuine = [cell.seed, cell.genuine_address, histogram, cell.path]
    everything: dict[str, object] = {
        "population": cell.population.address,
        "protocol": cell.protocol,
        "attack": cell.attack,
        "malicious": [cell.malicious, cell.malicious_address, cell.targets],
        "top_k": cell.top_k,
        **cell.protocol.address_fields,
    }
    if cell.task != Frequencies():
        everything["task"] = cell.task
    if cell.defences:
        everything["defences"] = cell.defences
    if cell.python_metrics:
        everything["metrics in Python"] = cell.python_metrics
    if cell.rounds:
        everything["rounds"] = [_round(collection) for collection in cell.rounds]
    parts = {name: canonical(part) for name, part in everything.items()}
    return _digest_json([where, genuine, parts]), _digest_json([where, genuine])


def _round(cell: Cell) -> list[object]:
    """The part of a cell's address that one round of its campaign adds."""
    held, left = cell.population.histogram, cell.left
    return [cell.genuine_address, held, left, cell.malicious, cell.malicious_address]


def histogram_digests(cells: Iterable[Cell]) -> list[str]:
    """The digest of each cell's histogram; computed once for cells that share a population."""
    known: dict[int, str] = {}
    return [
        known.get(id(cell.population))
        or known.setdefault(id(cell.population), digest(cell.population.histogram.tobytes()))
        for cell in cells
    ]


def cell_keys(cells: Sequence[Cell]) -> list[str]:
    """The address of each cell: xxh3_128 of all inputs of its results except the number of
    trials.
    """
    marks = histogram_digests(cells)
    return [addresses(cell, mark)[0] for cell, mark in zip(cells, marks, strict=True)]


def _digest_json(value: Any) -> str:
    return digest(json.dumps(value, sort_keys=True, separators=(",", ":")).encode())
