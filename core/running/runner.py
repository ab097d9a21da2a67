"""Runs an experiment, as a generator of the results so far.

The unit of work is a picklable (cell, block of trials). Results do not depend on where and in what
order units are computed.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Container, Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Protocol

from ..base.errors import ScenarioError, got
from ..base.work import Tell, no_words
from ..cell import Cell
from ..experiment import Experiment
from ..metrics.results import BLOCK_TRIALS, CellResults, Tally, digest
from .workers import ComputePlace, Failure, Outcome, Unit, compute_units

PAUSE: Final = 0.02
"""Least seconds between two progress values."""


@dataclass(frozen=True, eq=False)
class RunResults:
    """The results of an experiment so far: one `CellResults` for each cell, in order.

    failures : the cells that failed; the trials before the failure are in `cells`.
    doubts : reasons why results may be unreliable, besides the experiment's own warnings.
    """

    experiment: Experiment
    cells: tuple[CellResults, ...]
    failures: tuple[Failure, ...] = ()
    doubts: tuple[str, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """The reasons why the results may be unreliable, a sentence each."""
        return (*self.experiment.warnings, *self.doubts)

    @cached_property
    def digest(self) -> str:
        """A digest of the support counts of all trials: equal digests mean equal counts."""
        return digest(self.cells)

    @property
    def complete(self) -> bool:
        return self.trials == self.experiment.trials

    @property
    def has_ended(self) -> bool:
        """Whether the run is over: every cell is complete or has failed."""
        failed = {failure.cell for failure in self.failures}
        return all(
            cell.index in failed or measured.trials == cell.trials
            for cell, measured in zip(self.experiment.cells, self.cells, strict=True)
        )

    @property
    def error(self) -> str:
        """A sentence that names the failures; "" if there are none."""
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
    """The progress of a run: the results so far, trials done and in all, seconds since the start.

    latest : the cell that was computed last; None at the start.
    """

    results: RunResults
    done: int
    total: int
    seconds: float
    latest: Cell | None = None


class Memory(Protocol):
    """A store of computed blocks, see `core.store`."""

    def find(self, cell: Cell, number: int, trials: int) -> CellResults | None:
        """The stored block, equal to what `Cell.block` computes; None if it is not stored."""
        ...

    def keep(self, cell: Cell, number: int, block: CellResults) -> None:
        """Save a computed block; called before the block appears in the results."""
        ...


@dataclass(frozen=True)
class Shard:
    """One of `of` equal shares of an experiment's blocks: every `of`-th block from the `number`-th
    on.

    Raises ScenarioError unless 1 ≤ number ≤ of.
    """

    number: int = 1
    of: int = 1

    def __post_init__(self) -> None:
        if not 1 <= self.number <= self.of:
            rule = f"must be I/N with 1 ≤ I ≤ N, {got(f'{self.number}/{self.of}')}"
            raise ScenarioError(rule, key="shard")

    @property
    def whole(self) -> bool:
        return self.of == 1


WHOLE: Final = Shard()


def units(experiment: Experiment, shard: Shard = WHOLE) -> Iterator[Unit]:
    """Yields the units of a shard, cell by cell: (cell, block number, trials of the block)."""
    return itertools.islice(_units(experiment), shard.number - 1, None, shard.of)


def _units(experiment: Experiment) -> Iterator[Unit]:
    for cell in experiment.cells:
        for number, first in enumerate(range(0, cell.trials, BLOCK_TRIALS)):
            yield cell, number, min(BLOCK_TRIALS, cell.trials - first)


def run(
    experiment: Experiment,
    workers: int = 1,
    executor: Executor | None = None,
    tell: Tell = no_words,
    frequencies: bool = True,
    memory: Memory | None = None,
    apart: bool = False,
    shard: Shard = WHOLE,
) -> Iterator[Progress]:
    """Yields the results while the cells are computed: first empty, at last complete.

    A cell that raises CellError, as plug-in code may, has failed: its computation ends, and other
    cells go on. In worker processes the same holds if plug-in code ends the process.

    Parameters
    ----------
    workers : the number of processes; 1 computes in this process.
    executor : any `concurrent.futures.Executor`, used instead and not shut down. It gets two
        batches of blocks for each of its workers; `workers` is their number if it has no
        `_max_workers`.
    tell : called with words about what this process computes.
    frequencies : whether to keep the moments of every item's estimate (4 float64[d] a cell).
    memory : a store; its blocks are not computed, and it gets all others. It is asked for all
        blocks before the first is computed, in the thread that iterates.
    apart : use a process even for one worker if the scenario has plug-in code.
    shard : the share of the blocks to compute; the results have each cell's blocks up to the first
        one of another shard, the memory gets all.

    Closing the generator, or an exception in it, stops the work and ends all processes.
    """
    started = time.perf_counter()
    apart = apart and any(cell.python_code for cell in experiment.cells)
    tallies = [Tally() for _ in experiment.cells]
    failures: dict[int, Failure] = {}
    sizes = [trials for _, _, trials in units(experiment, shard)]
    done, total = 0, sum(sizes)

    shown, changed = [tally.results for tally in tallies], set[int]()

    def progress(cell: Cell | None) -> Progress:
        for index in changed:
            shown[index] = tallies[index].results
        changed.clear()
        failed = tuple(failures[index] for index in sorted(failures))
        results = RunResults(experiment, tuple(shown), failed)
        return Progress(results, done, total, time.perf_counter() - started, cell)

    yield progress(None)
    due = started + PAUSE
    untold = None
    where, work = ComputePlace(workers, executor, tell, apart), units(experiment, shard)
    for cell, number, outcome in _outcomes(work, len(sizes), where, memory, failures):
        if isinstance(outcome, Failure):
            failures.setdefault(cell.index, outcome)
        else:
            done += outcome.trials
            tallies[cell.index].add(number, outcome if frequencies else outcome.bare)
            changed.add(cell.index)
        now, untold = time.perf_counter(), cell
        if now >= due or done == total:
            yield progress(cell)
            untold = None
            # Taking stock of very many trials takes a while: then it is done less often.
            due = now + max(PAUSE, 10 * (time.perf_counter() - now))
    if untold is not None:  # cells failed, so that the total was not reached
        yield progress(untold)


def _outcomes(
    work: Iterator[Unit],
    count: int,
    where: ComputePlace,
    memory: Memory | None,
    failed: Container[int],
) -> Iterator[Outcome]:
    """Blocks, known or computed, and failures; `failed` grows meanwhile by those told of."""
    if memory is None:
        yield from compute_units(_without(failed, work), count, where)
        return
    unknown = []
    for unit in work:
        known = memory.find(*unit)
        if known is None:
            unknown.append(unit)
        else:
            yield *unit[:2], known
    for cell, number, outcome in compute_units(_without(failed, unknown), len(unknown), where):
        if not isinstance(outcome, Failure):
            memory.keep(cell, number, outcome)
        yield cell, number, outcome


def _without(failed: Container[int], work: Iterable[Unit]) -> Iterator[Unit]:
    """The units of cells that have not failed by the time it is their turn."""
    return (unit for unit in work if unit[0].index not in failed)
