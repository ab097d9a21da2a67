"""A playback: its frames are made beside the screen, and it is closed once."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import pytest
from support.waiting import until
from textual.app import App, ComposeResult

from ldptui.engine.playback import Beat
from ldptui.screens.workbench.player import Player
from ldptui.screens.workbench.transport_bar import TransportBar
from ldptui.session.snapshot import Snapshot


class Reel:
    """Three blocks, the middle one of a campaign's round 0; frames wait at the gate."""

    kept = True
    beats = (Beat(1.0, 1), Beat(2.0, 2, 0), Beat(3.0, 3))

    def __init__(self, number: int) -> None:
        self.run = SimpleNamespace(id=number)
        self.gate = threading.Event()
        self.gate.set()
        self.asked: list[int] = []
        self.closed = 0

    def beat(self, come: int) -> Beat:
        return self.beats[come - 1] if come else Beat(0.0, 0)

    def words(self, beat: Beat) -> str:
        return f"block {beat.blocks}"

    def frame(self, blocks: int) -> Snapshot:
        assert not self.closed
        self.asked.append(blocks)
        assert self.gate.wait(20)
        return Snapshot(self.run.id, "partial", done=blocks)

    def close(self) -> None:
        self.closed += 1


class Cinema(App[None]):
    """Keeps what the player says."""

    def __init__(self) -> None:
        super().__init__()
        self.player = Player()
        self.said: list[Any] = []

    def compose(self) -> ComposeResult:
        yield self.player

    def on_player_turned(self, message: Player.Turned) -> None:
        self.said.append(message.round)

    def on_player_closed(self) -> None:
        self.said.append("closed")


def play(app: Cinema, playback: Reel) -> None:
    """From the start, and paused there: no clock moves it."""
    app.player.play(playback)  # type: ignore[arg-type]
    app.player.query_one(TransportBar).action_play()


async def test_frames_follow_the_bar_and_rounds_are_sent_on_change() -> None:
    app, playback = Cinema(), Reel(1)
    async with app.run_test() as pilot:
        play(app, playback)
        bar = app.player.query_one(TransportBar)
        for key, blocks in (("home", 0), ("right", 1), ("right", 2), ("right", 3)):
            await pilot.press(key)
            await until(
                pilot,
                lambda blocks=blocks: (  # type: ignore[misc]
                    (seen := app.player.frame) is not None and seen.done == blocks
                ),
            )
            assert bar.words == f"block {blocks}"
        assert app.said == [0, None]
        await pilot.press("escape")
        assert app.said == [0, None, "closed"]
        assert (app.player.playback, app.player.frame, playback.closed) == (None, None, 1)
        assert not bar.display


async def test_a_film_closed_while_a_frame_is_made_is_closed_after_it_and_never_seen() -> None:
    app, playback = Cinema(), Reel(1)
    playback.gate.clear()
    async with app.run_test() as pilot:
        play(app, playback)
        await until(pilot, lambda: playback.asked)
        app.player.close()
        assert playback.closed == 0
        playback.gate.set()
        await until(pilot, lambda: playback.closed)
        assert (playback.closed, app.player.frame) == (1, None)


async def test_the_next_film_is_seen_at_once_when_a_frame_of_the_last_was_being_made() -> None:
    app, playback, other = Cinema(), Reel(1), Reel(2)
    playback.gate.clear()
    async with app.run_test() as pilot:
        play(app, playback)
        await until(pilot, lambda: playback.asked)
        play(app, other)
        await pilot.pause()
        playback.gate.set()
        await until(pilot, lambda: (seen := app.player.frame) is not None and seen.key == 2)
        assert (playback.closed, other.closed) == (1, 0)


@pytest.mark.parametrize("kept", [True, False])
async def test_a_film_of_no_store_has_no_number(kept: bool) -> None:
    app, playback = Cinema(), Reel(7)
    playback.kept = kept
    async with app.run_test():
        play(app, playback)
        assert app.player.query_one(TransportBar).about == ("run 7" if kept else "recording")
