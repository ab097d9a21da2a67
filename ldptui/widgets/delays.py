"""Calls after some time, which come on a busy machine as well."""

from __future__ import annotations

from collections.abc import Callable

from textual.message_pump import MessagePump
from textual.timer import Timer


def call_after(pump: MessagePump, seconds: float, call: Callable[[], object]) -> Timer:
    """The timer of one call by a widget, which its `stop` and the widget's end take back.

    Left to itself it skips what it is late for, and so the call, if the process stands still.
    """
    timer = pump.set_timer(seconds, call)
    timer._skip = False
    return timer
