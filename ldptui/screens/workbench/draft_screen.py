"""The screen that holds the draft and the runs, with what edits do and what is wrong."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace
from textual.reactive import Reactive, var
from textual.screen import Screen

from ...catalogue import key_label
from ...messages import FieldFocused, KeyEdited, KeysProposed, LongWork, StatusNote, TextEdited
from ...session.autosave import WHOLE, Edits, save_draft
from ...session.draft import (
    dropped_sweeps,
    edit_key,
    edit_keys,
    edit_text,
    own_problem,
    read_on,
    repair_of,
    value_of,
)
from ...session.run_list import RunList
from ...session.snapshot import with_rest
from ...terminal.keyboard import UNDO, key_of
from ...widgets.delays import call_after
from ...widgets.field import is_typing, write
from ...widgets.key_hints import KeyHints
from ...widgets.status import StatusLine
from .panes import CHARTS, Panes
from .replay_bar import ReplayBar
from .title import NAMES

if TYPE_CHECKING:
    from textual.timer import Timer
    from textual.widget import Widget

    from ...engine.replay import RunReplay
    from ...session.draft import Draft, PendingWork
    from ...session.snapshot import Snapshot
    from .charts import ChartsPane

REST_S: Final = 0.4
"""Seconds that typing rests before anything is said about what is typed."""
AUTOSAVE_S: Final = 2.0
PATIENCE_S: Final = 0.18
"""A preview that is over sooner is drawn once, when it is over."""
BURST_S: Final = 0.02
"""Seconds from the last edit of a burst to the work for it."""


class DraftScreen(Screen[None]):
    """The base of the workbench screen: the draft, the runs, and the actions on both.

    draft : the scenario being edited.
    run_list : the runs, and which are shown.
    pane : the number of the pane that had the focus last.
    """

    focused = Reactive(None, repaint=False)  # else each key that moves it would draw all panes
    draft: var[Draft | None] = var(None, always_update=True)
    run_list: var[RunList] = var(RunList())
    pane: var[int] = var(CHARTS, init=False)

    def __init__(self) -> None:
        super().__init__()
        self.panes, self.replay_bar = Panes(id="body"), ReplayBar()
        self.status, self.hints = StatusLine(), KeyHints()
        self.is_chosen = False  # somebody said by hand what is to be shown
        self.pending_figure: Callable[[], bool] | None = None  # True once it needs no more
        self._put_off: dict[str, Timer] = {}
        self._edits = Edits()
        self._aside: Draft | None = None  # what is worked on again after a replay
        self._back_to = CHARTS  # the pane that a replay was started from
        self._reading: PendingWork | None = None
        self._wanted: dict[str, LongWork] = {}  # by kind
        self._field = ""  # the key of the field that had the focus last
        self._field_of: Widget | None = None

    def later(self, what: str, seconds: float, call: Callable[[], object]) -> None:
        """Call a function after some seconds; a later call or `drop` of the same `what`
        cancels it.
        """
        self.drop(what)

        def act() -> None:
            self._put_off.pop(what, None)
            call()

        self._put_off[what] = call_after(self, seconds, act)

    def drop(self, what: str) -> None:
        """Cancel the deferred action named `what`."""
        if (timer := self._put_off.pop(what, None)) is not None:
            timer.stop()

    def waits_for(self, what: str) -> bool:
        """True while the action named `what` is deferred."""
        return what in self._put_off

    @property
    def charts(self) -> ChartsPane:
        return self.panes.charts

    def note(self, note: str, *, stays: bool = False) -> None:
        """Show a note in the status line for a few seconds, or with `stays` until the next key."""
        self.status.note = note
        if stays:
            self.status.keep_note()

    def on_status_note(self, message: StatusNote) -> None:
        self.status.take(message)

    def busy(self, doing: str) -> None:
        """Show in the status line the computation in progress; "" for none."""
        self.status.busy = doing

    def on_field_focused(self, message: FieldFocused) -> None:
        self._field, self._field_of = message.key, self.focused
        self.status.drop_refusal()

    def action_pane(self, number: int, control: Widget | None = None) -> None:
        """Show a pane and put the focus on `control`, or on the control that had it last."""
        if number in self.panes:
            self.pane = number
            self.panes.enter(number, control)

    # Edits.

    def on_key_edited(self, message: KeyEdited) -> None:
        if self.draft is None:
            return
        draft = edit_key(self.draft, message.key, message.value)
        problem = own_problem(draft, message.key)
        if message.undo_step and problem and own_problem(self.draft, message.key) is None:
            message.undo_step()
            self.status.take(StatusNote(f"{self._label(message.key)} {problem.message}", True))
        else:
            self._edit(message.key, draft)

    def take_keys(self, message: KeysProposed) -> None:
        if self.draft is not None:
            self._edit(message.what, edit_keys(self.draft, message.edits, message.sweeps_stay))

    def on_text_edited(self, message: TextEdited) -> None:
        if self.draft is not None:
            self._edit("the script", edit_text(self.draft, message.text))

    def _edit(self, what: str, draft: Draft) -> None:
        before, self.is_chosen = self.draft, True
        self.status.drop_refusal()
        self.replay_bar.close()
        self.take_draft(draft, what)
        lost = dropped_sweeps(before, draft) if before and not what.startswith("sweep") else ""
        if lost:
            back = key_of(self.app, *UNDO)
            self.note(f"the sweep of {lost} went with that; {back} brings it back")

    def take_draft(self, draft: Draft, edit: str = WHOLE) -> None:
        """Make this the current draft; consecutive edits of one key are one step of undo.

        During a replay the replayed scenario is edited; undo then returns to the draft from before
        the replay.
        """
        before, self._aside = self._aside, None
        for what, draft_before in ((WHOLE, before), (edit, self.draft)):
            if draft_before is not None:
                self._edits = self._edits.with_edit(what, draft_before, time.monotonic())
        self.draft = draft

    def open_draft(self, draft: Draft) -> None:
        """Make another scenario the current draft, leave a replay and clear the charts."""
        self.replay_bar.close()
        self.run_list = self.run_list.with_choice(0)
        self.charts.overlays, self.charts.snapshot = (), None
        self.take_draft(draft)
        self.charts.open_on(draft)
        self.call_after_refresh(self.ask_column)

    def action_undo(self) -> None:
        """Take back the last edit of a form. (The script editor has an undo of its own.)"""
        if self.draft is None or not self._edits.past:
            self.note("nothing to undo")
        else:
            key, self.draft, self._edits = self._edits.undone(self.draft)
            value = value_of(self.draft, key)
            self.note(
                f"{self._label(key)} is {'as it was' if value is None else f'{write(value)} again'}"
            )

    def action_redo(self) -> None:
        """Redo the edit that was undone last."""
        if self.draft is None or not self._edits.future:
            self.note("nothing to redo")
        else:
            key, self.draft, self._edits = self._edits.redone(self.draft)
            self.note(f"{self._label(key)} is edited again")

    def save_draft(self) -> None:
        """Store the draft for the next start; an error becomes a note."""
        if self.draft is None:
            return
        earlier = (draft for _, draft in reversed(self._edits.past) if not draft.problems)
        fault = save_draft(self.draft, next(earlier, None) if self.draft.problems else None)
        if fault:  # else what is said now stays
            self.note(fault)

    def play(self, replay: RunReplay, draft: Draft) -> None:
        """Show the scenario of a run while it is replayed; afterwards the draft is restored."""
        if self.draft is None or self.draft.document != draft.document:
            self._aside = self._aside or self.draft
            self.draft = draft
        self.run_list = self.run_list.with_choice(self.run_list.shown)
        self._back_to = self.pane
        self.action_pane(CHARTS)
        self.replay_bar.play(replay)

    def on_replay_bar_frame_changed(self) -> None:
        self.show()

    def put_back(self) -> None:
        """Restore the draft that was replaced by a replay, if there is one."""
        draft, self._aside = self._aside, None
        if draft is not None:
            self.draft = draft

    # Problems.

    def show_draft(self, draft: Draft) -> None:
        """Pass the draft to the panes; problems of a half-typed value are shown when
        typing pauses.
        """
        if draft.problems and is_typing(self.focused):
            self.panes.hand(replace(draft, problems=(), parses=True))
            self.status.problem = ""
            self.later("problems", REST_S, self.tell_problems)
        else:
            self.tell_problems()

    def tell_problems(self) -> None:
        """Show the problems of the draft below their fields and in the status line."""
        self.drop("problems")
        if self.draft is not None:
            self.panes.hand(self.draft)
        self.status.problem = self.problem_words()
        self.refresh_bindings()

    def on_value_input_edit_end(self) -> None:
        if self.waits_for("problems"):
            self.tell_problems()

    def problem_words(self) -> str:
        """The first problem of the draft and the number of others; if a pane shows it, the name of
        the pane; "" if there is none.

        Each sentence is shown once: below its field or in the script, if they are visible, else in
        the status line.
        """
        draft = self.draft
        if draft is None or not draft.problems or self.waits_for("problems"):
            return ""
        if (repair := repair_of(draft)) is not None:
            return repair.words
        first, others = draft.problems[0], len(draft.problems) - 1
        more = f" (and {others} more)" if others else ""
        number = self.panes.find_pane(first)
        if number is None:
            return f"{self._label(first.key)} {first.message}".strip() + more
        line = f"line {first.line} of the script" if first.line else "the script"
        key = key_of(self.app, f"pane.{number}", str(number))
        return f"{self._label(first.key) or line} is wrong: fix it in {NAMES[number]} ({key}){more}"

    def _label(self, key: str) -> str:
        """The label of the row of a key, or the name of the key, with its dotted key."""
        place = self.panes.field(key)
        title = place[1].label.strip() if place is not None else ""
        return f"{title} ({key})" if title else key_label(key)

    @property
    def can_repair(self) -> bool:
        """True if enter applies the repair that the first problem offers; never while the user
        types.
        """
        if self.draft is None or self.waits_for("problems") or repair_of(self.draft) is None:
            return False
        return not is_typing(self.focused)

    def action_repair(self) -> None:
        """Apply the repair that the first problem offers."""
        if self.draft is not None and (repair := repair_of(self.draft)) is not None:
            self.take_draft(edit_key(self.draft, repair.key, repair.value), repair.key)

    def action_mend(self) -> None:
        """Focus the field of the first problem."""
        problems = self.draft.problems if self.draft is not None else ()
        place = self.panes.field(problems[0].key) if problems else None
        if place is not None:
            number, field = place
            self.action_pane(number, field.control)

    def ask_column(self) -> None:
        """Focus the field of the column that a table of people lacks, and say how to choose it."""
        problems = self.draft.problems if self.draft is not None else ()
        if problems and problems[0].key == "population.column":
            self.action_mend()
            self.note("choose the column of the table: ← → go through its names", stays=True)

    # Work that takes long.

    async def read_population(self, origin: PendingWork) -> None:
        """Read a large population in a thread, then bind the draft."""
        if self._reading == origin:
            return
        self._reading = origin
        await asyncio.sleep(BURST_S)
        if self._reading != origin:
            return
        self.busy(f"{origin.doing} …")
        try:
            await asyncio.to_thread(origin.read)
            # What is bound to it, targets in their order, takes long as well.
            while (draft := self.draft) is not None and draft.unread == origin:
                read = await asyncio.to_thread(read_on, draft)
                if self.draft is draft:
                    self.draft = read
        finally:
            if self._reading == origin:
                self._reading = None
                self.busy("")

    def on_long_work(self, message: LongWork) -> None:
        message.stop()
        self._wanted[message.kind] = message
        self.run_worker(self._work(message))

    async def _work(self, message: LongWork) -> None:
        """Do the slow work that a pane posted, unless newer work of the same kind was posted."""
        await asyncio.sleep(BURST_S)
        if self._wanted[message.kind] is message:
            message.done(await asyncio.to_thread(message.work))
            self.charts.watch_draft()

    # What is shown.

    def keep(self, run_list: RunList, soon: bool = False) -> None:
        """Replace the list of runs and show it.

        soon : after a short delay, so that several changes are drawn once.
        """
        self.run_list = run_list
        if not soon:
            self.show()
        elif not self.waits_for("show") and self.is_mounted:
            self.later("show", PATIENCE_S, self.show)

    def show(self) -> None:
        """Pass the frame of the replay, or the run shown with its overlays, to the panes."""
        if not self.is_mounted:
            return
        self.drop("show")
        run_list, frame, before = self.run_list, self.replay_bar.frame, self.charts.snapshot
        shown, picture = run_list.run(run_list.shown), frame or run_list.picture
        self.charts.overlays = run_list.laid_over
        if picture is not None:
            goes_on = picture is not frame and picture.status == "running" and before is not None
            self.charts.snapshot = with_rest(picture, before) if before and goes_on else picture
        self.panes.runs.run_list = run_list
        self.status.snapshot = run_list.active or frame or (shown.snapshot if shown else None)
        self.hints.stops = run_list.stops
        if self.pending_figure is not None and self.pending_figure():
            self.pending_figure = None

    @property
    def run_to_leave(self) -> Snapshot | None:
        """The full run in progress, which a dialog asks about before quitting; None if there is
        none.
        """
        running = self.run_list.active
        return running if running is not None and running.full else None

    def action_run(self) -> None:
        """Run the scenario with all trials and its sweep."""
        raise NotImplementedError

    def choose(self, shown: int, overlays: tuple[int, ...] = (), note: str = "") -> None:
        """Show the run with the key `shown`, overlay others, and show a note."""
        raise NotImplementedError
