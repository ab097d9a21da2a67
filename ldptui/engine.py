"""The background worker as the app sees it: one warm child that runs, one that waits.

Everything here lives on the event loop: no thread, no NumPy. The lines of `ldptui.worker` come in,
complete snapshots go out.
"""

from __future__ import annotations

import asyncio
import binascii
import dataclasses
import json
import signal
import sys
import traceback
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from textual.message import Message

from .messages import Replied, RunProgressed, WorkerChanged
from .snapshot import (
    BitCounts,
    CellView,
    Frequencies,
    Measured,
    Question,
    Reply,
    Request,
    Rounds,
    Snapshot,
    Status,
)

COMMAND: Final = (sys.executable, "-P", "-m", "ldptui.worker")
"""-P: what lies in the folder that the app was started in is not imported. Attacks in Python that
may run are named after it, see `ldptui.attack_options`."""

LAB: Final = (*COMMAND, "--lab")
"""A worker that has imported what the lab needs when it says that it is ready."""

PATIENCE: Final = 0.15
"""Seconds in which a worker must react to a cancel or a newer request; then it is killed."""

LAST_CALL: Final = 0.02
"""Seconds of it in which lines that came meanwhile are read."""

PARTING: Final = ((0.2, 0), (0.1, signal.SIGTERM), (0.15, signal.SIGKILL))
"""Seconds that a worker is given to end after quit, then after each signal."""

MAX_DEATHS: Final = 3
"""Workers that may die in a row, with no run moving on, before no more are started."""

LINE_LIMIT: Final = 1 << 22
ERRORS_KEPT: Final = 4000


