"""The part of the workbench screen that looks after runs: this session's, the store's, recordings.

The store is read and changed in threads, after the first frame; what comes of it is a new value.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.reactive import var
from textual.screen import Screen
from textual.timer import Timer

from ..format import count, percent
from ..messages import RunAsked, RunsChosen
from ..places import current_dir, is_folder
from ..runs import Run, difference_text
from ..snapshot import Overlay, Snapshot, over
from ..widgets.charts import ChartsPane
from ..widgets.runs_pane import RunsPane
from ..widgets.status import StatusLine
from ..widgets.transport_bar import TransportBar

if TYPE_CHECKING:
    from ..draft import Draft
    from ..film import Film

CHARTS = 4
PATIENCE_S = 0.12
"""A preview that is over sooner is drawn once, when it is over."""


class RecordedScreen(Screen[None]):
    """Holds the runs, shows one with others over it, and plays a recording.

    session : the runs of this session, oldest first. history : those of the store. film : the
    recording that plays, which the charts show instead of a run.
    """

    draft: var[Draft | None] = var(None, always_update=True)
    session: var[tuple[Run, ...]] = var(())
    history: var[tuple[Run, ...]] = var(())
    shown: var[int] = var(0)
    overlays: var[tuple[int, ...]] = var(())

    def __init__(self, store: Path | None, film: Film | None) -> None:
        super().__init__()
        self._store_path = store
        self._film = film
        self._frame: Snapshot | None = None
        self._round: int | None = None  # that the recording has just shown
        self._known: dict[int, Snapshot] = {}
        """What was read of runs in the store, by key."""
        self._removed: list[Run] = []
        self._waiting: Timer | None = None
        self._chosen = False  # somebody said by hand what is to be shown
        self._frames = asyncio.Lock()

    # What the workbench does for it.

    def _note(self, note: str) -> None:
        raise NotImplementedError

    def action_pane(self, number: int) -> None:
        raise NotImplementedError

    def _take_draft(self, draft: Draft) -> None:
        """Work on this scenario from now on."""
        raise NotImplementedError

    def _start_run(self, resumed: int | None = None) -> None:
        """Run the draft's scenario whole; `resumed`: going on with that run of the store."""
        raise NotImplementedError

    def _simulate_soon(self) -> None:
        raise NotImplementedError

    # The runs.

    @property
    def runs(self) -> tuple[Run, ...]:
        """All runs, oldest first: those of the store, then those of the session alone.

        A run of the session that is recorded has what the store says of it as well.
        """
        stored = {run.number: run.stored for run in self.history}
        own = tuple(
            replace(run, stored=stored[run.number]) if run.number in stored else run
            for run in self.session
        )
        numbers = {run.number for run in own if run.number is not None}
        return (
            *(
                replace(run, snapshot=self._known.get(run.key, run.snapshot))
                for run in self.history
                if run.number not in numbers
            ),
            *own,
        )

    @property
    def active_run(self) -> Snapshot | None:
        for run in self.session:
            if run.snapshot.status == "running":
                return run.snapshot
        return None

    def _show_run(self, soon: bool = False) -> None:
        """Hand the run shown, and those laid over it, to the panes.

        soon : in a moment, unless there is more to show before.
        """
        if not self.is_mounted:
            return
        if soon and self._waiting is None:
            self._waiting = self.set_timer(PATIENCE_S, self._show_run)
        if soon:
            return
        if self._waiting is not None:
            self._waiting.stop()
            self._waiting = None
        runs = self.runs
        by_key = {run.key: run for run in runs}
        charts, pane = self.query_one(ChartsPane), self.query_one(RunsPane)
        charts.overlays = tuple(
            Overlay(by_key[key].name, by_key[key].snapshot)
            for key in self.overlays
            if key != self.shown and key in by_key and by_key[key].snapshot.parts
        )
        shown = by_key.get(self.shown)
        if self._film is not None:
            charts.snapshot = self._frame
        elif shown is not None:
            charts.snapshot = over(shown.snapshot, charts.snapshot)
        pane.runs, pane.shown, pane.overlays = runs, self.shown, self.overlays
        pane.undo = bool(self._removed)
        latest = shown.snapshot if shown is not None else None
        if self._film is not None:
            latest = self._frame
        self.query_one(StatusLine).snapshot = self.active_run or latest

    def on_runs_chosen(self, message: RunsChosen) -> None:
        message.stop()
        self._choose(message.shown, message.overlays)

    def _choose(self, shown: int, overlays: tuple[int, ...]) -> None:
        self.close_film()
        self._chosen = True
        self.shown, self.overlays = shown, overlays
        self._show_run()
        self.run_worker(self._read_runs((shown, *overlays)), exit_on_error=True)

    async def _read_runs(self, keys: tuple[int, ...]) -> None:
        """Read what is in the store alone and not known yet."""
        for run in self.runs:
            if run.key in keys and run.key < 0 and run.key not in self._known:
                await self._read_run(run)
        self._show_run()

    async def _read_run(self, run: Run) -> None:
        path, number = self._store_path, run.number
        if path is None or number is None:
            return
        self._note(f"reading {run.name} …")

        def read() -> Snapshot:
            from ..film import stored_snapshot

            return stored_snapshot(path, number, run.key)

        snapshot = await self._in_thread(read)
        if snapshot is not None:
            self._known[run.key] = snapshot
            self._note("")

    # The store.

    async def _in_thread(self, work: Callable[[], Any]) -> Any:
        """What a function of the store gives; None, and a note, where it cannot."""
        from core.errors import LdpError

        try:
            return await asyncio.to_thread(work)
        except LdpError as error:
            self._note(str(error))
            return None

    async def read_history(self) -> None:
        """Read the list of the store's runs."""
        path = self._store_path
        if path is None:
            return

        def read() -> list[Run]:
            from ..stored import history

            return history(path)

        found = await self._in_thread(read)
        if found is not None and self.is_mounted:
            changed = {run.key for run in found if run not in self.history}
            self._known = {key: one for key, one in self._known.items() if key not in changed}
            self.history = tuple(found)
            self._show_run()

    async def open_history(self) -> None:
        """At the start: read the runs, show the last one, and offer to go on with one cut off.

        The last run of the very scenario that is worked on is shown in place of its preview;
        that of another one, while there is nothing else to show.
        """
        await self.read_history()
        if not self.is_mounted or self._film is not None:
            return
        last = next((run for run in reversed(self.history) if run.snapshot.done), None)
        if last is not None and not self._chosen:
            await self._read_run(last)
        if last is not None and not self._chosen:
            scenario = self.draft.scenario if self.draft is not None else None
            there = self._known.get(last.key)
            if scenario is not None and scenario.document == last.document and there:
                self.shown = last.key
                self._show_run()
            elif there and not any(run.snapshot.parts for run in self.session):
                self.query_one(ChartsPane).snapshot = there
        cut = next((run for run in reversed(self.history) if run.status == "interrupted"), None)
        if cut is not None:
            self._offer_to_resume(cut)

    def _offer_to_resume(self, run: Run) -> None:
        from .confirm import ConfirmScreen

        share = run.snapshot.done / run.stored.total if run.stored and run.stored.total else 0.0
        where = percent(share, 2)
        question = (
            f"{run.name[:1].upper()}{run.name[1:]}, {run.title}, was cut off at {where} "
            f"({count(run.snapshot.done)} of {count(run.snapshot.total)} trials).\n"
            "What it has is kept. Go on with it?"
        )

        def answered(resume: bool | None) -> None:
            if resume:
                self.run_worker(self._resume(run), exit_on_error=True)
            else:
                self.run_worker(self._change("leave", run), exit_on_error=True)

        self.app.push_screen(ConfirmScreen(question, "Resume", "Leave it"), answered)

    # What can be done with a run.

    def on_run_asked(self, message: RunAsked) -> None:
        message.stop()
        run = next((one for one in self.runs if one.key == message.key), None)
        match message.what:
            case "restore":
                self.run_worker(self._restore(), exit_on_error=True)
            case _ if run is None:
                return
            case "star":
                self.run_worker(self._change("star", run), exit_on_error=True)
            case "tags":
                self._ask_tags(run)
            case "remove":
                self.run_worker(self._remove(run), exit_on_error=True)
            case "resume":
                self.run_worker(self._resume(run), exit_on_error=True)
            case "open":
                self._ask_to_open(run)
            case "play":
                self.run_worker(self._play(run), exit_on_error=True)
            case "difference":
                self._show_difference(run)

    async def _change(self, what: str, run: Run, value: Any = None) -> bool:
        """Change something of a run in the store, then read the list again."""
        path, number, kept = self._store_path, run.number, run.stored
        if path is None or number is None or kept is None:
            return False

        def change() -> bool:
            from .. import stored

            if what == "star":
                stored.star(path, number, not kept.star)
            elif what == "tags":
                stored.tag(path, number, value)
            elif what == "leave":
                stored.leave(path, number)
            else:
                stored.remove(path, number, what == "remove")
            return True

        done = bool(await self._in_thread(change))
        await self.read_history()
        return done

    def _ask_tags(self, run: Run) -> None:
        from .tags import TagsScreen

        def answered(tags: tuple[str, ...] | None) -> None:
            if tags is not None:
                self.run_worker(self._change("tags", run, tags), exit_on_error=True)

        self.app.push_screen(TagsScreen(run.name, run.tags), answered)

    async def _remove(self, run: Run) -> None:
        """Take a run out of the list; `u` puts it back."""
        if run.stored is not None and not await self._change("remove", run):
            return
        self._removed.append(run)
        self.session = tuple(one for one in self.session if one.key != run.key)
        self.overlays = tuple(key for key in self.overlays if key != run.key)
        self._show_run()
        self._note(f"{run.name} is deleted; u puts it back")

    async def _restore(self) -> None:
        """Put the run back that was deleted last."""
        if not self._removed:
            return
        run = self._removed.pop()
        if run.key > 0:
            self.session = tuple(sorted((*self.session, run), key=lambda one: one.key))
        if run.stored is not None:
            await self._change("restore", run)
        self._show_run()
        self._note(f"{run.name} is back")

    def _show_difference(self, run: Run) -> None:
        """What differs between a run and the one shown, or the one before it."""
        from .text import TextScreen

        runs = self.runs
        other = next((one for one in runs if one.key == self.shown and one.key != run.key), None)
        if other is None:
            place = [one.key for one in runs].index(run.key)
            other = runs[place - 1] if place else runs[1] if len(runs) > 1 else None
        if other is not None:
            before, after = sorted((other, run), key=runs.index)
            text = difference_text(before, after)
            self.app.push_screen(TextScreen(f"{before.name} → {after.name}", text))

    def _ask_to_open(self, run: Run) -> None:
        """Work on a run's scenario, and show the run; unsaved changes are asked about."""
        from .confirm import ConfirmScreen

        def answered(open_it: bool | None) -> None:
            if open_it:
                self.run_worker(self._open_run(run), exit_on_error=True)

        if self.draft is not None and self.draft.modified:
            question = f"The scenario has changes that are not saved. Open that of {run.name}?"
            self.app.push_screen(ConfirmScreen(question, "Open", "Stay"), answered)
        else:
            answered(True)

    async def _open_run(self, run: Run) -> None:
        self._take_draft(await asyncio.to_thread(_draft_of, run))
        self._choose(run.key, ())

    async def _resume(self, run: Run) -> None:
        """Go on with a run that did not end."""
        if (
            self.draft is None
            or self.draft.scenario is None
            or (self.draft.scenario.document != run.document)
        ):
            self._take_draft(await asyncio.to_thread(_draft_of, run))
        self.session = tuple(one for one in self.session if one.number != run.number)
        self._start_run(run.number)
        self.action_pane(CHARTS)

    # Recordings that play.

    async def _play(self, run: Run) -> None:
        path, number = self._store_path, run.number
        if path is None or number is None:
            return

        def load() -> Film:
            from ..film import stored_film

            return stored_film(path, number, run.key, company=False)

        film = await self._in_thread(load)
        if film is not None:
            self.close_film()
            self._film = film
            await self.show_film()

    async def show_film(self) -> None:
        """Work on the recording's scenario, and play it from the start."""
        from .. import transport

        film = self._film
        if film is None:
            return
        draft = await asyncio.to_thread(draft_of_document, film.run.document, film.run.source)
        if self.draft is None or self.draft.document != draft.document:
            self._take_draft(draft)
        self.overlays, self._round = (), None
        bar = self.query_one("#recording", TransportBar)
        bar.about = f"run {film.run.id}" if film.stored else "recording"
        clock = transport.loaded([beat.seconds for beat in film.beats])
        bar.transport = replace(clock, playing=True)
        self.action_pane(CHARTS)
        self.call_after_refresh(bar.focus)

    async def on_transport_bar_moved(self, message: TransportBar.Moved) -> None:
        message.stop()
        self.run_worker(self._draw_frame(), group="film", exit_on_error=True)

    async def _draw_frame(self) -> None:
        """Show what had come by now; while one frame is made, those that fall due are left out."""
        bar, film = self.query_one("#recording", TransportBar), self._film
        if self._frames.locked() or film is None:
            return
        async with self._frames:
            come = -1
            while self._film is film and bar.transport is not None and bar.transport.come != come:
                come = bar.transport.come
                beat = film.beat(come)
                self._frame = await asyncio.to_thread(film.frame, beat.blocks)
                bar.words = film.words(beat)
                self._show_run()
                if beat.round != self._round:  # between blocks, rounds are looked at by hand
                    self._round = beat.round
                    self.query_one(ChartsPane).show_round(beat.round)
        if self._film is not film:
            film.close()

    def on_transport_bar_closed(self, message: TransportBar.Closed) -> None:
        message.stop()
        self.close_film()
        self._show_run()
        self._simulate_soon()
        self.action_pane(CHARTS)

    def close_film(self) -> None:
        """Leave the recording; its last picture stays until a run is shown."""
        film, self._film = self._film, None
        if film is None:
            return
        self.query_one("#recording", TransportBar).transport = None
        if not self._frames.locked():
            film.close()


def _draft_of(run: Run) -> Draft:
    return draft_of_document(run.document, run.stored.source if run.stored is not None else "")


def draft_of_document(document: Any, source: str) -> Draft:
    """The draft of a recorded scenario, in the folder that it came from, if that is there."""
    from core.scenario import to_toml

    from ..draft import draft_of

    folder = Path(source).parent if source else current_dir()
    return draft_of(to_toml(document), folder if is_folder(folder) else current_dir())
