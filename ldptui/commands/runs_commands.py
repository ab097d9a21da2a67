"""The commands about kept runs: what was simulated and kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Annotated, Final, Literal

from ldptui.core.base.errors import FileError

from ..questions.options import Argument
from ..terminal import output
from ..terminal.exits import DONE
from .common_options import ClusterPlace, Help, StorePath
from .option_groups import (
    CodeOptions,
    ExportFormat,
    Limits,
    OutputFile,
    Quiet,
    ResultOptions,
    RunFilter,
    RunFormat,
    RunName,
    RunOrFile,
    ShowFormat,
    TableFormat,
    Workers,
)


def runs(filters: RunFilter, *, store: StorePath = None, format: TableFormat = "table") -> int:
    """the runs in the store: list, show, tag, export, import, remove

    List the runs in the store, or do something with them. A RUN is the number in the
    list, or "last".
    """
    return list_runs(filters, store=store, format=format)


def list_runs(filters: RunFilter, *, store: StorePath = None, format: TableFormat = "table") -> int:
    """list the runs, newest first (the default)"""
    from .run_lookup import find_runs, write_runs

    found = find_runs(filters, store)
    output.write_out(write_runs(found, format), exactly=format != "table")
    return DONE


def show_run(
    run: RunName,
    selection: ResultOptions,
    *,
    store: StorePath = None,
    format: ShowFormat = None,
) -> int:
    """print what a run measured"""
    from .result_output import read_output
    from .run_lookup import print_run

    print_run(run, store, read_output(selection, format, None, "show"))
    return DONE


def remove_runs(
    runs: Annotated[tuple[str, ...], Argument(positional=True), "RUN"],
    *,
    store: StorePath = None,
    undo: bool = False,
) -> int:
    """remove runs from the list; gc deletes them

    Parameters
    ----------
    undo : list removed runs again
    """
    from .run_lookup import number_of, open_kept_runs

    with open_kept_runs(store, write=True) as kept:
        for number in [number_of(kept, word) for word in runs]:
            kept.remove(number, not undo)
            done = "back" if undo else f"removed; ldptui runs rm --undo {number} undoes it"
            output.write_out(f"run {number} is {done}\n")
    return DONE


def tag_run(
    run: RunName,
    tags: Annotated[tuple[str, ...], Argument(positional=True), "TAG"],
    *,
    store: StorePath = None,
    remove: bool = False,
) -> int:
    """add tags to a run

    Parameters
    ----------
    remove : remove these tags
    """
    from .result_output import tags_of
    from .run_lookup import number_of, open_kept_runs

    words = tags_of(tags)
    with open_kept_runs(store, write=True) as kept:
        number = number_of(kept, run)
        kept.change_tags(number, **{"drop" if remove else "add": words})
        now = ", ".join(kept.run(number).tags) or "none"
    output.write_out(f"tags of run {number}: {now}\n")
    return DONE


def star_run(run: RunName, *, store: StorePath = None, off: bool = False) -> int:
    """mark a run, which gc --before then keeps

    Parameters
    ----------
    off : remove the mark
    """
    from .run_lookup import number_of, open_kept_runs

    with open_kept_runs(store, write=True) as kept:
        number = number_of(kept, run)
        kept.star(number, not off)
    output.write_out(f"run {number} is {'unmarked' if off else 'marked'}\n")
    return DONE


def export_run(
    run: RunName,
    selection: ResultOptions,
    *,
    store: StorePath = None,
    out: Annotated[str, "FILE"],
    format: ExportFormat = None,
    dictionary: Annotated[str | None, "FILE"] = None,
) -> int:
    """write a run to a file

    Parameters
    ----------
    out : write to this file
    dictionary : write what the columns mean to this file as well
    """
    from .result_output import read_output
    from .run_lookup import export

    return export(run, store, read_output(selection, format, out, "export"), dictionary)


def import_runs(
    files: Annotated[tuple[str, ...], Argument(positional=True), "FILE"],
    *,
    store: StorePath = None,
    limits: Limits = True,
) -> int:
    """check recordings and add them to the store, or add another store"""
    from pathlib import Path

    from ldptui.core.base.files import fault_of
    from ldptui.core.store import is_store, merge, open_store
    from ldptui.core.store.recording import is_recording, read_recording

    from ..terminal import places
    from ..text import format as text

    paths = [Path(file) for file in files]
    recordings = [is_recording(path) for path in paths]  # before a store is open: see `is_store`
    for path, recording in zip(paths, recordings, strict=True):
        if fault := fault_of(path):
            raise FileError(f"{path} cannot be read: {fault}")
        if not (recording or is_store(path)):
            raise FileError(f"{path} is neither a recording nor a store of ldptui")
    with open_store(places.chosen_store(store)[0]) as kept:
        for path, recording in zip(paths, recordings, strict=True):
            if recording:
                number, before = read_recording(kept, path, limits)
                output.write_out(f"run {number} {'was here already' if before else 'imported'}\n")
                continue
            merged = merge(kept, path)
            runs = text.plural(len(merged.runs), "run")
            output.write_out(f"{path}: {runs}, {text.count(merged.trials)} trials are new\n")
    return DONE


def collect_garbage(
    *, store: StorePath = None, before: Annotated[str | None, "DATE"] = None
) -> int:
    """delete removed runs, and results of no run; shrink the file

    Parameters
    ----------
    before : also delete runs that started before this day
    """
    from ..text import format as text
    from .run_lookup import moment_of, open_kept_runs

    with open_kept_runs(store, write=True) as kept:
        assert kept.path is not None
        size = kept.path.stat().st_size
        gone, cells = kept.gc(moment_of(before, "--before"))
        size = max(0, size - kept.path.stat().st_size)
    forgotten = f"forgot {text.count(gone)} runs and {text.count(cells)} cells"
    output.write_out(f"{forgotten}, {size / 2**20:.1f} MiB\n")
    return DONE


def show_dictionary(*, store: StorePath = None, format: TableFormat = "table") -> int:  # noqa: ARG001
    """explain the columns of CSV, JSON and Parquet"""
    from .column_dictionary import dictionary, write_dictionary

    output.write_out(write_dictionary(dictionary(), format), exactly=format != "table")
    return DONE


def resume(
    run: RunName,
    permission: CodeOptions,
    selection: ResultOptions,
    *,
    format: RunFormat = None,
    out: OutputFile = None,
    cluster: ClusterPlace = None,
    workers: Workers = 1,
    quiet: Quiet = False,
    store: StorePath = None,
) -> int:
    """continue a run that was interrupted"""
    from ldptui.core import store as core_store
    from ldptui.core.plugins import permit_code

    from . import result_output, run_recording
    from .result_output import check_output, read_output
    from .run_lookup import number_of, open_kept_runs

    code, asked = permission.allow(), read_output(selection, format, out)
    computation = run_recording.Computation(workers, quiet, asked.frequencies)
    with open_kept_runs(store, write=True) as kept:
        number = number_of(kept, run)
        experiment = permit_code(kept.experiment(number), code)
        asked = check_output(asked, experiment)
        with run_recording.join_cluster(cluster, experiment, code) as executor:
            memory = core_store.resume(kept, number, asked.frequencies, experiment)
            results = replace(computation, executor=executor).compute(experiment, memory)
        return result_output.report(results, asked, quiet) or run_recording.memory_code(memory)


def replay(
    run: RunOrFile,
    permission: CodeOptions,
    *,
    show: bool = False,
    workers: Workers = 1,
    limits: Limits = True,
    quiet: Quiet = False,
    store: StorePath = None,
) -> int:
    """compute a run again and compare

    Compute a run again and compare the results with those in the store. The exit code is
    0 where they are identical, 1 where they differ (the first difference is printed), and
    4 where another NumPy or ldptui drew other numbers with the same means.

    Parameters
    ----------
    show : open the workbench and play the run back; simulate nothing
    """
    from .run_plots import play_run, replay_run

    if show:
        return play_run(run, store, limits)
    return replay_run(run, permission.allow(), workers, limits, quiet, store)


def compare(
    a: Annotated[str, Argument(positional=True), "A"],
    b: Annotated[str, Argument(positional=True), "B"],
    *,
    metric: Annotated[tuple[str, ...], Argument(repeated=True), "NAME"] = (),
    format: TableFormat = "table",
    store: StorePath = None,
) -> int:
    """the differences of two runs

    Print the difference B − A of each metric in each cell, with its standard error and z.
    Trials are compared in pairs where both runs have the same reports of genuine users.
    A and B are runs: numbers in the list of "ldptui runs", or "last".

    Parameters
    ----------
    metric : compare this metric alone; may be repeated
    """
    from .run_comparison import compare_runs

    return compare_runs(a, b, metric, format, store)


def game(
    run: RunOrFile,
    *,
    metric: Annotated[str | None, "NAME"] = None,
    format: Annotated[Literal["table", "json"], Help("of what is printed")] = "table",
    store: StorePath = None,
) -> int:
    """attacks × defences of a run as a matrix game

    Solve the game of a run that swept attacks and defences: its value, and how often each
    side chooses each attack or defence. The attacker makes the metric large, the server
    makes it small.

    Parameters
    ----------
    metric : the metric of the game (gain_after, else gain)
    """
    from .run_comparison import solve_game

    return solve_game(run, metric, format, store)


ACTIONS: Final[Mapping[str, Mapping[str, Callable[..., int]]]] = {
    "runs": {
        "list": list_runs,
        "show": show_run,
        "rm": remove_runs,
        "tag": tag_run,
        "star": star_run,
        "export": export_run,
        "import": import_runs,
        "gc": collect_garbage,
        "dictionary": show_dictionary,
    },
}
"""The actions of commands."""
