"""The simulations of the draft: previews, runs, and the question whether Python code may run."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec.structs import replace
from textual.message import Message

from ...engine.engine import Engine
from ...session.attack_options import unseen_code
from ...session.runs import Run, alike, may_change
from ...session.snapshot import Request, Snapshot, with_rest
from .draft_screen import BURST_S, DraftScreen

if TYPE_CHECKING:
    from ldptui.core.scenario import Scenario
    from ldptui.core.view import TrialEstimates

    from ...session.consent import Agreed
    from ...session.draft import Draft
    from ...session.snapshot import ChartSelection


MakeEngine: TypeAlias = Callable[[Callable[[Message], object]], Engine]
"""Makes an engine from the function that it posts its news with."""


class Simulations:
    """Asks the engine for the numbers that the charts need; pauses while a replay is shown.

    engine : runs the simulations, and posts messages to the screen.
    store : the file in which runs are stored; None for none.
    """

    def __init__(self, screen: DraftScreen, engine: Engine, store: Path | None) -> None:
        self._screen, self._engine, self._store = screen, engine, store
        self._agreed: tuple[Agreed, ...] = ()  # the code that may run, until the app ends
        self._key = 0  # of the last request
        self._previewed: tuple[object, ...] = ()  # the document and the cells
        self._full: int | None = None  # the key of the run asked for, while it goes on
        self._waits = False  # a preview does, for the end of that run
        self._last = 0.0  # when the last edit came
        self._edited = True  # since the last preview: the run shown may give way
        self._asked = False  # for a run, before there was a scenario to run
        self._before: Snapshot | None = None  # the preview that this one goes on from

    def preview_soon(self, *, edited: bool = False) -> None:
        """Start a preview when a burst of edits is over.

        edited : the scenario was edited; if False, the run that is shown stays.
        """
        self._edited = self._edited or edited
        self._screen.later("preview", BURST_S, self.preview)

    def hurry(self) -> None:
        """Start the pending preview of a single edit at once."""
        before, self._last = self._last, time.monotonic()
        if self._last - before > BURST_S and self._screen.waits_for("preview"):
            self.preview()

    def preview(self) -> None:
        """Simulate the draft with few trials on the counts path, as far as the charts need it.

        A finished run of the scenario is shown in place of a preview, which then only adds cells
        that the run lacks. A run of other settings stays until an edit. Cells that are measured
        already are not measured again.
        """
        draft, screen = self._screen.draft, self._screen
        screen.drop("preview")
        if draft is None or draft.scenario is None or screen.replay_bar.replay is not None:
            return
        if self._asked:
            self.run()
            return
        if self._edited and not (screen.run_list.active and screen.run_list.active.full):
            self._show_measured(draft.scenario.document)
        selections = screen.charts.selections(draft)
        shown = None if self._edited else screen.run_list.run(screen.run_list.shown)
        stays = None if self._edited else screen.run_list.on_show
        self._before = None
        if shown is not None and alike(shown.document, draft.scenario.document):
            selections = self._lacking(selections, draft.scenario)
            live = screen.run_list.preview
            if live is not None and alike(live.document, draft.scenario.document):
                self._before = live.snapshot
        elif stays is not None:
            return
        asked = (draft.scenario.document, *selections)
        self._waits = self._full is not None
        self._edited = self._edited and self._waits
        if selections and asked != self._previewed and not self._waits:
            self._previewed = asked
            run = self._ask(draft, selections)
            if self._before is not None:
                run = replace(run, snapshot=with_rest(run.snapshot, self._before))
            screen.keep(screen.run_list.begun(run, shown=stays is None), soon=True)

    def _show_measured(self, document: Mapping[str, Any]) -> None:
        """Show the run that has measured this scenario already, if there is one."""
        measured = self._screen.run_list.measured_run(document)
        if measured is not None:
            self._edited = False
            self._screen.keep(
                self._screen.run_list.with_choice(measured.key, self._screen.run_list.overlays)
            )

    def _lacking(
        self, selections: Sequence[ChartSelection], scenario: Scenario
    ) -> tuple[ChartSelection, ...]:
        """The selections that the shown results do not cover."""
        from ...charts.curves import points_of, select_cells

        picture = self._screen.run_list.picture
        if picture is None:
            return tuple(selections)

        def is_there(selection: ChartSelection) -> bool:
            if selection.detection and picture.detection is None:
                return False
            if selection.by_trial and trial_estimates_of(picture, selection) is None:
                return False
            points = points_of(select_cells(scenario, selection).document, scenario)
            cells = [picture.table.at(point.parameters) for point in points]
            is_running = picture.status == "running"
            return all(
                cell is not None and (cell.trials >= cell.wanted or not is_running)
                for cell in cells
            ) and (not selection.estimates or picture.cell_at_cursor in cells)

        return tuple(each for each in selections if not is_there(each))

    def run(self, resumed: int | None = None) -> None:
        """Run all trials of the scenario and its sweep, unless a finished run has them.

        If the scenario is still being read, the run starts when that is done.
        """
        draft, run_list = self._screen.draft, self._screen.run_list
        self._asked = draft is None or draft.scenario is None
        if draft is None or draft.scenario is None:
            return
        measured = run_list.measured_run(draft.scenario.document, at_hand=False)
        changing = may_change(draft.scenario.document)
        if resumed is None and measured is not None and not changing:
            self._edited = False
            why = f"{measured.name} has every trial of this scenario: nothing to run"
            self._screen.choose(measured.key, run_list.overlays, why)
            return
        if changing:  # it asks for Python code
            asking = self._ask_and_begin(draft, resumed)
            self._screen.app.run_worker(
                asking, group="consent", exclusive=True, exit_on_error=False
            )
        else:
            self._begin(draft, resumed)

    def _begin(self, draft: Draft, resumed: int | None) -> None:
        self._edited = False
        self._screen.charts.show_sweep(draft)
        selections = self._screen.charts.selections(draft)
        self._previewed = ()
        self._full = self._key + 1
        run = self._ask(draft, selections, True, resumed)
        self._screen.keep(self._screen.run_list.begun(run))

    def _ask(
        self, draft: Draft, selections: Sequence[ChartSelection], full: bool = False,
        resumed: int | None = None,
    ) -> Run:  # fmt: skip
        """Request a preview, or a full run, which is stored; returns the run."""
        assert draft.scenario is not None
        self._key += 1
        # Fewer redraws over a network.
        interval = 1.0 if os.environ.get("SSH_CONNECTION") else 0.25
        store, source = str(self._store or ""), str(draft.path or "")
        request = Request(
            self._key, draft.scenario.document, str(draft.folder), tuple(selections), full,
            interval, store if full else "", source if full else "", resumed, self._agreed,
        )  # fmt: skip
        self._engine.run(request)
        snapshot = Snapshot(self._key, "running", full=full, kept=resumed)
        return Run(self._key, request.document, snapshot, time.time(), draft.title)

    async def _ask_and_begin(self, draft: Draft, resumed: int | None) -> None:
        """Run a scenario with plug-in code, if the user lets it run."""
        allowed = await self.ask_consent(draft)
        if (
            allowed
            and self._screen.draft is not None
            and self._screen.draft.scenario == draft.scenario
        ):
            if self._agreed:  # what is shown may be of code that was edited since
                self._screen.charts.snapshot = None
            self._begin(draft, resumed)

    async def ask_consent(self, draft: Draft) -> bool:
        """Ask once whether a scenario's plug-in code may run; returns True if the user allows all
        of it.

        Code that cannot be found is not asked about; the worker reports it.
        """
        from ..dialogs.prompts import ConsentScreen

        screen = self._screen
        screen.busy("looking for the code that the scenario asks for …")
        document = draft.scenario.document if draft.scenario is not None else {}
        request = Request(0, document, str(draft.folder), agreed=self._agreed)
        unseen = await self._engine.find_unseen_code(request, unseen_code)
        screen.busy("")
        if unseen and not await screen.app.push_screen_wait(ConsentScreen(unseen)):
            names = " and ".join(f"{code.what} {code.name!r}" for code in unseen)
            screen.note(f"nothing ran: the {names} is not allowed")
            return False
        self._previewed = ()  # it may have been refused
        self._agreed = (*self._agreed, *(code.consent_key for code in unseen))
        return True

    def cancel(self) -> None:
        """Stop the run; finished trials stay."""
        self._asked = False
        if self._screen.run_list.active is not None:
            self._engine.cancel()
        else:
            self._screen.note("nothing runs; ctrl+q quits")

    def take(self, snapshot: Snapshot) -> bool:
        """Take over a snapshot of a run from the engine; returns True if the store's list of runs
        has changed.
        """
        running, before = snapshot.status == "running", self._screen.run_list
        if not snapshot.full and self._before is not None:
            snapshot = with_rest(snapshot, self._before)
        self._screen.keep(before.heard(snapshot), soon=running and not snapshot.full)
        if not running and snapshot.key == self._full:
            self._full = None
            if self._waits:
                self.preview_soon()
        return snapshot.full and not (running and self._screen.run_list.numbers == before.numbers)


def trial_estimates_of(picture: Snapshot, selection: ChartSelection) -> TrialEstimates | None:
    """The estimates of single trials that a snapshot has for a selection of cells; None if it has
    none.
    """
    if not selection.estimates:
        return picture.by_trial
    return picture.at_cell.by_trial if picture.at_cell is not None else None
