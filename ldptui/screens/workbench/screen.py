"""The workbench screen: holds the draft and the runs, starts work, and handles its messages.

State flows one way. The screen holds frozen values; widgets get them downward and post messages
upward; an edit makes a new draft, and a draft that is valid is simulated. The store is read and
changed in threads, after the first frame; what comes of it is a new shelf.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.events import Resize
from textual.reactive import Reactive, var
from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget

from ...catalogue import named
from ...engine import Engine
from ...messages import (
    FieldFocused,
    KeyEdited,
    LongWork,
    Noted,
    PartsChanged,
    RoundShown,
    RunAsked,
    RunProgressed,
    RunsChosen,
    TextEdited,
    WorkerChanged,
)
from ...session.autosave import drop_taken, save_draft
from ...session.draft import edited, rekeyed, retyped
from ...session.edits import Edits
from ...session.shelf import Shelf
from ...session.snapshot import Snapshot
from ...widgets.key_hints import KeyHints
from ...widgets.status import StatusLine, in_words
from . import files
from .background import Background
from .kept import KeptRuns
from .keys import KEYS
from .panes import CHARTS, Panes
from .player import Player
from .showing import Showing
from .simulating import MakeEngine, Simulating
from .title import TitleBar
from .too_small import TooSmall

if TYPE_CHECKING:
    from ...engine.playback import Playback
    from ...session.draft import Draft
    from ..lab.screen import LabScreen
    from .charts import ChartsPane

AUTOSAVE_S = 2.0
ROOM_FOR_ALL = 100
"""Columns from which all panes are shown at once; the app's breakpoint for -normal."""


