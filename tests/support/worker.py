"""A background worker of its own, driven order by order."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable
from typing import Any, TypeVar

import pytest

from ldptui.core import compile, run
from ldptui.core.scenario import Scenario
from ldptui.engine import wire
from ldptui.engine.child import RunSoFar
from ldptui.session.snapshot import ChartSelection, Request, Snapshot

T = TypeVar("T")

ONE_LOOP = pytest.mark.asyncio(loop_scope="module")
"""Tests of a worker that serves all those of a file run in one event loop."""


def document(protocol: str = "grr", items: int = 16, users: int = 1000, **more: Any) -> Any:
    return {
        "format": 1,
        "trials": 20,
        "population": {"kind": "zipf", "items": items, "users": users, "exponent": 1.0},
        "protocol": {"kind": protocol, "epsilon": 1.0},
        "attack": {"kind": "mga", "share": 0.05, "targets": {"pick": "random", "count": 3}},
        **more,
    }


ENDLESS = document("oue", 1024, 10**8, simulate={"path": "reports"})
"""Hours of work, of pieces of a few milliseconds."""

HALTING = document(
    "oue", 1024, simulate={"path": "reports"}, sweep={"population.users": [1000, 10**8]}
)
"""A base that is there at once, and then hours of work."""


async def soon(waiting: Awaitable[T]) -> T:
    """A safety net: nothing here is expected to take any time."""
    return await asyncio.wait_for(waiting, 60)


class Worker:
    """The child, and what is said to it and by it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.frames: list[bytes] = []

    def write(self, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(text.encode() + b"\n")

    def send(self, **order: Any) -> None:
        self.write(wire.to_json(wire.Order(**order)).decode())

    def run(
        self,
        key: int,
        document: Any,
        *selections: ChartSelection,
        interval: float = 0.25,
        folder: str = ".",
        agreed: Any = (),
        full: bool = False,
    ) -> RunSoFar:
        """Ask for some cells of a scenario, the base alone if none are named."""
        chosen = selections or (ChartSelection(),)
        request = Request(key, document, folder, chosen, full, interval, agreed=agreed)
        self.send(run=request)
        return RunSoFar(request)

    async def read(self) -> wire.News:
        assert self.process.stdout is not None
        out = self.process.stdout
        try:
            length = wire.length_in(await soon(out.readexactly(wire.HEAD)))
            self.frames.append(await soon(out.readexactly(length)))
        except asyncio.IncompleteReadError:
            pytest.fail(f"the worker ended: {await ended(self)}")
        return wire.news_in(self.frames[-1])

    async def snapshots(self, so_far: RunSoFar) -> list[Snapshot]:
        """Every snapshot of a run; nothing else may be said meanwhile."""
        assert await self.read() == wire.News(started=so_far.request.key)
        taken: list[Snapshot] = []
        while not taken or taken[-1].status == "running":
            news = await self.read()
            assert news.snapshot is not None
            assert news.snapshot.key == so_far.request.key
            if so_far.take(news):
                taken.append(so_far.snapshot)
        return taken

    async def end(self, run: RunSoFar) -> Snapshot:
        return (await self.snapshots(run))[-1]


async def started(*command: str) -> Worker:
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, *command, stdin=pipe, stdout=pipe, stderr=pipe
    )
    return Worker(process)


async def ended(worker: Worker) -> tuple[int, bytes]:
    """Close the child's standard input; its exit code and standard error."""
    assert worker.process.stdin is not None
    worker.process.stdin.close()
    _, errors = await soon(worker.process.communicate())
    assert worker.process.returncode is not None
    return worker.process.returncode, errors


def simulated(document: Any) -> Any:
    *_, last = run(compile(Scenario(document)))
    return last.results
