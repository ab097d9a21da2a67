"""A pause lasts until the app has heard all it was told, also where a handler waits."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.message import Message
from textual.pilot import Pilot
from textual.widgets import Label

from support.waiting import idle


class Told(Message):
    pass


class Slow(Label):
    heard = False

    async def on_told(self) -> None:
        await asyncio.sleep(0.05)
        self.heard = True


class Waits(App[None]):
    def compose(self) -> ComposeResult:
        yield Slow()


async def paused() -> bool:
    async with Waits().run_test() as pilot:
        slow = pilot.app.query_one(Slow)
        slow.post_message(Told())
        await pilot.pause()
        return slow.heard


async def test_a_pause_waits_for_a_handler_that_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await paused()

    async def too_soon(_: Pilot[Any]) -> bool:
        await idle()
        return True

    monkeypatch.setattr(Pilot, "_wait_for_screen", too_soon)
    assert not await paused()
