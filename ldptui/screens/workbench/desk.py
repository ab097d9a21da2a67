"""What the screen does beside its panes, and the desk: the view of the screen that this has."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from typing import TYPE_CHECKING, Any, Final, Protocol

from msgspec.structs import replace
from textual.app import App
from textual.timer import Timer
from textual.widgets import TextArea

from ...catalogue import named
from ...messages import LongWork
from ...session.autosave import WHOLE, Edits, find_used, note_used, save_draft
from ...session.draft import dropped_sweeps, edit_key, read_on, repair_of
from ...session.snapshot import Snapshot, with_rest
from ...terminal.keyboard import UNDO, key_of
from ...widgets.field import is_typing
from .title import NAMES

if TYPE_CHECKING:
    from textual.message import Message
    from textual.timer import Timer
    from textual.widget import Widget

    from ...engine import Engine
    from ...engine.replay import RunReplay
    from ...session.draft import Draft, PendingWork, Problem
    from ...session.shelf import Shelf
    from ..lab.screen import LabScreen
    from .charts import ChartsPane
    from .panes import Panes
    from .replay_bar import ReplayBar


class Desk(Protocol):
    """The draft and the runs that are worked on, and what can be done with them."""

    @property
    def app(self) -> App[Any]: ...
    @property
    def charts(self) -> ChartsPane: ...
    @property
    def is_mounted(self) -> bool: ...

    draft: Draft | None
    shelf: Shelf

    def post_message(self, message: Message) -> bool: ...
    def set_timer(self, delay: float, callback: Callable[[], None]) -> Timer: ...

    def tell_problems(self) -> None:
        """Show what is wrong with the draft."""

    def note(self, note: str) -> None:
        """Say something in the status line for a while."""

    def busy(self, doing: str) -> None:
        """Note what goes on, "" for nothing."""

    def take_draft(self, draft: Draft, edit: str = ...) -> None:
        """Work on this draft; what was before can be had back."""

    def open_draft(self, draft: Draft) -> None:
        """Work on another scenario: a replay is left, and no chart of the one before stays."""

    def keep(self, shelf: Shelf, soon: bool = False) -> None:
        """Show this shelf; soon: in a moment, unless there is more to show before."""

    def show(self) -> None:
        """Show again what is on the shelf."""

    def choose(self, shown: int, overlays: tuple[int, ...] = (), note: str = "") -> None:
        """Show a run, by its key, and lay others over it; then say something."""

    def action_run(self, resumed: int | None = None) -> None:
        """Run the scenario; resumed: go on with that run of the store."""

    def play(self, replay: RunReplay, draft: Draft) -> None:
        """Work on the scenario of a run, and replay it from the start."""

    def action_pane(self, number: int, control: Widget | None = None) -> None:
        """Show a pane and put the focus into it: on that control, else on the last one."""


PATIENCE_S: Final = 0.18
"""A preview that is over sooner is drawn once, when it is over."""


class RunDisplay:
    """Hands the replay's frame or the run shown, and those laid over it, to the panes."""

    def __init__(self, screen: Desk, panes: Panes, replay_bar: ReplayBar) -> None:
        self._screen, self._panes, self._replay_bar = screen, panes, replay_bar
        self._patience: Timer | None = None

    def soon(self) -> None:
        """Show the screen's shelf in a moment, unless it is shown before."""
        if self._patience is None and self._screen.is_mounted:
            self._patience = self._screen.set_timer(PATIENCE_S, self._screen.show)

    def now(self, shelf: Shelf) -> Snapshot | None:
        """Show the shelf; the snapshot that the status line tells of, None where nothing is."""
        if self._patience is not None:
            self._patience.stop()
            self._patience = None
        charts, snapshot = self._panes.charts, self._replay_bar.frame
        shown = shelf.run(shelf.shown)
        charts.overlays = shelf.laid_over
        if snapshot is not None:
            charts.snapshot = snapshot
        elif (picture := shelf.picture) is not None:
            snapshot = shown.snapshot if shown is not None else None
            before = charts.snapshot
            is_new = picture.status == "running" and before is not None
            charts.snapshot = with_rest(picture, before) if before and is_new else picture
        self._panes.runs.shelf = shelf
        return shelf.active or snapshot


