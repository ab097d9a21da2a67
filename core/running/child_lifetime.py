"""Ends a worker process when its parent ends.

The workers of a parent that is killed would otherwise compute on.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
from multiprocessing import active_children
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.process import BaseProcess
from typing import Final
from weakref import WeakSet

from ..base.errors import RunError

PR_SET_PDEATHSIG: Final = 1
"""An option of Linux's prctl(2): the signal to get when the parent ends."""

MOST_WAIT_S: Final = 2.0
"""Seconds to wait at most for a thread whose processes were killed."""

_libc: Final = ctypes.CDLL(None) if sys.platform == "linux" else None
"""Opened here: between fork and exec is no time for it."""


def die_with_parent() -> None:
    """Make Linux kill this process when the parent's thread ends; no effect on other systems.

    It also works when no Python code runs any more: in an endless loop in C, or if stopped.
    """
    if _libc is not None:
        _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def watch_parent(parent: BaseProcess | None) -> None:
    """End this `multiprocessing` process as soon as its parent has ended."""
    if parent is not None:
        threading.Thread(target=_end_after, args=(parent,), daemon=True).start()


def _end_after(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


_one_at_a_time: Final = threading.Lock()
_ending_threads: Final[WeakSet[threading.Thread]] = WeakSet()


def _check_going() -> None:
    """Raise RunError in a thread in which no further process starts."""
    if threading.current_thread() in _ending_threads:
        raise RunError("the run was interrupted")


class _StoppableProcess(SpawnProcess):
    def start(self) -> None:
        with _one_at_a_time:
            _check_going()
            super().start()


class StoppableContext(SpawnContext):
    """The `spawn` context of `multiprocessing` whose processes `kill_processes` can end."""

    Process = _StoppableProcess

    def __init__(self) -> None:
        _check_going()  # before there are semaphores, which nobody would take down at the end


def kill_processes(thread: threading.Thread) -> None:
    """Kill all `multiprocessing` children of this process.

    thread : the thread in which no further process starts: it raises RunError there. A process that
    is just starting is waited for, since without its parent's data it would end with a traceback;
    so is the end of the thread, which takes the semaphores of its processes down.
    """
    with _one_at_a_time:
        _ending_threads.add(thread)
        killed = active_children()
        for process in killed:
            process.kill()
    if killed:
        thread.join(MOST_WAIT_S)
