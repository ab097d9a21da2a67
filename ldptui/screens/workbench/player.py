"""A playback: its bar, and its pictures made its pictures in a thread as they fall due."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.message import Message
from textual.widget import Widget

from ...session import transport
from .transport_bar import TransportBar

if TYPE_CHECKING:
    from ...engine.playback import Playback
    from ...session.snapshot import Snapshot


class Player(Widget):
    """The bar of a playback; nothing while none plays.

    playback : what plays. frame : its picture at the place where the bar is; None before the first.
    """

    DEFAULT_CSS = "Player { height: auto; }"

    @dataclass(eq=False)
    class Drawn(Message):
        """There is another frame."""

    @dataclass(eq=False)
    class Turned(Message):
        """The playback has come to another round of a campaign, from 0; None: a whole block."""

        round: int | None

    @dataclass(eq=False)
    class Closed(Message):
        """The playback was left by its own key."""

    def __init__(self) -> None:
        super().__init__()
        self.playback: Playback | None = None
        self.frame: Snapshot | None = None
        self._bar = TransportBar(id="recording")
        self._round: int | None = None
        self._drawing = False

    def compose(self) -> ComposeResult:
        yield self._bar

    def play(self, playback: Playback) -> None:
        """Play a playback from the start, and close it at the end."""
        self.close()
        self.playback, self._round = playback, None
        self._bar.about = f"run {playback.run.id}" if playback.kept else "recording"
        clock = transport.loaded([beat.seconds for beat in playback.beats])
        self._bar.transport = replace(clock, playing=True)
        self.call_after_refresh(self._bar.focus)

    def close(self) -> None:
        """Leave the playback, if one plays."""
        playback, self.playback, self.frame = self.playback, None, None
        if playback is None:
            return
        self._bar.transport = None
        if not self._drawing:  # else who draws closes it
            playback.close()

    def leave(self) -> None:
        """Close the playback, and say so."""
        self.close()
        self.post_message(self.Closed())

    def on_transport_bar_moved(self, message: TransportBar.Moved) -> None:
        message.stop()
        self.run_worker(self._draw(), exit_on_error=True)

    def on_transport_bar_closed(self, message: TransportBar.Closed) -> None:
        message.stop()
        self.leave()

    async def _draw(self) -> None:
        """Show what has come by now; while one frame is made, those that fall due are left out."""
        if self._drawing:
            return
        self._drawing = True
        drawn: tuple[Playback, int] | None = None
        while (playback := self.playback) is not None and (
            clock := self._bar.transport
        ) is not None:
            if drawn == (playback, clock.come):
                break
            drawn = playback, clock.come
            beat = playback.beat(clock.come)
            frame = await asyncio.to_thread(playback.frame, beat.blocks)
            if self.playback is not playback:
                playback.close()
                continue
            self.frame, self._bar.words = frame, playback.words(beat)
            self.post_message(self.Drawn())
            if beat.round != self._round:  # between blocks, rounds are looked at by hand
                self._round = beat.round
                self.post_message(self.Turned(beat.round))
        self._drawing = False
