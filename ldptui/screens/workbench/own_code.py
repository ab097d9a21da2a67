"""Python code of the user's: opened from a file, asked about, and read again when it is saved."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ldptui.core.base.errors import LdpError

from ...session.attack_options import Code, as_arguments, guesses_in
from ...session.draft import rekeyed
from ...widgets.picker import Offer, PickerScreen
from .desk import Desk

if TYPE_CHECKING:
    from ...engine import Engine
    from ...engine.simulation import Simulation
    from ...session.attack_options import Guess
    from ...session.draft import Draft

LOOK_S: Final = 1.0
"""Seconds between two looks at the files whose code runs."""


class OwnCode:
    """The files of Python code that this session knows, and the user's consent to them.

    again : simulates the draft anew, once changed code may run.
    """

    def __init__(
        self, desk: Desk, engine: Engine, simulation: Simulation, again: Callable[[], None]
    ) -> None:
        self._desk, self._engine, self._simulation = desk, engine, simulation
        self._again = again
        self._saved: dict[Path, float] = {}  # when each file that is watched was saved
        self._looks = self._asking = False

    async def open(self, path: Path) -> None:
        """Put the code of a file into the scenario: the one thing in it, or the one picked."""
        try:
            found = await asyncio.to_thread(guesses_in, path)
        except LdpError as error:
            self._desk.note(str(error))
            return
        guess = found[0] if len(found) == 1 else await self._picked(path, found)
        draft = self._desk.draft
        if guess is None or draft is None:
            return
        self._engine.offer(as_arguments(Code(offered=(path,))))
        self._watch(path)
        after = rekeyed(draft, edits(guess, draft.document or {}), sweeps_stay=True)
        if after.scenario is not None and not await self.consented(after):
            return
        self._desk.take_draft(after, f"the {guess.what} of {path.name}")
        self._desk.note(f"{guess.what} {guess.name}: {path.name} is read again when it is saved")

    async def _picked(self, path: Path, found: Sequence[Guess]) -> Guess | None:
        offers = [Offer(guess, guess.name, f"{guess.what} {guess.kind}".strip()) for guess in found]
        picker = PickerScreen(path.name, offers, None)
        offer: Offer | None = await self._desk.app.push_screen_wait(picker)
        return None if offer is None else offer.value

    async def consented(self, draft: Draft) -> bool:
        """Ask about the code of a scenario; whether the user lets all of it run that is found.

        What is not found is left to the worker, which says so.
        """
        from ..dialogs.asking import ConsentScreen

        desk = self._desk
        desk.busy("looking for the code that the scenario asks for …")
        unseen = await self._simulation.unseen(draft)
        desk.busy("")
        waiting = {(code.what, code.name) for code in unseen}
        for code in unseen:
            asked = (code.what, code.name)
            if asked in waiting and await desk.app.push_screen_wait(ConsentScreen(code)):
                waiting.discard(asked)
                self._simulation.agree(code)
                if code.file:
                    self._watch(Path(code.file))
        if waiting:
            names = " and ".join(f"{what} {name!r}" for what, name in sorted(waiting))
            desk.note(f"nothing ran: the {names} is not allowed")
        return not waiting

    def _watch(self, path: Path) -> None:
        """Look at a file from now on."""
        self._saved[path] = _saved(path)
        if not self._looks:
            self._looks = True
            self._desk.app.set_interval(LOOK_S, self.look)

    def look(self) -> None:
        """Ask about the code of files that were saved since the last look."""
        changed = [path for path, before in self._saved.items() if _saved(path) != before]
        if not changed or self._asking:
            return
        self._saved |= {path: _saved(path) for path in changed}
        self._desk.app.run_worker(self._reread(), group="consent", exit_on_error=False)

    async def _reread(self) -> None:
        self._asking, draft = True, self._desk.draft
        try:
            if draft is not None and draft.scenario is not None and await self.consented(draft):
                self._again()
        finally:
            self._asking = False


def edits(guess: Guess, document: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The keys of a scenario that name code, with their values; lists get one entry more."""
    if guess.what in ("defence", "metric"):
        named = {"kind": guess.kind} if guess.kind else {}
        before = document.get(guess.what, [])
        return [(guess.what, [*before, {**named, "name": guess.name}])]
    return [(f"{guess.what}.kind", guess.kind), (f"{guess.what}.name", guess.name)]


def _saved(path: Path) -> float:
    """The time at which a file was saved; 0 while it is not there."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
