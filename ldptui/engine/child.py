"""One worker process: its pipes, its end, and what was heard of a request."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from msgspec.structs import replace
from textual.message import Message

from ldptui.core.view import CellView

from ..messages import QuestionReply, RunProgressed
from ..session.snapshot import DETAILS, LabQuestion, Reply, Request, Snapshot, Status
from . import wire
from .wire import News

ERRORS_KEPT: Final = 4000
"""Characters of standard error: the last ones."""


class Child:
    """A worker process of the engine; its messages are passed to `heard`, its end to `ended`.

    busy : it has a run that has not ended.
    began : the key of the request that it started last.
    dismissed : its messages are ignored.
    started : set once the process runs, or cannot be started.
    first_question : the question sent before it is ready.
    note : its versions.
    errors : the end of its standard error.
    nonsense : a sentence about a message that cannot be decoded; "" if there was none.
    """

    def __init__(
        self,
        command: Sequence[str],
        heard: Callable[[Child, wire.News], None],
        ended: Callable[[Child], None],
        first_question: LabQuestion | None = None,
    ) -> None:
        self.ready = self.dismissed = False
        self.first_question, self.busy = first_question, first_question is not None
        self.began: int | None = None
        self.note = self.errors = self.nonsense = ""
        self._command, self._heard, self._ended = command, heard, ended
        self._process: asyncio.subprocess.Process | None = None
        self._signal: int | None = None
        self.started = asyncio.Event()
        self.life = asyncio.create_task(self._live())

    async def _live(self) -> None:
        from ldptui.core.running.child_lifetime import die_with_parent

        pipe = asyncio.subprocess.PIPE
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=pipe,
                stdout=pipe,
                stderr=pipe,
                start_new_session=True,
                # Before its first instruction: stopped, it does not hear of the end of its input.
                preexec_fn=die_with_parent,
            )
        except OSError as error:
            self.errors = str(error)
            self.started.set()
            await asyncio.sleep(0)  # who makes it has it: from Python 3.12 on this began at once
            self._ended(self)
            return
        if self.first_question is not None:
            self.send(wire.Order(ask=self.first_question))
        self.started.set()
        if self.dismissed:
            self.dismiss()
        if self._signal is not None:
            self._process.send_signal(self._signal)
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        await asyncio.gather(
            self._read_news(self._process.stdout), self._read_errors(self._process.stderr)
        )
        await self._process.wait()
        self._ended(self)

    async def _read_news(self, stream: asyncio.StreamReader) -> None:
        try:
            while True:
                length = wire.length_in(await stream.readexactly(wire.HEAD))
                news = wire.news_in(await stream.readexactly(length))
                if not self.dismissed and self._signal is None:
                    self._heard(self, news)
                await asyncio.sleep(0)  # frames that are there already come without a pause
        except asyncio.IncompleteReadError:
            return  # its end
        except (ValueError, RecursionError) as error:
            # It does not keep to the wire: whatever else it says is worth nothing.
            self.nonsense = str(error)
            self.send_signal(signal.SIGKILL)

    async def _read_errors(self, stream: asyncio.StreamReader) -> None:
        while data := await stream.read(ERRORS_KEPT):
            self.errors = (self.errors + data.decode(errors="replace"))[-ERRORS_KEPT:]

    def send(self, order: wire.Order) -> None:
        """Write one order to the process; no effect if it has ended."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.write(wire.to_json(order) + b"\n")

    def dismiss(self) -> None:
        """Ask the process to end, and ignore its further messages."""
        self.dismissed = True
        if self._process is not None and self._process.stdin is not None:
            self.send(wire.Order(quit=True))
            self._process.stdin.close()

    def send_signal(self, number: int) -> None:
        """Send the process a signal, as soon as there is one to send it to."""
        self._signal = number
        if self._process is not None and self._process.returncode is None:
            self._process.send_signal(number)

    def how_it_ended(self) -> str:
        code = None if self._process is None else self._process.returncode
        if code is None:
            return f"cannot be started: {self.errors}"
        if self.nonsense:
            return f"said what no worker says and was stopped: {self.nonsense}"
        if code < 0:
            return f"was killed by {signal.Signals(-code).name}"
        last = self.errors.strip().rpartition("\n")[2]
        return f"ended with exit code {code}" + (f": {last}" if last else "")


@dataclass
class RunSoFar:
    """The state of a run: its request and all messages received about it."""

    request: Request
    cancelling: bool = False
    snapshot: Snapshot = field(init=False)
    _cells: dict[int, CellView] = field(default_factory=dict)
    _fields: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.snapshot = Snapshot(self.request.key, "running", full=self.request.full)

    @property
    def asked_for(self) -> bool:
        """True if the user started the run (not a preview)."""
        return self.request.full

    @property
    def has_ended(self) -> bool:
        return self.snapshot.status != "running"

    @property
    def tells(self) -> bool:
        """True if the run has trials or a number in the store, so that it is shown."""
        return self.snapshot.done > 0 or self.snapshot.kept is not None

    @property
    def message(self) -> Message:
        return RunProgressed(self.snapshot)

    def end(self, status: Status, error: str, details: str) -> None:
        self.snapshot = replace(self.snapshot, status=status, error=error, details=details)

    def take(self, news: News) -> bool:
        """Add a message; returns True if it completes a new snapshot."""
        told = news.snapshot
        if told is None or told.key != self.request.key:
            return False
        self._cells |= {view.index: view for view in told.cells}
        rounds = {**self._fields.get("round_frequencies", {}), **told.round_frequencies}
        self._fields["round_frequencies"] = rounds
        details = {name: getattr(told, name) for name in DETAILS}
        self._fields |= {name: each for name, each in details.items() if each is not None}
        if not news.more:
            cells = tuple(self._cells[number] for number in sorted(self._cells))
            self.snapshot = replace(told, full=self.request.full, cells=cells, **self._fields)
        return not news.more


@dataclass
class QuestionSoFar:
    """The state of a lab question: its request and the latest reply."""

    request: LabQuestion
    cancelling: bool = False
    reply: Reply = field(init=False)
    asked_for: bool = False
    tells: bool = True

    def __post_init__(self) -> None:
        self.reply = Reply(self.request.key, "running")

    @property
    def has_ended(self) -> bool:
        return self.reply.status != "running"

    @property
    def message(self) -> Message:
        return QuestionReply(self.reply)

    def end(self, status: Status, error: str, details: str) -> None:
        self.reply = Reply(self.request.key, status, error=error, details=details)

    def take(self, news: News) -> bool:
        """Add a message; returns True if it is a new reply."""
        if news.reply is None or news.reply.key != self.request.key:
            return False
        self.reply = news.reply
        return True
