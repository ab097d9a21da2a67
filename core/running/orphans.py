"""Ends a worker process whose parent is gone, whatever it computes.

A parent that is killed can tell nobody. Its workers would compute on, and be waited for by nobody.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from multiprocessing import (
    active_children,
    get_context,
    popen_spawn_posix,
    resource_tracker,
    util,
)
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.process import BaseProcess
from typing import Any, Final
from weakref import WeakSet

from ..base.errors import RunError

PR_SET_PDEATHSIG: Final = 1
"""An option of Linux's prctl(2): the signal to get when the parent ends."""

_libc: Final = ctypes.CDLL(None) if sys.platform == "linux" else None
"""Opened here: between fork and exec is no time for it."""

_thread: Final = threading.local()


@contextlib.contextmanager
def lasting() -> Iterator[None]:
    """This thread says that it lives as long as the processes that it starts meanwhile."""
    _thread.lasts = True
    try:
        yield
    finally:
        _thread.lasts = False


def lasts() -> bool:
    """Return whether this thread lives as long as the processes that it starts."""
    return threading.current_thread() is threading.main_thread() or getattr(_thread, "lasts", False)


def die_with_parent() -> None:
    """Let Linux kill this process when the thread that started it ends; elsewhere nothing.

    It works where nothing of Python runs any more: in a loop that never gives way, or stopped. It
    is for those that a thread started which lives as long as they do, see `lasts`.
    """
    if _libc is not None:
        _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def spawning() -> SpawnContext:
    """The context of `multiprocessing` for processes that end with the one that starts them now.

    Linux kills them where this thread lasts, from their first instruction on: they may be stopped
    while they start. Elsewhere `watch_parent` does, once they run.
    """
    return _Dying() if lasts() and _libc is not None else get_context("spawn")


class _DyingProcess(SpawnProcess):
    def start(self) -> None:
        resource_tracker.ensure_running()  # which tidies up after the parent, and outlives it
        with _one_at_a_time:
            if threading.current_thread() in _stopped:
                raise RunError("the run was interrupted")
            super().start()

    @staticmethod
    def _Popen(process_obj: BaseProcess) -> Any:  # noqa: N802 - multiprocessing's name for it
        plain = util.spawnv_passfds
        util.spawnv_passfds = _spawned  # type: ignore[assignment]
        try:
            return popen_spawn_posix.Popen(process_obj)
        finally:
            util.spawnv_passfds = plain


class _Dying(SpawnContext):
    Process = _DyingProcess


_one_at_a_time: Final = threading.Lock()
_stopped: Final[WeakSet[threading.Thread]] = WeakSet()


def kill_processes(thread: threading.Thread) -> None:
    """Kill all processes of `multiprocessing` of this one; the thread starts no other one.

    A process that is being started is waited for: without all that its parent sends, it would end
    with a traceback.
    """
    with _one_at_a_time:
        _stopped.add(thread)
        for process in active_children():
            process.kill()


def _spawned(path: bytes, arguments: Sequence[Any], passed: Sequence[int]) -> int:
    """Start a process as `multiprocessing` does; its number."""
    # Python 3.14.10 closes the tracker's pipe, which is passed on, in what forks without this.
    intent = getattr(resource_tracker, "_fork_intent", threading.local())
    intent.preserve_fd = True
    try:
        child = subprocess.Popen(
            arguments,
            executable=path,
            pass_fds=passed,
            restore_signals=False,
            preexec_fn=die_with_parent,
        )
    finally:
        intent.preserve_fd = False
    child.returncode = 0  # it is multiprocessing that waits for it
    return child.pid


def watch_parent(parent: BaseProcess | None) -> None:
    """End this process, one of `multiprocessing`, as soon as its parent has ended."""
    if parent is not None:
        threading.Thread(target=_end_after, args=(parent,), daemon=True).start()


def _end_after(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)
