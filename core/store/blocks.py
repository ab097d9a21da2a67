"""A block of trials, from the rows that hold it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..metrics import METRICS, named
from ..metrics.results import Block, Rounds, arms_of


def block_of(
    position: int,
    number: int,
    trials: int,
    items: int,
    rows: Sequence[Sequence[Any]],
    moments: Sequence[Any] | None,
    rounds: Sequence[Any] | None,
) -> Block:
    """A block of n trials from its n rows, and from those of its moments and rounds, if kept.

    Raises ValueError where they do not fit together.
    """
    marks = np.array([row[0] for row in rows], dtype=np.int64).view(np.uint64)
    others = [json.loads(row[-1] or "{}") for row in rows]
    names = list(dict.fromkeys(name for values in others for name in values))
    values = np.array(  # NULL becomes NaN
        [[*row[1:-1], *map(other.get, names)] for row, other in zip(rows, others, strict=True)],
        dtype=np.float64,
    )
    metrics = named([*METRICS, *names], values)
    counted, *columns = moments or (None,)
    arms = arms_of(columns, trials, (items,)) if columns else {}
    detected = None if counted is None else np.frombuffer(counted, dtype="<i8").reshape(items)
    kept = None if rounds is None else _rounds(rounds, trials, items)
    return Block(position, number, metrics, marks, arms, detected, kept)


def _rounds(row: Sequence[Any], trials: int, items: int) -> Rounds:
    """The rounds of the first trials of a block; moments are of all its trials or not there."""
    whole, count, names, data, *moments = row
    measured = json.loads(names)
    values = np.frombuffer(data, dtype="<f8").reshape(whole, count, len(measured))
    metrics = named(measured, values[:trials])
    return Rounds(metrics, arms_of(moments, trials, (count, items)) if whole == trials else {})
