"""Runs that are kept while they are computed: ldptui run, resume and record."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ldptui.core.base.errors import FileError, ScenarioError, got
from ldptui.core.experiment import Experiment, compile  # noqa: A004
from ldptui.core.experiment.size_limits import held_bytes, in_bytes
from ldptui.core.plugins import CodePermission, permit_code
from ldptui.core.running.runner import WHOLE, RunResults, Shard, units
from ldptui.core.running.searching import open_goals
from ldptui.core.scenario import Scenario
from ldptui.core.store import KeptAnswers, RunMemory, Store, begin, open_store

from .. import __version__
from ..session import attack_options
from ..terminal import exits, output
from ..text import format as text
from . import result_output, run_progress
from .option_groups import Simulation


@dataclass(frozen=True)
class Computation:
    """The number of processes or the cluster that computes an experiment, and the shard of it.

    frequencies : whether the results include every item's estimates.
    """

    workers: int = 1
    quiet: bool = False
    frequencies: bool = False
    shard: Shard = WHOLE
    executor: Executor | None = None

    def compute(self, experiment: Experiment, memory: RunMemory | None = None) -> RunResults:
        """The results of an experiment, computed here or on the cluster; a memory
        stores the run.
        """
        measure = partial(
            run_progress.measure, experiment, self.quiet, workers=self.workers,
            executor=self.executor, frequencies=self.frequencies, shard=self.shard,
        )  # fmt: skip
        if memory is None:
            return measure()
        results, error = None, ""
        if memory.store.note and not self.quiet:
            output.note(f"note: {memory.store.note}")
        try:
            results = measure(memory=memory)
        except Exception as reason:
            error = str(reason) or type(reason).__name__
            raise
        finally:
            memory.finish(results, error or (results.error if results is not None else ""))
            if memory.failure:
                output.note(f"note: this run is not kept, or in part: {memory.failure}")
            elif memory.reused and not self.quiet:
                known = f"{text.count(memory.reused)} of {text.count(experiment.trials)}"
                output.note(f"note: {known} trials were known (--fresh computes them again)")
            interrupted = not error if results is None else not results.has_ended
            if interrupted and self.shard.whole and not memory.failure:
                output.note(f"ldptui: ldptui resume {memory.run} goes on with it")
        assert results is not None
        return results


def read_shard(shard: str | None, keep: bool, out: str | None) -> Shard:
    """The shard (part I of N) that the option names; raises ScenarioError."""
    if shard is None:
        return WHOLE
    number, _, of = shard.partition("/")
    if not (number.isdecimal() and of.isdecimal() and len(number) < 10 and len(of) < 10):
        rule = "must be I/N, as 1/8, of at most nine digits each"
        raise ScenarioError(f"{rule}, {got(shard)}", key="--shard")
    try:
        part = Shard(int(number), int(of))
    except ScenarioError as error:
        raise ScenarioError(error.rule, key="--shard") from None
    if not keep:
        raise ScenarioError("needs a store, got --no-store", key="--shard")
    if out is not None:
        raise ScenarioError("has no results to write: merge the stores first, got --out",
                            key="--shard")  # fmt: skip
    return part


def tell_doubts(experiment: Experiment, quiet: bool, unseen: bool) -> None:
    """Print the reasons to doubt the results, and the memory that a trial takes.

    unseen : the frequencies are asked for, but the format has none.
    """
    for warning in experiment.warnings:
        output.note(f"warning: {warning}")
    if quiet:
        return
    held = max(map(held_bytes, experiment.cells))
    if held:
        output.note(f"note: each process holds the reports of a trial, about {in_bytes(held)}")
    if unseen:
        output.note("note: --frequencies shows in JSON only")


def begin_run(
    ends: contextlib.ExitStack,
    place: Path | None,
    experiment: Experiment,
    tags: Sequence[str],
    source: str,
    fresh: bool,
    frequencies: bool,
    *,
    needed: bool,
) -> RunMemory | None:
    """The writer of a new run in the store at a path, closed with `ends`; None without a store.

    needed : a store that cannot be opened is an error, and not a note.
    """
    if place is None:
        return None
    try:
        store = ends.enter_context(open_store(place))
        return begin(
            store, experiment, __version__, tags=tags, source=source, fresh=fresh,
            frequencies=frequencies,
        )  # fmt: skip
    except FileError as error:
        if needed:
            raise
        output.note(f"note: this run is not kept: {error}")
        return None


def bound(
    scenario: Scenario,
    limits: bool,
    code: CodePermission,
    workers: int = 1,
    quiet: bool = False,
    place: Path | None = None,
    fresh: bool = False,
) -> Experiment:
    """The bound experiment of a scenario, with its goals answered and its plug-in code permitted.

    place : the store with the answers of earlier searches, to which new answers are added.
    fresh : search again.
    """
    experiment = compile(scenario, limits=limits, searches=False)
    if open_goals(experiment):
        with contextlib.ExitStack() as ends:
            answers = None
            if place is not None:
                with contextlib.suppress(FileError):  # told when the run is to be kept there
                    answers = KeptAnswers(ends.enter_context(open_store(place)), fresh)
            experiment = run_progress.answer_goals(experiment, workers, limits, quiet, answers)
    return permit_code(experiment, code)


@contextlib.contextmanager
def join_cluster(
    place: str | None, experiment: Experiment, code: CodePermission
) -> Iterator[Executor | None]:
    """A context manager of the executor on the named cluster; None without a cluster."""
    if place is None:
        yield None
        return
    attack_options.check_travel(experiment, code)
    from ldptui.core.running.dask_executor import cluster

    with contextlib.ExitStack() as ends:
        try:
            executor = ends.enter_context(cluster(place))
        except ScenarioError as error:
            raise ScenarioError(error.rule, key="--cluster") from None
        yield executor


def tell_shard(results: RunResults, memory: RunMemory, shard: Shard) -> int:
    """Print how much of a shard is stored; returns the exit code."""
    store, experiment = memory.store, results.experiment
    result_output.tell_failures(results)
    if memory.failure:
        return exits.NO_FILE
    done = store.run(memory.run).done
    due = sum(trials for _, _, trials in units(experiment, shard))
    which = f"shard {shard.number}/{shard.of}: {text.count(done)} of its {text.count(due)} trials"
    output.note(f"{which} are kept in {store.path}, as run {memory.run}")
    if done < due and not results.failures:
        return exits.INTERRUPTED
    return exits.FAILED if results.failures else exits.DONE


def memory_code(memory: RunMemory | None) -> int:
    """The exit code that says whether the store has kept the run; 0 without a store."""
    return exits.NO_FILE if memory is not None and memory.failure else exits.DONE


def simulate_into(
    store: Store, scenario: Scenario, simulation: Simulation, source: str, tags: Sequence[str] = ()
) -> tuple[RunMemory, RunResults]:
    """Simulate a scenario into a store, with every item's estimates; returns the writer and the
    results.
    """
    computation = Computation(simulation.workers, simulation.quiet, frequencies=True)
    how = simulation.workers, simulation.quiet
    experiment = bound(scenario, simulation.limits, simulation.permission.allow(), *how)
    memory = begin(
        store, experiment, __version__, tags=tags, source=source, fresh=True, frequencies=True
    )
    return memory, computation.compute(experiment, memory)
