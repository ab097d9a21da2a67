"""Processes of a pool that are ended, and none that starts after; see also test_kills."""

from __future__ import annotations

import sys
import threading

import pytest

from ldptui.core.base.errors import RunError
from ldptui.core.running.child_lifetime import StoppableContext, kill_processes
from ldptui.core.running.process_pool import open_pool

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def test_a_stopped_thread_starts_no_process() -> None:
    """A process that starts while its parent ends would print a traceback."""
    ready, go = threading.Event(), threading.Event()
    met: list[str] = []

    def starting() -> None:
        process = StoppableContext().Process(target=print)
        ready.set()
        go.wait()
        for start in (process.start, StoppableContext):
            with pytest.raises(RunError) as caught:
                start()
            met.append(str(caught.value))

    thread = threading.Thread(target=starting)
    thread.start()
    ready.wait()
    kill_processes(thread)
    go.set()
    thread.join()
    assert met == ["the run was interrupted"] * 2


def test_the_processes_of_a_pool_can_be_gone_through_while_one_starts() -> None:
    with open_pool(2) as (pool, first):
        (one,) = first
        running = pool._processes
        for process in running.values():
            running[0] = process
        del running[0]
    assert one.exitcode == 0
