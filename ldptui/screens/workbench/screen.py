"""The workbench screen: its panes, what is simulated of its draft, its dialogs.

State flows one way. The screen holds frozen values; widgets get them downward and post messages
upward; an edit makes a new draft, and a draft that is valid is simulated. The store is read and
changed in threads, after the first frame; what comes of it is a new list of runs.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, cast

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.events import Resize, ScreenResume
from textual.widgets import Static

from ldptui.core.base.files import is_there

from ...engine.engine import Engine
from ...messages import RunAsked, RunProgressed, RunsChosen, SelectionsChanged, WorkerChanged
from ...session.autosave import WHOLE
from ...session.draft import value_of
from ...terminal import places
from . import file_actions as files
from .charts.tabs import lone_words
from .draft_screen import AUTOSAVE_S, DraftScreen
from .kept_runs import KeptRuns
from .panes import CHARTS
from .simulating import MakeEngine, Simulations
from .title import KEYS, TitleBar, too_small

if TYPE_CHECKING:
    from ...engine.replay import RunReplay
    from ...session.draft import Draft
    from ..lab.lab_screen import LabScreen

WATCH_S: Final = 1.0
"""Seconds between two looks at the file of the store."""


OWN_DEPLOYMENT: Final = "deployment.open"
"""The binding that is a hint until it was used once, on this computer."""
WIDE: Final = 160
"""Columns from which forms and views are wider."""


class WorkbenchScreen(DraftScreen):
    """The main screen: five panes over one draft, its simulation, the replay of a run, and the
    dialogs.
    """

    AUTO_FOCUS = ""
    BLANK = True
    HORIZONTAL_BREAKPOINTS = [(WIDE, "-wide")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = KEYS

    def __init__(
        self,
        path: Path | None = None,
        engine: MakeEngine = Engine,
        store: Path | None = None,
        run_replay: RunReplay | None = None,
        note: str = "",
        collection: dict[str, Any] | None = None,
        lab_engine: Engine | None = None,
    ) -> None:
        super().__init__()
        self._path, self._run_replay, self._first_note = path, run_replay, note
        # The reports that the lab shows at first, and what works on its first answer.
        self._collection, self._lab_engine = collection, lab_engine
        self._lab: LabScreen | None = None
        self._engine = engine(self.post_message)
        self.simulating = Simulations(self, self._engine, store)
        self._kept = KeptRuns(self, store, self.simulating)
        self._too_small, self._title = Static(id="too-small"), TitleBar()

    def compose(self) -> ComposeResult:
        # The first frame may come before a size is told, and what is in it is styled once.
        self.set_class(self.app.size.width >= WIDE, "-wide", update=False)
        self._arrange()
        yield self._title
        yield self.panes
        yield self._too_small
        yield self.replay_bar
        yield self.status
        yield self.hints

    def on_mount(self) -> None:
        if is_there(places.deployment_mark()):
            self.hints.omitted = OWN_DEPLOYMENT
        self.call_after_refresh(self._begin)

    def on_screen_resume(self, event: ScreenResume) -> None:
        """Stop Textual from styling widgets a second time after they were mounted."""
        event.refresh_styles = event.refresh_styles and self.stack_updates > 0

    def _begin(self) -> None:
        """Start the worker and load the first draft, after the first frame."""
        self.app.stylesheet.read(Path(__file__).with_name("forms.tcss"))
        if self._collection is None:
            self.run_worker(self._engine.start(), exit_on_error=False)
        else:  # the worker of the first preview starts with it
            self.action_lab("reports")
        self.run_worker(self._load_first_draft())

    async def _load_first_draft(self) -> None:
        if self._lab is not None:
            await self._lab.is_answered.wait()
        loading = asyncio.to_thread(files.first_draft, self._path, self._run_replay)
        load = asyncio.create_task(loading)
        await self.panes.mount_forms()
        self._arrange()
        draft, note, valid = await load
        if not self.is_mounted:
            return
        self.draft = draft
        if valid is not None:
            self._edits = self._edits.with_edit(WHOLE, valid, 0.0)
        if self._path is not None:
            self.charts.open_on(draft)
        self.note("; ".join(filter(None, (self._first_note, note))), stays=valid is not None)
        if self._run_replay is not None:
            self.play(self._run_replay, draft)
        elif self.focused is None:
            self.action_pane(CHARTS if self._title.pane else 1)
        self.call_after_refresh(self.ask_column)
        cast("Any", self.app).key_queue.open()
        await self._kept.list_all()
        if self.is_mounted and self.replay_bar.replay is None:
            await self._kept.show_last()
            self._kept.tell_cut_off()
            self.set_interval(WATCH_S, self._kept.watch)

    # The panes.

    def on_resize(self, event: Resize) -> None:
        words = too_small(event.size)
        if bool(words) != self.has_class("-small"):
            self.set_class(bool(words), "-small")
            self.panes.disabled = bool(words)  # what cannot be seen has no focus
            if not words:
                self.call_after_refresh(self.action_pane, self.pane)
        self._too_small.update(words)
        self._arrange()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Return False for actions on panes that are not visible, and for zoom if a
        pane is alone.
        """
        if action == "repair":
            return self.can_repair
        return not (self.has_class("-small") or (action == "zoom" and self.panes.cramped))

    def _arrange(self) -> None:
        """Lay out all panes, or the current one alone in a small terminal."""
        alone = self.panes.lay_out(self.app.size, self.pane)
        self._title.pane = self.pane if alone else 0
        self.refresh_bindings()
        self.hints.back = self.panes.back
        self.status.problem = self.problem_words()

    def watch_pane(self) -> None:
        if self.is_mounted and self._title.pane:
            self._arrange()

    def action_zoom(self) -> None:
        """Give the focused pane the full screen, or show all panes again."""
        self.panes.zoomed = not self.panes.zoomed
        self._arrange()

    def on_descendant_focus(self) -> None:
        """Make the focused pane the one that small screens show."""
        if (number := self.panes.open_focused(self.focused)) is not None:
            self.pane = number
        self.status.problem = self.problem_words()

    # The draft and what is simulated of it.

    def watch_draft(self, before: Draft | None, after: Draft | None) -> None:
        if after is None or not self.is_mounted:
            return
        if before is None or before.scenario != after.scenario:
            self.simulating.preview_soon(edited=True)
        self._title.scenario, self._title.modified = after.title, after.is_modified
        self.show_draft(after)
        if after.unread is not None:
            self.run_worker(self.read_population(after.unread), exit_on_error=False)
        if self._lab is not None and self._lab.is_current:
            self._lab.follow(after)
        self.later("save", AUTOSAVE_S, self.save_draft)

    def _edit(self, what: str, draft: Draft) -> None:
        super()._edit(what, draft)
        self.simulating.hurry()

    def on_selections_changed(self, message: SelectionsChanged) -> None:
        message.stop()
        self.simulating.preview_soon()

    def action_run(self) -> None:
        """Run the scenario with all trials and its sweep."""
        if self.draft is not None and self.draft.problems:
            self.action_mend()
            self.note(f"nothing ran: {self.problem_words()}")
        else:
            self.replay_bar.close()
            self.is_chosen = True
            self.simulating.run()
            if self._title.pane:  # one pane has the screen: that of the result
                self.action_pane(CHARTS)

    def action_cancel(self) -> None:
        """Leave a zoom, else leave a replay, else stop the run. (An edited field takes escape
        first.)
        """
        if self.panes.back:
            self.action_zoom()
        elif self.replay_bar.replay is not None:
            self.replay_bar.action_close()
        else:
            self._kept.stop()

    def action_copy_or_cancel(self) -> None:
        """Copy the text selected with the mouse; if none is, stop the run."""
        if selected := self.get_selected_text():
            files.copy_text(self, selected)
        else:
            self.action_cancel()

    def on_run_progressed(self, message: RunProgressed) -> None:
        if self.simulating.take(message.snapshot):
            self.run_worker(self._kept.list_all(), group="kept runs", exclusive=True)

    def on_worker_changed(self, message: WorkerChanged) -> None:
        # The versions of one that is ready are news to nobody; that one died is.
        if message.alive:
            self.status.tooltip = message.note
        elif message.note:
            self.note(message.note)

    async def shut_down(self) -> None:
        """Stop the worker processes and wait for their end."""
        lab = [self._lab.shut_down()] if self._lab is not None else []
        await asyncio.gather(self._engine.stop(), self._kept.shut_down(), *lab)

    # Runs.

    def on_runs_chosen(self, message: RunsChosen) -> None:
        message.stop()
        added = set(message.overlays) - set(self.run_list.overlays)
        words = lone_words(self.charts.tab, self.charts.tabs()) if added else ""
        self.choose(message.shown, message.overlays, words)

    def choose(self, shown: int, overlays: tuple[int, ...] = (), note: str = "") -> None:
        self.replay_bar.close()
        self.put_back()
        self.is_chosen = True
        self.keep(self.run_list.with_choice(shown, overlays))
        self.run_worker(self._kept.read_chosen(note))

    def on_group_asked(self) -> None:
        self.charts.action_option("group")

    def on_run_asked(self, message: RunAsked) -> None:
        message.stop()
        if message.what == "restore":
            self.run_worker(self._kept.put_back())
        elif (run := self.run_list.run(message.key)) is not None:
            self.run_worker(self._kept.fulfil(message.what, run))

    def on_replay_bar_exit_request(self) -> None:
        self.put_back()
        self.show()
        self.simulating.preview_soon(edited=True)
        self.action_pane(self._back_to)

    # Other screens.

    def action_lab(self, show: str = "") -> None:
        """Show the lab.

        show : the name of a question to open; "reports" for a question about the opened reports.
        """
        lab = self._make_lab()
        lab.follow(self.draft)
        if show == "deployment" and not self.hints.omitted:
            self.hints.omitted = OWN_DEPLOYMENT
            with suppress(OSError):
                places.deployment_mark().parent.mkdir(parents=True, exist_ok=True)
                places.deployment_mark().touch()
        if show:
            lab.open(show)
        if lab not in self.app.screen_stack:
            self.app.push_screen("lab")

    def _make_lab(self) -> LabScreen:
        """The lab's screen, created at the first use."""
        if self._lab is None:
            from ..lab.lab_screen import LabScreen

            self._lab = LabScreen(self._lab_engine or type(self._engine), self._collection)
            self.app.install_screen(self._lab, "lab")
        return self._lab

    def action_help(self) -> None:
        from ..help_screen import HelpScreen

        subject = self._field
        if self.focused is not self._field_of:
            subject = {CHARTS: f"tab.{self.charts.tab}", 5: "tab.runs"}.get(self.pane, "")
        keys = ("protocol.kind", "attack.kind") if subject == "tab.report" else (subject,)
        kinds = [
            (key.partition(".")[0], str(value_of(self.draft, key)))
            for key in keys
            if key.endswith(".kind") and self.draft is not None
        ]
        self.app.push_screen(HelpScreen(subject, tuple(self.active_bindings.values()), kinds))

    def action_open(self) -> None:
        files.open_any(self, lambda path: self.run_worker(self._kept.open_file(path)))

    def action_save(self) -> None:
        files.save(self)

    def action_export(self) -> None:
        files.export(self, lambda run, out: self.run_worker(self._kept.write_trials(run, out)))

    def action_copy(self) -> None:
        files.copy_shown(self)
