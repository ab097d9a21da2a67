"""Runs that are kept while they are computed: ldptui run, resume and record."""

from __future__ import annotations

import contextlib
import os
from argparse import Namespace
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Final

import numpy as np

from ldptui.core import store as core_store
from ldptui.core.base.errors import FileError, RunError, ScenarioError, got
from ldptui.core.experiment import Experiment, compile  # noqa: A004
from ldptui.core.experiment.limits import held_bytes, in_bytes
from ldptui.core.metrics.results import BLOCK_TRIALS
from ldptui.core.running.foretime import LONG_S, expected_seconds
from ldptui.core.running.runner import WHOLE, Results, Shard, units
from ldptui.core.running.searching import open_goals
from ldptui.core.scenario import Scenario
from ldptui.core.store import KeptAnswers, RunMemory, Store, begin, open_store
from ldptui.core.store.recording import write_recording

from ... import __version__
from ...session import attack_options
from ...terminal import exits, output, places
from ...text import format as text
from .. import progress, reading, reporting
from .opening import number_of, opened, tags_of


def run(options: Namespace) -> int:
    """Simulate a scenario and print or write the results."""
    reporting.check_output(options)
    shard = _shard_of(options)
    scenario, source = reading.scenario_of(options)
    experiment = bound(scenario, options, options.keep)
    for warning in {} if options.quiet else _warnings(experiment):
        output.note(f"warning: {warning}")
    held = max(map(held_bytes, experiment.cells))
    if held and not options.quiet:
        output.note(f"note: each process holds the reports of a trial, about {in_bytes(held)}")
    seconds = None if options.quiet else expected_seconds(experiment)
    if seconds is not None and seconds > LONG_S:
        whole = f"; trials are drawn in blocks of {BLOCK_TRIALS}, which show when they are whole"
        output.note(f"note: this takes up to about {text.duration(seconds)} in one process{whole}")
    if options.frequencies and options.format != "json" and not options.quiet:
        output.note("note: --frequencies shows in JSON only")
    with _executor(options, experiment) as executor:
        place = Place(shard, executor)
        if not shard.whole:
            return _compute_shard(experiment, options, source, place)
        return _reported(*measure(experiment, options, source, place), options)


def _reported(results: Results, unkept: str, options: Namespace) -> int:
    """Print or write the results; the exit code. unkept : why the store lacks some; "" if none."""
    return reporting.report(results, options) or (exits.NO_FILE if unkept else exits.DONE)


def bound(scenario: Scenario, options: Namespace, keep: bool = False) -> Experiment:
    """The experiment, its goals answered and its Python code allowed.

    keep : answers that take a search are known from the store, or kept there as they are found.
    """
    experiment = compile(scenario, limits=options.limits, searches=False)
    if open_goals(experiment):
        with contextlib.ExitStack() as ends:
            answers = None
            if keep:
                with contextlib.suppress(FileError):  # told when the run is to be kept there
                    store = ends.enter_context(open_store(places.chosen_store(options.store)[0]))
                    answers = KeptAnswers(store, options.fresh)
            experiment = progress.answered(experiment, options, answers)
    return attack_options.permitted(experiment, options)


@dataclass(frozen=True)
class Place:
    """The part of a run that is computed, and the executor that does it: both as for `run`."""

    shard: Shard = WHOLE
    executor: Executor | None = None


HERE: Final = Place()


@contextlib.contextmanager
def _executor(options: Namespace, experiment: Experiment) -> Iterator[Executor | None]:
    """The cluster that is asked for; None without."""
    if options.cluster is None:
        yield None
        return
    attack_options.check_travel(experiment, options)
    from ldptui.core.running.cluster import cluster

    with contextlib.ExitStack() as ends:
        try:
            executor = ends.enter_context(cluster(options.cluster))
        except ScenarioError as error:
            raise ScenarioError(error.rule, key="--cluster") from None
        yield executor


def _shard_of(options: Namespace) -> Shard:
    """The shard that is asked for; raises ScenarioError."""
    if options.shard is None:
        return WHOLE
    number, _, of = options.shard.partition("/")
    if not (number.isdecimal() and of.isdecimal()):
        raise ScenarioError(f"must be I/N, as 1/8, {got(options.shard)}", key="--shard")
    try:
        shard = Shard(int(number), int(of))
    except ScenarioError as error:
        raise ScenarioError(error.rule, key="--shard") from None
    if not options.keep:
        raise ScenarioError("needs a store, got --no-store", key="--shard")
    if options.out is not None:
        raise ScenarioError("has no results to write: merge the stores first, got --out",
                            key="--shard")  # fmt: skip
    return shard


