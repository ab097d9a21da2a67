"""Ends a worker process whose parent is gone, whatever it computes.

A parent that is killed can tell nobody. Its workers would compute on, and be waited for by nobody.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
import threading
from typing import Final

PR_SET_PDEATHSIG: Final = 1
"""An option of Linux's prctl(2): the signal to get when the parent ends."""


def die_with_parent() -> None:
    """Let Linux kill this process when the thread that started it ends; elsewhere nothing.

    It works where nothing of Python runs any more: in a loop that never gives way, or stopped. It
    is for those whose parent started them in its main thread, which lives as long as it does.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def watch_parent() -> None:
    """End this process, one of `multiprocessing`, as soon as its parent has ended."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_after, args=(parent,), daemon=True).start()


def _end_after(parent: multiprocessing.process.BaseProcess) -> None:
    parent.join()
    os._exit(1)
