"""Kept runs and recordings, checked and played back: ldptui replay."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

from ldptui.core.base.errors import ScenarioError
from ldptui.core.store import Run, differing, redrawn
from ldptui.core.store.replay import Agreement, compared
from ldptui.core.store.replay import Replay as Outcome
from ldptui.core.store.replay import replay as replay_run

from ... import __version__
from ...session import attack_options
from ...terminal import exits, output
from ...text import format as text
from .. import progress
from ..door import Work
from ..opening import Opening
from ..options import Replay
from .opening import run_or_file
from .plotting import replay_figure


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
    from ...engine.playback import Playback

    store, number = run_or_file(options.run, options.store, options.limits)
    try:
        playback = Playback(store, number, key=-number)
    except BaseException:
        store.close()
        raise
    return start.open_workbench(Opening(store=options.store), playback=playback)
