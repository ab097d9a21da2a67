"""The workbench screen: holds the draft and the runs, starts work, and handles its messages.

State flows one way. The screen holds frozen values; widgets get them downward and post messages
upward; an edit makes a new draft, and a draft that is valid is simulated. The store is read and
changed in threads, after the first frame; what comes of it is a new shelf.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.events import Resize
from textual.message import Message
from textual.reactive import Reactive, var
from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static

from ...engine import Engine, stored
from ...engine.simulation import Simulation
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
from ...session.autosave import drop_taken, load_draft, save_draft
from ...session.runs import Run, difference_text
from ...session.shelf import Shelf
from ...session.snapshot import Snapshot, over
from ...terminal.keyboard import ALT_DIGITS
from ...terminal.places import current_dir
from ...widgets.key_hints import KeyHints
from .panes import CHARTS, Panes
from .player import Player
from .status import StatusLine
from .title import TitleBar

if TYPE_CHECKING:
    from ...engine.recorded import Film
    from ...session.draft import Draft, Origin
    from ..lab.screen import LabScreen

DEBOUNCE_S = 0.02
"""From the last keystroke to the request of its simulation."""
PATIENCE_S = 0.12
"""A preview that is over sooner is drawn once, when it is over."""
AUTOSAVE_S = 2.0
SMALLEST = (60, 18)
ROOM_FOR_ALL = 100
"""Columns from which all panes are shown at once; the app's breakpoint for -normal."""
UNDONE = 200
"""So many edits can be taken back."""

MakeEngine: TypeAlias = Callable[[Callable[[Message], object]], Engine]


