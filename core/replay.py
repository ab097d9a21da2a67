"""Replays: a recorded run is computed again, and everything that was recorded is compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from .cell import Cell
from .experiment import Experiment
from .metrics import METRICS
from .results import BLOCK_TRIALS, Block, digest
from .runner import Progress, run
from .sampling import Floats
from .store import Store
from .streams import digest as digest_of_bytes

TOLERANCE: Final = 1e-12
"""Of floats, relative to the largest of their kind in the block: sums may be made in other orders
on other processors. Counts have none."""


@dataclass(frozen=True)
class Replay:
    """What a replay found: the digest of the recomputed trials, and the first difference if any."""

    digest: str
    trials: int
    difference: str = ""


class _Differs(Exception):  # noqa: N818
    """Stops the run at the first difference."""


class _Comparison:
    """The memory of a run that knows nothing, and compares what was computed."""

    def __init__(self, store: Store, number: int) -> None:
        self._store, self._run = store, number
        self._metrics = store.run(number).metrics
        self._there = {(one.position, one.number): one for one in store.arrivals(number)}

    def find(self, cell: Cell, number: int, trials: int) -> Block | None:  # noqa: ARG002
        return None

    def keep(self, cell: Cell, block: Block) -> None:
        arrival = self._there[cell.index, block.number]
        found = difference(self._store.block(self._run, arrival), block, self._metrics)
        if found:
            raise _Differs(f"cell {cell.index}, {found}")


def replay(
    store: Store,
    number: int,
    workers: int = 1,
    limits: bool = False,
    show: Callable[[Progress], object] = lambda _: None,
    experiment: Experiment | None = None,
) -> Replay:
    """Compute again what a run has recorded, and compare; stops at the first difference.

    experiment : that of the run, where it was bound already and its attacks in Python permitted.

    With one worker the first difference is the first in the order of cells and trials. Raises
    FileError, ScenarioError or RunError. `show` is called with the progress.
    """
    recorded = store.measured(number)
    trials = sum(cell.trials for cell in recorded)
    experiment = experiment or store.experiment(number, limits)
    for cell, known in zip(experiment.cells, store.cells(number), strict=True):
        if digest_of_bytes(cell.population.histogram.tobytes()) != known.histogram:
            return Replay("", 0, f"cell {cell.index}: its users hold other items than recorded")
    # What was recorded beyond a gap is left out, as it is from the digest.
    cells = tuple(
        replace(cell, trials=measured.trials)
        for cell, measured in zip(experiment.cells, recorded, strict=True)
    )
    progress = None
    try:
        part = Experiment(experiment.scenario, cells)
        for progress in run(part, workers, memory=_Comparison(store, number)):
            show(progress)
    except _Differs as error:
        return Replay("", progress.done if progress else 0, str(error))
    assert progress is not None
    if progress.results.error:
        return Replay("", progress.done, progress.results.error)
    again = progress.results.digest
    claimed = store.run(number).digest
    if again != digest(recorded) or (claimed and again != claimed):
        return Replay(again, trials, f"the digest recorded is {claimed}, not {again}")
    return Replay(again, trials)


def difference(recorded: Block, computed: Block, metrics: tuple[str, ...] = METRICS) -> str:
    """The first difference of two blocks in words, "" if there is none."""
    marks = zip(recorded.fingerprints.tolist(), computed.fingerprints.tolist(), strict=True)
    first = recorded.number * BLOCK_TRIALS
    for row, (before, after) in enumerate(marks):
        if before != after:
            return (
                f"trial {first + row}: the fingerprint of its counts was {before:016x}, "
                f"is {after:016x}"
            )
    for at, name in enumerate(METRICS):
        if name in metrics:
            at_row = _unlike(recorded.metrics[:, at], computed.metrics[:, at])
            if at_row is not None:
                was, now = float(recorded.metrics[at_row, at]), float(computed.metrics[at_row, at])
                return f"trial {first + at_row}: {name} was {was!r}, is {now!r}"
    if not recorded.clean.trials:
        return ""
    pairs: dict[str, tuple[Floats, Floats]] = {
        "clean frequencies": (recorded.clean.mean, computed.clean.mean),
        "spread of clean frequencies": (recorded.clean.squares, computed.clean.squares),
        "attacked frequencies": (recorded.attacked.mean, computed.attacked.mean),
        "spread of attacked frequencies": (recorded.attacked.squares, computed.attacked.squares),
    }
    for name, (old, new) in pairs.items():
        item = _unlike(old, new)
        if item is not None:
            return (
                f"block {recorded.number}: {name}, item {item}: was {float(old[item])!r}, "
                f"is {float(new[item])!r}"
            )
    if (recorded.detected is None) != (computed.detected is None) or not np.array_equal(
        np.asarray(recorded.detected), np.asarray(computed.detected)
    ):
        return f"block {recorded.number}: other items are detected"
    return ""


def _unlike(before: Floats, after: Floats) -> int | None:
    """The first place where two vectors differ by more than the tolerance."""
    if before.shape != after.shape:
        return 0
    same = (before == after) | (np.isnan(before) & np.isnan(after))
    if same.all():
        return None
    scale = np.nanmax(np.abs(before), initial=0.0)
    near = np.abs(before - after) <= TOLERANCE * scale
    places = np.flatnonzero(~(same | near))
    return int(places[0]) if places.size else None
