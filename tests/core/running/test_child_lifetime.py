"""Processes of a pool that are ended, and none that starts after; see also test_kills."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from concurrent.futures.process import BrokenProcessPool

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


def test_a_thread_whose_processes_were_killed_has_ended() -> None:
    """It takes semaphores down, and Python complains of those that are left."""
    begun = threading.Event()

    def computing() -> None:
        with contextlib.suppress(BrokenProcessPool), open_pool(1) as (pool, _):
            future = pool.submit(time.sleep, 60)
            begun.set()
            future.result()

    thread = threading.Thread(target=computing)
    thread.start()
    begun.wait()
    kill_processes(thread)
    assert not thread.is_alive()


def test_the_processes_of_a_pool_can_be_gone_through_while_one_starts() -> None:
    with open_pool(2) as (pool, first):
        (one,) = first
        running = pool._processes
        for process in running.values():
            running[0] = process
        del running[0]
    assert one.exitcode == 0
