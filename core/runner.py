"""Runs an experiment: a generator of the results so far.

The unit of work is a picklable (cell, block of trials). Where it is computed, and in what order,
does not change a number.
"""

from __future__ import annotations

import itertools
import multiprocessing
import signal
import sys
import time
from collections.abc import Container, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Protocol, TypeAlias

from .cell import Cell
from .errors import CellError, RunError
from .experiment import Experiment
from .orphans import die_with_parent, lasts, watch_parent
from .results import BLOCK_TRIALS, Block, CellResults, Tally, digest
from .trial import Pulse, no_pulse, run_block

PAUSE: Final = 0.02
"""Least seconds between two progress values."""


@dataclass(frozen=True)
class Failure:
    """The reason why a cell failed, in a sentence, and the traceback of the attack."""

    cell: int
    error: str
    details: str = ""


@dataclass(frozen=True, eq=False)
class Results:
    """The measurements of an experiment so far; one `CellResults` for each cell, in order.

    failures : the cells that failed; their trials finished before are kept.
    """

    experiment: Experiment
    cells: tuple[CellResults, ...]
    failures: tuple[Failure, ...] = ()

    @cached_property
    def digest(self) -> str:
        """Equal digests mean that every support count of every trial was equal."""
        return digest(self.cells)

    @property
    def complete(self) -> bool:
        return self.trials == self.experiment.trials

    @property
    def ended(self) -> bool:
        """True if nothing is left to compute: every cell is complete or has failed."""
        failed = {failure.cell for failure in self.failures}
        return all(
            cell.index in failed or measured.trials == cell.trials
            for cell, measured in zip(self.experiment.cells, self.cells, strict=True)
        )

    @property
    def error(self) -> str:
        """A sentence that names what failed; "" where nothing did."""
        if not self.failures:
            return ""
        first, *more = self.failures
        which = f"cell {first.cell} failed: " if len(self.cells) > 1 else ""
        others = f" (and {len(more)} more of {len(self.cells)} cells)" if more else ""
        return f"{which}{first.error}{others}"

    @property
    def trials(self) -> int:
        return sum(cell.trials for cell in self.cells)


@dataclass(frozen=True, eq=False)
class Progress:
    """Results so far, with what is done and what there is to do, in trials; seconds since start."""

    results: Results
    done: int
    total: int
    seconds: float
    latest: Cell | None = None


class Memory(Protocol):
    """A store that knows computed blocks, and keeps the new ones. See `core.store`."""

    def find(self, cell: Cell, number: int, trials: int) -> Block | None:
        """The block as `run_block` would compute it; None where it is not known."""
        ...

    def keep(self, cell: Cell, block: Block) -> None:
        """A block has been computed; it shows in the results after this."""
        ...


Unit: TypeAlias = tuple[Cell, int, int]
"""A cell, the number of a block, the trials of the block."""

Outcome: TypeAlias = tuple[Cell, Block | Failure]


def units(experiment: Experiment) -> Iterator[Unit]:
    """The work: (cell, block number, trials of the block), cell by cell."""
    for cell in experiment.cells:
        for number, first in enumerate(range(0, cell.trials, BLOCK_TRIALS)):
            yield cell, number, min(BLOCK_TRIALS, cell.trials - first)


def run(
    experiment: Experiment,
    workers: int = 1,
    executor: Executor | None = None,
    pulse: Pulse = no_pulse,
    frequencies: bool = True,
    memory: Memory | None = None,
    apart: bool = False,
) -> Iterator[Progress]:
    """Run every cell; yields the results so far: first none, last all of them.

    A cell that raises CellError, as attacks in Python do, has failed: no more of it is computed,
    the others go on.
    In processes the same holds for an attack in Python that ends the process it runs in.

    Parameters
    ----------
    workers : 1 computes here, more in that number of processes.
    executor : computes there instead: any `concurrent.futures.Executor`; it is not shut down. Two
        units are under way for each of its workers; where it does not tell their number, as those
        of the standard library do, `workers` says it.
    pulse : called between pieces of work where they are computed here; raises to stop.
    frequencies : keep the moments of every item's estimate (4 float64[d] a cell).
    memory : blocks that it knows are not computed, the others are handed to it; asked for all
        blocks before the first one is computed, from the thread that iterates.
    apart : use a process where one worker is asked for, if there is an attack or a defence in
        Python.

    Closing the generator, or an exception in it, stops the work and leaves no process behind.
    """
    started = time.perf_counter()
    apart = apart and any(cell.python_code for cell in experiment.cells)
    tallies = [Tally() for _ in experiment.cells]
    failures: dict[int, Failure] = {}
    done, total = 0, experiment.trials

    def progress(cell: Cell | None) -> Progress:
        failed = tuple(failures[index] for index in sorted(failures))
        results = Results(experiment, tuple(tally.results for tally in tallies), failed)
        return Progress(results, done, total, time.perf_counter() - started, cell)

    yield progress(None)
    due = started + PAUSE
    untold = None
    for cell, outcome in _outcomes(experiment, workers, executor, pulse, memory, failures, apart):
        if isinstance(outcome, Failure):
            failures.setdefault(cell.index, outcome)
        else:
            done += len(outcome.metrics)
            tallies[cell.index].add(outcome if frequencies else outcome.bare)
        now, untold = time.perf_counter(), cell
        if now >= due or done == total:
            yield progress(cell)
            untold = None
            # Taking stock of very many trials takes a while: then it is done less often.
            due = now + max(PAUSE, 10 * (time.perf_counter() - now))
    if untold is not None:  # cells failed, so that the total was not reached
        yield progress(untold)


