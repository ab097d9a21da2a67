"""An engine on an event loop, and the messages that it posts."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import Any

from textual.message import Message

from ldptui.engine.engine import Engine
from ldptui.messages import RunProgressed, WorkerChanged
from ldptui.session.snapshot import ChartSelection, Request, Snapshot
from support.worker import soon

Command = tuple[str, ...]


class RecordedEngine:
    """An engine and the messages that it posted."""

    def __init__(self, command: Command) -> None:
        self.messages: list[Message] = []
        self.processes: set[int] = set()
        self._news = asyncio.Event()
        self.engine = Engine(self._post, command)

    def _post(self, message: Message) -> None:
        self.messages.append(message)
        self._news.set()

    async def until(self, state: Callable[[], Any]) -> Any:
        """Wait until the posted messages bring about a state; returns its value."""

        async def wait() -> Any:
            while not (value := state()):
                self._news.clear()
                await self._news.wait()
            return value

        return await soon(wait())

    @property
    def snapshots(self) -> list[Snapshot]:
        return [message.snapshot for message in self.messages if isinstance(message, RunProgressed)]

    @property
    def workers(self) -> list[tuple[bool, str]]:
        changes = [message for message in self.messages if isinstance(message, WorkerChanged)]
        return [(change.alive, change.note) for change in changes]

    async def alive(self, times: int = 1) -> None:
        await self.until(lambda: [alive for alive, _ in self.workers].count(True) >= times)

    async def ended(self, key: int) -> Snapshot:
        def last() -> list[Snapshot]:
            ended = (snapshot for snapshot in self.snapshots if snapshot.status != "running")
            return [snapshot for snapshot in ended if snapshot.key == key]

        return (await self.until(last))[0]

    async def watch(self, condition: Callable[[], Any]) -> None:
        """Wait for what the engine does without posting anything."""

        async def wait() -> None:
            while not condition():
                await asyncio.sleep(0)

        await soon(wait())

    async def spare(self) -> None:
        await self.watch(lambda: self.engine._spare and self.engine._spare.ready)

    def run(
        self,
        key: int,
        document: Any,
        *selections: ChartSelection,
        full: bool = False,
        interval: float = 0.25,
    ) -> None:
        """Ask for some cells of a scenario, the base alone if none are named."""
        chosen = selections or (ChartSelection(),)
        self.engine.run(Request(key, document, ".", chosen, full, interval))

    def pids(self) -> list[int]:
        processes = [child._process for child in self.engine._children]
        return [process.pid for process in processes if process is not None]


def gone(pid: int) -> bool:
    """True once the process has ended and not even a zombie is left."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False
