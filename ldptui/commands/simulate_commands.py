"""The commands that simulate: a scenario, its closed forms, its pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Annotated, Any, Final, Literal

from ldptui.core.base.errors import FileError, ScenarioError, got

from ..questions.choices import kinds
from ..questions.options import Argument, Keys
from ..questions.parameters import keys
from ..terminal import output
from .common_options import ClusterPlace, Keep, StorePath
from .option_groups import CodeOptions, Printing, Simulation, Tags


def _charts() -> list[str]:
    """The charts for paper."""
    from ..charts.kinds import on_paper

    return [kind.name for kind in on_paper()]


def run(
    simulation: Simulation,
    printing: Printing,
    *,
    store: StorePath = None,
    keep: Keep = True,
    fresh: bool = False,
    tags: Tags = (),
    shard: Annotated[str | None, "I/N"] = None,
    cluster: ClusterPlace = None,
) -> int:
    """simulate, and print what was measured beside its closed form

    Simulate a scenario and print what was measured, ± its standard error, beside the
    closed form. SCENARIO is a TOML file or the name of a bundled scenario. Ctrl-C prints
    what is finished, marked partial.

    Parameters
    ----------
    keep : keep nothing, know nothing
    fresh : compute again what the store already knows
    shard : compute the I-th of N equal parts alone; runs import merges the stores
    """
    from contextlib import ExitStack

    from ..terminal import places
    from . import result_output, run_recording, scenario_loading
    from .result_output import Output, tags_of

    part = run_recording.read_shard(shard, keep, printing.out)
    quiet, code = simulation.quiet, simulation.permission.allow()
    asked = Output.of(printing.format, printing.out, printing.selection, quiet=quiet)
    frequencies = printing.selection.frequencies
    computation = run_recording.Computation(simulation.workers, quiet, frequencies, part)
    scenario, source = scenario_loading.scenario_of(simulation, asked.path)
    place, chosen = places.chosen_store(store) if keep else (None, False)
    words = tags_of(tags) if keep else []
    experiment = run_recording.bound(
        scenario, simulation.limits, code, simulation.workers, quiet, place, fresh
    )
    asked = asked.of_results(experiment)
    run_recording.tell_doubts(experiment, quiet, unseen=frequencies and not asked.has_frequencies)
    with ExitStack() as ends:
        executor = ends.enter_context(run_recording.join_cluster(cluster, experiment, code))
        memory = run_recording.begin_run(
            ends, place, experiment, words, source, fresh, frequencies,
            needed=chosen or not part.whole,
        )  # fmt: skip
        results = replace(computation, executor=executor).compute(experiment, memory)
        if memory is not None and not part.whole:
            return run_recording.tell_shard(results, memory, part)
    return result_output.report(results, asked) or run_recording.memory_code(memory)


def record(
    simulation: Simulation,
    *,
    out: Annotated[str, "FILE"],
    tags: Tags = (),
    store: StorePath = None,
) -> int:
    """simulate into one file to be shared

    Simulate a scenario and write one file that holds it all, to be shared: scenario,
    data of a CSV population, every trial. Read it with runs import or replay.

    Parameters
    ----------
    out : write here
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
    columns: Annotated[Literal[1, 2], Argument(flags=("--paper-columns", "--columns"))] = 2,
    out: Annotated[str, "FILE"],
    store: StorePath = None,
) -> int:
    """draw a chart for paper

    Draw a chart for paper, with its caption, and write it to a file. SCENARIO is
    simulated first, and kept nowhere; or it is a run: a number that "ldptui runs" shows,
    or "last". Runs after it are laid over it, and the legend says in which settings they
    differ. The file carries the scenario: ldptui replay FILE computes it again.

    Parameters
    ----------
    others : runs to lay over it
    chart : the chart (gain; success where the task names items, or for a metric in Python)
    metric : the metric of a map, a timeline or the success (the first that there is)
    columns : as wide as one column of a paper, 84 mm, or as two, 174 mm
    out : an .svg, .pdf, .png or .txt file
    """
    from .run_plots import plot_chart

    return plot_chart(simulation, others, chart, metric, columns, out, store)


def theory(
    protocol: Annotated[str, Argument(positional=True, choices=kinds, lower=True), "PROTOCOL"],
    *,
    epsilon: Annotated[float | None, "E"] = None,
    items: Annotated[int | None, "D"] = None,
    users: Annotated[int | None, "N"] = None,
    share: Annotated[float | None, "B"] = None,
    targets: Annotated[int | None, "R"] = None,
    target_frequency: Annotated[float | None, "F"] = None,
    mean: Annotated[float | None, "M"] = None,
    seeds: Annotated[int, "K"] = 1000,
    scoring: Literal["anchor", "bucket"] = "anchor",
    format: Literal["table", "json"] = "table",
    **other_keys: Annotated[Any, Keys(keys)],
) -> int:
    """the closed forms alone: p, q, variance, gain of each attack

    The closed forms of a protocol, and of the attacks on it. What needs an option that
    is not given is left out.

    Parameters
    ----------
    protocol : {kinds}
    epsilon : privacy budget ε, in nats; of rappor ε₁ of one report, instead of --f
    items : domain size d
    users : genuine users n
    share : share β of fake users
    targets : number of targets r
    target_frequency : the targets' true total f_T
    mean : true mean μ of the users' numbers, of sr
    seeds : seeds that MGA tries on hashing
    scoring : the score of a seed: targets that share the value of a chosen one (anchor), or those
        in the fullest bucket
    """
    from .theory_command import TheorySetting, print_theory

    given = {**other_keys, **({} if epsilon is None else {"epsilon": epsilon})}
    setting = TheorySetting(protocol, given, items, users, share, targets, target_frequency, mean,
                            seeds, scoring)  # fmt: skip
    return print_theory(setting, format)


def scenarios() -> int:
    """list, show, copy or check scenarios

    List, show or copy the bundled scenarios, or check one of yours.
    """
    return list_scenarios()


def list_scenarios() -> int:
    """list names and titles (the default)"""
    from .scenario_library import print_scenarios

    return print_scenarios()


def show_scenario(name: Annotated[str, Argument(positional=True), "NAME"]) -> int:
    """print a scenario's file"""
    from .scenario_library import print_scenario

    return print_scenario(name)


def copy_scenarios(names: Annotated[tuple[str, ...], Argument(positional=True), "NAME"]) -> int:
    """copy scenarios, with their data, to edit them

    Parameters
    ----------
    names : bundled scenarios; the last one may be the file or folder to copy to (here)
    """
    from .scenario_library import copy_all

    return copy_all(names)


def check_scenario(
    path: Annotated[str, Argument(positional=True), "PATH"], permission: CodeOptions
) -> int:
    """say whether a scenario is valid"""
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
