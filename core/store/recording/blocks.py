"""A block as a line of a recording, and back."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...base.arms import ARMS, UNDEFENDED, Arm
from ...base.sampling import Floats
from ...metrics import METRICS, Measures, columns_asked, named, plain
from ...metrics.results import BLOCK_TRIALS, Arms, CellResults, Moments, Rounds
from .. import Arrival, RunCell


def line_of(arrival: Arrival, block: CellResults, names: Sequence[str]) -> dict[str, Any]:
    """A block of a run, when it came, and what it measured: the metrics of these names."""
    return {
        "cell": arrival.position,
        "block": arrival.number,
        "seconds": arrival.seconds,
        "fingerprints": [f"{mark:016x}" for mark in block.fingerprints.tolist()],
        "metrics": [[_number(x) for x in row] for row in plain(block.metrics, names).tolist()],
        **_packed_arms(block.arms),
        "detected": None if block.detected is None else _packed(block.detected, "<i8"),
        **({} if block.rounds is None else {"rounds": _packed_rounds(block.rounds, names)}),
    }


def _packed_rounds(rounds: Rounds, names: Sequence[str]) -> dict[str, Any]:
    trials = plain(rounds.metrics, names).tolist()
    return {
        "metrics": [[[_number(x) for x in row] for row in trial] for trial in trials],
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


# Back.


def block_of(
    line: Mapping[str, Any], cells: Sequence[RunCell], names: Sequence[str]
) -> tuple[int, int, CellResults]:
    """The cell, the number and the results of a block, its sizes checked against its cell.

    names : of its metrics.
    """
    position, number = int(line["cell"]), int(line["block"])
    if not 0 <= position < len(cells):
        raise ValueError(f"there is no cell {position}")
    cell = cells[position]
    size, first = cell.domain_size, number * BLOCK_TRIALS
    marks = np.array([int(mark, 16) for mark in line["fingerprints"]], dtype=np.uint64)
    trials = marks.size
    if number < 0 or trials != min(BLOCK_TRIALS, cell.trials - first):
        raise ValueError(f"block {number} of cell {position} has {trials} trials")
    rows = np.array(line["metrics"], dtype=np.float64)
    if rows.shape != (trials, len(names)) or np.isinf(rows).any():
        raise ValueError(f"block {number} of cell {position} has no right metrics")
    arms = _unpacked_arms(line, trials, size)
    packed = line["detected"]
    detected = None if packed is None else _unpacked(packed, "<i8", size)
    rounds = None if "rounds" not in line else _unpacked_rounds(line["rounds"], names, cell, trials)
    metrics = _known(names, rows, cell)
    return position, number, CellResults(metrics, marks, arms, detected, rounds)


def _known(names: Sequence[str], rows: Floats, cell: RunCell) -> Measures:
    """The measures of these columns that are ours, or that the cell's scenario asks code for."""
    wanted = {*METRICS, *columns_asked(cell.parameters)}
    places = [at for at, name in enumerate(names) if name in wanted]
    return named([names[at] for at in places], rows[..., places])


def _unpacked_rounds(
    line: Mapping[str, Any], names: Sequence[str], cell: RunCell, trials: int
) -> Rounds:
    size, count = cell.domain_size, int(cell.parameters["campaign.rounds"])
    rows = np.array(line["metrics"], dtype=np.float64)
    if rows.shape != (trials, count, len(names)) or np.isinf(rows).any():
        raise ValueError("a round has no right metrics")
    return Rounds(_known(names, rows, cell), _unpacked_arms(line, trials, size, count))


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