class WorkbenchScreen(Screen[None]):
    """Five panes over one draft; what is simulated of it; a recording that plays; dialogs.

    draft : the scenario that is worked on. shelf : the runs, and which are shown. pane : the
    number of the pane that had the focus last.
    """

    AUTO_FOCUS = ""
    BLANK = True

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+r", "run", "Run", id="run.start"),
        Binding("escape", "cancel", "Cancel", id="run.cancel", show=False),
        Binding("ctrl+c", "cancel", "Cancel", id="run.cancel-too", show=False),
        Binding("ctrl+s", "save", "Save", id="file.save"),
        Binding("ctrl+o", "open", "Open", id="file.open"),
        Binding("ctrl+l", "library", "Library", id="file.library", show=False),
        Binding("ctrl+e", "export", "Export", id="file.export"),
        Binding("6,f7", "lab", "Lab", id="lab.open", key_display="6"),
        Binding("ctrl+z", "undo", "Undo", id="draft.undo", show=False),
        Binding("f1,question_mark", "help", "Help", id="help", key_display="?"),
        Binding("y", "copy", "Copy", id="chart.copy", show=False),
        # Before the field with the focus hears of it: a key that follows at once is for the next.
        Binding("tab", "app.focus_next", "Next field", show=False, priority=True,
                id="field.next"),
        Binding("shift+tab", "app.focus_previous", "Field before", show=False, priority=True,
                id="field.previous"),
        *(
            Binding(str(number), f"pane({number})", f"Pane {number}", show=False,
                    id=f"pane.{number}")
            for number in range(1, 6)
        ),
        *(
            Binding(f"alt+{number},f{number + 1},{meta}", f"pane({number})", f"Pane {number}",
                    show=False, priority=True, id=f"pane.{number}.anywhere")
            for number, meta in enumerate(ALT_DIGITS[:5], start=1)
        ),
    ]  # fmt: skip

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
        film: Film | None = None,
        note: str = "",
    ) -> None:
        super().__init__()
        self._path, self._store, self._film, self._first_note = path, store, film, note
        self._engine = engine(self.post_message)
        self._simulation = Simulation(self._engine, store)
        self._lab: LabScreen | None = None
        self._debounce: Timer | None = None
        self._patience: Timer | None = None
        self._autosave: Timer | None = None
        self._reading: Origin | None = None
        self._wanted: dict[str, LongWork] = {}  # by kind
        self._chosen = False  # somebody said by hand what is to be shown
        self._field = ""  # the key of the field that had the focus last
        self._field_of: Widget | None = None
        self._past: list[tuple[str, str]] = []  # what was edited, and the text before it
        self._panes = Panes(id="body")
        self._player = Player()
        self._status = StatusLine()

    # The picture.

    def compose(self) -> ComposeResult:
        yield TitleBar()
        yield self._panes
        yield Static(id="too-small")
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
        loading = asyncio.create_task(asyncio.to_thread(_first_draft, self._path, self._film))
        await self._panes.mount_forms()
        self._arrange()
        draft, note = await loading
        if not gc.isenabled():  # since `start`; what is there now stays
            gc.freeze()
            gc.enable()
        if not self.is_mounted:
            return  # left before it was loaded
        self.draft = draft
        self._note("; ".join(filter(None, (self._first_note, note))))
        self.set_timer(5.0, drop_taken)
        if self._film is not None:
            self._play(self._film, draft)
        elif self.focused is None:
            self.action_pane(1 if self.app.size.width >= ROOM_FOR_ALL else CHARTS)
        await self._open_history()

    def on_resize(self, event: Resize) -> None:
        width, height = event.size
        self._arrange()
        small = width < SMALLEST[0] or height < SMALLEST[1]
        self.set_class(small, "-small")
        if small:
            self.query_one("#too-small", Static).update(
                f"ldptui needs {SMALLEST[0]} × {SMALLEST[1]} characters,\n"
                f"this terminal has {width} × {height}."
            )

    def _arrange(self) -> None:
        """Where there is room for one pane only, show that one."""
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
        self._note(message.note)

    def _note(self, note: str) -> None:
        self._status.note = note

    def _do(self, work: Coroutine[Any, Any, Any]) -> None:
        self.run_worker(work, exit_on_error=True)

    # The draft.

    def watch_draft(self, before: Draft | None, after: Draft | None) -> None:
        if after is None or not self.is_mounted:
            return
        self._panes.hand(after)
        title = self.query_one(TitleBar)
        title.scenario = after.title
        title.modified = after.modified
        self._show_problems()
        if after.unread is not None and after.unread != self._reading:
            self._reading = after.unread
            self.run_worker(self._read_population(after.unread), exit_on_error=False)
        if before is None or before.scenario != after.scenario:
            self._simulate_soon()
        if self._lab is not None and self._lab.is_current:
            self._lab.follow(after, self.shelf.runs)
        if self._autosave is not None:
            self._autosave.stop()
        self._autosave = self.set_timer(AUTOSAVE_S, self.save_draft)

    async def _read_population(self, origin: Origin) -> None:
        """Make a large population in a thread, then go on with the draft."""
        from ...session.draft import read_on

        await asyncio.sleep(DEBOUNCE_S)
        if self._reading != origin:
            return  # of a burst of edits the last is enough
        self._status.busy = f"{origin.doing} …"
        try:
            await asyncio.to_thread(origin.read)
            # What is bound to it, targets in their order, takes long as well.
            while (draft := self.draft) is not None and draft.unread == origin:
                found = await asyncio.to_thread(read_on, draft)
                if self.draft is draft:
                    self.draft = found
        finally:
            if self._reading == origin:
                self._reading, self._status.busy = None, ""

    def on_long_work(self, message: LongWork) -> None:
        message.stop()
        self._wanted[message.kind] = message
        self._do(self._work(message))

    async def _work(self, message: LongWork) -> None:
        await asyncio.sleep(DEBOUNCE_S)
        if self._wanted[message.kind] is not message:
            return  # of a burst of edits the last is enough
        message.done(await asyncio.to_thread(message.work))
        self._panes.charts.watch_draft()

    def _show_problems(self) -> None:
        """The first problem in the status line, in the form's words; nothing while all is well."""
        from ...catalogue.help import named

        problems = self.draft.problems if self.draft else ()
        sentence = f"{named(problems[0].key)} {problems[0].message}".strip() if problems else ""
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        self._status.problem = sentence + more

    def action_mend(self) -> None:
        """Go to the field of the first problem."""
        key = self.draft.problems[0].key if self.draft is not None and self.draft.problems else ""
        found = self._panes.field(key)
        if found is not None:
            number, field = found
            self.action_pane(number)
            self.set_focus(field.control)

    def on_key_edited(self, message: KeyEdited) -> None:
        from ...session.draft import edited

        if self.draft is not None:
            self._edit(message.key, edited(self.draft, message.key, message.value))

    def on_text_edited(self, message: TextEdited) -> None:
        from ...session.draft import retyped

        if self.draft is not None:
            self._edit("the script", retyped(self.draft, message.text))

    def _edit(self, what: str, draft: Draft) -> None:
        self._player.close()
        self._chosen = True
        self._take_draft(draft, what)

    def _take_draft(self, draft: Draft, what: str = "the scenario") -> None:
        """Work on this draft from now on; edits of one key in a row are taken back as one."""
        if self.draft is not None and (not self._past or self._past[-1][0] != what):
            self._past = [*self._past[1 - UNDONE :], (what, self.draft.text)]
        self.draft = draft

    def action_undo(self) -> None:
        """Take back the last edit of a form. (The script editor has an undo of its own.)"""
        from ...catalogue.help import named
        from ...session.draft import retyped

        if self.draft is None or not self._past:
            self._note("nothing to undo")
            return
        key, text = self._past.pop()
        self.draft = retyped(self.draft, text)
        self._note(f"{named(key)} is as it was")

    def save_draft(self) -> None:
        """Keep the draft for the next start; what goes wrong is said, never raised."""
        fault = save_draft(self.draft) if self.draft is not None else ""
        if fault:  # else what is said now stays
            self._note(fault)

    # What is simulated.

    def on_parts_changed(self, message: PartsChanged) -> None:
        message.stop()
        self._simulate_soon()

    def _simulate_soon(self) -> None:
        if self._debounce is not None:
            self._debounce.stop()
        self._debounce = self.set_timer(DEBOUNCE_S, self._preview)

    def _preview(self) -> None:
        """Simulate the draft with few trials on the counts path."""
        self._debounce = None  # the edits are over
        if self.draft is None or self.draft.scenario is None or self._player.film is not None:
            return
        from ...charts.curves import preview_part

        parts = tuple(map(preview_part, self._panes.charts.parts(self.draft)))
        run = self._simulation.preview(self.draft, parts)
        if run is not None:
            self._keep(self.shelf.begun(run), soon=True)

    def action_run(self) -> None:
        """Run every trial of the scenario and of its sweep."""
        self._run()

    def _run(self, resumed: int | None = None) -> None:
        """Run the draft's scenario whole; `resumed`: going on with that run of the store."""
        if self.draft is None or self.draft.scenario is None:
            return
        if self.draft.problems:
            self._note("the scenario has a problem; the last valid one runs")
        self._player.close()
        self._chosen = True
        parts = self._panes.charts.parts(self.draft, with_sweep=True)
        self._keep(self.shelf.begun(self._simulation.run(self.draft, parts, resumed)))

    def action_cancel(self) -> None:
        """Stop the run; what is finished stays. (A field that has the focus takes escape first.)"""
        if self.shelf.active is not None:
            self._engine.cancel()
        else:
            self._note("nothing runs; ctrl+q quits")

    @property
    def run_to_leave(self) -> Snapshot | None:
        """The run that was asked for and is active: who quits is asked about it."""
        running = self.shelf.active
        return running if running is not None and running.full else None

    def on_run_progressed(self, message: RunProgressed) -> None:
        snapshot, before = message.snapshot, self.shelf
        running = snapshot.status == "running"
        self._keep(before.heard(snapshot), soon=running and not snapshot.full)
        if snapshot.full and not (running and self.shelf.numbers == before.numbers):
            self.run_worker(self._read_history(), group="history", exclusive=True)
        if self._simulation.heard(snapshot):
            self._simulate_soon()

    def on_worker_changed(self, message: WorkerChanged) -> None:
        # The versions of one that is ready are news to nobody; that one died is.
        if message.note and not message.alive:
            self._note(message.note)

    async def shut_down(self) -> None:
        """Stop the workers; no process is left behind."""
        labs = [self._lab.shut_down()] if self._lab is not None else []
        await asyncio.gather(self._engine.stop(), *labs)

    # The runs that are shown.

    def _keep(self, shelf: Shelf, soon: bool = False) -> None:
        """Show this shelf; soon: in a moment, unless there is more to show before."""
        self.shelf = shelf
        if not soon:
            self._show()
        elif self._patience is None and self.is_mounted:
            self._patience = self.set_timer(PATIENCE_S, self._show)

    def _show(self) -> None:
        """Hand the recording's frame or the run shown, and those laid over it, to the panes."""
        if self._patience is not None:
            self._patience.stop()
            self._patience = None
        if not self.is_mounted:
            return
        shelf, charts = self.shelf, self._panes.charts
        shown, snapshot = shelf.run(shelf.shown), self._player.frame
        charts.overlays = shelf.laid_over
        if snapshot is not None:
            charts.snapshot = snapshot
        elif shown is not None:
            snapshot = shown.snapshot
            charts.snapshot = over(snapshot, charts.snapshot)
        self._panes.runs.shelf = shelf
        self._status.snapshot = shelf.active or snapshot

    def on_runs_chosen(self, message: RunsChosen) -> None:
        message.stop()
        self._choose(message.shown, message.overlays)

    def _choose(self, shown: int, overlays: tuple[int, ...] = ()) -> None:
        self._player.close()
        self._chosen = True
        self._keep(self.shelf.chosen(shown, overlays))
        self._do(self._read_chosen())

    async def _read_chosen(self) -> None:
        for run in self.shelf.unread:
            await self._read(run)
            self._show()

    # The store.

    @contextmanager
    def _faults_noted(self) -> Iterator[None]:
        """What the store cannot do is said."""
        from core.errors import LdpError

        try:
            yield
        except LdpError as error:
            self._note(str(error))

    async def _read(self, run: Run) -> None:
        """Read what a run of the store measured."""
        if self._store is None or run.number is None:
            return
        self._note(f"reading {run.name} …")
        with self._faults_noted():
            snapshot = await asyncio.to_thread(stored.snapshot, self._store, run.number)
            self.shelf = self.shelf.with_read(run, snapshot)
            self._note("")

    async def _read_history(self) -> None:
        """Read the list of the store's runs."""
        if self._store is not None:
            with self._faults_noted():
                listed = await asyncio.to_thread(stored.history, self._store)
                self._keep(self.shelf.listed(listed))

    async def _open_history(self) -> None:
        """At the start: read the runs, show the last one, and offer to go on with one cut off.

        The last run of the very scenario that is worked on is shown in place of its preview;
        that of another one, while there is nothing else to show.
        """
        await self._read_history()
        if not self.is_mounted or self._player.film is not None:
            return
        last = self.shelf.last
        if last is not None and not self._chosen:
            await self._read(last)
        if last is not None and not self._chosen and last.key in self.shelf.read:
            scenario = self.draft.scenario if self.draft is not None else None
            if scenario is not None and scenario.document == last.document:
                self._keep(self.shelf.chosen(last.key, self.shelf.overlays))
            elif not any(run.snapshot.parts for run in self.shelf.session):
                self._panes.charts.snapshot = self.shelf.read[last.key]
        if self.shelf.cut_off is not None:
            await self._offer_to_resume(self.shelf.cut_off)

    async def _offer_to_resume(self, run: Run) -> None:
        from ..dialogs.confirm import ConfirmScreen, going_on

        if await self.app.push_screen_wait(ConfirmScreen(going_on(run), "Resume", "Leave it")):
            await self._resume(run)
        else:
            await self._change(run, stored.leave)

    # What can be done with a run.

    def on_run_asked(self, message: RunAsked) -> None:
        message.stop()
        run = self.shelf.run(message.key)
        match message.what:
            case "restore":
                self._do(self._put_back())
            case _ if run is None:
                return
            case "star":
                starred = run.stored is not None and run.stored.star
                self._do(self._change(run, stored.star, not starred))
            case "tags":
                self._do(self._tag(run))
            case "remove":
                self._do(self._delete(run))
            case "resume":
                self._do(self._resume(run))
            case "open":
                self._do(self._open_run(run))
            case "play":
                self._do(self._play_run(run))
            case "difference":
                self._show_difference(run)

    async def _change(self, run: Run, change: Callable[..., None], *values: Any) -> bool:
        """Change something of a run in the store, then read the list; whether it was done."""
        if self._store is None or run.stored is None:
            return False
        done = False
        with self._faults_noted():
            await asyncio.to_thread(change, self._store, run.stored.number, *values)
            done = True
        await self._read_history()
        return done

    async def _tag(self, run: Run) -> None:
        from ..dialogs.tags import TagsScreen

        tags = await self.app.push_screen_wait(TagsScreen(run.name, run.tags))
        if tags is not None:
            await self._change(run, stored.tag, tags)

    async def _delete(self, run: Run) -> None:
        """Take a run out of the list; `u` puts it back."""
        if run.stored is None or await self._change(run, stored.remove, True):
            self._keep(self.shelf.without(run))
            self._note(f"{run.name} is deleted; u puts it back")

    async def _put_back(self) -> None:
        """Put the run back that was deleted last."""
        if not self.shelf.deleted:
            return
        run = self.shelf.deleted[-1]
        self._keep(self.shelf.put_back())
        if run.stored is None or await self._change(run, stored.remove, False):
            self._note(f"{run.name} is back")

    def _show_difference(self, run: Run) -> None:
        """What differs between a run and the one shown, or the one before it."""
        from ..dialogs.text import TextScreen

        pair = self.shelf.pair(run)
        if pair is not None:
            title = f"{pair[0].name} → {pair[1].name}"
            self.app.push_screen(TextScreen(title, difference_text(*pair)))

    async def _open_run(self, run: Run) -> None:
        """Work on a run's scenario, and show the run; unsaved changes are asked about."""
        from ..dialogs.confirm import ConfirmScreen

        if self.draft is not None and self.draft.modified:
            question = f"The scenario has changes that are not saved. Open that of {run.name}?"
            if not await self.app.push_screen_wait(ConfirmScreen(question, "Open", "Stay")):
                return
        self._take_draft(await _draft_of(run))
        self._choose(run.key)

    async def _resume(self, run: Run) -> None:
        """Go on with a run that did not end."""
        scenario = self.draft.scenario if self.draft is not None else None
        if scenario is None or scenario.document != run.document:
            self._take_draft(await _draft_of(run))
        self._run(run.number)
        self.action_pane(CHARTS)

    async def _play_run(self, run: Run) -> None:
        """Play a run of the store as it happened."""
        if self._store is None or run.number is None:
            return
        with self._faults_noted():
            film = await asyncio.to_thread(stored.film, self._store, run.number, run.key)
            self._play(film, await _draft_of(run))

    def _play(self, film: Film, draft: Draft) -> None:
        """Work on a recording's scenario, and play it from the start."""
        if self.draft is None or self.draft.document != draft.document:
            self._take_draft(draft)
        self.shelf = self.shelf.chosen(self.shelf.shown)
        self.action_pane(CHARTS)
        self._player.play(film)

    def on_player_drawn(self) -> None:
        self._show()

    def on_player_turned(self, message: Player.Turned) -> None:
        self._panes.charts.show_round(message.round)

    def on_player_closed(self) -> None:
        self._show()
        self._simulate_soon()
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
        from ..dialogs.open import OpenScreen

        folder = self.draft.folder if self.draft else current_dir()
        self.app.push_screen(OpenScreen(folder), self._open)

    def action_library(self) -> None:
        from ..library import LibraryScreen

        self.app.push_screen(LibraryScreen(), self._open)

    def _open(self, path: Path | None) -> None:
        from ...session.draft import opened

        if path is not None:
            self._player.close()
            self.draft = opened(path)
            self._note(f"opened {path}")

    def action_save(self) -> None:
        from ..dialogs.save import SaveScreen

        if self.draft is not None:
            self.app.push_screen(SaveScreen(self.draft), self._saved)

    def _saved(self, path: Path | None) -> None:
        from ...session.draft import saved

        if path is not None and self.draft is not None:
            self.draft = saved(self.draft, path)
            self._note(f"saved {path}")

    def action_export(self) -> None:
        from ..dialogs.export import ExportScreen

        self.app.push_screen(ExportScreen(), self._export)

    def _export(self, choice: Any) -> None:
        from ...session.exporting import export

        if choice is not None:
            shown = self.shelf.run(self.shelf.shown)
            self._note(export(choice, self._panes.charts, shown, self.app))

    def action_copy(self) -> None:
        """Copy the chart or table that is shown, as text."""
        from ...terminal.clipboard import copy

        self._note(copy(self.app, self._panes.charts.as_text()))


def _first_draft(path: Path | None, film: Film | None) -> tuple[Draft, str]:
    """The draft to start with: the recording's or the file asked for, what was being edited, or
    the quickstart.

    Runs in a thread while the first frame is shown, and imports what is heavy on the way.
    """
    from ...charts import draw as chart
    from ...session.draft import opened, recorded

    chart.warm_up()
    if film is not None:
        return recorded(film.run.document, film.run.source), ""
    if path is not None:
        return opened(path), ""
    recovered = load_draft()
    if recovered is not None:
        back = "your draft of the last session is back; ctrl+l has the library"
        return recovered, back if recovered.modified else ""
    import scenarios

    return opened(scenarios.path("quickstart")), ""


async def _draft_of(run: Run) -> Draft:
    from ...session.draft import recorded

    source = run.stored.source if run.stored is not None else ""
    return await asyncio.to_thread(recorded, run.document, source)
