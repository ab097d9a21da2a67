"""Charts for paper: ldptui plot; and the scenario that each of them carries."""

from __future__ import annotations

import base64
import json
import re
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from core.errors import FileError, RunError, ScenarioError, got
from core.experiment import compile  # noqa: A004
from core.scenario import parse, to_toml
from core.store import Store, begin, open_store

from ... import __version__, exits
from ...api import charted
from ...charts.rows import LIGHT
from ...session import attack_options
from ...terminal import output
from ...text import format as text
from .. import reading, reporting
from .keeping import kept, measure
from .opening import run_or_file

if TYPE_CHECKING:
    from ...charts.series import Chart

SUFFIXES: Final = (".svg", ".pdf", ".png", ".pgf", ".txt")
MARK: Final = "ldptui-scenario:"
COLUMNS, ROWS = 100, 32  # of a figure in text


def plot(options: Namespace) -> int:
    """Draw a run, or what a scenario measures, for paper, and write it to a file."""
    out = reporting.check_output(options)
    if out is None or out.suffix not in SUFFIXES:
        raise ScenarioError(
            f"must end in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}, {got(str(options.out))}",
            key="--out",
        )
    if out.suffix != ".txt":
        charted.check_matplotlib()
    store, number = _measured(options)
    run = store.run(number)  # the playback closes the store
    chart = charted.chart_of(options.chart, *charted.played(store, number))
    trials = f"{text.count(run.done)} trials"
    caption = f"{run.title} · seed {run.document.get('seed', 0)} · {trials} · {run.digest}"
    embedded = _embedded(run.document, run.digest)
    if out.suffix == ".txt":
        out.write_text(_in_text(chart, caption, embedded), encoding="utf-8")
    else:
        from ...charts.draw.paper import write_figure

        write_figure(chart, out, columns=options.columns, caption=caption, embedded=embedded)
    if not options.quiet:
        output.note(f"wrote {out}; ldptui replay {out} computes it again")
    return exits.DONE


def _measured(options: Namespace) -> tuple[Store, int]:
    """The run asked for; a scenario is simulated, and kept nowhere."""
    word = options.scenario
    if word == "last" or word.isdigit():
        return run_or_file(word, options)
    scenario, source = reading.scenario_of(options)
    experiment = attack_options.permitted(compile(scenario, limits=options.limits), options)
    store = open_store(None)
    options.frequencies = True
    memory = begin(store, experiment, __version__, source=source, fresh=True, frequencies=True)
    results = kept(memory, experiment, options)
    if memory.failure or not results.ended:
        raise RunError(memory.failure or "the run was stopped: nothing is drawn")
    return store, memory.run


def _in_text(chart: Chart, caption: str, embedded: str) -> str:
    from ...charts.draw import draw

    rows = [strip.text.rstrip() for strip in draw(chart, COLUMNS, ROWS, LIGHT)]
    return "\n".join([*rows, "", caption, embedded, ""])


# The scenario in the file.


def _embedded(document: Any, digest: str) -> str:
    """The scenario and its digest, in letters that every format keeps as they are."""
    whole = json.dumps({"scenario": document, "digest": digest}, ensure_ascii=True)
    return MARK + base64.b64encode(whole.encode()).decode()


def carried(path: Path) -> tuple[dict[str, Any], str] | None:
    """The scenario that a figure carries, and its digest; None where the file carries none."""
    try:
        match = re.search(MARK.encode() + rb"([A-Za-z0-9+/=]+)", path.read_bytes())
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}") from None
    if match is None:
        return None
    try:
        whole = json.loads(base64.b64decode(match[1]))
        return dict(whole["scenario"]), str(whole["digest"])
    except (ValueError, KeyError, TypeError):
        raise FileError(f"{path}: the scenario in it is damaged") from None


def replay_figure(path: Path, options: Namespace) -> int | None:
    """Compute the scenario of a figure again; None where the file is none."""
    figure = carried(path) if path.suffix in SUFFIXES else None
    if figure is None:
        return None
    document, before = figure
    scenario = parse(to_toml(document), folder=path.parent)
    experiment = attack_options.permitted(compile(scenario, limits=options.limits), options)
    options.keep, options.frequencies = False, False
    digest = measure(experiment, options, "").digest
    if digest == before:
        drawn = f"{digest}, drawn by NumPy {np.__version__}"
        output.write_out(f"identical: {text.count(experiment.trials)} trials, {drawn}\n")
        return exits.DONE
    output.write_out(f"different: the figure has {before}, computed again it is {digest}\n")
    return exits.FAILED
