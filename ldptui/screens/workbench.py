"""The workbench screen: holds the draft and the runs, starts work, and handles its messages.

State flows one way. The screen holds frozen values; widgets get them downward and post messages
upward; an edit makes a new draft, and a draft that is valid is simulated.
"""

from __future__ import annotations

import asyncio
import gc
import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.color import Color
from textual.events import Resize
from textual.message import Message
from textual.reactive import Reactive, var
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static

from ..autosave import drop_taken, load_draft, save_draft
from ..engine import Engine
from ..keys import ALT_DIGITS
from ..messages import (
    FieldFocused,
    KeyEdited,
    Noted,
    PartsChanged,
    RoundShown,
    RunProgressed,
    TextEdited,
    WorkerChanged,
)
from ..places import current_dir
from ..runs import Run
from ..snapshot import Part, Request, Snapshot
from ..widgets.blank import Columns, Rows
from ..widgets.charts import ChartsPane
from ..widgets.key_hints import KeyHints
from ..widgets.protocol_pane import ProtocolPane
from ..widgets.runs_pane import RunsPane
from ..widgets.status import StatusLine
from ..widgets.title import TitleBar
from ..widgets.transport_bar import TransportBar
from .recorded import RecordedScreen, draft_of_document

if TYPE_CHECKING:
    from ..draft import Draft, LargeFile
    from ..film import Film
    from .lab import LabScreen

DEBOUNCE_S = 0.04
"""From the last keystroke to the request of its simulation."""
AUTOSAVE_S = 2.0
SMALLEST = (60, 18)
ROOM_FOR_ALL = 100
"""Columns from which all panes are shown at once; the app's breakpoint for -normal."""
BORDER_RULES = ("border_top", "border_right", "border_bottom", "border_left")
UNDONE = 200
"""So many edits can be taken back."""
CHARTS = 4
"""The pane that is shown first where there is room for one only."""


MakeEngine: TypeAlias = Callable[[Callable[[Message], object]], Engine]


