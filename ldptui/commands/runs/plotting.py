"""Runs drawn for paper: ldptui plot; checked and played back: ldptui replay."""

from __future__ import annotations

import contextlib
import sys
import textwrap
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from ldptui.core.base.errors import RunError, ScenarioError, got
from ldptui.core.base.files import write_atomically
from ldptui.core.scenario import parse, to_toml
from ldptui.core.store import Run, Store, begin, differing, open_store, redrawn
from ldptui.core.store.replay import Agreement, compared
from ldptui.core.store.replay import Replay as Outcome
from ldptui.core.store.replay import replay as replay_run

from ... import __version__
from ...api import charted
from ...charts.rows import ANSI_LIGHT, Look
from ...charts.series import Chart
from ...charts.series import Plot as Drawing
from ...engine.measured import snapshot_of
from ...session import attack_options, exporting
from ...session.exporting import DRAWN
from ...terminal import exits, output
from ...text import format as text
from ...text.labels import with_labels
from .. import progress, reading
from ..door import Work, written_to
from ..opening import Opening
from .keeping import bound, kept
from .opening import run_or_file
from .options import Plot, Replay

SUFFIXES: Final = (*DRAWN, ".txt")
COLUMNS, ROWS = 80, 32  # of a figure in text
NAMED: Final = 3
"""Rows of it for each name at the side."""


def plot(options: Plot) -> int:
    """Draw a run, or what a scenario measures, for paper, and write it to a file."""
    work, out = replace(Work.of(options), frequencies=True), written_to(options.out)
    if out is None or out.suffix not in SUFFIXES:
        raise ScenarioError(
            f"must end in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}, {got(str(options.out))}",
            key="--out",
        )
    if out.suffix != ".txt":
        charted.check_matplotlib()
    store, number = _measured(options, work)
    permit = partial(attack_options.permitted, code=work.code)
    with store:
        run, experiment = store.run(number), store.experiment(number)
        with contextlib.suppress(ScenarioError):  # without its code it has no closed forms
            experiment = permit(experiment)
        results = store.results(number, experiment)
    scenario, shown = experiment.scenario, snapshot_of(results)
    try:
        chart = charted.chart_of(options.chart, scenario, shown, options.metric, permit)
        chart = with_labels(chart, scenario.labels)
    except ScenarioError as error:
        option = f"--{error.key}" if error.key in ("chart", "metric") else error.key
        raise ScenarioError(error.rule, option) from error
    numpy = str(run.versions["numpy"])
    doubts = results.warnings
    caption = exporting.caption(run.title, run.seed, run.done, run.digest, numpy, doubts)
    embedded = exporting.embedded(run.document, run.digest, numpy)
    if out.suffix == ".txt":
        write_atomically(out, _in_text(chart, caption, embedded))
    else:
        from ...charts.draw.paper import write_figure

        write_figure(chart, out, columns=options.columns, caption=caption, embedded=embedded)
    if not work.quiet:
        output.note(f"wrote {out}; ldptui replay {out} computes it again")
    return exits.DONE


def _measured(options: Plot, work: Work) -> tuple[Store, int]:
    """The run asked for; a scenario is simulated, and kept nowhere."""
    word = options.scenario
    if word == "last" or word.isdigit():
        return run_or_file(word, options.store)
    scenario, source = reading.scenario_of(options)
    experiment = bound(scenario, work)
    store = open_store(None)
    try:
        memory = begin(store, experiment, __version__, source=source, fresh=True, frequencies=True)
        results = kept(memory, experiment, work)
        if memory.failure or not results.ended:
            raise RunError(memory.failure or "the run was stopped: nothing is drawn")
    except BaseException:
        store.close()
        raise
    return store, memory.run


def _in_text(chart: Chart, caption: str, embedded: str) -> str:
    from ...charts.draw import draw

    named = len(chart.y.ticks or ()) if isinstance(chart, Drawing) and not chart.y.log else 0
    height = max(ROWS, NAMED * named + 8)
    strips = draw(chart, Look(COLUMNS, height, ANSI_LIGHT))
    drawn = "\n".join(strip.text.rstrip() for strip in strips)
    return "\n".join([drawn.rstrip(), "", textwrap.fill(caption, COLUMNS), embedded, ""])