def _outcomes(
    experiment: Experiment,
    workers: int,
    executor: Executor | None,
    pulse: Pulse,
    memory: Memory | None,
    failed: Container[int],
    apart: bool,
) -> Iterator[Outcome]:
    """Blocks, known or computed, and failures; `failed` grows meanwhile by those told of."""
    if memory is None:
        yield from _computed(_without(failed, units(experiment)), workers, executor, pulse, apart)
        return
    unknown = []
    for unit in units(experiment):
        pulse()
        known = memory.find(*unit)
        if known is None:
            unknown.append(unit)
        else:
            yield unit[0], known
    for cell, outcome in _computed(_without(failed, unknown), workers, executor, pulse, apart):
        if not isinstance(outcome, Failure):
            memory.keep(cell, outcome)
        yield cell, outcome


def _without(failed: Container[int], work: Iterable[Unit]) -> Iterator[Unit]:
    """The units of cells that have not failed by the time it is their turn."""
    return (unit for unit in work if unit[0].index not in failed)


def _computed(
    work: Iterator[Unit], workers: int, executor: Executor | None, pulse: Pulse, apart: bool
) -> Iterator[Outcome]:
    if executor is not None:
        workers = max(workers, getattr(executor, "_max_workers", 0))
        if (yield from _submitted(work, executor, 2 * (workers + 1))):
            raise _died()
    elif workers > 1 or apart:
        yield from _in_processes(work, workers)
    else:
        for cell, number, trials in work:
            try:
                yield cell, run_block(cell, number, trials, pulse)
            except CellError as error:
                yield cell, Failure(cell.index, str(error), error.details)


def _submitted(
    work: Iterator[Unit], executor: Executor, ahead: int
) -> Generator[Outcome, None, list[Unit]]:
    """Keep a few units ahead in an executor; blocks come as they finish.

    Returns the units under way when a process died; none where all work was done.
    """
    waiting: dict[Future[Block], Unit] = {}
    try:
        while True:
            while len(waiting) < ahead:
                unit = next(work, None)
                if unit is None:
                    break
                try:
                    waiting[executor.submit(run_block, *unit)] = unit
                except BrokenProcessPool:
                    return [unit, *waiting.values()]
            if not waiting:
                return []
            for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                cell, error = waiting[future][0], future.exception()
                if isinstance(error, BrokenProcessPool):
                    return [*waiting.values()]
                del waiting[future]
                yield cell, future.result() if error is None else _failure(cell, error)
    finally:
        for future in waiting:
            future.cancel()


def _failure(cell: Cell, error: BaseException) -> Failure:
    """The failure of a cell from an error in another process; raises all but a CellError."""
    if isinstance(error, CellError):
        return Failure(cell.index, str(error), error.details)
    if cell.python_code and not isinstance(error, Exception):  # as KeyboardInterrupt
        return Failure(cell.index, f"{_named(cell)} raised {type(error).__name__}")
    raise error


def _named(cell: Cell) -> str:
    return " or ".join(f"{what} {name!r}" for what, name in cell.python_code)


def _died() -> RunError:
    return RunError("a worker process died; was it killed, or is memory short?")


def _in_processes(work: Iterator[Unit], workers: int) -> Iterator[Outcome]:
    """Compute in processes, new ones where an attack in Python ends one of them.

    Each unit that was under way then is computed in a process alone, which tells which one it was.
    """
    for first in work:
        lost, how = yield from _pooled(itertools.chain([first], work), workers)
        if lost and not any(cell.python_code for cell, _, _ in lost):
            raise _died()
        deadly: set[int] = set()
        for unit in lost:
            cell = unit[0]
            if cell.index in deadly:
                continue
            again = lost
            if workers > 1:
                again, how = yield from _pooled(iter([unit]), 1)
            if again and not cell.python_code:
                raise _died()
            if again:
                deadly.add(cell.index)
                yield cell, Failure(cell.index, f"{_named(cell)} ended the process it ran in{how}")


def _pooled(work: Iterator[Unit], workers: int) -> Generator[Outcome, None, tuple[list[Unit], str]]:
    """Compute in a pool; returns the units under way when a process of it died, and of what."""
    before = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(
        workers,
        multiprocessing.get_context("spawn"),
        initializer=_begin,
        initargs=(lasts(),),
    )
    pool.submit(_keep_to_the_work)  # which starts the first process
    first = set(multiprocessing.active_children()) - before
    try:
        # One worker is given one unit at a time: then it is clear which one it dies of.
        lost = yield from _submitted(work, pool, 2 * workers if workers > 1 else 1)
    except BaseException:
        # An interrupted block may take seconds yet: nobody waits for it.
        started = set(multiprocessing.active_children()) - before
        for process in started:
            process.kill()
        for process in started:
            process.join()
            while process.exitcode is None:  # the pool's own thread has reaped it, and will say so
                time.sleep(0.001)
        # A worker killed while it was writing its result would be waited for in vain.
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown(wait=True)
    return lost, next((_end_of(process.exitcode) for process in first), "")


def _end_of(code: int | None) -> str:
    """The way a process ended, in brackets; "" where that is not known."""
    if code is None:
        return ""
    return f" (exit code {code})" if code >= 0 else f" ({signal.Signals(-code).name})"


def _begin(by_lasting_thread: bool) -> None:
    """Start a process of a pool. by_lasting_thread : see `core.orphans.lasts`.

    It ends when its parent is gone, killed or not.
    """
    watch_parent(multiprocessing.parent_process())
    if by_lasting_thread:
        die_with_parent()
    _keep_to_the_work()


def _keep_to_the_work() -> None:
    """Ctrl-C reaches the whole terminal; the parent alone decides what it means, and what is
    printed to standard output, which an attack of somebody's may do as well.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stdout = sys.stderr
