"""The worker's input: requests, read by a thread, and what they mean for the current work."""

from __future__ import annotations

import _thread
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import Any


class Stop(BaseException):
    """The run being computed is to stop: no Exception, so that nothing on the way catches it."""


class Superseded(Stop):
    """A newer request has come: nobody waits for this one."""


class Cancelled(Stop):
    """The run was cancelled: its results so far are still wanted."""


class Inbox:
    """The lines of standard input, read by a thread, and what they mean for the current run.

    A line that stops a run also interrupts the main thread as a signal would, between any two
    steps of Python: also where the simulator has no pulse, no piece of work is longer than a call
    into NumPy. Only inside `interruptible` does that stop anything.
    """

    def __init__(self) -> None:
        self.messages: SimpleQueue[dict[str, Any]] = SimpleQueue()
        self._newest: dict[str, Any] | None = None
        self._cancelled: object = None
        self._current: dict[str, Any] | None = None
        self._open = False

    def listen(self, lines: Iterable[bytes]) -> None:
        """Take in lines until they end or one says quit; then end the process at once."""
        for line in lines:
            try:
                message = json.loads(line)
                request = message.get("run")
                if request is not None:
                    message["run"] = request = checked(request)
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
                self.messages.put({"error": f"not a request: {error!r}"})
                continue
            if "quit" in message:
                break
            if request is not None:
                self._newest, self._cancelled = request, None
                self.messages.put(message)
            elif "cancel" in message:
                self._cancelled = message["cancel"]
            else:
                self.messages.put({"error": f"unknown request: {', '.join(message) or 'empty'}"})
            _thread.interrupt_main()
        os._exit(0)

    @contextmanager
    def running(self, request: dict[str, Any]) -> Iterator[None]:
        """Inside, this request is the one that a newer line may stop."""
        self._current, self._open = request, False
        try:
            yield
        finally:
            self._current = None

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Inside, work is done that may be left at any point and then is thrown away."""
        self._open = True
        try:
            self.pulse()
            yield
        finally:
            self._open = False

    def pulse(self) -> None:
        """Stop the current run if its time has come. Takes no lock: a signal handler calls it."""
        request = self._current
        if not self._open or request is None:
            return
        if request is not self._newest:
            raise Superseded
        if request["key"] == self._cancelled:
            raise Cancelled

    @contextmanager
    def shielded(self) -> Iterator[None]:
        """Inside, nothing is left halfway; what came meanwhile stops the run at the end."""
        before, self._open = self._open, False
        try:
            yield
        finally:
            self._open = before
        self.pulse()

    def outdated(self, request: dict[str, Any]) -> bool:
        return request is not self._newest


def checked(request: Mapping[str, Any]) -> dict[str, Any]:
    """A request's fields, with the right types; raises ValueError, TypeError or KeyError."""
    if "tab" in request:
        document = request["document"]
        return {
            "key": int(request["key"]),
            "tab": str(request["tab"]),
            "values": dict(request["values"]),
            "document": None if document is None else dict(document),
            "folder": Path(str(request["folder"])),
        }
    parts = [(str(part["name"]), dict(part["document"])) for part in request["parts"]]
    whole, resumed = request.get("whole"), request.get("resumed")
    return {
        "key": int(request["key"]),
        "parts": sorted(parts, key=lambda part: part[0] != "base"),
        "folder": Path(str(request["folder"])),
        **{
            detail: any(part.get(detail, False) for part in request["parts"])
            for detail in ("detection", "by_trial")
        },
        "interval": float(request["interval"]),
        "whole": None if whole is None else dict(whole),
        "store": str(request.get("store", "")),
        "source": str(request.get("source", "")),
        "resumed": None if resumed is None else int(resumed),
        "agreed": [list(code) for code in request.get("agreed", ())],
    }
