"""Ctrl-C and SIGTERM in a command: a KeyboardInterrupt, whatever becomes of it on its way.

Code of others makes other errors of it, or swallows it where nothing can be raised, as in
`__del__`.
"""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from types import FrameType
from typing import Final

AGAIN_S: Final = 0.02
"""Seconds after which an interrupt that was swallowed comes again."""

_heard: list[int] = []


def raise_on_signals() -> None:
    """Raise KeyboardInterrupt for SIGINT and SIGTERM from now on, unless a signal is ignored."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _interrupt)
    sys.unraisablehook = _unraisable


def heard() -> bool:
    """True if a signal has arrived, so that an unexpected error is due to it."""
    return bool(_heard)


def heed_no_more() -> None:
    """Let SIGINT and SIGTERM end the process silently."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) == _interrupt:
            signal.signal(number, signal.SIG_DFL)


def _interrupt(number: int, _: FrameType | None) -> None:
    _heard.append(number)
    raise KeyboardInterrupt


def _unraisable(told: sys.UnraisableHookArgs) -> None:
    """Interrupt once more if an interrupt was swallowed; other errors are reported as
    Python does.
    """
    if issubclass(told.exc_type, KeyboardInterrupt):
        threading.Timer(AGAIN_S, _thread.interrupt_main, _heard[-1:]).start()
    else:
        sys.__unraisablehook__(told)