class Engine:
    """Runs requests in the background; `post` gets RunProgressed, Replied and WorkerChanged.

    A run's last RunProgressed has the status done, partial or failed. A run that a newer request
    replaces is dropped silently; one asked for by hand, or being cancelled, is posted as partial.
    The same holds for a question and its Replied.

    spare : whether a second worker waits for the first one to be killed.
    """

    def __init__(
        self,
        post: Callable[[Message], object],
        command: Sequence[str] = COMMAND,
        spare: bool = True,
    ) -> None:
        self._post, self._command, self._keeps_spare = post, command, spare
        self._active: Child | None = None
        self._spare: Child | None = None
        self._children: set[Child] = set()
        self._run: RunSoFar | QuestionSoFar | None = None
        self._alarm: asyncio.TimerHandle | None = None
        self._deaths = 0
        self._stopping = False

    async def start(self) -> None:
        """Start the first worker, without waiting for it; the spare follows once it is ready."""
        self._promote()

    def run(self, request: Request | Question) -> None:
        """Run this instead of whatever runs; held until a worker is ready."""
        if self._stopping:
            return
        self._leave_run()
        self._run = RunSoFar(request) if isinstance(request, Request) else QuestionSoFar(request)
        if self._active is None:
            self._deaths = 0
            self._promote()
        elif self._active.ready:
            self._submit(self._active)

    def cancel(self) -> None:
        """Stop the run; what is finished is posted as partial, within 0.2 s."""
        run, child = self._run, self._active
        if run is None or run.cancelling:
            return
        run.cancelling = True
        if child is None or not child.busy:
            self._finish("partial")
        else:
            child.send({"cancel": run.request.key})
            self._expect_answer()

    async def stop(self) -> None:
        """End every worker, politely at first; takes at most half a second."""
        self._stopping = True
        self._run = None
        self._disarm()
        for child in self._children:
            child.dismiss()
        lives = {child.life for child in self._children}
        for seconds, number in PARTING:
            for child in self._children if number else ():
                child.send_signal(number)
            if lives:
                _, lives = await asyncio.wait(lives, timeout=seconds)

    # What happens to runs.

    def _submit(self, child: Child) -> None:
        assert self._run is not None
        interrupts = child.busy
        child.busy = True
        child.send({"run": as_document(self._run.request)})
        if interrupts:
            self._expect_answer()

    def _leave_run(self) -> None:
        """A newer request has come."""
        if self._run is not None and (self._run.cancelling or self._run.asked_for):
            self._finish("partial")
        self._run = None

    def _finish(self, status: Status, error: str = "", details: str = "") -> None:
        """Post the last snapshot of the run, with an end that the worker did not tell."""
        run, self._run = self._run, None
        self._disarm()
        if run is not None:
            run.end(status, error, details)
            self._post(run.news)

    def _expect_answer(self) -> None:
        """Be patient, from the first question on that was not answered."""
        if self._alarm is None:
            loop = asyncio.get_running_loop()
            self._alarm = loop.call_later(PATIENCE - LAST_CALL, self._listen_once_more)

    def _listen_once_more(self) -> None:
        """The answer may be there already, unread, if it was the loop that was busy."""
        loop = asyncio.get_running_loop()
        self._alarm = loop.call_later(LAST_CALL, self._lose_patience)

    def _disarm(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _lose_patience(self) -> None:
        """The worker is silent: another one takes over."""
        self._alarm = None
        child, self._active = self._active, None
        if child is not None:
            child.dismissed = True
            child.send_signal(signal.SIGKILL)
        if self._run is not None and self._run.cancelling:
            self._finish("partial")
        self._promote()

    # What happens to workers.

    def _promote(self) -> None:
        """Make the spare the active worker, or start one, if there is none."""
        if self._active is not None:
            return
        self._active, self._spare = self._spare or self._start_child(), None
        if self._active.ready:
            self._put_to_work(self._active)

    def _start_child(self) -> Child:
        child = Child(self._command, self._heard, self._ended)
        self._children.add(child)
        return child

    def _put_to_work(self, child: Child) -> None:
        self._post(WorkerChanged(True, child.note))
        if self._run is not None:
            self._submit(child)
        if self._keeps_spare and self._spare is None and self._deaths < MAX_DEATHS:
            self._spare = self._start_child()

    def _heard(self, child: Child, message: Mapping[str, Any]) -> None:
        if child.dismissed:
            return
        if "ready" in message:
            child.ready = True
            child.note = ", ".join(f"{name} {value}" for name, value in message["ready"].items())
            if child is self._active:
                self._put_to_work(child)
            return
        run = self._run
        if child is not self._active or run is None:
            return
        if "started" in message:
            self._disarm()
            if run.cancelling or message["started"] != run.request.key:
                self._expect_answer()
        elif message.get("key") == run.request.key and run.take(message):
            self._deaths = 0
            if run.ended:
                child.busy = False
                self._run = None
                self._disarm()
            elif run.cancelling or not run.tells:
                return
            self._post(run.news)

    def _ended(self, child: Child) -> None:
        """A child's process is gone and all it said was heard."""
        self._children.discard(child)
        if child.dismissed or self._stopping:
            return
        self._deaths += 1
        again = self._deaths < MAX_DEATHS
        if child is self._spare:
            self._spare = self._start_child() if again else None
            return
        self._active = None
        again = again or self._spare is not None
        what = f"the background worker {child.how_it_ended()}"
        if child.busy and self._run is not None:
            what += _over(self._run.request)
        self._post(WorkerChanged(False, f"{what}; another one takes over" if again else what))
        if self._run is not None and self._run.cancelling:
            self._finish("partial")
        elif child.busy or not again:
            self._finish("failed", what, child.errors)
        if again:
            self._promote()


class Child:
    """One worker process: its lines go to `heard`, its end to `ended`.

    busy : it was given a run whose end it has not told. dismissed : nobody listens any more.
    note : its versions. errors : the end of what it wrote to standard error.
    """

    def __init__(
        self,
        command: Sequence[str],
        heard: Callable[[Child, Mapping[str, Any]], None],
        ended: Callable[[Child], None],
    ) -> None:
        self.ready = self.busy = self.dismissed = False
        self.note = self.errors = ""
        self._command, self._heard, self._ended = command, heard, ended
        self._process: asyncio.subprocess.Process | None = None
        self._signal: int | None = None
        self.life = asyncio.create_task(self._live())

    async def _live(self) -> None:
        pipe = asyncio.subprocess.PIPE
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=pipe,
                stdout=pipe,
                stderr=pipe,
                start_new_session=True,
                limit=LINE_LIMIT,
            )
        except OSError as error:
            self.errors = str(error)
            self._ended(self)
            return
        if self.dismissed:
            self.dismiss()
        if self._signal is not None:
            self._process.send_signal(self._signal)
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        await asyncio.gather(
            self._read_lines(self._process.stdout), self._read_errors(self._process.stderr)
        )
        await self._process.wait()
        self._ended(self)

    async def _read_lines(self, lines: asyncio.StreamReader) -> None:
        while True:
            try:
                line = await lines.readline()
                if not line:
                    return
                if not self.dismissed and self._signal is None:
                    self._heard(self, json.loads(line))
            except (ValueError, LookupError, TypeError):
                # It does not keep to the protocol: whatever else it says is worth nothing.
                self.errors += traceback.format_exc()
                self.send_signal(signal.SIGKILL)
            await asyncio.sleep(0)  # lines that are there already come without a pause

    async def _read_errors(self, stream: asyncio.StreamReader) -> None:
        while data := await stream.read(ERRORS_KEPT):
            self.errors = (self.errors + data.decode(errors="replace"))[-ERRORS_KEPT:]

    def send(self, message: Mapping[str, Any]) -> None:
        """Write one line; without effect where the process is gone."""
        if self._process is not None and self._process.stdin is not None:
            line = json.dumps(message, separators=(",", ":"), default=str)
            self._process.stdin.write(line.encode() + b"\n")

    def dismiss(self) -> None:
        """Ask the process to end, and listen to it no more."""
        self.dismissed = True
        if self._process is not None and self._process.stdin is not None:
            self.send({"quit": True})
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
        if code < 0:
            return f"was killed by {signal.Signals(-code).name}"
        last = self.errors.strip().rpartition("\n")[2]
        return f"ended with exit code {code}" + (f": {last}" if last else "")


