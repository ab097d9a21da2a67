"""The commands that simulate: a scenario, its closed forms, its pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Annotated, Any, Final, Literal

from ldptui.core.base.errors import FileError, ScenarioError, got
from ldptui.core.base.ranges import DOMAIN, EPSILON, SHARE, USERS, Range

from ..questions.choices import kinds
from ..questions.options import Argument, Keys
from ..questions.parameters import keys
from ..terminal import output
from .common_options import SEVERAL, STORE, ClusterPlace, Help, Keep, StorePath
from .option_groups import CodeOptions, OutputFile, ResultOptions, RunFormat, Simulation, Tags


def _charts() -> list[str]:
    from ..charts.kinds import on_paper

    return [kind.name for kind in on_paper()]


def run(
    simulation: Simulation,
    selection: ResultOptions,
    *,
    format: RunFormat = None,
    out: OutputFile = None,
    store: Annotated[StorePath, STORE] = None,
    keep: Annotated[Keep, STORE] = True,
    fresh: Annotated[bool, STORE] = False,
    tags: Annotated[Tags, STORE] = (),
    shard: Annotated[str | None, "I/N", SEVERAL] = None,
    cluster: ClusterPlace = None,
) -> int:
    """simulate, and print each metric beside its closed form

    Simulate a scenario, and print the mean of each metric, ± its standard error, beside
    the closed form. Ctrl-C prints the trials that are finished.

    Parameters
    ----------
    keep : use no store: compute every trial, and keep none
    fresh : compute trials again that are in the store
    shard : compute part I of N equal parts alone; runs import adds the stores up

    Examples
    --------
    ldptui run quickstart --set protocol.epsilon=2 --trials 50
    ldptui run quickstart --format csv --out quickstart.csv
    """
    from contextlib import ExitStack

    from ..terminal import places
    from . import result_output, run_recording, scenario_loading
    from .result_output import check_output, read_output, tags_of

    part = run_recording.read_shard(shard, keep, out)
    quiet, code = simulation.quiet, simulation.permission.allow()
    asked = read_output(selection, format, out)
    computation = run_recording.Computation(simulation.workers, quiet, asked.frequencies, part)
    scenario, source = scenario_loading.scenario_of(simulation, asked.path)
    place, chosen = places.chosen_store(store) if keep else (None, False)
    words = tags_of(tags) if keep else []
    experiment = run_recording.bound(
        scenario, simulation.limits, code, simulation.workers, quiet, place, fresh
    )
    asked = check_output(asked, experiment)
    unseen = asked.frequencies and not asked.format.frequencies
    run_recording.tell_doubts(experiment, quiet, unseen)
    with ExitStack() as ends:
        executor = ends.enter_context(run_recording.join_cluster(cluster, experiment, code))
        memory = run_recording.begin_run(
            ends, place, experiment, words, source, fresh, asked.frequencies,
            needed=chosen or not part.whole,
        )  # fmt: skip
        results = replace(computation, executor=executor).compute(experiment, memory)
        if memory is not None and not part.whole:
            return run_recording.tell_shard(results, memory, part)
    return result_output.report(results, asked, quiet) or run_recording.memory_code(memory)


def record(
    simulation: Simulation,
    *,
    out: Annotated[str, "FILE"],
    tags: Tags = (),
    store: StorePath = None,
) -> int:
    """simulate into one file to be shared

    Simulate a scenario and write one file to be shared: the scenario, its data, and every
    trial. "ldptui replay FILE" checks it, "ldptui runs import FILE" adds it to the store.

    Parameters
    ----------
    out : the file, as result.ldptui
    """
    from ldptui.core.store import open_store
    from ldptui.core.store.recording import write_recording

    from ..terminal import places
    from ..text import format as text
    from . import result_output, scenario_loading
    from .result_output import tags_of, written_to
    from .run_recording import simulate_into

    goal = written_to(out)
    if goal is None:
        raise ScenarioError(f"must be a file, {got(out)}", key="--out")
    scenario, source = scenario_loading.scenario_of(simulation, goal)
    words, (place, chosen) = tags_of(tags), places.chosen_store(store)
    with open_store(place if chosen else None) as kept:
        memory, results = simulate_into(kept, scenario, simulation, source, words)
        if memory.failure:
            raise FileError(f"nothing was written: {memory.failure}")
        write_recording(kept, memory.run, goal)
    if not simulation.quiet:
        drawn = text.drawn_by(results.digest, result_output.VERSIONS["numpy"])
        output.note(f"wrote {goal}: {text.plural(results.trials, 'trial')}, {drawn}")
    result_output.tell_failures(results)
    return result_output.exit_code(results)


def plot(
    simulation: Simulation,
    others: Annotated[tuple[str, ...], Argument(positional=True), "RUN"] = (),
    *,
    chart: Annotated[str | None, Argument(choices=_charts)] = None,
    metric: Annotated[str | None, "NAME"] = None,
    columns: Annotated[
        Literal[1, 2], Argument(flags=("--paper-columns",), aliases=("--columns",))
    ] = 2,
    out: Annotated[str, "FILE"],
    store: StorePath = None,
) -> int:
    """draw a chart for paper

    Draw a chart for paper with its caption. SCENARIO is simulated first, or it is a run
    in the store: a number in the list of "ldptui runs", or "last". Runs after it are laid
    over it, and it says in which settings they differ. The scenario is in the
    file as well: "ldptui replay FILE" computes it again.

    Parameters
    ----------
    others : runs to lay over it
    chart : the chart (gain; success where the task names items, or for a metric in Python;
        the first that there is without an attack)
    metric : the metric of a map, a timeline or the success (the first that was measured)
    columns : as wide as one column of a paper, 84 mm, or as two, 174 mm
    out : the file: .svg, .pdf, .png or .txt

    Examples
    --------
    ldptui plot quickstart --chart gain --out gain.pdf
    """
    from .run_plots import plot_chart

    return plot_chart(simulation, others, chart, metric, columns, out, store)


def theory(
    protocol: Annotated[str, Argument(positional=True, choices=kinds, lower=True), "PROTOCOL"],
    *,
    epsilon: Annotated[float | None, "E", EPSILON] = None,
    items: Annotated[int | None, "D", DOMAIN] = None,
    users: Annotated[int | None, "N", USERS] = None,
    share: Annotated[float | None, "B", SHARE] = None,
    targets: Annotated[int | None, "R", Range(1)] = None,
    target_frequency: Annotated[float | None, "F", Range(0, 1)] = None,
    mean: Annotated[float | None, "M", Range(-1, 1)] = None,
    seeds: Annotated[int, "K", Range(1, 10**6)] = 1000,
    scoring: Literal["anchor", "bucket"] = "anchor",
    format: Annotated[Literal["table", "json"], Help("of what is printed")] = "table",
    **other_keys: Annotated[Any, Keys(keys)],
) -> int:
    """the closed forms alone: p, q, variance, gain of each attack

    Print the closed forms of a protocol, and of the attacks on it. Rows that need an
    option which is not given are left out.

    Parameters
    ----------
    protocol : {kinds}
    epsilon : privacy budget ε, in nats; of rappor ε₁ of one report, instead of --f
    items : domain size d
    users : genuine users n
    share : share β of fake users
    targets : number of targets r
    target_frequency : the true total f_T of the targets
    mean : the true mean μ of the users' numbers, of sr
    seeds : hash functions that MGA tries for each fake user
    scoring : the score of a hash function: how many targets share the value of a chosen target
        (anchor), or are in the fullest bucket

    Examples
    --------
    ldptui theory oue --epsilon 1 --items 1024 --users 1e6 --share 0.05 --targets 10
    """
    from ldptui.core.law.pure import SeedSearch

    from .theory_command import bind_setting, print_theory

    given = {**other_keys, **({} if epsilon is None else {"epsilon": epsilon})}
    setting = bind_setting(
        protocol, given, items, SeedSearch(seeds, scoring), users=users, share=share, r=targets,
        held=target_frequency, mean=mean,
    )  # fmt: skip
    return print_theory(setting, format)


def scenarios() -> int:
    """list, show, copy or check scenarios

    List, show or copy the bundled scenarios, or check a scenario of yours.
    """
    return list_scenarios()


def list_scenarios() -> int:
    """list their names and titles (the default)"""
    from .scenario_library import print_scenarios

    return print_scenarios()


def show_scenario(name: Annotated[str, Argument(positional=True), "NAME"]) -> int:
    """print a scenario's file"""
    from .scenario_library import print_scenario

    return print_scenario(name)


def copy_scenarios(names: Annotated[tuple[str, ...], Argument(positional=True), "NAME"]) -> int:
    """copy scenarios and their data, to edit them

    Parameters
    ----------
    names : bundled scenarios; last, the file or the folder to copy to (this folder)
    """
    from .scenario_library import copy_all

    return copy_all(names)


def check_scenario(
    path: Annotated[str, Argument(positional=True), "PATH"], permission: CodeOptions
) -> int:
    """check whether a scenario is valid"""
    from .scenario_library import check_file

    return check_file(path, permission.allow())


ACTIONS: Final[Mapping[str, Mapping[str, Callable[..., int]]]] = {
    "scenarios": {
        "list": list_scenarios,
        "show": show_scenario,
        "copy": copy_scenarios,
        "check": check_scenario,
    },
}
"""The actions of commands."""