REST_S: Final = 0.4
"""Seconds that typing rests before anything is said about what is typed."""


class ProblemReport:
    """The problems of the draft: the sentence about the first, and the way to its field."""

    def __init__(self, desk: Desk, panes: Panes) -> None:
        self._desk, self._panes = desk, panes
        self._resting: Timer | None = None  # until it fires nothing is said of what is half typed

    def tell_later(self, draft: Draft) -> None:
        """Show a draft without what is wrong with it until typing rests."""
        self._stop()
        self._panes.hand(replace(draft, problems=()))
        self._resting = self._desk.set_timer(REST_S, self._desk.tell_problems)

    def tell(self) -> None:
        """Show the draft, with what is wrong with it below its fields."""
        self._stop()
        if self._desk.draft is not None:
            self._panes.hand(self._desk.draft)

    def _stop(self) -> None:
        if self._resting is not None:
            self._resting.stop()
            self._resting = None

    @property
    def is_waiting(self) -> bool:
        """True until typing rests."""
        return self._resting is not None

    def can_repair(self, focused: Widget | None) -> bool:
        """Return whether enter does what the first problem offers: not while something is typed."""
        draft = self._desk.draft
        if draft is None or self.is_waiting or repair_of(draft) is None:
            return False
        return not is_typing(focused) and not isinstance(focused, TextArea)

    def repair(self) -> None:
        """Do what the first problem offers."""
        draft = self._desk.draft
        if draft is not None and (repair := repair_of(draft)) is not None:
            self._desk.take_draft(edit_key(draft, repair.key, repair.value), repair.key)

    def words(self) -> str:
        """The first problem and the number of others; where a pane says it, which one; "" for none.

        A sentence stands in one place: below its field or the script, where those can be seen.
        """
        if not (problems := self._problems):
            return ""
        draft = self._desk.draft
        if draft is not None and (repair := repair_of(draft)) is not None:
            return repair.words
        first, more = problems[0], f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        number = self._panes.telling(first)
        if number is None:
            return f"{named(first.key)} {first.message}".strip() + more
        line = f"line {first.line} of the script" if first.line else "the script"
        key = key_of(self._desk.app, f"pane.{number}", str(number))
        return f"{named(first.key) or line}: {NAMES[number]} ({key}) says why{more}"

    def mend(self) -> None:
        """Go to the field of the first problem."""
        place = self._panes.field(self._problems[0].key) if self._problems else None
        if place is not None:
            number, field = place
            self._desk.action_pane(number, field.control)

    @property
    def _problems(self) -> tuple[Problem, ...]:
        return self._desk.draft.problems if self._desk.draft is not None else ()


AUTOSAVE_S: Final = 2.0


class Autosave:
    """Saves the desk's draft; what goes wrong is said, never raised."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._timer: Timer | None = None

    def soon(self) -> None:
        """Save it in a moment, unless there is another edit before."""
        if self._timer is not None:
            self._timer.stop()
        self._timer = self._desk.set_timer(AUTOSAVE_S, self.now)

    def now(self) -> None:
        """Save it."""
        fault = save_draft(self._desk.draft) if self._desk.draft is not None else ""
        if fault:  # else what is said now stays
            self._desk.note(fault)


class DraftHistory:
    """The desk works on before a replay what it works on again after it."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._edits = Edits()
        self._aside: Draft | None = None

    def remember(self, edit: str) -> None:
        """Keep the present draft, which an edit replaces now.

        Who edits a run that is replayed goes on with its scenario: what was put aside is an edit
        ago.
        """
        before, self._aside = self._aside, None
        if before is not None:
            self._edits = self._edits.with_edit(WHOLE, before)
        if self._desk.draft is not None:
            self._edits = self._edits.with_edit(edit, self._desk.draft)

    def say_dropped(self, edit: str, before: Draft | None) -> None:
        """Name the sweeps that an edit has dropped from the draft before it."""
        if before is None or self._desk.draft is None or edit.startswith("sweep"):
            return
        if lost := dropped_sweeps(before, self._desk.draft):
            back = key_of(self._desk.app, *UNDO)
            self._desk.note(f"the sweep of {lost} went with that; {back} brings it back")

    @property
    def vain(self) -> Iterator[str]:
        """Those of undo and redo for which there is nothing."""
        ways = {"undo": self._edits.past, "redo": self._edits.future}
        return (way for way, edits in ways.items() if not edits)

    def undo(self) -> None:
        """Take back the last edit."""
        if self._desk.draft is None or not self._edits.past:
            self._desk.note("nothing to undo")
            return
        key, self._desk.draft, self._edits = self._edits.undone(self._desk.draft)
        self._desk.note(f"{named(key)} is as it was")

    def redo(self) -> None:
        """Make the edit again that was taken back last."""
        if self._desk.draft is None or not self._edits.future:
            self._desk.note("nothing to redo")
            return
        key, self._desk.draft, self._edits = self._edits.redone(self._desk.draft)
        self._desk.note(f"{named(key)} is edited again")

    def put_aside(self) -> None:
        """Keep the present draft until `put_back`: a run of another scenario is replayed."""
        self._aside = self._aside or self._desk.draft

    def put_back(self) -> None:
        """Work again on the draft that was put aside, if any."""
        draft, self._aside = self._aside, None
        if draft is not None:
            self._desk.draft = draft


