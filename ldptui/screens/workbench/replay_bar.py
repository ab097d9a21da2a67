"""The line of a replay: it goes through the blocks of a run at one pace, or step by step."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Static

if TYPE_CHECKING:
    from ...engine.replay import RunReplay
    from ...session.snapshot import Snapshot

TICK_S: Final = 0.25
MOST_TICKS: Final = 32
"""Ticks that a replay takes at most: of many blocks several come at once."""


class ReplayBar(Static, can_focus=True):
    """The bar that replays a run block by block; hidden while nothing is replayed.

    replay : the run being replayed.
    frame : the snapshot after the blocks so far; None before the first.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "play", "Play, pause", id="replay.toggle"),
        Binding("comma", "step(-1)", "Step", key_display=", .", id="replay.back"),
        Binding("full_stop", "step(1)", "Step on", show=False, id="replay.forward"),
        Binding("home", "go(0)", "To the start", show=False, id="replay.start"),
        Binding("end", "go(-1)", "To the end", id="replay.end"),
        Binding("escape,q", "close", "Close", id="replay.close"),
    ]

    @dataclass(eq=False)
    class FrameChanged(Message):
        """Posted when the replay shows another snapshot."""

    @dataclass(eq=False)
    class ExitRequest(Message):
        """Posted when the key that closes the replay is pressed."""

    def __init__(self) -> None:
        super().__init__(markup=False)
        self.replay: RunReplay | None = None
        self.frame: Snapshot | None = None
        self._at, self._is_playing, self._moved = 0, False, asyncio.Event()

    def play(self, replay: RunReplay) -> None:
        """Replay a run from its start; the bar closes at the end."""
        self.close()
        self.replay, self.display = replay, True
        self._move(0, is_playing=True)
        self.run_worker(self._show(replay))
        self.call_after_refresh(self.focus)

    def close(self) -> None:
        """End the replay, if there is one."""
        self.replay = self.frame = None
        self.display = False
        self._moved.set()

    def action_close(self) -> None:
        self.close()
        self.post_message(self.ExitRequest())

    def action_play(self) -> None:
        """Play or pause; at the end, start again."""
        if self.replay is not None:
            is_over = self._at >= self.replay.blocks
            self._move(0 if is_over else self._at, is_playing=is_over or not self._is_playing)

    def action_step(self, by: int) -> None:
        self._move(self._at + by)

    def action_go(self, place: int) -> None:
        """Go to the start (0) or the end (-1) of the replay."""
        if self.replay is not None:
            self._move(self.replay.blocks if place else 0)

    def _move(self, at: int, *, is_playing: bool = False) -> None:
        """Show the first `at` blocks, and continue from there if `is_playing`."""
        if self.replay is not None:
            self._at, self._is_playing = max(0, min(at, self.replay.blocks)), is_playing
            self._moved.set()

    async def _show(self, replay: RunReplay) -> None:
        """Show the reached place after every move and every tick, until the replay is closed.

        Ticks that pass while a frame is computed are skipped.
        """
        while self.replay is replay:
            self._moved.clear()
            at = self._at
            frame = await asyncio.to_thread(replay.frame, at)
            if self.replay is not replay:
                break
            self.frame = frame
            self.update(f"{replay.describe(at)} · space plays, comma and period step")
            self.post_message(self.FrameChanged())
            try:
                await asyncio.wait_for(self._moved.wait(), TICK_S if self._is_playing else None)
            except TimeoutError:
                if self.replay is replay:
                    at += max(1, replay.blocks // MOST_TICKS)
                    self._move(at, is_playing=at < replay.blocks)
        replay.close()
