"""Runs drawn for paper: ldptui plot; checked and played back: ldptui replay."""

from __future__ import annotations

import contextlib
import sys
import textwrap
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final, Literal

import numpy as np

from ldptui.core.base.errors import RunError, ScenarioError, got
from ldptui.core.base.files import write_atomically
from ldptui.core.plugins import CodePermission, permit_code
from ldptui.core.running.runner import RunResults
from ldptui.core.scenario import parse, to_toml
from ldptui.core.store import RunRecord, Store, differing, find_changed_sampler, open_store
from ldptui.core.store.run_replay import MeanAgreement, replay
from ldptui.core.store.run_replay import Replay as Outcome

from .. import __version__
from ..api import charted
from ..charts.rows import ANSI_LIGHT, Look
from ..charts.series import Chart
from ..charts.series import Plot as Drawing
from ..engine.measured import snapshot_of
from ..session import exporting
from ..session.exporting import DRAWN
from ..terminal import exits, output
from ..text import format as text
from ..text.labels import with_labels
from . import scenario_loading
from .common_options import Opening
from .option_groups import Simulation
from .result_output import written_to
from .run_lookup import run_or_file
from .run_progress import ProgressLine
from .run_recording import Computation, bound, simulate_into

SUFFIXES: Final = (*DRAWN, ".txt")
COLUMNS, ROWS = 80, 32  # of a figure in text
NAMED: Final = 3
"""Rows of it for each name at the side."""


def plot_chart(
    simulation: Simulation,
    others: Sequence[str],
    name: str | None,
    metric: str | None,
    columns: Literal[1, 2],
    file: str,
    place: str | None,
) -> int:
    """Draw the chart of a run or scenario, with other runs overlaid, to a file; returns the exit
    code.
    """
    out = written_to(file)
    if out is None or out.suffix not in SUFFIXES:
        ends = f"{', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}"
        raise ScenarioError(f"must end in {ends}, {got(file)}", key="--out")
    if out.suffix != ".txt":
        charted.check_matplotlib()
    store, number = _measure_run(simulation, place)
    permit = partial(permit_code, permission=simulation.permission.allow())
    with store:
        run, experiment = store.run(number), store.experiment(number)
        with contextlib.suppress(ScenarioError):  # without its code it has no closed forms
            experiment = permit(experiment)
        results = store.results(number, experiment)
    overlays = charted.overlays_of([results, *(_results_of(word, place) for word in others)])
    scenario, shown = experiment.scenario, snapshot_of(results)
    try:
        chart = charted.chart_of(name, scenario, shown, metric, permit, overlays)
        chart = with_labels(chart, scenario.labels)
    except ScenarioError as error:
        option = f"--{error.key}" if error.key in ("chart", "metric") else error.key
        raise ScenarioError(error.rule, option) from error
    numpy = str(run.versions["numpy"])
    doubts = results.warnings
    caption = exporting.caption(run.title, run.seed, run.done, run.digest, numpy, doubts)
    embedded = exporting.embed_scenario(run.document, run.digest, numpy)
    if out.suffix == ".txt":
        write_atomically(out, _in_text(chart, caption, embedded))
    else:
        from ..charts.draw.paper import write_figure

        write_figure(chart, out, columns=columns, caption=caption, embedded=embedded)
    if not simulation.quiet:
        output.note(f"wrote {out}; ldptui replay {out} computes it again")
    return exits.DONE


def _results_of(word: str, place: str | None) -> RunResults:
    """The stored results of a run that is to be drawn over another."""
    store, number = run_or_file(word, place)
    with store:
        return store.results(number)


def _measure_run(simulation: Simulation, place: str | None) -> tuple[Store, int]:
    """The run asked for; a scenario is simulated, and kept nowhere."""
    word = simulation.scenario
    if word == "last" or word.isdigit():
        return run_or_file(word, place)
    scenario, source = scenario_loading.scenario_of(simulation)
    store = open_store(None)
    try:
        memory, results = simulate_into(store, scenario, simulation, source)
        if memory.failure or not results.has_ended:
            raise RunError(memory.failure or "the run was stopped: nothing is drawn")
    except BaseException:
        store.close()
        raise
    return store, memory.run


def _in_text(chart: Chart, caption: str, embedded: str) -> str:
    from ..charts.draw import draw

    named = len(chart.y.ticks or ()) if isinstance(chart, Drawing) and not chart.y.log else 0
    height = max(ROWS, NAMED * named + 8)
    strips = draw(chart, Look(COLUMNS, height, ANSI_LIGHT))
    drawn = "\n".join(strip.text.rstrip() for strip in strips)
    return "\n".join([drawn.rstrip(), "", textwrap.fill(caption, COLUMNS), embedded, ""])


