"""Kept runs and recordings, checked and played back: ldptui replay."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path

import numpy as np

from ldptui.core.base.errors import ScenarioError
from ldptui.core.store import differing, redrawn
from ldptui.core.store.replay import replay as replay_run

from ... import __version__
from ...session import attack_options
from ...terminal import exits, output
from ...text import format as text
from .. import progress
from ..door import Work
from .opening import run_or_file
from .plotting import replay_figure


def replay(options: Namespace) -> int:
    """Compute a run again and compare; 0 if identical. With --show, play it back."""
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
        try:
            outcome = replay_run(store, number, work.workers, show=bar.show, experiment=experiment)
        finally:
            bar.erase()
    other = differing(run.versions)
    if run.versions["ldptui"] != __version__:
        before = f"computed with ldptui {run.versions['ldptui']}, this is {__version__}"
        other = f"{before}, {other}" if other else before
    if not outcome.difference:
        part = "" if run.done == run.total else f" (of a run of {text.count(run.total)})"
        output.write_out(
            f"identical: {text.count(outcome.trials)} trials{part}, "
            f"{text.drawn_by(outcome.digest, np.__version__)}\n"
        )
        if other and not work.quiet:
            output.note(f"note: {other}, and yet the numbers are the same")
        return exits.DONE
    output.write_out(f"different: {outcome.difference}\n")
    if other:
        output.note(f"note: {other}: numbers may differ for that reason")
    if redrawn(run.versions):
        known = run.versions["numpy"]
        output.note(
            "note: from 2.5 on NumPy draws large binomials otherwise (docs/sources.md); "
            f"`pip install numpy=={known}` under Python {run.versions['python']} would match"
        )
    return exits.FAILED


def _play(options: Namespace) -> int:
    """Open the workbench on a recording; what is wrong with it is said before that."""
    from .. import start

    reason = start.unfit_terminal()
    if reason is not None:
        raise ScenarioError(reason)
    from ...engine.playback import Playback

    store, number = run_or_file(options.run, options.store, options.limits)
    try:
        playback = Playback(store, number, key=-number)
    except BaseException:
        store.close()
        raise
    return start.open_workbench(None, store=options.store, playback=playback)
