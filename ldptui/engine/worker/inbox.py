"""The worker's input: requests, read by a thread, and what they mean for the current work."""

from __future__ import annotations

import _thread
import os
import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from types import FrameType
from typing import Final, TypeAlias

from ...session.snapshot import LabQuestion, Request
from ..wire import order_in

Asked: TypeAlias = Request | LabQuestion
"""What the worker is to do."""


AGAIN_S: Final = 0.02
"""Seconds until a stop that came during an import is tried again."""


class Stop(BaseException):
    """Raised in a run to stop it; a BaseException, so that no handler of Exception catches it."""


class NewerRequest(Stop):
    """Raised in a run when a newer request replaces it."""


class RunCancellation(Stop):
    """Raised in a run that the user cancelled; its results so far are kept."""


class Inbox:
    """The requests on standard input, read by a thread, and their effect on the current run.

    A line that stops a run interrupts the main thread as a signal would, between any two Python
    steps. This has an effect only inside `interruptible`, and never during an import.
    """

    def __init__(self) -> None:
        self.requests: SimpleQueue[Asked | str] = SimpleQueue()
        """What is to be done, and sentences about lines that are no order."""
        self._newest: Asked | None = None
        self._cancelled: int | None = None
        self._current: Asked | None = None
        self._open = False

    def listen(self, lines: Iterable[bytes]) -> None:
        """Read requests until the lines end or one says quit; then end the process."""
        for line in lines:
            try:
                order = order_in(line)
            except (ValueError, RecursionError) as error:
                self.requests.put(f"not a request: {error}")
                continue
            if order.quit:
                break
            if order.request is not None:
                self._newest, self._cancelled = order.request, None
                self.requests.put(order.request)
            else:
                self._cancelled = order.cancel
            _thread.interrupt_main()
        os._exit(0)

    @contextmanager
    def running(self, request: Asked) -> Iterator[None]:
        """A context manager in which a newer request may stop this one."""
        self._current, self._open = request, False
        try:
            yield
        finally:
            self._current = None

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """A context manager for work that may be interrupted anywhere and then discarded."""
        self._open = True
        try:
            self.check_stop()
            yield
        finally:
            self._open = False

    def check_stop(self) -> None:
        """Stop the current run if it is cancelled or replaced. Lock-free, as signal handlers call
        it.
        """
        request = self._current
        if not self._open or request is None:
            return
        if request is not self._newest:
            raise NewerRequest
        if request.key == self._cancelled:
            raise RunCancellation

    def interrupts(self) -> None:
        """Let the signals of `listen` stop the current run; called once, in the main thread."""
        for number in (signal.SIGINT, signal.SIGALRM):
            signal.signal(number, self._interrupt_run)

    def _interrupt_run(self, _number: int, frame: FrameType | None) -> None:
        """Stop the current run; during an import, try again a little later."""
        if imports(frame):
            signal.setitimer(signal.ITIMER_REAL, AGAIN_S)
        else:
            self.check_stop()

    @contextmanager
    def shield_work(self) -> Iterator[None]:
        """A context manager whose work is not interrupted; a pending stop takes effect at its
        end.
        """
        before, self._open = self._open, False
        try:
            yield
        finally:
            self._open = before
        self.check_stop()

    def is_outdated(self, request: Asked) -> bool:
        return request is not self._newest


def imports(frame: FrameType | None) -> bool:
    """True if a frame, or one of its callers, is Python's import code."""
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
        frame = frame.f_back
    return False
