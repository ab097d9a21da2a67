"""The runs that the store keeps: read, changed, opened, resumed and played, each in a thread."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from msgspec.structs import replace

from ldptui.core.base.errors import LdpError

from ...engine import store_actions
from ...session import exporting
from ...session.draft import reopen_draft
from ...session.runs import Run, difference_text
from ...terminal.keyboard import RUNS, key_of
from .draft_screen import DraftScreen
from .panes import CHARTS

if TYPE_CHECKING:
    from ...engine.replay import RunReplay
    from ...session.draft import Draft
    from ...session.snapshot import Snapshot
    from .simulating import Simulations

Wish = Literal["star", "remove", "open", "play", "resume", "difference", "verify"]


class KeptRuns:
    """The actions on runs of the store; each replaces the screen's list of runs.

    store : the store's file; None without a store.
    simulating : the simulations of the screen, which ask for consent to code and are stopped here.
    """

    def __init__(self, screen: DraftScreen, store: Path | None, simulating: Simulations) -> None:
        self._screen, self._store, self._simulating = screen, store, simulating
        self._verifying: asyncio.subprocess.Process | None = None
        self._replays: dict[int, RunReplay] = {}  # of shown runs that another process computes
        self._lock = asyncio.Lock()  # of the replays, and of the list
        self._state: tuple[tuple[int, int], ...] = ()  # of the store that was read last

    @contextmanager
    def _faults_noted(self) -> Iterator[None]:
        """A context manager that shows errors of the store as notes."""
        try:
            yield
        except LdpError as error:
            self._screen.note(str(error))

    # Reading.

    async def list_all(self) -> None:
        """Read the list of the store's runs, and the results of shown runs that have changed."""
        if self._store is None:
            return
        async with self._lock:
            with self._faults_noted():
                self._state = store_actions.state_of(self._store)
                listed = await asyncio.to_thread(store_actions.kept_runs, self._store)
                if tuple(listed) == self._screen.run_list.kept:
                    return
                changed = self._screen.run_list.with_stored_runs(listed).unread
                read = [(run, await self._results_of(run, self._store)) for run in changed]
                run_list = self._screen.run_list.with_stored_runs(listed)
                for run, snapshot in read:
                    run_list = run_list.with_read(run, snapshot)
                for key in self._replays.keys() - {run_list.shown, *run_list.overlays}:
                    self._replays.pop(key).close()
                self._screen.keep(run_list)

    def watch(self) -> None:
        """Read the list of runs again when another process has changed the store."""
        if self._store is None or self._lock.locked():
            return
        if store_actions.state_of(self._store) != self._state:
            self._screen.run_worker(self.list_all(), group="kept runs")

    async def read(self, run: Run) -> None:
        """Read the results of a run from the store."""
        if self._store is None or run.number is None:
            return
        self._screen.note(f"reading {run.name} …")
        async with self._lock:
            with self._faults_noted():
                snapshot = await self._results_of(run, self._store)
                self._screen.run_list = self._screen.run_list.with_read(run, snapshot)
                self._screen.note("")

    async def _results_of(self, run: Run, store: Path) -> Snapshot:
        """The results of a stored run; blocks that were read before are not read again."""
        assert run.number is not None  # it is in the store
        replay = self._replays.pop(run.key, None)
        if replay is None:
            replay = await asyncio.to_thread(store_actions.open_run, store, run.number, -run.number)
        try:
            await asyncio.to_thread(replay.refresh)
            snapshot = await asyncio.to_thread(replay.frame)
        except BaseException:
            replay.close()
            raise
        if run.status == "running":
            self._replays[run.key] = replay
        else:
            replay.close()
        return replace(snapshot, note="read from the store, nothing ran")

    async def read_chosen(self, note: str) -> None:
        """Read the results of the shown and overlaid runs that are not read yet; then
        show a note.
        """
        for run in self._screen.run_list.unread:
            await self.read(run)
            self._screen.show()
        if note:
            self._screen.note(note)

    async def show_last(self) -> None:
        """Show the store's last run in place of a preview when the app starts, if it is of the
        draft's scenario.

        A run of another scenario is not shown, as the title names this one; nor if the user has
        chosen a run.
        """
        screen = self._screen
        last, draft = screen.run_list.last, screen.draft
        scenario = draft.scenario if draft is not None else None
        if screen.is_chosen or not (last and scenario and scenario.document == last.document):
            return
        await self.read(last)
        if last.key in screen.run_list.read and not screen.is_chosen:
            screen.keep(screen.run_list.with_choice(last.key, screen.run_list.overlays))

    def tell_cut_off(self) -> None:
        """Say in the status line, when the app starts, that the last run was interrupted and how to
        resume it.
        """
        runs = self._screen.run_list.kept
        if runs and runs[-1].status == "interrupted":
            pane = key_of(self._screen.app, *RUNS)
            self._screen.note(f"{runs[-1].name} was cut off: r in Runs ({pane}) goes on with it")

    # Doing.

    async def put_back(self) -> None:
        """Restore the run that was deleted last."""
        screen = self._screen
        if not screen.run_list.deleted:
            return
        run = screen.run_list.deleted[-1]
        screen.keep(screen.run_list.put_back())
        if run.kept is None or await self._change(run, "remove", False):
            screen.note(f"{run.name} is back")

    async def fulfil(self, wish: Wish, run: Run) -> None:
        """Carry out an action of the pane Runs on a run."""
        actions = {
            "star": self._star, "remove": self._delete, "resume": self._resume,
            "open": self._open, "play": self._play, "difference": self._show_difference,
            "verify": self._verify,
        }  # fmt: skip
        await actions[wish](run)

    async def write_trials(self, run: Run | None, out: Path) -> None:
        """Write every trial of a run from the store to a file."""
        if self._store is None or run is None or run.number is None:
            self._screen.note("only a run that is kept has its trials; ctrl+r runs the scenario")
            return
        with self._faults_noted():
            await asyncio.to_thread(store_actions.write_trials, self._store, run.number, out)
            self._screen.note(f"wrote {out}", stays=True)

    async def _change(self, run: Run, change: store_actions.Change, *values: Any) -> bool:
        """Change a property of a run in the store, then read the list; returns True if
        it was done.
        """
        if self._store is None or run.kept is None:
            return False
        done = False
        with self._faults_noted():
            await asyncio.to_thread(store_actions.change, self._store, run.kept.id, change, *values)
            done = True
        await self.list_all()
        return done

    async def _star(self, run: Run) -> None:
        await self._change(run, "star", not (run.kept is not None and run.kept.star))

    async def _delete(self, run: Run) -> None:
        """Remove a run from the list; `u` restores it."""
        if run.kept is None or await self._change(run, "remove", True):
            self._screen.keep(self._screen.run_list.without(run))
            self._screen.note(f"{run.name} is deleted; u puts it back")

    async def _show_difference(self, run: Run) -> None:
        """Show the differences of a run from the one shown, or from the one before it."""
        from ..dialogs.prompts import TextScreen

        pair = self._screen.run_list.pair(run)
        if pair is not None:
            title = f"{pair[0].name} → {pair[1].name}"
            self._screen.app.push_screen(TextScreen(title, difference_text(*pair)))

    async def _open(self, run: Run) -> bool:
        """Make a run's scenario the draft, and show the run; returns True if the user agreed to
        leave the draft.
        """
        if not await self._may_leave(run.name):
            return False
        if not run.snapshot.cells:  # before a preview of the same scenario is shown in its place
            await self.read(run)
        self._screen.open_draft(await _draft_of(run))
        self._screen.choose(run.key)
        return True

    async def _may_leave(self, other: str) -> bool:
        """Ask whether unsaved changes may be left before another scenario is opened; returns the
        answer.
        """
        from ..dialogs.prompts import ConfirmScreen

        draft = self._screen.draft
        if draft is None or not draft.is_modified:
            return True
        question = f"The scenario has changes that are not saved. Open that of {other}?"
        answer = await self._screen.app.push_screen_wait(ConfirmScreen(question, "Open", "Stay"))
        return bool(answer)

    async def _resume(self, run: Run) -> None:
        """Continue a run that did not end."""
        screen = self._screen
        scenario = screen.draft.scenario if screen.draft is not None else None
        if scenario is None or scenario.document != run.document:
            screen.open_draft(await _draft_of(run))
        screen.is_chosen = True
        self._simulating.run(run.number)
        screen.action_pane(CHARTS)

    # Files.

    async def open_file(self, path: Path) -> None:
        """Open a recording with its run, or a figure with its scenario and run."""
        with self._faults_noted():
            carried = await asyncio.to_thread(exporting.read_figure, path)
            if carried is not None:
                await self._open_figure(path, carried)
            elif self._store is None:
                replay = await asyncio.to_thread(store_actions.open_recording, path)
                self._screen.play(
                    replay, await asyncio.to_thread(reopen_draft, replay.run.document, "")
                )
            else:
                number, before = await asyncio.to_thread(store_actions.take, self._store, path)
                await self.list_all()
                run = next(run for run in self._screen.run_list.runs if run.number == number)
                if await self._open(run):
                    was = "was here already" if before else "is imported"
                    self._screen.note(f"{path.name}: {run.name} {was}; V in Runs verifies it")

    async def _open_figure(self, path: Path, carried: exporting.FigureContent) -> None:
        """Open the scenario that a figure carries, and its run if the store has it."""
        screen = self._screen
        runs = [run for run in screen.run_list.runs if run.snapshot.digest == carried.digest]
        if runs:
            if await self._open(runs[-1]):
                screen.note(f"{path.name} shows {runs[-1].name}")
        elif await self._may_leave(path.name):
            screen.open_draft(await asyncio.to_thread(reopen_draft, carried.document, ""))
            screen.note(f"{path.name}: no run here has {carried.digest}; ctrl+r computes it")

    # Verifying.

    async def _verify(self, run: Run) -> None:
        """Compute a stored run again in a process of its own, and compare all numbers."""
        if self._store is None or run.number is None or self._verifying is not None:
            return
        command = (sys.executable, "-P", "-m", "ldptui", "replay", str(run.number), "--quiet")
        pipe = asyncio.subprocess.PIPE
        self._verifying = child = await asyncio.create_subprocess_exec(
            *command, "--store", str(self._store), stdout=pipe, stderr=pipe, start_new_session=True
        )
        self._screen.busy(f"verifying {run.name}, every trial again …; esc stops it")
        said, complaint = await child.communicate()
        stopped, self._verifying = (child.returncode or 0) < 0, None
        self._screen.busy("")
        words = (said or complaint).decode("utf-8", "replace").strip().partition("\n")[0]
        said_of_it = "verifying was stopped" if stopped else words
        self._screen.note(f"{run.name}: {said_of_it}", stays=True)

    def stop(self) -> None:
        """Stop the verification of a run; if there is none, stop the simulation."""
        if self._verifying is None:
            self._simulating.cancel()
        elif self._verifying.returncode is None:
            self._verifying.kill()

    async def shut_down(self) -> None:
        """Stop the child processes and close the store."""
        for replay in self._replays.values():
            replay.close()
        if self._verifying is not None and self._verifying.returncode is None:
            self._verifying.kill()
            await self._verifying.wait()

    async def _play(self, run: Run) -> None:
        """Replay a run of the store, block by block."""
        if self._store is None or run.number is None:
            return
        with self._faults_noted():
            replay = await asyncio.to_thread(
                store_actions.open_run, self._store, run.number, run.key
            )
            self._screen.play(replay, await _draft_of(run))


async def _draft_of(run: Run) -> Draft:
    source = run.kept.source if run.kept is not None else ""
    return await asyncio.to_thread(reopen_draft, run.document, source)
