"""The places that compute units of work: here, in processes of this machine, in any executor.

A unit is a picklable (cell, block of trials). Units travel in batches, which cost the parent a
fraction of what they cost a worker; where they are computed, and in what company, does not change
a number.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Final, TypeAlias, cast

from ..base.errors import CellError, RunError
from ..base.pulse import Pulse, no_pulse
from ..base.sampling import Counts
from ..base.work import Share
from ..cell import Cell
from ..collection.counts import count_share, shares_of
from ..metrics.results import CellResults
from .process_pool import describe_end, open_pool

BATCH_S: Final = 0.25
"""Seconds that a batch of units should take a worker; an executor may ask for its `batch_s`."""

TRIES: Final = 3
"""Processes that may die while they compute a unit, before the run ends."""


@dataclass(frozen=True)
class Failure:
    """The reason why a cell failed, in a sentence, and the traceback of the attack."""

    cell: int
    error: str
    details: str = ""


Unit: TypeAlias = tuple[Cell, int, int]
"""A cell, the number of a block, the trials of the block."""


@dataclass(frozen=True)
class ShareTask:
    """A share of a large unit of the reports path, which is counted alone. of : their number."""

    unit: Unit
    share: Share
    of: int

    @property
    def place(self) -> tuple[int, int]:
        """The cell and the block that it is a piece of."""
        return self.unit[0].index, self.unit[1]


Batch: TypeAlias = Sequence[Unit | ShareTask]
"""Units, or one piece alone."""

IndexedOutcome: TypeAlias = "tuple[int, int, CellResults | Failure | Counts]"
"""What came of a unit or a piece of one: its cell's index, its block's number, the outcome."""

BatchOutcome: TypeAlias = tuple[list[IndexedOutcome], float]
"""What came of a batch, and the seconds that it took."""

Outcome: TypeAlias = tuple[Cell, int, CellResults | Failure]
"""What came of a unit: its cell, its block's number, the outcome."""


@dataclass(frozen=True)
class ComputePlace:
    """The place where units are computed; its parts are as for `core.running.runner.run`."""

    workers: int
    executor: Executor | None
    pulse: Pulse
    apart: bool


def compute_units(work: Iterator[Unit], count: int, where: ComputePlace) -> Iterator[Outcome]:
    """The outcomes of units, as they come.

    count : the greatest number that there may be of them.
    """
    workers, executor = where.workers, where.executor
    if executor is not None:
        workers = max(workers, getattr(executor, "_max_workers", 0))
        batches = Batches(work, count, workers, getattr(executor, "batch_s", BATCH_S))
        if (yield from _compute_in_executor(batches, executor, 2 * (workers + 1))):
            raise _worker_death()
    elif workers > 1 or where.apart:
        yield from _in_processes(Batches(work, count, workers), workers)
    else:
        for cell, number, trials in work:
            try:
                yield cell, number, cell.block(number, trials, where.pulse)
            except CellError as error:
                yield cell, number, Failure(cell.index, str(error), error.details)


class LostError(RunError):
    """The loss of all who compute; the outcomes that came back are kept."""


class Batches:
    """Units in batches: at first of one, then of the number that takes a worker some time.

    The last ones are smaller, so that all workers end together. A unit with somebody's Python code
    is a batch alone: it may end the process that computes it. So is each piece of a large unit.

    worth : that time, in seconds.
    """

    def __init__(
        self, work: Iterator[Unit], count: int, workers: int, worth: float = BATCH_S
    ) -> None:
        self._work, self._left, self._workers, self._worth = work, count, workers, worth
        self._held: Unit | None = None
        self._pieces: deque[ShareTask] = deque()
        self._seconds = worth

    @property
    def more(self) -> bool:
        self._held = self._held or next(self._work, None)
        return self._held is not None or bool(self._pieces)

    def learn(self, seconds: float, units: int) -> None:
        """A batch of units took its worker this time."""
        self._seconds = max(seconds / units, 1e-6)

    def take(self) -> list[Unit | ShareTask]:
        """The next batch; empty at the end."""
        batch: list[Unit | ShareTask] = []
        size = int(min(self._worth / self._seconds, self._left / (4 * self._workers)))
        while not self._pieces and len(batch) < max(1, size) and self.more:
            unit = self._held
            assert unit is not None
            shares = shares_of(*unit) if self._workers > 1 else ()
            alone = bool(unit[0].python_code) or bool(shares)
            if alone and batch:
                break
            self._held = None
            self._left -= 1
            self._pieces.extend(ShareTask(unit, share, len(shares)) for share in shares)
            if not shares:
                batch.append(unit)
            if alone:
                break
        return batch or [self._pieces.popleft() for _ in range(bool(self._pieces))]

    def drop(self, cell: int, number: int | None = None) -> None:
        """Hand out no more pieces of this cell's units, or of one of them."""
        self._pieces = deque(
            piece
            for piece in self._pieces
            if piece.place != (cell, piece.place[1] if number is None else number)
        )