def _compute_shard(experiment: Experiment, options: Namespace, source: str, place: Place) -> int:
    """Keep the trials of a shard; what they say is shown when the stores are merged."""
    shard = place.shard
    path, _ = places.chosen_store(options.store)
    with open_store(path) as store:
        memory = _begun(store, experiment, options, source)
        results = kept(memory, experiment, options, place)
        done = store.run(memory.run).done
    reporting.tell_failures(results)
    if memory.failure:
        return exits.NO_FILE
    due = sum(trials for _, _, trials in units(experiment, shard))
    which = f"shard {shard.number}/{shard.of}: {text.count(done)} of its {text.count(due)} trials"
    output.note(f"{which} are kept in {path}, as run {memory.run}")
    if done < due and not results.failures:
        return exits.INTERRUPTED
    return exits.FAILED if results.failures else exits.DONE


def _warnings(experiment: Experiment) -> dict[str, None]:
    """The reasons to doubt the results, each sentence once, in the order of the cells."""
    cells = (warning for cell in experiment.cells for warning in cell.warnings)
    return dict.fromkeys((*experiment.scenario.notes, *cells))


def measure(
    experiment: Experiment, options: Namespace, source: str, place: Place = HERE
) -> tuple[Results, str]:
    """Run an experiment and keep the run; its results, and why the store lacks some of them.

    A store that nobody asked for, and that cannot be opened, only gives a note.
    """

    def alone() -> tuple[Results, str]:
        results = progress.measure(
            experiment,
            options.workers,
            options.frequencies,
            options.quiet,
            executor=place.executor,
        )
        return results, ""

    if not options.keep:
        return alone()
    path, chosen = places.chosen_store(options.store)
    try:
        store = open_store(path)
        try:
            memory = _begun(store, experiment, options, source)
        except BaseException:
            store.close()
            raise
    except FileError as error:
        if chosen:
            raise
        output.note(f"note: this run is not kept: {error}")
        return alone()
    with store:
        return kept(memory, experiment, options, place), memory.failure


def _begun(store: Store, experiment: Experiment, options: Namespace, source: str) -> RunMemory:
    return begin(
        store,
        experiment,
        __version__,
        tags=tags_of(options.tags),
        source=source,
        fresh=options.fresh,
        frequencies=options.frequencies,
    )


def kept(
    memory: RunMemory, experiment: Experiment, options: Namespace, place: Place = HERE
) -> Results:
    """Compute a run, or a shard of it, and keep it."""
    results, error = None, ""
    quiet = options.quiet
    if memory.store.note and not quiet:
        output.note(f"note: {memory.store.note}")
    try:
        results = progress.measure(
            experiment,
            options.workers,
            options.frequencies,
            quiet,
            memory,
            place.shard,
            place.executor,
        )
    except Exception as reason:
        error = str(reason) or type(reason).__name__
        raise
    finally:
        memory.finish(results, error or (results.error if results is not None else ""))
        if memory.failure:
            output.note(f"note: this run is not kept, or in part: {memory.failure}")
        elif memory.reused and not quiet:
            known = f"{text.count(memory.reused)} of {text.count(experiment.trials)}"
            output.note(f"note: {known} trials were known (--fresh computes them again)")
        if results is not None and place.shard.whole and not results.ended and not memory.failure:
            output.note(f"ldptui: ldptui resume {memory.run} goes on with it")
    assert results is not None
    return results


def resume(options: Namespace) -> int:
    """Go on with a run that was interrupted."""
    reporting.check_output(options)
    with opened(options, write=True) as store:
        run = number_of(store, options.run)
        experiment = attack_options.permitted(store.experiment(run), options)
        with _executor(options, experiment) as executor:
            memory = core_store.resume(store, run, options.frequencies, experiment)
            results = kept(memory, experiment, options, Place(executor=executor))
        return _reported(results, memory.failure, options)


def record(options: Namespace) -> int:
    """Simulate a scenario and write one file that holds it all."""
    out = reporting.check_output(options)
    assert out is not None
    scenario, source = reading.scenario_of(options)
    experiment = bound(scenario, options)
    options.frequencies = True
    if options.store or os.environ.get(places.STORE):
        store = open_store(places.chosen_store(options.store)[0])
    else:
        store = open_store(None)
    with store:
        memory = begin(
            store, experiment, __version__, tags=tags_of(options.tags), source=source, fresh=True
        )
        results = kept(memory, experiment, options)
        if memory.failure:
            raise RunError(f"nothing was written: {memory.failure}")
        write_recording(store, memory.run, out)
    if not options.quiet:
        drawn = text.drawn_by(results.digest, np.__version__)
        output.note(f"wrote {out}: {text.count(results.trials)} trials, {drawn}")
    reporting.tell_failures(results)
    if not results.ended:
        return exits.INTERRUPTED
    return exits.FAILED if results.failures else exits.DONE
