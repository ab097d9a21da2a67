"""A warm background worker, driven order by order."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from support.worker import Worker, ended, started


@pytest.fixture
async def worker() -> AsyncIterator[Worker]:
    child = await started("-m", "ldptui.engine.worker")
    assert (await child.read()).ready
    yield child
    if child.process.returncode is None:
        assert await ended(child) == (0, b"")