def _over(request: Request | Question) -> str:
    """Which attacks in Python may have ended a worker."""
    names = request.python_attacks if isinstance(request, Request) else ()
    return f" while it ran the Python attack {' or '.join(map(repr, names))}" if names else ""


@dataclass
class RunSoFar:
    """A run and everything that was heard of it."""

    request: Request
    cancelling: bool = False
    snapshot: Snapshot = field(init=False)
    _shared: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    _cells: dict[str, dict[int, CellView]] = field(default_factory=dict)
    _parts: dict[str, tuple[CellView, ...]] = field(default_factory=dict)
    _columns: dict[str, Any] = field(default_factory=dict)
    _frequencies: Frequencies | None = None
    _bits: BitCounts | None = None
    _rounds: Rounds | None = None
    _round_columns: dict[int, Mapping[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.snapshot = Snapshot(self.request.key, "running", full=self.request.full)

    @property
    def asked_for(self) -> bool:
        """Whether it was asked for by hand."""
        return self.request.full

    @property
    def ended(self) -> bool:
        return self.snapshot.status != "running"

    @property
    def tells(self) -> bool:
        """Whether there is something to see."""
        return self.snapshot.done > 0

    @property
    def news(self) -> Message:
        return RunProgressed(self.snapshot)

    def end(self, status: Status, error: str, details: str) -> None:
        self.snapshot = dataclasses.replace(
            self.snapshot, status=status, error=error, details=details
        )

    def take(self, message: Mapping[str, Any]) -> bool:
        """Take in a line of this run; True where `snapshot` is a new, consistent one."""
        if "shared" in message:
            self._shared[message["part"]] = message["shared"]
            self._cells[message["part"]] = {}
        elif "cells" in message:
            part = message["part"]
            cells, shared = self._cells[part], self._shared[part]
            for index, *news in message["cells"]:
                cells[index] = cell_view(index, cells.get(index), shared, *news)
            self._parts = {**self._parts, part: tuple(cells.values())}
        elif "round" in message:
            self._round_columns = {**self._round_columns, message["round"]: message["frequencies"]}
        elif "rounds" in message:
            self._rounds = rounds(message["rounds"])
        elif "frequencies" in message:
            self._columns |= {
                name: decoded(name, value) for name, value in message["frequencies"].items()
            }
            if "trials" in message["frequencies"]:
                self._frequencies = frequencies(self._columns)
        elif "bits" in message:
            columns = {name: decoded(name, value) for name, value in message["bits"].items()}
            self._bits = BitCounts(**columns)
        elif "snapshot" in message:
            self.snapshot = Snapshot(
                self.request.key,
                full=self.request.full,
                parts=self._parts,
                frequencies=self._frequencies,
                bits=self._bits,
                rounds=self._rounds,
                round_frequencies=RoundFrequencies(self._round_columns),
                **message["snapshot"],
            )
            return True
        return False


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
    def news(self) -> Message:
        return Replied(self.reply)

    def end(self, status: Status, error: str, details: str) -> None:
        self.reply = Reply(self.request.key, status, error=error, details=details)

    def take(self, message: Mapping[str, Any]) -> bool:
        """Take in a line about this question; True where `reply` is a new one."""
        if "reply" in message:
            self.reply = Reply(self.request.key, **message["reply"])
        return "reply" in message


def cell_view(
    index: int,
    before: CellView | None,
    shared: Mapping[str, Any],
    own: Mapping[str, Any] | None,
    theory: Sequence[float | None] | None,
    trials: int,
    metrics: Iterable[tuple[float | None, float | None]],
) -> CellView:
    """A cell from its line: complete at first, then what changed since `before`."""
    if before is not None:
        measured = {
            name: Measured(mean, error, old.theory)
            for (name, old), (mean, error) in zip(before.metrics.items(), metrics, strict=True)
        }
        return dataclasses.replace(before, trials=trials, metrics=measured)
    assert own is not None
    assert theory is not None
    said = {**shared, **own}
    names = said.pop("metrics")
    parameters = {key[1:]: said.pop(key) for key in list(said) if key.startswith(":")}
    measured = {
        name: Measured(mean, error, expected)
        for name, (mean, error), expected in zip(names, metrics, theory, strict=True)
    }
    targets = tuple(said.pop("targets"))
    return CellView(
        index=index, parameters=parameters, trials=trials, targets=targets, metrics=measured, **said
    )


def decoded(name: str, value: Any) -> Any:
    """A column of frequencies as it is kept: numbers in a tuple, or as it came."""
    if isinstance(value, str):
        numbers = array("i" if name == "items" else "d", binascii.a2b_base64(value))
        if sys.byteorder == "big":
            numbers.byteswap()
        return tuple(numbers)
    return tuple(value) if isinstance(value, list) else value


def frequencies(columns: Mapping[str, Any]) -> Frequencies:
    """The columns heard so far as one value; what was sent as None is made up for.

    Labels are the indices. Where there is no closed form, σ is the deviation over the trials, 0
    before there are two of them.
    """
    made_up: dict[str, Any] = {}
    if columns["labels"] is None:
        made_up["labels"] = tuple(map(str, columns["items"]))
    for which in ("clean", "attacked"):
        if columns[f"sigma_{which}"] is None:
            std = columns[f"{which}_std"]
            made_up[f"sigma_{which}"] = (0.0,) * len(columns["items"]) if std is None else std
    return Frequencies(**{**columns, **made_up})


class RoundFrequencies(Mapping[int, Frequencies]):
    """The frequencies of rounds by number; a round is decoded when it is looked at."""

    def __init__(self, columns: Mapping[int, Mapping[str, Any]]) -> None:
        self._columns = columns

    def __getitem__(self, number: int) -> Frequencies:
        columns = self._columns[number]
        return frequencies({name: decoded(name, value) for name, value in columns.items()})

    def __iter__(self) -> Iterator[int]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)


def rounds(columns: Mapping[str, Any]) -> Rounds:
    """What was heard of the rounds, as one value."""
    metrics = {
        name: tuple(Measured(*one) for one in each) for name, each in columns["metrics"].items()
    }
    return Rounds(
        **{**{name: frozen(value) for name, value in columns.items()}, "metrics": metrics}
    )


def frozen(value: Any) -> Any:
    """A list, and lists in it, as tuples."""
    return tuple(map(frozen, value)) if isinstance(value, list) else value


def as_document(request: Request | Question) -> dict[str, Any]:
    """A request as the worker reads it."""
    if isinstance(request, Question):
        return dataclasses.asdict(request)
    return {
        "key": request.key,
        "parts": [{"name": part.name, "document": part.document} for part in request.parts],
        "folder": request.folder,
        "interval": request.interval,
        "whole": request.whole,
        "store": request.store,
        "source": request.source,
        "resumed": request.resumed,
    }
