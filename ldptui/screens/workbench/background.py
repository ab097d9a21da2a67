"""Long work in threads; of a burst of edits only the newest is worked on."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ...messages import LongWork
from ...session.draft import read_on
from .desk import Desk

if TYPE_CHECKING:
    from ...session.draft import Awaited

BURST_S = 0.02
"""Seconds from the last edit of a burst to the work for it."""


class Background:
    """Populations that are large, and the panes' long work."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._reading: Awaited | None = None
        self._wanted: dict[str, LongWork] = {}  # by kind

    async def read_population(self, origin: Awaited) -> None:
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
