"""The workbench screen: holds the draft and the runs, starts work, and handles its messages.

State flows one way. The screen holds frozen values; widgets get them downward and post messages
upward; an edit makes a new draft, and a draft that is valid is simulated. The store is read and
changed in threads, after the first frame; what comes of it is a new shelf.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.events import Resize
from textual.reactive import var
from textual.screen import Screen
from textual.widget import Widget

from ...engine import Engine
from ...messages import (
    FieldFocused,
    KeyEdited,
    KeysProposed,
    LongWork,
    Noted,
    RunAsked,
    RunProgressed,
    RunsChosen,
    SelectionsChanged,
    TextEdited,
    WorkerChanged,
)
from ...session.autosave import WHOLE, drop_taken
from ...session.draft import edit_key, edit_keys, edit_text
from ...session.shelf import Shelf
from ...session.snapshot import Snapshot
from ...widgets.field import is_typing
from ...widgets.key_hints import KeyHints
from ...widgets.status import StatusLine
from . import file_actions as files
from .desk import Autosave, Background, DraftHistory, LabDoor, ProblemReport, RunDisplay
from .kept_runs import KeptRuns
from .panes import CHARTS, Panes
from .replay_bar import ReplayBar
from .simulating import MakeEngine, Simulations
from .title import KEYS, TitleBar, TooSmall

if TYPE_CHECKING:
    from ...engine.replay import RunReplay
    from ...session.draft import Draft
    from .charts import ChartsPane


class WorkbenchScreen(Screen[None]):
    """Five panes over one draft; what is simulated of it; a replay; dialogs.

    draft : the scenario that is worked on. shelf : the runs, and which are shown. pane : the
    number of the pane that had the focus last.
    """

    AUTO_FOCUS = ""
    BLANK = True
    BINDINGS: ClassVar[list[BindingType]] = KEYS

    draft: var[Draft | None] = var(None, always_update=True)
    shelf: var[Shelf] = var(Shelf())
    pane: var[int] = var(CHARTS, init=False)

    def __init__(
        self,
        path: Path | None = None,
        engine: MakeEngine = Engine,
        store: Path | None = None,
        run_replay: RunReplay | None = None,
        note: str = "",
        collection: dict[str, Any] | None = None,
    ) -> None:
        super().__init__()
        self._path, self._run_replay, self._first_note = path, run_replay, note
        self._engine, self._replay_bar = engine(self.post_message), ReplayBar()
        self._lab = LabDoor(self, type(self._engine), collection)
        self._saving, self._background = Autosave(self), Background(self)
        self.past = DraftHistory(self)
        self.simulating = Simulations(
            self, self._engine, store, lambda: self._replay_bar.replay is not None
        )
        self._kept = KeptRuns(self, store, self.simulating)
        self._chosen = False  # somebody said by hand what is to be shown
        self._field = ""  # the key of the field that had the focus last
        self._field_of: Widget | None = None
        self._back_to = CHARTS  # the pane that a replay was started from
        self._panes = Panes(id="body")
        self._refused = ProblemReport(self, self._panes)
        self._showing = RunDisplay(self, self._panes, self._replay_bar)
        self._too_small, self._title = TooSmall(id="too-small"), TitleBar()
        self._status, self._hints = StatusLine(), KeyHints()

    def compose(self) -> ComposeResult:
        self._arrange()  # the first frame may come before a size is told
        yield self._title
        yield self._panes
        yield self._too_small
        yield self._replay_bar
        yield self._status
        yield self._hints

    def on_mount(self) -> None:
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        """After the first frame: start the worker, load what is heavy, then the first draft."""
        self.run_worker(self._engine.start(), exit_on_error=False)
        self.run_worker(self._load_first_draft())

    async def _load_first_draft(self) -> None:
        loading = asyncio.to_thread(files.first_draft, self._path, self._run_replay)
        load = asyncio.create_task(loading)
        await self._panes.mount_forms()
        self._arrange()
        draft, note = await load
        if not self.is_mounted:
            return
        self.draft = draft
        if self._path is not None:
            self.charts.open_on(draft)
        self.note("; ".join(filter(None, (self._first_note, note))))
        self._lab.begin()
        self.set_timer(5.0, drop_taken)
        if self._run_replay is not None:
            self.play(self._run_replay, draft)
        elif self.focused is None:
            self.action_pane(CHARTS if self._title.pane else 1)
        await self._kept.list_all()
        if self.is_mounted and self._replay_bar.replay is None:
            await self._kept.show_last(lambda: self._chosen)
            await self._kept.offer_to_resume()

    def on_resize(self, event: Resize) -> None:
        self._arrange()
        self._too_small.cover(self, event.size)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Nothing is done to what cannot be seen, and nothing zoomed where a pane is alone."""
        if action == "repair":
            return self._refused.can_repair(self.focused)
        is_met = action == "lab" and parameters[1:] and self._lab.has_met(str(parameters[0]))
        return not (
            is_met or self.has_class("-small") or (action == "zoom" and self._panes.cramped)
        )

    def _arrange(self) -> None:
        """Lay out all panes, or the current one alone in a small terminal."""
        alone = self._panes.lay_out(self.app.size, self.pane)
        self._title.pane = self.pane if alone else 0
        self.refresh_bindings()
        self._hints.back = self._panes.back
        self._status.problem = self._refused.words()

    def watch_pane(self) -> None:
        if self.is_mounted and self._title.pane:
            self._arrange()

    def action_zoom(self) -> None:
        """Give the pane with the focus the whole screen, or show all panes again."""
        self._panes.zoomed = not self._panes.zoomed
        self._arrange()

    def action_pane(self, number: int, control: Widget | None = None) -> None:
        """Show a pane and put the focus into it: on that control, else on the last one."""
        if number in self._panes:
            self.pane = number
            self._panes.enter(number, control)

    def on_descendant_focus(self) -> None:
        """The pane with the focus is the one shown where there is room for one only."""
        if (number := self._panes.open_focused(self.focused)) is not None:
            self.pane = number
        self._status.problem = self._refused.words()

    def on_field_focused(self, message: FieldFocused) -> None:
        self._field, self._field_of = message.key, self.focused

    def on_noted(self, message: Noted) -> None:
        self.note(message.note)

    def note(self, note: str) -> None:
        self._status.note = note

    def busy(self, doing: str) -> None:
        self._status.busy = doing

    @property
    def charts(self) -> ChartsPane:
        return self._panes.charts

    def watch_draft(self, before: Draft | None, after: Draft | None) -> None:
        if after is None or not self.is_mounted:
            return
        if before is None or before.scenario != after.scenario:
            self.simulating.preview_soon(edited=True)  # the worker computes while the panes draw
        self._title.show_title(after.title, after.is_modified)
        if after.problems and is_typing(self.focused):  # a number half typed is no problem yet
            self._refused.tell_later(after)
            self._status.problem = ""
        else:
            self.tell_problems()
        if after.unread is not None:
            self.run_worker(self._background.read_population(after.unread), exit_on_error=False)
        self._lab.follow()
        self._saving.soon()

    def tell_problems(self) -> None:
        """Show what is wrong with the draft below its fields and in the status line."""
        self._refused.tell()
        self._status.problem = self._refused.words()
        self.refresh_bindings()

    def on_value_input_ended(self) -> None:
        if self._refused.is_waiting:
            self.tell_problems()

    def action_repair(self) -> None:
        """Do what the first problem offers."""
        self._refused.repair()

    def on_long_work(self, message: LongWork) -> None:
        message.stop()
        self.run_worker(self._background.work(message))

    def action_mend(self) -> None:
        """Go to the field of the first problem."""
        self._refused.mend()

    def on_key_edited(self, message: KeyEdited) -> None:
        if self.draft is not None:
            self._edit(message.key, edit_key(self.draft, message.key, message.value))

    def take_keys(self, message: KeysProposed) -> None:
        if self.draft is not None:
            self._edit(message.what, edit_keys(self.draft, message.edits, message.sweeps_stay))

    def on_text_edited(self, message: TextEdited) -> None:
        if self.draft is not None:
            self._edit("the script", edit_text(self.draft, message.text))

    def _edit(self, what: str, draft: Draft) -> None:
        self._replay_bar.close()
        self._chosen = True
        before = self.draft
        with self.simulating.hurrying():
            self.take_draft(draft, what)
        self.past.say_dropped(what, before)

    def take_draft(self, draft: Draft, edit: str = WHOLE) -> None:
        """Work on this draft from now on; edits of one key in a row are taken back as one."""
        self.past.remember(edit)
        self.draft = draft

    def open_draft(self, draft: Draft) -> None:
        """Work on another scenario: a replay is left, and no chart of the one before stays."""
        self._replay_bar.close()
        self.shelf = self.shelf.with_choice(0)
        self.charts.overlays, self.charts.snapshot = (), None
        self.take_draft(draft)
        self.charts.open_on(draft)

    def action_undo(self) -> None:
        """Take back the last edit of a form. (The script editor has an undo of its own.)"""
        self.past.undo()

    def action_redo(self) -> None:
        """Make the edit again that was taken back last."""
        self.past.redo()

    def save_draft(self) -> None:
        """Keep the draft for the next start."""
        self._saving.now()

    def on_selections_changed(self, message: SelectionsChanged) -> None:
        message.stop()
        self.simulating.preview_soon()

    def action_run(self, resumed: int | None = None) -> None:
        """Run the scenario with all trials and its sweep; `resumed`: go on with that run."""
        if self.draft is not None and self.draft.problems:
            self._refused.mend()
            self.note(f"nothing ran: {self._refused.words()}")
        else:
            self._replay_bar.close()
            self._chosen = True
            self.simulating.run(resumed)

    def action_cancel(self) -> None:
        """Go back from a zoom, leave a replay, or stop the run. (A field takes escape first.)"""
        playing = self._replay_bar.replay is not None
        stop = self._replay_bar.action_close if playing else self._kept.stop
        (self.action_zoom if self._panes.back else stop)()

    def action_copy_or_cancel(self) -> None:
        """Copy the text that the mouse has selected; where there is none, stop the run."""
        if selected := self.get_selected_text():
            files.copy_text(self, selected)
        else:
            self.action_cancel()

    @property
    def run_to_leave(self) -> Snapshot | None:
        """The run that was asked for and is active: who quits is asked about it."""
        running = self.shelf.active
        return running if running is not None and running.full else None

    def on_run_progressed(self, message: RunProgressed) -> None:
        if self.simulating.take(message.snapshot):
            self.run_worker(self._kept.list_all(), group="kept runs", exclusive=True)

    def on_worker_changed(self, message: WorkerChanged) -> None:
        # The versions of one that is ready are news to nobody; that one died is.
        if message.alive:
            self._status.tooltip = message.note
        elif message.note:
            self.note(message.note)

    async def shut_down(self) -> None:
        """Stop the workers; no process is left behind."""
        await asyncio.gather(self._engine.stop(), self._kept.shut_down(), *self._lab.closings())

    def keep(self, shelf: Shelf, soon: bool = False) -> None:
        """Show this shelf; soon: in a moment, unless there is more to show before."""
        self.shelf = shelf
        if soon:
            self._showing.soon()
        else:
            self.show()

    def show(self) -> None:
        if self.is_mounted:
            self._status.snapshot = self._showing.now(self.shelf)
            self._hints.stops = self.shelf.stops

    def on_runs_chosen(self, message: RunsChosen) -> None:
        message.stop()
        self.choose(message.shown, message.overlays)

    def choose(self, shown: int, overlays: tuple[int, ...] = (), note: str = "") -> None:
        self._replay_bar.close()
        self.past.put_back()
        self._chosen = True
        self.keep(self.shelf.with_choice(shown, overlays))
        self.run_worker(self._kept.read_chosen(note))

    def on_run_asked(self, message: RunAsked) -> None:
        message.stop()
        if message.what == "restore":
            self.run_worker(self._kept.put_back())
        elif (run := self.shelf.run(message.key)) is not None:
            self.run_worker(self._kept.fulfil(message.what, run))

    def play(self, replay: RunReplay, draft: Draft) -> None:
        """Show the scenario of a run while it is replayed; then the draft is back."""
        if self.draft is None or self.draft.document != draft.document:
            self.past.put_aside()
            self.draft = draft
        self.shelf = self.shelf.with_choice(self.shelf.shown)
        self._back_to = self.pane
        self.action_pane(CHARTS)
        self._replay_bar.play(replay)

    def on_replay_bar_frame_changed(self) -> None:
        self.show()

    def on_replay_bar_closed(self) -> None:
        self.past.put_back()
        self.show()
        self.simulating.preview_soon(edited=True)
        self.action_pane(self._back_to)

    def action_lab(self, show: str = "", is_hint: bool = False) -> None:  # noqa: ARG002
        """Go to the lab. show : a topic, or reports. is_hint : of a key shown until it was used."""
        self._lab.open(show)

    def action_help(self) -> None:
        from ..help_screen import HelpScreen

        field = self._field if self.focused is self._field_of else ""
        self.app.push_screen(HelpScreen(field, tuple(self.active_bindings.values())))

    def action_open(self) -> None:
        files.open_any(self, lambda path: self.run_worker(self._kept.open_file(path)))

    def action_save(self) -> None:
        files.save(self)

    def action_export(self) -> None:
        files.export(self, lambda run, out: self.run_worker(self._kept.write_trials(run, out)))

    def action_copy(self) -> None:
        files.copy_shown(self)
