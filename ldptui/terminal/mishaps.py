"""An exception in one action or handler costs its own work, and not the program.

Textual ends an app at the first exception that nobody catches. Here it is written to a crash file
and said in a sentence, the draft is saved, and the next message is handled. Where one follows the
other, as where a widget cannot be drawn, or where a screen cannot be made at all, the app ends as
before: nothing would be left to look at.
"""

from __future__ import annotations

import sys
import time
from collections import deque
from pathlib import Path
from typing import Any, Final

from textual.events import Compose, Mount
from textual.message import Message
from textual.message_pump import MessagePump
from textual.worker import WorkerFailed

from .crash import write_report

MOST: Final = 5
WITHIN_S: Final = 10.0
"""More exceptions than MOST within this time end the program."""


class Mishaps:
    """The exceptions that were outlived; reports : the files that tell of them."""

    def __init__(self) -> None:
        self.reports: list[Path] = []
        self._times: deque[float] = deque(maxlen=MOST)

    def outlive(self, error: BaseException) -> str:
        """Write the report; what to say, or "" where there have been too many lately."""
        now = time.monotonic()
        if len(self._times) == MOST and now - self._times[0] < WITHIN_S:
            return ""
        self._times.append(now)
        if isinstance(error, WorkerFailed):  # which does not tell where
            error = error.error
        where = write_report(error, sys.argv[1:])
        if where is not None:
            self.reports.append(where)
        what = f"{type(error).__name__}: {error}".strip(": ").splitlines()[0]
        report = f"; the report is in {where}" if where is not None else ""
        return f"that went wrong inside ldptui ({what}){report}; the draft is saved"


def outlived(app: Any, error: Exception, *, made: bool = True) -> bool:
    """True where an app goes on after this exception; one without the method `outlive` does not.

    made : as of that method.
    """
    return hasattr(app, "outlive") and bool(app.outlive(error, made=made))


_dispatch: Final = MessagePump._dispatch_message


async def _dispatch_and_outlive(self: MessagePump, message: Message) -> None:
    """Handle a message; where that fails, the widget still handles the next one.

    Textual leaves its loop of messages at the first exception, and has no place to say otherwise.
    """
    try:
        await _dispatch(self, message)
    except Exception as error:
        if not outlived(self.app, error, made=not isinstance(message, Compose | Mount)):
            raise


def install() -> None:
    """From here on every widget goes on after an exception, in an app that does."""
    MessagePump._dispatch_message = _dispatch_and_outlive  # type: ignore[method-assign]
