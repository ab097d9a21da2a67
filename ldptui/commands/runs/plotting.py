"""Charts for paper: ldptui plot, and ldptui replay of the file."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np

from ldptui.core.base.errors import RunError, ScenarioError, got
from ldptui.core.base.files import write_atomically
from ldptui.core.scenario import parse, to_toml
from ldptui.core.store import Store, begin, open_store

from ... import __version__
from ...api import charted
from ...charts.rows import ANSI_LIGHT, Look
from ...charts.series import Chart
from ...charts.series import Plot as Drawing
from ...session import attack_options, figure
from ...session.figure import DRAWN
from ...terminal import exits, output
from ...text import format as text
from .. import progress, reading
from ..door import Work, written_to
from ..options import Plot
from .keeping import bound, kept
from .opening import run_or_file

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
    run = store.run(number)  # the playback closes the store
    scenario, shown = charted.played(store, number)
    try:
        permit = partial(attack_options.permitted, code=work.code)
        chart = charted.chart_of(options.chart, scenario, shown, options.metric, permit)
    except ScenarioError as error:
        option = f"--{error.key}" if error.key in ("chart", "metric") else error.key
        raise ScenarioError(error.rule, option) from error
    numpy = str(run.versions["numpy"])
    caption = figure.caption(run.title, run.seed, run.done, run.digest, numpy)
    embedded = figure.embedded(run.document, run.digest, numpy)
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
    memory = begin(store, experiment, __version__, source=source, fresh=True, frequencies=True)
    results = kept(memory, experiment, work)
    if memory.failure or not results.ended:
        raise RunError(memory.failure or "the run was stopped: nothing is drawn")
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
    before = figure.carried(path) if path.suffix in SUFFIXES else None
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
