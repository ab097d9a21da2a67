"""The runs that the store keeps: read, changed, opened, resumed and played, each in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ldptui.core.base.errors import LdpError

from ...engine import kept
from ...session.draft import reopened
from ...session.runs import Run, difference_text
from ...terminal.visitor import hand_over
from .desk import Desk
from .panes import CHARTS

if TYPE_CHECKING:
    from ...session.draft import Draft

Wish = Literal["star", "tags", "remove", "open", "play", "resume", "difference"]


class KeptRuns:
    """The actions on kept runs; each makes a new shelf.

    store : the store's file, None for none.
    """

    def __init__(self, desk: Desk, store: Path | None) -> None:
        self._desk, self._store = desk, store

    @contextmanager
    def _faults_noted(self) -> Iterator[None]:
        """Note what the store cannot do."""
        try:
            yield
        except LdpError as error:
            self._desk.note(str(error))

    # Reading.

    async def list_all(self) -> None:
        """Read the list of the store's runs."""
        if self._store is not None:
            with self._faults_noted():
                listed = await asyncio.to_thread(kept.kept_runs, self._store)
                self._desk.keep(self._desk.shelf.listed(listed))

    async def read(self, run: Run) -> None:
        """Read the results of a run of the store."""
        if self._store is None or run.number is None:
            return
        self._desk.note(f"reading {run.name} …")
        with self._faults_noted():
            snapshot = await asyncio.to_thread(kept.snapshot, self._store, run.number)
            snapshot = replace(snapshot, note="read from the store, nothing ran")
            self._desk.shelf = self._desk.shelf.with_read(run, snapshot)
            self._desk.note("")

    async def read_chosen(self, note: str) -> None:
        """Read the runs that are to be shown, as far as that was not done; then say something."""
        for run in self._desk.shelf.unread:
            await self.read(run)
            self._desk.show()
        if note:
            self._desk.note(note)

    async def show_last(self, chosen: Callable[[], bool]) -> None:
        """At the start: show the last run in place of a preview, if it is of this very scenario.

        A run of another one would stand under the title of this one; Runs has it. What was
        chosen to be shown meanwhile stays.
        """
        desk = self._desk
        last, scenario = desk.shelf.last, desk.draft.scenario if desk.draft is not None else None
        if last is None or scenario is None or scenario.document != last.document or chosen():
            return
        await self.read(last)
        if last.key in desk.shelf.read and not chosen():
            desk.keep(desk.shelf.chosen(last.key, desk.shelf.overlays))

    async def offer_to_resume(self) -> None:
        """At the start: offer to go on with a run that was cut off."""
        from ..dialogs.asking import ConfirmScreen, going_on

        run = self._desk.shelf.cut_off
        if run is None:
            return
        question = ConfirmScreen(going_on(run), "Resume", "Leave it")
        if await self._desk.app.push_screen_wait(question):
            await self._resume(run)
        else:
            await self._change(run, kept.leave)

    # Doing.

    async def put_back(self) -> None:
        """Put the run back that was deleted last."""
        desk = self._desk
        if not desk.shelf.deleted:
            return
        run = desk.shelf.deleted[-1]
        desk.keep(desk.shelf.put_back())
        if run.kept is None or await self._change(run, kept.remove, False):
            desk.note(f"{run.name} is back")

    async def fulfil(self, wish: Wish, run: Run) -> None:
        """Carry out an action of the Runs pane on a run."""
        match wish:
            case "star":
                starred = run.kept is not None and run.kept.star
                await self._change(run, kept.star, not starred)
            case "tags":
                await self._tag(run)
            case "remove":
                await self._delete(run)
            case "resume":
                await self._resume(run)
            case "open":
                await self._open(run)
            case "play":
                await self._play(run)
            case "difference":
                self._show_difference(run)

    async def write_trials(self, run: Run | None, out: Path) -> None:
        """Write every trial of a run to a file; only the store has them."""
        if self._store is None or run is None or run.number is None:
            self._desk.note("only a run that is kept has its trials; ctrl+r runs the scenario")
            return
        with self._faults_noted():
            await asyncio.to_thread(kept.write_trials, self._store, run.number, out)
            self._desk.note(hand_over(self._desk.app, out) or f"wrote {out}")

    async def _change(self, run: Run, change: Callable[..., None], *values: Any) -> bool:
        """Change something of a run in the store, then read the list; whether it was done."""
        if self._store is None or run.kept is None:
            return False
        done = False
        with self._faults_noted():
            await asyncio.to_thread(change, self._store, run.kept.number, *values)
            done = True
        await self.list_all()
        return done

    async def _tag(self, run: Run) -> None:
        from ..dialogs.asking import TagsScreen

        tags = await self._desk.app.push_screen_wait(TagsScreen(run.name, run.tags))
        if tags is not None:
            await self._change(run, kept.tag, tags)

    async def _delete(self, run: Run) -> None:
        """Take a run out of the list; `u` puts it back."""
        if run.kept is None or await self._change(run, kept.remove, True):
            self._desk.keep(self._desk.shelf.without(run))
            self._desk.note(f"{run.name} is deleted; u puts it back")

    def _show_difference(self, run: Run) -> None:
        """Show the differences of a run from the one shown, or from the one before it."""
        from ..dialogs.asking import TextScreen

        pair = self._desk.shelf.pair(run)
        if pair is not None:
            title = f"{pair[0].name} → {pair[1].name}"
            self._desk.app.push_screen(TextScreen(title, difference_text(*pair)))

    async def _open(self, run: Run) -> None:
        """Work on a run's scenario, and show the run; unsaved changes are asked about."""
        from ..dialogs.asking import ConfirmScreen

        desk = self._desk
        if desk.draft is not None and desk.draft.modified:
            question = f"The scenario has changes that are not saved. Open that of {run.name}?"
            if not await desk.app.push_screen_wait(ConfirmScreen(question, "Open", "Stay")):
                return
        desk.open_draft(await _draft_of(run))
        desk.choose(run.key)

    async def _resume(self, run: Run) -> None:
        """Go on with a run that did not end."""
        desk = self._desk
        scenario = desk.draft.scenario if desk.draft is not None else None
        if scenario is None or scenario.document != run.document:
            desk.open_draft(await _draft_of(run))
        desk.action_run(run.number)
        desk.action_pane(CHARTS)

    async def _play(self, run: Run) -> None:
        """Play a run of the store as it happened."""
        if self._store is None or run.number is None:
            return
        with self._faults_noted():
            playback = await asyncio.to_thread(kept.playback, self._store, run.number, run.key)
            self._desk.play(playback, await _draft_of(run))


async def _draft_of(run: Run) -> Draft:
    source = run.kept.source if run.kept is not None else ""
    return await asyncio.to_thread(reopened, run.document, source)