class WorkbenchScreen(RecordedScreen):
    """Five panes over one draft; what is simulated of it; dialogs."""

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
    pane: var[int] = var(CHARTS, init=False)

    def __init__(
        self,
        path: Path | None = None,
        engine: MakeEngine = Engine,
        store: Path | None = None,
        film: Film | None = None,
        note: str = "",
    ) -> None:
        super().__init__(store, film)
        self._path, self._first_note = path, note
        self._engine = engine(self.post_message)
        self._lab: LabScreen | None = None
        self._key = 0
        self._requested: tuple[Part, ...] = ()
        self._full_run: int | None = None
        self._postponed = False
        self._debounce: Timer | None = None
        self._autosave: Timer | None = None
        self._reading: LargeFile | None = None
        self._field = ""  # the key of the field that had the focus last
        self._field_of: Widget | None = None
        self._past: list[tuple[str, str]] = []  # what was edited, and the text before it
        self._marked: Widget | None = None
        self._panes: dict[int, Widget] = {
            1: ProtocolPane(id="pane-1"),
            4: ChartsPane(id="pane-4"),
            5: RunsPane(id="pane-5"),
        }

    # The picture.

    def compose(self) -> ComposeResult:
        yield TitleBar()
        with Columns(id="body"):
            with Rows(id="controls"):
                yield self._panes[1]
            with Rows(id="main"):
                yield self._panes[4]
                yield self._panes[5]
        yield Static(id="too-small")
        yield TransportBar(id="recording")
        yield StatusLine()
        yield KeyHints()

    async def on_mount(self) -> None:
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        """After the first frame: start the worker, load what is heavy, then the first draft."""
        self.run_worker(self._engine.start(), exit_on_error=False)
        self.run_worker(self._load_first_draft(), exit_on_error=True)

    async def _load_first_draft(self) -> None:
        loading = asyncio.create_task(asyncio.to_thread(_first_draft, self._path, self._film))
        # The two panes with many fields would keep the first frame waiting, even their imports.
        from ..widgets.attack_pane import AttackPane
        from ..widgets.parameters_pane import ParametersPane

        later: dict[int, Widget] = {
            2: ParametersPane(id="pane-2"),
            3: AttackPane(id="pane-3"),
        }
        await self.query_one("#controls").mount(*later.values())
        self._panes |= later
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
            await self.show_film()
        elif self.focused is None:
            self.action_pane(1 if self.app.size.width >= ROOM_FOR_ALL else CHARTS)
        await self.open_history()

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

    def watch_pane(self) -> None:
        if self.is_mounted and self.app.size.width < ROOM_FOR_ALL:
            self._arrange()

    def _arrange(self) -> None:
        """Where there is room for one pane only, show that one.

        (A class on the screen would say the same, and style every widget anew.)
        """
        narrow = self.app.size.width < ROOM_FOR_ALL
        self.query_one("#controls").display = not narrow or self.pane < CHARTS
        self.query_one("#main").display = not narrow or self.pane >= CHARTS
        for number, pane in self._panes.items():
            pane.display = not narrow or number == self.pane
        self.query_one(TitleBar).pane = self.pane if narrow else 0

    # The draft.

    def watch_draft(self, before: Draft | None, after: Draft | None) -> None:
        if after is None or not self.is_mounted:
            return
        for number in (1, 2, 3, CHARTS):
            pane: Any = self._panes[number]
            pane.draft = after
        title = self.query_one(TitleBar)
        title.scenario = _title(after)
        title.modified = after.modified
        self._show_problems()
        if after.unread is not None and after.unread != self._reading:
            self._reading = after.unread
            self.run_worker(self._read(after.unread), exit_on_error=False)
        if before is None or before.scenario != after.scenario:
            self._simulate_soon()
        if self._lab is not None and self._lab.is_current:
            self._lab.follow(after, self.runs)
        if self._autosave is not None:
            self._autosave.stop()
        self._autosave = self.set_timer(AUTOSAVE_S, self.save_draft)

    async def _read(self, file: LargeFile) -> None:
        """Read a large file of a population in a thread, then go on with the draft."""
        from ..draft import read_on

        status = self.query_one(StatusLine)
        status.busy = f"reading {file.name} …"
        try:
            await asyncio.to_thread(file.read)
        finally:
            if self._reading == file:
                self._reading, status.busy = None, ""
        if self.draft is not None and self.draft.unread == file:
            self.draft = read_on(self.draft)

    def _take_draft(self, draft: Draft) -> None:
        self._remember("the scenario")
        self.draft = draft

    def _show_problems(self) -> None:
        """The first problem in the status line, in the form's words; nothing while all is well."""
        from ..help import named

        problems = self.draft.problems if self.draft else ()
        sentence = f"{named(problems[0].key)} {problems[0].message}".strip() if problems else ""
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        self.query_one(StatusLine).problem = sentence + more

    def action_mend(self) -> None:
        """Go to the field of the first problem."""
        from ..widgets.field import Field

        key = self.draft.problems[0].key if self.draft is not None and self.draft.problems else ""
        field = next((one for one in self.query(Field) if one.key == key and one.display), None)
        for number, pane in self._panes.items():
            if field is not None and pane in field.ancestors:
                self.action_pane(number)
                self.set_focus(field.control)

    def _note(self, note: str) -> None:
        self.query_one(StatusLine).note = note

    def on_key_edited(self, message: KeyEdited) -> None:
        from ..draft import edited

        if self.draft is not None:
            self._remember(message.key)
            self.close_film()
            self._chosen = True
            self.draft = edited(self.draft, message.key, message.value)

    def _remember(self, key: str) -> None:
        """Keep the text before an edit; edits of one key in a row are one."""
        if self.draft is not None and (not self._past or self._past[-1][0] != key):
            self._past = [*self._past[1 - UNDONE :], (key, self.draft.text)]

    def action_undo(self) -> None:
        """Take back the last edit of a form. (The script editor has an undo of its own.)"""
        from ..draft import retyped
        from ..help import named

        if self.draft is None or not self._past:
            self._note("nothing to undo")
            return
        key, text = self._past.pop()
        self.draft = retyped(self.draft, text)
        self._note(f"{named(key)} is as it was")

    def on_noted(self, message: Noted) -> None:
        self._note(message.note)

    def on_text_edited(self, message: TextEdited) -> None:
        from ..draft import retyped

        if self.draft is not None:
            self._remember("the script")
            self.close_film()
            self._chosen = True
            self.draft = retyped(self.draft, message.text)

    def on_field_focused(self, message: FieldFocused) -> None:
        self._field, self._field_of = message.key, self.focused

    def save_draft(self) -> None:
        """Keep the draft for the next start; what goes wrong is said, never raised."""
        if self.draft is not None:
            self._note(save_draft(self.draft))

    # Work.

    def _simulate_soon(self) -> None:
        if self._debounce is not None:
            self._debounce.stop()
        self._debounce = self.set_timer(DEBOUNCE_S, self._edits_are_over)

    def _edits_are_over(self) -> None:
        self._debounce = None
        self._preview()

    def on_parts_changed(self, message: PartsChanged) -> None:
        message.stop()
        self._simulate_soon()

    def on_round_shown(self, message: RoundShown) -> None:
        message.stop()
        attack: Any = self._panes.get(3)
        if attack is not None:
            attack.cursor = message.round

    def _preview(self) -> None:
        """Simulate the draft with few trials on the counts path; a run asked for goes first."""
        if self.draft is None or self.draft.scenario is None:
            return
        if self._film is not None:
            return
        from ..curves import preview_part

        if self._full_run is not None:
            self._postponed = True
            return
        parts = tuple(map(preview_part, self.query_one(ChartsPane).parts(self.draft)))
        if parts and parts != self._requested:
            self._requested = parts
            self._start(parts, full=False)

    def _start(self, parts: tuple[Part, ...], full: bool, resumed: int | None = None) -> None:
        assert self.draft is not None
        assert self.draft.scenario is not None
        self.close_film()
        self._key += 1
        snapshot = Snapshot(self._key, "running", full=full, stored=resumed)
        document = self.draft.scenario.document
        run = Run(self._key, document, snapshot, time.time(), _title(self.draft))
        self.shown = self._key
        # One row for the preview that follows the hand, one for each run asked for.
        self.session = (*(one for one in self.session if one.snapshot.full), run)
        keys = {one.key for one in self.runs}
        self.overlays = tuple(key for key in self.overlays if key in keys)
        self._show_run(soon=not full)
        request = Request(self._key, parts, str(self.draft.folder), full, self._interval)
        if full:
            request = replace(
                request,
                whole=document,
                store=str(self._store_path or ""),
                source=str(self.draft.path or ""),
                resumed=resumed,
            )
        self._engine.run(request)

    @property
    def _interval(self) -> float:
        """Seconds between two redraws for a run's progress: fewer over a network."""
        return 1.0 if os.environ.get("SSH_CONNECTION") else 0.25

    def action_run(self) -> None:
        """Run every trial of the scenario and of its sweep."""
        self._start_run()

    def _start_run(self, resumed: int | None = None) -> None:
        if self.draft is None or self.draft.scenario is None:
            return
        if self.draft.problems:
            self._note("the scenario has a problem; the last valid one runs")
        self._full_run = self._key + 1
        self._chosen = True
        self._requested = ()
        parts = self.query_one(ChartsPane).parts(self.draft, with_sweep=True)
        self._start(parts, full=True, resumed=resumed)

    def action_cancel(self) -> None:
        """Stop the run; what is finished stays. (A field that has the focus takes escape first.)"""
        if self.active_run is not None:
            self._engine.cancel()
        else:
            self._note("nothing runs; ctrl+q quits")

    @property
    def run_to_leave(self) -> Snapshot | None:
        """The run that was asked for and is active: who quits is asked about it."""
        running = self.active_run
        return running if running is not None and running.full else None

    def on_run_progressed(self, message: RunProgressed) -> None:
        snapshot = message.snapshot
        before = next((run.number for run in self.session if run.key == snapshot.key), None)
        if snapshot.stored is None and before is not None:  # a run resumed, at its very start
            snapshot = replace(snapshot, stored=before)
        self.session = tuple(
            replace(run, snapshot=snapshot) if run.key == snapshot.key else run
            for run in self.session
        )
        if snapshot.full and (snapshot.status != "running" or snapshot.stored != before):
            self.run_worker(self.read_history(), group="history", exclusive=True)
        if snapshot.status != "running" and snapshot.key == self._full_run:
            self._full_run = None
            if self._postponed:
                self._postponed = False
                self._simulate_soon()
        self._show_run(soon=snapshot.status == "running" and not snapshot.full)

    def on_worker_changed(self, message: WorkerChanged) -> None:
        # The versions of one that is ready are news to nobody; that one died is.
        if message.note and not message.alive:
            self._note(message.note)

    async def shut_down(self) -> None:
        """Stop the workers; no process is left behind."""
        labs = [self._lab.shut_down()] if self._lab is not None else []
        await asyncio.gather(self._engine.stop(), *labs)

    # Panes and dialogs.

    def action_pane(self, number: int) -> None:
        """Show a pane and put the focus into it."""
        pane: Any = self._panes.get(number)
        if pane is None:
            return  # not there yet
        self.pane = number
        self._mark_focus(pane)  # its message comes a frame later
        if hasattr(pane, "focus_first"):
            pane.focus_first()
        else:
            target = next((one for one in pane.query("*") if one.focusable), None)
            self.set_focus(target)

    def on_descendant_focus(self) -> None:
        """The pane with the focus is the one shown where there is room for one only."""
        widget: Widget | None = self.focused
        inside = widget.ancestors_with_self if widget is not None else ()
        for number, pane in self._panes.items():
            if pane in inside:
                self._mark_focus(pane)
                self.pane = number

    def _mark_focus(self, pane: Widget) -> None:
        """The accent colour on the border of the pane that has the focus.

        (`:focus-within` would say the same, and style every widget of both panes anew.)
        """
        if pane is self._marked:
            return
        if self._marked is not None:
            for rule in (*BORDER_RULES, "border_title_color"):
                self._marked.styles.clear_rule(rule)
            self._marked.refresh()
        accent = Color.parse(self.app.theme_variables["accent"])
        # Without colours of its own a terminal still shows where the focus is.
        edge = ("heavy" if self.app.current_theme.ansi else "round", accent)
        # As rules: setting a title's colour as a style repaints all that the pane holds.
        for rule in BORDER_RULES:
            pane.styles.set_rule(rule, edge)
        pane.styles.set_rule("border_title_color", accent)
        pane.refresh()
        self._marked = pane

    def action_lab(self) -> None:
        """Go to the privacy lab; it is kept for as long as the app runs."""
        if self._lab is None:
            from .lab import LabScreen

            self._lab = LabScreen(type(self._engine))
            self.app.install_screen(self._lab, "lab")
        self._lab.follow(self.draft, self.runs)
        self.app.push_screen("lab")

    def action_help(self) -> None:
        from .help import HelpScreen

        field = self._field if self.focused is self._field_of else ""
        self.app.push_screen(HelpScreen(field, tuple(self.active_bindings.values())))

    def action_open(self) -> None:
        from .open import OpenScreen

        folder = self.draft.folder if self.draft else current_dir()
        self.app.push_screen(OpenScreen(folder), self._open)

    def action_library(self) -> None:
        from .library import LibraryScreen

        self.app.push_screen(LibraryScreen(), self._open)

    def _open(self, path: Path | None) -> None:
        if path is not None:
            self.close_film()
            self.draft = _opened(path)
            self._note(f"opened {path}")

    def action_save(self) -> None:
        from .save import SaveScreen

        if self.draft is not None:
            self.app.push_screen(SaveScreen(self.draft), self._saved)

    def _saved(self, path: Path | None) -> None:
        from ..draft import saved

        if path is not None and self.draft is not None:
            self.draft = saved(self.draft, path)
            self._note(f"saved {path}")

    def action_export(self) -> None:
        from .export import ExportScreen

        self.app.push_screen(ExportScreen(), self._export)

    def _export(self, choice: Any) -> None:
        from ..exporting import export

        if choice is not None:
            shown = next((run for run in self.runs if run.key == self.shown), None)
            self._note(export(choice, self.query_one(ChartsPane), shown, self.app))

    def action_copy(self) -> None:
        """Copy the chart or table that is shown, as text."""
        from ..clipboard import copy

        self._note(copy(self.app, self.query_one(ChartsPane).as_text()))


def _first_draft(path: Path | None, film: Film | None) -> tuple[Draft, str]:
    """The draft to start with: the recording's or the file asked for, what was being edited, or
    the quickstart.

    Runs in a thread while the first frame is shown, and imports what is heavy on the way.
    """
    from .. import chart, curves, figures  # noqa: F401  (imported here, once, off the screen's way)

    chart.warm_up()
    if film is not None:
        return draft_of_document(film.run.document, film.run.source), ""
    if path is not None:
        return _opened(path), ""
    recovered = load_draft()
    if recovered is not None:
        back = "your draft of the last session is back; ctrl+l has the library"
        return recovered, back if recovered.modified else ""
    import scenarios

    return _opened(scenarios.path("quickstart")), ""


def _opened(path: Path) -> Draft:
    """The draft of a file; a bundled scenario is a copy that has no file of its own yet."""
    import scenarios

    from ..draft import draft_of

    text = path.read_text(encoding="utf-8-sig").replace("\r\n", "\n")
    bundled = path.parent == scenarios.path("quickstart").parent
    return draft_of(text, path.parent, None if bundled else path)


def _title(draft: Draft) -> str:
    document = draft.document or {}
    return str(document.get("title") or (draft.path.name if draft.path else "untitled"))
