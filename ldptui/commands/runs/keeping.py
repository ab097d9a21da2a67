"""Runs that are kept while they are computed: ldptui run, resume and record."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ldptui.core import store as core_store
from ldptui.core.base.errors import FileError, ScenarioError
from ldptui.core.experiment import Experiment, compile  # noqa: A004
from ldptui.core.experiment.limits import held_bytes, in_bytes
from ldptui.core.running.runner import Results, units
from ldptui.core.running.searching import open_goals
from ldptui.core.scenario import Scenario
from ldptui.core.store import KeptAnswers, RunMemory, Store, begin, open_store
from ldptui.core.store.recording import write_recording

from ... import __version__
from ...session import attack_options
from ...terminal import exits, output, places
from ...text import format as text
from .. import progress, reading, reporting
from ..door import Keeping, Output, Work, shard_of, tags_of, written_to
from ..formats import FORMATS
from ..options import Record, Run
from .opening import number_of, opened
from .options import Resume


def run(options: Run) -> int:
    """Simulate a scenario and print or write the results."""
    work, asked = Work.of(options, shard_of(options)), _output(options)
    scenario, source = reading.scenario_of(options, asked.path)
    keeping = Keeping.of(options, source)
    experiment = bound(scenario, work, keeping)
    asked = asked.of_results(experiment)
    _tell(experiment, work.quiet)
    if work.frequencies and not FORMATS[asked.format].frequencies and not work.quiet:
        output.note("note: --frequencies shows in JSON only")
    with _placed(work, experiment) as placed:
        if keeping is not None and not placed.shard.whole:
            return _compute_shard(experiment, placed, keeping)
        return _reported(*measure(experiment, placed, keeping), asked)


def _output(options: Run | Resume) -> Output:
    return Output.of(
        options.format,
        options.out,
        options,
        frequencies=options.frequencies,
        quiet=options.quiet,
    )


def _tell(experiment: Experiment, quiet: bool) -> None:
    """Say what there is to doubt, and how much memory a trial takes unless that is not wanted."""
    for warning in (*([] if quiet else experiment.scenario.notes), *experiment.warnings):
        output.note(f"warning: {warning}")
    if quiet:
        return
    held = max(map(held_bytes, experiment.cells))
    if held:
        output.note(f"note: each process holds the reports of a trial, about {in_bytes(held)}")


def _reported(results: Results, unkept: str, asked: Output) -> int:
    """Print or write the results; the exit code. unkept : why the store lacks some; "" if none."""
    return reporting.report(results, asked) or (exits.NO_FILE if unkept else exits.DONE)


def bound(scenario: Scenario, work: Work, keeping: Keeping | None = None) -> Experiment:
    """The experiment, its goals answered and its Python code allowed.

    keeping : the store from which answers that take a search are known, and where they are kept
    as they are found.
    """
    experiment = compile(scenario, limits=work.limits, searches=False)
    if open_goals(experiment):
        with contextlib.ExitStack() as ends:
            answers = None
            if keeping is not None:
                with contextlib.suppress(FileError):  # told when the run is to be kept there
                    store = ends.enter_context(open_store(keeping.store))
                    answers = KeptAnswers(store, keeping.fresh)
            experiment = progress.answered(experiment, work, answers)
    return attack_options.permitted(experiment, work.code)


@contextlib.contextmanager
def _placed(work: Work, experiment: Experiment) -> Iterator[Work]:
    """The work with the cluster that is asked for, while it is there."""
    if work.cluster is None:
        yield work
        return
    attack_options.check_travel(experiment, work.code)
    from ldptui.core.running.dask_executor import cluster

    with contextlib.ExitStack() as ends:
        try:
            executor = ends.enter_context(cluster(work.cluster))
        except ScenarioError as error:
            raise ScenarioError(error.rule, key="--cluster") from None
        yield replace(work, executor=executor)


def _compute_shard(experiment: Experiment, work: Work, keeping: Keeping) -> int:
    """Keep the trials of a shard; what they say is shown when the stores are merged."""
    shard = work.shard
    with open_store(keeping.store) as store:
        memory = _begun(store, experiment, work, keeping)
        results = kept(memory, experiment, work)
        done = store.run(memory.run).done
    reporting.tell_failures(results)
    if memory.failure:
        return exits.NO_FILE
    due = sum(trials for _, _, trials in units(experiment, shard))
    which = f"shard {shard.number}/{shard.of}: {text.count(done)} of its {text.count(due)} trials"
    output.note(f"{which} are kept in {keeping.store}, as run {memory.run}")
    if done < due and not results.failures:
        return exits.INTERRUPTED
    return exits.FAILED if results.failures else exits.DONE


def measure(experiment: Experiment, work: Work, keeping: Keeping | None) -> tuple[Results, str]:
    """Run an experiment and keep the run; its results, and why the store lacks some of them.

    A store that nobody asked for, and that cannot be opened, only gives a note.
    """
    if keeping is None:
        return progress.measure(experiment, work), ""
    try:
        store = open_store(keeping.store)
        try:
            memory = _begun(store, experiment, work, keeping)
        except BaseException:
            store.close()
            raise
    except FileError as error:
        if keeping.chosen:
            raise
        output.note(f"note: this run is not kept: {error}")
        return progress.measure(experiment, work), ""
    with store:
        return kept(memory, experiment, work), memory.failure


def _begun(store: Store, experiment: Experiment, work: Work, keeping: Keeping) -> RunMemory:
    return begin(
        store,
        experiment,
        __version__,
        tags=keeping.tags,
        source=keeping.source,
        fresh=keeping.fresh,
        frequencies=work.frequencies,
    )


def kept(memory: RunMemory, experiment: Experiment, work: Work) -> Results:
    """Compute a run, or a shard of it, and keep it."""
    results, error = None, ""
    if memory.store.note and not work.quiet:
        output.note(f"note: {memory.store.note}")
    try:
        results = progress.measure(experiment, work, memory)
    except Exception as reason:
        error = str(reason) or type(reason).__name__
        raise
    finally:
        memory.finish(results, error or (results.error if results is not None else ""))
        if memory.failure:
            output.note(f"note: this run is not kept, or in part: {memory.failure}")
        elif memory.reused and not work.quiet:
            known = f"{text.count(memory.reused)} of {text.count(experiment.trials)}"
            output.note(f"note: {known} trials were known (--fresh computes them again)")
        interrupted = not error if results is None else not results.ended
        if interrupted and work.shard.whole and not memory.failure:
            output.note(f"ldptui: ldptui resume {memory.run} goes on with it")
    assert results is not None
    return results


def resume(options: Resume) -> int:
    """Go on with a run that was interrupted."""
    work, asked = Work.of(options), _output(options)
    with opened(options.store, write=True) as store:
        run = number_of(store, options.run)
        experiment = attack_options.permitted(store.experiment(run), work.code)
        asked = asked.of_results(experiment)
        with _placed(work, experiment) as placed:
            memory = core_store.resume(store, run, work.frequencies, experiment)
            results = kept(memory, experiment, placed)
        return _reported(results, memory.failure, asked)


def record(options: Record) -> int:
    """Simulate a scenario and write one file that holds it all."""
    work, out = replace(Work.of(options), frequencies=True), written_to(options.out)
    assert out is not None
    scenario, source = reading.scenario_of(options, out)
    tags, (place, chosen) = tags_of(options.tags), places.chosen_store(options.store)
    experiment = bound(scenario, work)
    with open_store(place if chosen else None) as store:
        memory = begin(store, experiment, __version__, tags=tags, source=source, fresh=True)
        results = kept(memory, experiment, work)
        if memory.failure:
            raise FileError(f"nothing was written: {memory.failure}")
        write_recording(store, memory.run, out)
    if not work.quiet:
        drawn = text.drawn_by(results.digest, np.__version__)
        output.note(f"wrote {out}: {text.plural(results.trials, 'trial')}, {drawn}")
    reporting.tell_failures(results)
    if not results.ended:
        return exits.INTERRUPTED
    return exits.FAILED if results.failures else exits.DONE
