"""A warm background worker, driven order by order."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio
from support.worker import Worker, ended, started


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def children() -> AsyncIterator[list[Worker]]:
    """The workers of this file: a start takes longer than what most tests ask of one."""
    children: list[Worker] = []
    yield children
    for child in children:
        if child.process.returncode is None:
            assert await ended(child) == (0, b"")


@pytest_asyncio.fixture(loop_scope="module")
async def worker(children: list[Worker]) -> Worker:
    """A worker with nothing to do: the last test's, unless that has ended it."""
    if not children or children[-1].process.returncode is not None:
        children.append(await started("-m", "ldptui.engine.worker"))
        assert (await children[-1].read()).ready
    children[-1].frames.clear()
    return children[-1]