def replay_figure(path: Path, work: Work) -> int | None:
    """Compute the scenario of a figure again; None where the file is none."""
    before = exporting.carried(path) if path.suffix in SUFFIXES else None
    if before is None:
        return None
    scenario = parse(to_toml(before.document), folder=path.parent)
    experiment = bound(scenario, work)
    digest = progress.measure(experiment, work).digest
    drawn = text.drawn_by(digest, np.__version__)
    if digest == before.digest:
        output.write_out(f"identical: {text.count(experiment.trials)} trials, {drawn}\n")
        return exits.DONE
    there = text.drawn_by(before.digest, before.numpy)
    output.write_out(f"different: the figure has {there}; computed again it is {drawn}\n")
    return exits.FAILED


def replay(options: Replay) -> int:
    """Compute a run again and compare; 0 if identical, REDRAWN if by another NumPy's draws."""
    work = Work.of(options)
    if options.show:
        return _play(options)
    figure = replay_figure(Path(options.run), work)
    if figure is not None:
        return figure
    store, number = run_or_file(options.run, options.store, options.limits)
    with store:
        run = store.run(number)
        limits = work.limits and store.path is None  # a stranger's file
        experiment = attack_options.permitted(store.experiment(number, limits), work.code)
        bar = progress.Bar(sys.stderr, experiment, work.quiet)
        how: Any = {"workers": work.workers, "show": bar.show, "experiment": experiment}
        try:
            outcome = replay_run(store, number, **how)
            redone = outcome.difference and redrawn(run.versions)
            means = compared(store, number, **how) if redone else None
        finally:
            bar.erase()
    if not outcome.difference:
        return _identical(outcome, run, work)
    if means is None or not means.same:
        output.write_out(f"different: {outcome.difference}\n")
        if before := _other_versions(run):
            output.note(f"note: {before}: numbers may differ for that reason")
        if means is None:
            return exits.FAILED
    output.write_out(_agreeing(means))
    known = run.versions["numpy"]
    output.note(
        f"note: NumPy {known} drew the run, and from 2.5 on NumPy draws large binomials otherwise "
        f"(docs/sources.md): `pip install numpy=={known}` under Python {run.versions['python']} "
        "would give the same digest"
    )
    return exits.REDRAWN if means.same else exits.FAILED


def _agreeing(means: Agreement) -> str:
    same = "statistically the same" if means.same else "not the same"
    within = f"{text.count(means.within)} of {text.count(means.compared)} means"
    return (
        f"drawn by another NumPy; {same}: {within} within {means.bound:.1f} standard errors "
        f"(largest {means.largest:.1f})\n"
    )


def _identical(outcome: Outcome, run: Run, work: Work) -> int:
    part = "" if run.done == run.total else f" (of a run of {text.count(run.total)})"
    output.write_out(
        f"identical: {text.count(outcome.trials)} trials{part}, "
        f"{text.drawn_by(outcome.digest, np.__version__)}\n"
    )
    if (other := _other_versions(run)) and not work.quiet:
        output.note(f"note: {other}, and yet the numbers are the same")
    return exits.DONE


def _other_versions(run: Run) -> str:
    """What computed a kept run, where it is not what computes here."""
    other = differing(run.versions)
    if run.versions["ldptui"] == __version__:
        return other
    before = f"computed with ldptui {run.versions['ldptui']}, this is {__version__}"
    return f"{before}, {other}" if other else before


def _play(options: Replay) -> int:
    """Open the workbench on a recording; what is wrong with it is said before that."""
    from .. import start

    reason = start.unfit_terminal()
    if reason is not None:
        raise ScenarioError(reason)
    from ...engine.replay import RunReplay

    store, number = run_or_file(options.run, options.store, options.limits)
    try:
        run_replay = RunReplay(store, number, key=-number)
    except BaseException:
        store.close()
        raise
    return start.open_workbench(Opening(store=options.store), run_replay=run_replay)
