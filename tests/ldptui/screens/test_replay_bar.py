"""The line of a replay: its frames are made beside the screen, and it is closed once."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from support.styled_app import StyledApp
from support.waiting import until
from textual.app import ComposeResult

from ldptui.screens.workbench.replay_bar import ReplayBar
from ldptui.session.snapshot import Snapshot


class FakeReplay:
    """A run of three blocks; frames wait at the gate."""

    blocks = 3

    def __init__(self, number: int) -> None:
        self.number = number
        self.gate = threading.Event()
        self.gate.set()
        self.asked: list[int] = []
        self.closed = 0

    def describe(self, count: int) -> str:
        return f"run {self.number}: block {count} of 3"

    def frame(self, count: int) -> Snapshot:
        assert not self.closed
        self.asked.append(count)
        assert self.gate.wait(20)
        return Snapshot(self.number, "partial", done=count)

    def close(self) -> None:
        self.closed += 1


class Host(StyledApp):
    """Keeps what the bar says."""

    def __init__(self) -> None:
        super().__init__()
        self.bar = ReplayBar()
        self.said: list[Any] = []

    def compose(self) -> ComposeResult:
        yield self.bar

    def on_replay_bar_exit_request(self) -> None:
        self.said.append("closed")


@pytest.fixture(autouse=True)
def no_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ldptui.screens.workbench.replay_bar.TICK_S", 1e6)


async def test_keys_go_from_block_to_block_and_space_plays_to_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app, replay = Host(), FakeReplay(1)
    async with app.run_test() as pilot:
        app.bar.play(replay)  # type: ignore[arg-type]
        steps = (("home", 0), ("full_stop", 1), ("full_stop", 2), ("end", 3), ("comma", 2))
        for key, count in steps:
            await pilot.press(key)
            await until(
                pilot,
                lambda count=count: (  # type: ignore[misc]
                    (seen := app.bar.frame) is not None and seen.done == count
                ),
            )
            assert str(app.bar.content).startswith(f"run 1: block {count} of 3")
        monkeypatch.setattr("ldptui.screens.workbench.replay_bar.TICK_S", 0)
        await pilot.press("home", "space")
        await until(pilot, lambda: app.bar.frame is not None and app.bar.frame.done == 3)
        assert not app.bar._is_playing
        await pilot.press("escape")
        assert app.said == ["closed"]
        await until(pilot, lambda: replay.closed)
        assert (app.bar.replay, app.bar.frame, replay.closed) == (None, None, 1)
        assert not app.bar.display


async def test_one_closed_while_a_frame_is_made_is_closed_after_it_and_never_seen() -> None:
    app, replay, other = Host(), FakeReplay(1), FakeReplay(2)
    replay.gate.clear()
    async with app.run_test() as pilot:
        app.bar.play(replay)  # type: ignore[arg-type]
        await until(pilot, lambda: replay.asked)
        app.bar.play(other)  # type: ignore[arg-type]
        await pilot.pause()
        assert replay.closed == 0
        replay.gate.set()
        await until(pilot, lambda: replay.closed)
        assert app.bar.frame is not None
        assert (app.bar.frame.key, replay.closed, other.closed) == (2, 1, 0)
