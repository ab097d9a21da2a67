"""Runs an experiment: a generator of the results so far.

The unit of work is a picklable (cell, block of trials). Where it is computed, and in what order,
does not change a number.
"""

from __future__ import annotations

import multiprocessing
import signal
import sys
import time
from collections.abc import Callable, Container, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Protocol, TypeAlias

from .cell import Cell
from .errors import AttackError, RunError
from .experiment import Experiment
from .results import BLOCK_TRIALS, Block, CellResults, Tally, digest
from .trial import Pulse, no_pulse, run_block

PAUSE: Final = 0.02
"""Least seconds between two progress values."""


@dataclass(frozen=True)
class Failure:
    """Why a cell failed, in a sentence, and the traceback of the attack that did it."""

    cell: int
    error: str
    details: str = ""


@dataclass(frozen=True, eq=False)
class Results:
    """What an experiment has measured so far; one `CellResults` for each cell, in order.

    failures : the cells that failed; of those, what was finished before is there.
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
        """Whether nothing is left to compute: every cell is complete or has failed."""
        failed = {failure.cell for failure in self.failures}
        return all(
            cell.index in failed or measured.trials == cell.trials
            for cell, measured in zip(self.experiment.cells, self.cells, strict=True)
        )

    @property
    def error(self) -> str:
        """What failed, in a sentence: "" where nothing did."""
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

    A cell whose attack raises AttackError has failed: no more of it is computed, the others go on.

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
    failures: dict[int, Failure] = {}
    done, total = 0, experiment.trials

    def progress(cell: Cell | None) -> Progress:
        failed = tuple(failures[index] for index in sorted(failures))
        results = Results(experiment, tuple(tally.results for tally in tallies), failed)
        return Progress(results, done, total, time.perf_counter() - started, cell)

    yield progress(None)
    due = started + PAUSE
    untold = None
    for cell, outcome in _outcomes(experiment, workers, executor, pulse, memory, failures):
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
) -> Iterator[tuple[Cell, Block | Failure]]:
    """Blocks, known or computed, and failures; `failed` grows meanwhile by those told of."""
    if memory is None:
        yield from _computed(_without(failed, units(experiment)), workers, executor, pulse)
        return
    unknown = []
    for unit in units(experiment):
        pulse()
        known = memory.find(*unit)
        if known is None:
            unknown.append(unit)
        else:
            yield unit[0], known
    for cell, outcome in _computed(_without(failed, unknown), workers, executor, pulse):
        if not isinstance(outcome, Failure):
            memory.keep(cell, outcome)
        yield cell, outcome


def _without(failed: Container[int], work: Iterable[Unit]) -> Iterator[Unit]:
    """The units of cells that have not failed by the time it is their turn."""
    return (unit for unit in work if unit[0].index not in failed)


def _computed(
    work: Iterator[Unit], workers: int, executor: Executor | None, pulse: Pulse
) -> Iterator[tuple[Cell, Block | Failure]]:
    if executor is not None:
        yield from _submitted(work, executor, 2 * (workers + 1))
    elif workers > 1:
        yield from _in_processes(work, workers)
    else:
        for cell, number, trials in work:
            yield cell, _outcome(cell, run_block, cell, number, trials, pulse)


def _outcome(cell: Cell, compute: Callable[..., Block], *arguments: object) -> Block | Failure:
    try:
        return compute(*arguments)
    except AttackError as error:
        return Failure(cell.index, str(error), error.details)


def _submitted(
    work: Iterator[Unit], executor: Executor, ahead: int
) -> Iterator[tuple[Cell, Block | Failure]]:
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
                cell = waiting.pop(future)
                yield cell, _outcome(cell, future.result)
    except BrokenProcessPool as error:
        raise RunError("a worker process died; was it killed, or is memory short?") from error
    finally:
        for future in waiting:
            future.cancel()


def _in_processes(work: Iterator[Unit], workers: int) -> Iterator[tuple[Cell, Block | Failure]]:
    before = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(
        workers, multiprocessing.get_context("spawn"), initializer=_keep_to_the_work
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
            while process.exitcode is None:  # the pool's own thread has reaped it, and will say so
                time.sleep(0.001)
        # A worker killed while it was writing its result would be waited for in vain.
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown(wait=True)


def _keep_to_the_work() -> None:
    """Ctrl-C reaches the whole terminal; the parent alone decides what it means, and what is
    printed to standard output, which an attack of somebody's may do as well.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stdout = sys.stderr
