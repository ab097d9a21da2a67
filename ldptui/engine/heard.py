"""What was heard of a request: of a run, or of a question of the lab."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from textual.message import Message

from ldptui.core.view import CellView

from ..messages import Replied, RunProgressed
from ..session.consent import Code
from ..session.question import Question, Reply
from ..session.snapshot import DETAILS, Request, Snapshot, Status
from .wire import News, from_json


@dataclass
class RunSoFar:
    """A run and everything that was heard of it."""

    request: Request
    cancelling: bool = False
    snapshot: Snapshot = field(init=False)
    _cells: dict[str, dict[int, CellView]] = field(default_factory=dict)
    _fields: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.snapshot = Snapshot(self.request.key, "running", full=self.request.full)

    @property
    def asked_for(self) -> bool:
        """True for a run that was asked for by hand."""
        return self.request.full

    @property
    def ended(self) -> bool:
        return self.snapshot.status != "running"

    @property
    def tells(self) -> bool:
        """True once there is something to see: a trial, or the run's number in the store."""
        return self.snapshot.done > 0 or self.snapshot.kept is not None

    @property
    def message(self) -> Message:
        return RunProgressed(self.snapshot)

    def end(self, status: Status, error: str, details: str) -> None:
        self.snapshot = replace(self.snapshot, status=status, error=error, details=details)

    def take(self, news: News) -> bool:
        """Take in news of this run; True where `snapshot` is a new one, complete in itself."""
        told = news.snapshot
        if told is None or told.key != self.request.key:
            return False
        for name, views in told.parts.items():
            cells = self._cells.setdefault(name, {})
            cells.update((view.index, view) for view in views)
            parts = {**self._fields.get("parts", {}), name: tuple(cells.values())}
            self._fields["parts"] = parts
        rounds = {**self._fields.get("round_frequencies", {}), **told.round_frequencies}
        self._fields["round_frequencies"] = rounds
        details = {name: getattr(told, name) for name in DETAILS}
        self._fields |= {name: each for name, each in details.items() if each is not None}
        if not news.more:
            self.snapshot = replace(told, full=self.request.full, **self._fields)
        return not news.more


@dataclass
class QuestionSoFar:
    """A question of the lab, and the last that was heard of it."""

    request: Question
    cancelling: bool = False
    reply: Reply = field(init=False)
    asked_for: bool = False
    tells: bool = True

    def __post_init__(self) -> None:
        self.reply = Reply(self.request.key, "running")

    @property
    def ended(self) -> bool:
        return self.reply.status != "running"

    @property
    def message(self) -> Message:
        return Replied(self.reply)

    def end(self, status: Status, error: str, details: str) -> None:
        self.reply = Reply(self.request.key, status, error=error, details=details)

    def take(self, news: News) -> bool:
        """Take in news of this question; True where `reply` is a new one."""
        if news.reply is None or news.reply.key != self.request.key:
            return False
        self.reply = news.reply
        return True


SEEK: Final = (sys.executable, "-P", "-m", "ldptui.engine.worker.seeking")


async def seek(
    code: Sequence[tuple[str, str]],
    folder: str,
    agreed: Sequence[tuple[object, ...]],
    allowed: Sequence[str] = (),
) -> tuple[Code, ...]:
    """The code under these names that the user has to be asked about.

    code : the purpose and the name of each. folder : of the scenario. agreed : what the user has
    agreed to already; allowed : the arguments for what is allowed without a question.
    """
    if not code:
        return ()
    pipe = asyncio.subprocess.PIPE
    child = await asyncio.create_subprocess_exec(
        *SEEK, *allowed, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL
    )
    asked = {"code": list(code), "folder": folder, "agreed": list(agreed)}
    written, _ = await child.communicate(json.dumps(asked).encode())
    found = written if child.returncode == 0 else b"[]"
    return from_json(found, tuple[Code, ...])