def compute(batch: Batch) -> BatchOutcome:
    """The outcomes of a batch, the counts of a piece, and the seconds that it took.

    After a failure of a cell no more of it is computed, and nothing of it comes back.
    """
    began = time.perf_counter()
    outcomes: list[IndexedOutcome] = []
    failed: set[int] = set()
    for work in batch:
        cell, number, trials = unit_of(work)
        if cell.index in failed:
            continue
        try:
            if isinstance(work, ShareTask):
                outcomes.append((cell.index, number, count_share(cell, work.share, no_pulse)))
            else:
                outcomes.append((cell.index, number, cell.block(number, trials)))
        except BaseException as error:
            outcomes.append((cell.index, number, _failure(cell, error)))
            failed.add(cell.index)
    return outcomes, time.perf_counter() - began


def unit_of(work: Unit | ShareTask) -> Unit:
    """The unit that a piece belongs to, or the unit itself."""
    return work.unit if isinstance(work, ShareTask) else work


class BlockAssembler:
    """The counts of large units, piece by piece, until a unit is whole."""

    def __init__(self) -> None:
        self._counts: dict[tuple[int, int], dict[Share, Counts]] = {}
        self._failed: set[int] = set()
        self.begun: dict[tuple[int, int], Unit] = {}

    def add(self, piece: ShareTask, found: IndexedOutcome) -> list[IndexedOutcome]:
        """Take in the counts of a piece; the block, if that was the last one of its unit."""
        index, _, counts = found
        if isinstance(counts, Failure):
            self._failed.add(index)
            self._counts = {at: held for at, held in self._counts.items() if at[0] != index}
            return [found]
        if piece.unit[0].index in self._failed:
            return []
        self.begun[piece.place] = piece.unit
        held = self._counts.setdefault(piece.place, {})
        held[piece.share] = cast("Counts", counts)
        if len(held) < piece.of:
            return []
        cell, number, trials = self.begun.pop(piece.place)
        shares = self._counts.pop(piece.place)
        return [(cell.index, number, cell.block(number, trials, shares=shares))]


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

    Returns the units that were begun when a process died; none where all work was done.
    """
    waiting: dict[Future[BatchOutcome], Batch] = {}
    gathered = BlockAssembler()
    try:
        while True:
            while len(waiting) < ahead and (batch := batches.take()):
                try:
                    waiting[executor.submit(compute, batch)] = batch
                except BrokenProcessPool:
                    return _begun_units(batches, [batch, *waiting.values()], gathered)
            if not waiting:
                return []
            for future in wait(waiting, None, FIRST_COMPLETED).done:
                if isinstance(future.exception(), BrokenProcessPool):
                    return _begun_units(batches, waiting.values(), gathered)
                outcomes, seconds = future.result()
                done = waiting.pop(future)
                if isinstance(piece := done[0], ShareTask):
                    if isinstance(outcomes[0][2], Failure):
                        _let_go(outcomes[0][0], batches, waiting)
                    outcomes = gathered.add(piece, outcomes[0])
                else:
                    batches.learn(seconds, len(done))
                cells = {cell.index: cell for cell, _, _ in map(unit_of, done)}
                for index, number, outcome in outcomes:
                    yield cells[index], number, cast("CellResults | Failure", outcome)
    finally:
        for future in waiting:
            future.cancel()


def _let_go(cell: int, batches: Batches, waiting: dict[Future[BatchOutcome], Batch]) -> None:
    """Count no more pieces of a cell that failed; those that have begun go on."""
    batches.drop(cell)
    for future, batch in list(waiting.items()):
        if isinstance(batch[0], ShareTask) and batch[0].unit[0].index == cell and future.cancel():
            del waiting[future]


def _begun_units(
    batches: Batches, under_way: Iterable[Batch], gathered: BlockAssembler
) -> list[Unit]:
    """The units under way and those of which some pieces are counted, each once; whole ones."""
    units = {(unit[0].index, unit[1]): unit for unit in gathered.begun.values()}
    for batch in under_way:
        units |= {(unit[0].index, unit[1]): unit for unit in map(unit_of, batch)}
    for cell, number in units:
        batches.drop(cell, number)
    return [*units.values()]


def _code_names(cell: Cell) -> str:
    return " or ".join(f"{what} {name!r}" for what, name in cell.python_code)


def _worker_death() -> RunError:
    return RunError("a worker process died; was it killed, or is memory short?")


def _in_processes(batches: Batches, workers: int) -> Iterator[Outcome]:
    """Compute in processes, new ones where one of them was killed.

    That costs the units that were under way, which are computed again, at most `TRIES` times each.
    Each one with Python code is then computed in a process alone, which tells which one it was.
    """
    tries = Counter[tuple[int, int]]()
    left = [batches]
    while left:
        if not left[-1].more:
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
