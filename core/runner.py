"""Runs an experiment: a generator of the results so far.

The unit of work is a picklable (cell, block of trials). Where it is computed, and in what order,
does not change a number.
"""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, Protocol, TypeAlias

from .cell import Cell
from .errors import RunError
from .experiment import Experiment
from .results import BLOCK_TRIALS, NOTHING, Block, CellResults, Tally, digest
from .trial import Pulse, no_pulse, run_block

PAUSE: Final = 0.02
"""Least seconds between two progress values."""


@dataclass(frozen=True, eq=False)
class Results:
    """What an experiment has measured so far; one `CellResults` for each cell, in order."""

    experiment: Experiment
    cells: tuple[CellResults, ...]

    @cached_property
    def digest(self) -> str:
        """Equal digests mean that every support count of every trial was equal."""
        return digest(self.cells)

    @property
    def complete(self) -> bool:
        return self.trials == self.experiment.trials

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
    """Where a block is looked up before it is computed, and kept once it is. See `core.store`."""

    def find(self, cell: Cell, number: int, trials: int) -> Block | None:
        """The block as `run_block` would compute it; None where it is not known."""
        ...

    def keep(self, cell: Cell, block: Block) -> None:
        """A block has been computed; it shows in the results after this."""
        ...


Unit: TypeAlias = tuple[Cell, int, int]
"""A cell, the number of a block, the trials of the block."""


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
) -> Iterator[Progress]:
    """Run every cell; yields the results so far: first none, last all of them.

    Parameters
    ----------
    workers : 1 computes here; more use so many processes.
    executor : computes there instead: any `concurrent.futures.Executor`; it is not shut down.
    pulse : called between pieces of work where they are computed here; raises to stop.
    frequencies : keep the moments of every item's estimate (4 float64[d] a cell).
    memory : blocks that it knows are not computed, the others are handed to it; asked for all
        blocks before the first one is computed, from the thread that iterates.

    Closing the generator, or an exception in it, stops the work and leaves no process behind.
    """
    started = time.perf_counter()
    tallies = [Tally() for _ in experiment.cells]
    done, total = 0, experiment.trials

    def progress(cell: Cell | None) -> Progress:
        results = Results(experiment, tuple(tally.results for tally in tallies))
        return Progress(results, done, total, time.perf_counter() - started, cell)

    yield progress(None)
    due = started + PAUSE
    for cell, block in _blocks(experiment, workers, executor, pulse, memory):
        done += len(block.metrics)
        slim = replace(block, clean=NOTHING, attacked=NOTHING, detected=None)
        tallies[cell.index].add(block if frequencies else slim)
        now = time.perf_counter()
        if now >= due or done == total:
            yield progress(cell)
            # Taking stock of very many trials takes a while: then it is done less often.
            due = now + max(PAUSE, 10 * (time.perf_counter() - now))


def _blocks(
    experiment: Experiment,
    workers: int,
    executor: Executor | None,
    pulse: Pulse,
    memory: Memory | None,
) -> Iterator[tuple[Cell, Block]]:
    if memory is None:
        yield from _computed(units(experiment), workers, executor, pulse)
        return
    unknown = []
    for unit in units(experiment):
        pulse()
        known = memory.find(*unit)
        if known is None:
            unknown.append(unit)
        else:
            yield unit[0], known
    for cell, block in _computed(unknown, workers, executor, pulse):
        memory.keep(cell, block)
        yield cell, block


def _computed(
    work: Iterable[Unit], workers: int, executor: Executor | None, pulse: Pulse
) -> Iterator[tuple[Cell, Block]]:
    if executor is not None:
        yield from _submitted(iter(work), executor, 2 * (workers + 1))
    elif workers > 1:
        yield from _in_processes(iter(work), workers)
    else:
        for cell, number, trials in work:
            yield cell, run_block(cell, number, trials, pulse)


def _submitted(
    work: Iterator[Unit], executor: Executor, ahead: int
) -> Iterator[tuple[Cell, Block]]:
    """Keep a few units ahead in an executor; blocks come as they finish."""
    waiting: dict[Future[Block], Cell] = {}
    try:
        while True:
            while len(waiting) < ahead:
                unit = next(work, None)
                if unit is None:
                    break
                waiting[executor.submit(run_block, *unit)] = unit[0]
            if not waiting:
                return
            for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                yield waiting.pop(future), future.result()
    except BrokenProcessPool as error:
        raise RunError("a worker process died; was it killed, or is memory short?") from error
    finally:
        for future in waiting:
            future.cancel()


def _in_processes(work: Iterator[Unit], workers: int) -> Iterator[tuple[Cell, Block]]:
    before = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(
        workers, multiprocessing.get_context("spawn"), initializer=_ignore_interrupts
    )
    try:
        yield from _submitted(work, pool, 2 * workers)
    except BaseException:
        # An interrupted block may take seconds yet: nobody waits for it.
        started = set(multiprocessing.active_children()) - before
        for process in started:
            process.kill()
        for process in started:
            process.join()
        # A worker killed while it was writing its result would be waited for in vain.
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown(wait=True)


def _ignore_interrupts() -> None:
    """Ctrl-C reaches the whole terminal; the parent alone decides what it means."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