class WorkbenchScreen(Screen[None]):
    """Five panes over one draft; what is simulated of it; a playback; dialogs.

    draft : the scenario that is worked on. shelf : the runs, and which are shown. pane : the
    number of the pane that had the focus last.
    """

    AUTO_FOCUS = ""
    BLANK = True

    BINDINGS: ClassVar[list[BindingType]] = KEYS

    # Values that repaint nothing by themselves: the screen would be drawn whole each time.
    focused = Reactive(None, repaint=False)
    draft: var[Draft | None] = var(None, always_update=True)
    shelf: var[Shelf] = var(Shelf())
    pane: var[int] = var(CHARTS, init=False)

    def __init__(
        self,
        path: Path | None = None,
        engine: MakeEngine = Engine,
        store: Path | None = None,
        playback: Playback | None = None,
        note: str = "",
    ) -> None:
        super().__init__()
        self._path, self._playback, self._first_note = path, playback, note
        self._engine = engine(self.post_message)
        self._lab: LabScreen | None = None
        self._autosave: Timer | None = None
        self._background = Background(self)
        self._kept = KeptRuns(self, store)
        self.simulating = Simulating(
            self, self._engine, store, lambda: self._player.playback is not None
        )
        self._chosen = False  # somebody said by hand what is to be shown
        self._field = ""  # the key of the field that had the focus last
        self._field_of: Widget | None = None
        self._edits = Edits()
        self._panes = Panes(id="body")
        self._player = Player()
        self._showing = Showing(self, self._panes, self._player)
        self._too_small = TooSmall(id="too-small")
        self._status = StatusLine()

    # The picture.

    def compose(self) -> ComposeResult:
        yield TitleBar()
        yield self._panes
        yield self._too_small
        yield self._player
        yield self._status
        yield KeyHints()

    async def on_mount(self) -> None:
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        """After the first frame: start the worker, load what is heavy, then the first draft."""
        self.run_worker(self._engine.start(), exit_on_error=False)
        self._do(self._load_first_draft())

    async def _load_first_draft(self) -> None:
        load = asyncio.create_task(asyncio.to_thread(files.first_draft, self._path, self._playback))
        await self._panes.mount_forms()
        self._arrange()
        draft, note = await load
        files.collect_garbage_again()
        if not self.is_mounted:
            return  # left before it was loaded
        self.draft = draft
        self.note("; ".join(filter(None, (self._first_note, note))))
        self.set_timer(5.0, drop_taken)
        if self._playback is not None:
            self.play(self._playback, draft)
        elif self.focused is None:
            self.action_pane(1 if self.app.size.width >= ROOM_FOR_ALL else CHARTS)
        await self._kept.list_all()
        if self.is_mounted and self._player.playback is None:
            await self._kept.show_last(lambda: self._chosen)
            await self._kept.offer_to_resume()

    def on_resize(self, event: Resize) -> None:
        self._arrange()
        self.set_class(not self._too_small.fits(event.size), "-small")

    def _arrange(self) -> None:
        """Lay out all panes, or the current one alone in a narrow terminal."""
        narrow = self.app.size.width < ROOM_FOR_ALL
        self._panes.lay_out(self.pane if narrow else None)
        self.query_one(TitleBar).pane = self.pane if narrow else 0

    def watch_pane(self) -> None:
        if self.is_mounted and self.app.size.width < ROOM_FOR_ALL:
            self._arrange()

    def action_pane(self, number: int) -> None:
        """Show a pane and put the focus into it."""
        if number in self._panes:
            self.pane = number
            self._panes.enter(number)

    def on_descendant_focus(self) -> None:
        """The pane with the focus is the one shown where there is room for one only."""
        number = self._panes.marked(self.focused)
        if number is not None:
            self.pane = number

    def on_field_focused(self, message: FieldFocused) -> None:
        self._field, self._field_of = message.key, self.focused

    def on_round_shown(self, message: RoundShown) -> None:
        message.stop()
        self._panes.point(message.round)

    def on_noted(self, message: Noted) -> None:
        self.note(message.note)

    def note(self, note: str) -> None:
        self._status.note = note

    def busy(self, doing: str) -> None:
        self._status.busy = doing

    @property
    def charts(self) -> ChartsPane:
        return self._panes.charts

    def _do(self, work: Coroutine[Any, Any, Any]) -> None:
        self.run_worker(work, exit_on_error=True)

    # The draft.

    def watch_draft(self, before: Draft | None, after: Draft | None) -> None:
        if after is None or not self.is_mounted:
            return
        self._panes.hand(after)
        self.query_one(TitleBar).show_title(after.title, after.modified)
        self._status.problem = in_words(after.problems)
        if after.unread is not None:
            self.run_worker(self._background.read_population(after.unread), exit_on_error=False)
        if before is None or before.scenario != after.scenario:
            self.simulating.preview_soon()
        if self._lab is not None and self._lab.is_current:
            self._lab.follow(after, self.shelf.runs)
        if self._autosave is not None:
            self._autosave.stop()
        self._autosave = self.set_timer(AUTOSAVE_S, self.save_draft)

    def on_long_work(self, message: LongWork) -> None:
        message.stop()
        self._do(self._background.work(message))

    def action_mend(self) -> None:
        """Go to the field of the first problem."""
        key = self.draft.problems[0].key if self.draft is not None and self.draft.problems else ""
        place = self._panes.field(key)
        if place is not None:
            number, field = place
            self.action_pane(number)
            self.set_focus(field.control)

    def on_key_edited(self, message: KeyEdited) -> None:
        if self.draft is not None:
            self._edit(message.key, edited(self.draft, message.key, message.value))

    def take_keys(self, edits: Sequence[tuple[str, Any]]) -> None:
        if self.draft is not None:
            self._edit("what the lab found", rekeyed(self.draft, edits))

    def on_text_edited(self, message: TextEdited) -> None:
        if self.draft is not None:
            self._edit("the script", retyped(self.draft, message.text))

    def _edit(self, what: str, draft: Draft) -> None:
        self._player.close()
        self._chosen = True
        self.take_draft(draft, what)

    def take_draft(self, draft: Draft, edit: str = "the scenario") -> None:
        """Work on this draft from now on; edits of one key in a row are taken back as one."""
        if self.draft is not None:
            self._edits = self._edits.with_edit(edit, self.draft.text)
        self.draft = draft

    def open_draft(self, draft: Draft) -> None:
        """Work on the draft of another file; a playback is left."""
        self._player.close()
        self.draft = draft

    def action_undo(self) -> None:
        """Take back the last edit of a form. (The script editor has an undo of its own.)"""
        if self.draft is None or not self._edits.edits:
            self.note("nothing to undo")
            return
        key, text, self._edits = self._edits.undone()
        self.draft = retyped(self.draft, text)
        self.note(f"{named(key)} is as it was")

    def save_draft(self) -> None:
        """Keep the draft for the next start; what goes wrong is said, never raised."""
        fault = save_draft(self.draft) if self.draft is not None else ""
        if fault:  # else what is said now stays
            self.note(fault)

    # What is simulated.

    def on_parts_changed(self, message: PartsChanged) -> None:
        message.stop()
        self.simulating.preview_soon()

    def action_run(self) -> None:
        """Run every trial of the scenario and of its sweep."""
        self.run_whole()

    def run_whole(self, resumed: int | None = None) -> None:
        """Run the draft's scenario whole; `resumed`: going on with that run of the store."""
        if self.draft is None or self.draft.scenario is None:
            return
        if self.draft.problems:
            self.note("the scenario has a problem; the last valid one runs")
        self._player.close()
        self._chosen = True
        self.simulating.run(resumed)

    def action_cancel(self) -> None:
        """Stop the run; what is finished stays. (A field that has the focus takes escape first.)"""
        self.simulating.cancel()

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
        if message.note and not message.alive:
            self.note(message.note)

    async def shut_down(self) -> None:
        """Stop the workers; no process is left behind."""
        labs = [self._lab.shut_down()] if self._lab is not None else []
        await asyncio.gather(self._engine.stop(), *labs)

    # The runs that are shown.

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

    def on_runs_chosen(self, message: RunsChosen) -> None:
        message.stop()
        self.choose(message.shown, message.overlays)

    def choose(self, shown: int, overlays: tuple[int, ...] = ()) -> None:
        self._player.close()
        self._chosen = True
        self.keep(self.shelf.chosen(shown, overlays))
        self._do(self._kept.read_chosen())

    def on_run_asked(self, message: RunAsked) -> None:
        message.stop()
        if message.what == "restore":
            self._do(self._kept.put_back())
        elif (run := self.shelf.run(message.key)) is not None:
            self._do(self._kept.fulfil(message.what, run))

    def play(self, playback: Playback, draft: Draft) -> None:
        """Work on a playback's scenario, and play it from the start."""
        if self.draft is None or self.draft.document != draft.document:
            self.take_draft(draft)
        self.shelf = self.shelf.chosen(self.shelf.shown)
        self.action_pane(CHARTS)
        self._player.play(playback)

    def on_player_drawn(self) -> None:
        self.show()

    def on_player_turned(self, message: Player.Turned) -> None:
        self.charts.show_round(message.round)

    def on_player_closed(self) -> None:
        self.show()
        self.simulating.preview_soon()
        self.action_pane(CHARTS)

    # Dialogs.

    def action_lab(self) -> None:
        """Go to the privacy lab; it is kept for as long as the app runs."""
        if self._lab is None:
            from ..lab.screen import LabScreen

            self._lab = LabScreen(type(self._engine))
            self.app.install_screen(self._lab, "lab")
        self._lab.follow(self.draft, self.shelf.runs)
        self.app.push_screen("lab")

    def action_help(self) -> None:
        from ..help import HelpScreen

        field = self._field if self.focused is self._field_of else ""
        self.app.push_screen(HelpScreen(field, tuple(self.active_bindings.values())))

    def action_open(self) -> None:
        files.open_by_path(self)

    def action_library(self) -> None:
        files.open_from_library(self)

    def action_save(self) -> None:
        files.save(self)

    def action_export(self) -> None:
        files.export(self, lambda run, out: self._do(self._kept.write_trials(run, out)))

    def action_copy(self) -> None:
        files.copy_shown(self)