BURST_S = 0.02
"""Seconds from the last edit of a burst to the work for it."""


class Background:
    """Populations that are large, and the panes' long work."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._reading: PendingWork | None = None
        self._wanted: dict[str, LongWork] = {}  # by kind

    async def read_population(self, origin: PendingWork) -> None:
        """Make a large population in a thread, then go on with the draft."""
        if self._reading == origin:
            return
        self._reading = origin
        await asyncio.sleep(BURST_S)
        if self._reading != origin:
            return
        self._desk.busy(f"{origin.doing} …")
        try:
            await asyncio.to_thread(origin.read)
            # What is bound to it, targets in their order, takes long as well.
            while (draft := self._desk.draft) is not None and draft.unread == origin:
                read = await asyncio.to_thread(read_on, draft)
                if self._desk.draft is draft:
                    self._desk.draft = read
        finally:
            if self._reading == origin:
                self._reading = None
                self._desk.busy("")

    async def work(self, message: LongWork) -> None:
        """Do what a pane asked for, unless it asks for something newer of the same kind."""
        self._wanted[message.kind] = message
        await asyncio.sleep(BURST_S)
        if self._wanted[message.kind] is not message:
            return
        message.done(await asyncio.to_thread(message.work))
        self._desk.charts.watch_draft()


class LabDoor:
    """Opens the lab, and tells it of the draft and the runs while it is open."""

    def __init__(
        self, desk: Desk, engine: type[Engine], collection: dict[str, Any] | None = None
    ) -> None:
        self._desk, self._engine, self._collection = desk, engine, collection
        self._lab: LabScreen | None = None
        self._used = find_used()

    def has_met(self, show: str) -> bool:
        """True where this was shown before, in this session or an earlier one."""
        return show in self._used

    def begin(self) -> None:
        """Show the reports that the workbench was started with, if it was."""
        if self._collection is not None:
            self.open("reports")

    def open(self, show: str = "") -> None:
        """Show the lab. show : on this topic, or on a tab of the reports that are opened."""
        if self._lab is None:
            from ..lab.screen import LabScreen

            self._lab = LabScreen(self._engine, self._collection)
            self._desk.app.install_screen(self._lab, "lab")
        self._lab.follow(self._desk.draft, self._desk.shelf.runs)
        if show:
            self._lab.open(show)
            note_used(show)
            self._used.add(show)
        self._desk.app.push_screen("lab")

    def follow(self) -> None:
        """Tell the lab what is worked on now, if it is what is seen."""
        if self._lab is not None and self._lab.is_current:
            self._lab.follow(self._desk.draft, self._desk.shelf.runs)

    def closings(self) -> list[Coroutine[Any, Any, None]]:
        """The work that is left to do at the end of the app."""
        return [self._lab.shut_down()] if self._lab is not None else []
