"""The computation of units of work: in this process, in processes of this machine, or in an
executor.

A unit is a picklable (cell, block of trials). Units travel in batches, which costs the parent a
fraction of what they cost a worker; results do not depend on the batches.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Final, TypeAlias

from ..base.errors import CellError, RunError
from ..base.work import Tell
from ..cell import Cell
from ..metrics.results import CellResults
from .process_pool import describe_end, open_pool

BATCH_S: Final = 0.25
"""Seconds that a batch of units should take a worker; an executor may ask for its `batch_s`."""

TRIES: Final = 3
"""Processes that may die while they compute a unit, before the run ends."""


@dataclass(frozen=True)
class Failure:
    """The failure of a cell: a sentence and a traceback."""

    cell: int
    error: str
    details: str = ""


Unit: TypeAlias = tuple[Cell, int, int]
"""A cell, the number of a block, the trials of the block."""

Outcome: TypeAlias = tuple[Cell, int, CellResults | Failure]
"""What came of a unit: its cell, its block's number, the outcome."""


@dataclass(frozen=True)
class ComputePlace:
    """The executor or processes that compute units.

    tell : called with words about the work of this process. apart : whether to use a process even
    for one worker.
    """

    workers: int
    executor: Executor | None
    tell: Tell
    apart: bool


def compute_units(work: Iterator[Unit], count: int, where: ComputePlace) -> Iterator[Outcome]:
    """Yields the outcomes of units, in order of completion.

    count : the largest possible number of units. Raises RunError if workers die.
    """
    workers, executor = where.workers, where.executor
    if executor is not None:
        workers = max(workers, getattr(executor, "_max_workers", 0))
        batches = Batches(work, count, workers, getattr(executor, "batch_s", BATCH_S))
        if (yield from _compute_in_executor(batches, executor, 2 * (workers + 1))):
            raise _worker_death()
    elif workers > 1 or where.apart:
        yield from _compute_in_processes(Batches(work, count, workers), workers)
    else:
        for cell, number, trials in work:
            try:
                yield cell, number, cell.block(number, trials, where.tell)
            except CellError as error:
                yield cell, number, Failure(cell.index, str(error), error.details)


class LostError(RunError):
    """Raised if all workers are lost; outcomes so far are kept."""


class Batches:
    """Batches of units: single units first, then as many as keep a worker busy for some time.

    The last batches are smaller, so that all workers end together. A unit with plug-in code is a
    batch alone, as the code may end the process.

    worth : seconds that a batch should take.
    """

    def __init__(
        self, work: Iterator[Unit], count: int, workers: int, worth: float = BATCH_S
    ) -> None:
        self._work, self._left, self._workers, self._worth = work, count, workers, worth
        self._next: Unit | None = None
        self._seconds = worth

    def peek(self) -> Unit | None:
        """The next unit, which stays the next; None at the end."""
        self._next = self._next or next(self._work, None)
        return self._next

    def learn(self, seconds: float, units: int) -> None:
        """Record how many seconds a worker needed for a batch of units."""
        self._seconds = max(seconds / units, 1e-6)

    def take(self) -> list[Unit]:
        """The next batch, which is removed; empty at the end."""
        batch: list[Unit] = []
        size = max(1, int(min(self._worth / self._seconds, self._left / (4 * self._workers))))
        while len(batch) < size and (unit := self.peek()) is not None:
            if unit[0].python_code and batch:
                break
            self._next = None
            batch.append(unit)
            if unit[0].python_code:
                break
        self._left -= len(batch)
        return batch


def compute_batch(batch: Sequence[Unit]) -> tuple[list[CellResults | Failure | None], float]:
    """The outcome of each unit of a batch, and the seconds that all took.

    After a cell's failure the outcomes of its other units are None.
    """
    began = time.perf_counter()
    outcomes: list[CellResults | Failure | None] = []
    failed: set[int] = set()
    for cell, number, trials in batch:
        if cell.index in failed:
            outcomes.append(None)
            continue
        try:
            outcomes.append(cell.block(number, trials))
        except BaseException as error:
            outcomes.append(_failure(cell, error))
            failed.add(cell.index)
    return outcomes, time.perf_counter() - began


def _failure(cell: Cell, error: BaseException) -> Failure:
    """The failure of a cell from an error in another process; raises all but a CellError."""
    if isinstance(error, CellError):
        return Failure(cell.index, str(error), error.details)
    if cell.python_code and not isinstance(error, Exception):  # as KeyboardInterrupt
        return Failure(cell.index, f"{_code_names(cell)} raised {type(error).__name__}")
    raise error


def _compute_in_executor(
    batches: Batches, executor: Executor, ahead: int
) -> Generator[Outcome, None, list[Unit]]:
    """Keep a few batches ahead in an executor; blocks come as they finish.

    Returns the units that were under way when a process died; none where all work was done.
    """
    waiting: dict[Future[tuple[list[CellResults | Failure | None], float]], list[Unit]] = {}
    try:
        while True:
            while len(waiting) < ahead and (batch := batches.take()):
                try:
                    waiting[executor.submit(compute_batch, batch)] = batch
                except BrokenProcessPool:
                    return [*batch, *(unit for some in waiting.values() for unit in some)]
            if not waiting:
                return []
            for future in wait(waiting, None, FIRST_COMPLETED).done:
                if isinstance(future.exception(), BrokenProcessPool):
                    return [unit for some in waiting.values() for unit in some]
                outcomes, seconds = future.result()
                units = waiting.pop(future)
                batches.learn(seconds, len(units))
                for (cell, number, _), outcome in zip(units, outcomes, strict=True):
                    if outcome is not None:
                        yield cell, number, outcome
    finally:
        for future in waiting:
            future.cancel()


def _code_names(cell: Cell) -> str:
    return " or ".join(f"{what} {name!r}" for what, name in cell.python_code)


def _worker_death() -> RunError:
    return RunError("a worker process died; was it killed, or is memory short?")


def _compute_in_processes(batches: Batches, workers: int) -> Iterator[Outcome]:
    """Compute in processes, new ones where one of them was killed.

    That costs the units that were under way, which are computed again, at most `TRIES` times each.
    Each one with Python code is then computed in a process alone, which tells which one it was.
    """
    tries = Counter[tuple[int, int]]()
    left = [batches]
    while left:
        if left[-1].peek() is None:
            left.pop()
            continue
        lost, how = yield from _compute_in_pool(left[-1], workers)
        suspects = [unit for unit in lost if unit[0].python_code]
        others = [unit for unit in lost if not unit[0].python_code]
        tries.update((cell.index, number) for cell, number, _ in others)
        if others and max(tries.values()) >= TRIES:
            raise _worker_death()
        if others:
            left.append(Batches(iter(others), len(others), workers))
        deadly: set[int] = set()
        for unit in suspects:
            cell = unit[0]
            if cell.index in deadly:
                continue
            again = suspects
            if workers > 1:
                again, how = yield from _compute_in_pool(Batches(iter([unit]), 1, 1), 1)
            if again:
                deadly.add(cell.index)
                ended = f"{_code_names(cell)} ended the process it ran in{how}"
                yield cell, unit[1], Failure(cell.index, ended)


def _compute_in_pool(
    batches: Batches, workers: int
) -> Generator[Outcome, None, tuple[list[Unit], str]]:
    """Compute in a pool; returns the units under way when a process of it died, and of what."""
    with open_pool(workers) as (pool, first):
        # One worker is given one batch at a time: then it is clear which one it dies of.
        lost = yield from _compute_in_executor(batches, pool, 2 * workers if workers > 1 else 1)
    return lost, next((describe_end(process.exitcode) for process in first), "")