def replay_figure(path: Path, code: CodePermission, limits: bool, how: Computation) -> int | None:
    """The exit code of recomputing the scenario embedded in a figure; None if the file has none."""
    before = exporting.read_figure(path) if path.suffix in SUFFIXES else None
    if before is None:
        return None
    scenario = parse(to_toml(before.document), folder=path.parent)
    experiment = bound(scenario, limits, code, how.workers, how.quiet)
    digest = how.compute(experiment).digest
    drawn = text.drawn_by(digest, np.__version__)
    if digest == before.digest:
        output.write_out(f"identical: {text.count(experiment.trials)} trials, {drawn}\n")
        return exits.DONE
    there = text.drawn_by(before.digest, before.numpy)
    output.write_out(f"different: the figure has {there}; computed again it is {drawn}\n")
    return exits.FAILED


def replay_run(
    word: str, code: CodePermission, workers: int, limits: bool, quiet: bool, place: str | None
) -> int:
    """Compute a run again and compare; returns 0 if identical, REDRAWN if another version drew
    other numbers with the same means, else FAILED.
    """
    figure = replay_figure(Path(word), code, limits, Computation(workers, quiet))
    if figure is not None:
        return figure
    store, number = run_or_file(word, place, limits)
    with store:
        run = store.run(number)
        limits = limits and store.path is None  # a stranger's file
        experiment = permit_code(store.experiment(number, limits), code)
        line = ProgressLine(sys.stderr, quiet)
        show = partial(line.show_progress, swept=[*experiment.scenario.sweep])
        try:
            outcome = replay(store, number, workers=workers, show=show, experiment=experiment)
        finally:
            line.erase()
    means = outcome.means
    if not outcome.difference:
        return _identical(outcome, run, quiet)
    if means is None or not means.same:
        output.write_out(f"different: {outcome.difference}\n")
        if before := _other_versions(run):
            output.note(f"note: {before}: numbers may differ for that reason")
        if means is None:
            return exits.FAILED
    redrawn, known = find_changed_sampler(run.versions), run.versions["numpy"]
    output.write_out(_agreeing(means, redrawn))
    if redrawn == "NumPy":
        output.note(
            f"note: NumPy {known} drew the run, and from 2.5 on NumPy draws large binomials "
            f"otherwise (docs/sources.md): `pip install numpy=={known}` under Python "
            f"{run.versions['python']} would give the same digest"
        )
    elif means.same:
        output.note(f"note: {_other_versions(run)}: it draws other numbers from the same laws")
    return exits.REDRAWN if means.same else exits.FAILED


def _agreeing(means: MeanAgreement, redrawn: str) -> str:
    same = "statistically the same" if means.same else "not the same"
    within = f"{text.count(means.within)} of {text.count(means.compared)} means"
    return (
        f"drawn by another {redrawn}; {same}: {within} within {means.bound:.1f} standard errors "
        f"(largest {means.largest:.1f})\n"
    )


def _identical(outcome: Outcome, run: RunRecord, quiet: bool) -> int:
    part = "" if run.done == run.total else f" (of a run of {text.count(run.total)})"
    output.write_out(
        f"identical: {text.count(outcome.trials)} trials{part}, "
        f"{text.drawn_by(outcome.digest, np.__version__)}\n"
    )
    if (other := _other_versions(run)) and not quiet:
        output.note(f"note: {other}, and yet the numbers are the same")
    return exits.DONE


def _other_versions(run: RunRecord) -> str:
    """The versions that computed a stored run, if they are not those that run here."""
    other = differing(run.versions)
    if run.versions["ldptui"] == __version__:
        return other
    before = f"computed with ldptui {run.versions['ldptui']}, this is {__version__}"
    return f"{before}, {other}" if other else before


def play_run(word: str, place: str | None, limits: bool) -> int:
    """Open the workbench on the replay of a run; returns the exit code."""
    from . import app_start

    reason = app_start.unfit_terminal()
    if reason is not None:
        raise ScenarioError(reason)
    from ..engine.replay import RunReplay

    store, number = run_or_file(word, place, limits)
    try:
        run_replay = RunReplay(store, number, key=-number)
    except BaseException:
        store.close()
        raise
    return app_start.open_workbench(Opening(store=place), run_replay=run_replay)
