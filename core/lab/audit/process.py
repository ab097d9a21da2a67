"""A client as a process: items on its standard input, a line each; a report a line comes back.

The process is not trusted to end, to keep silent or to keep its children. It runs in a session of
its own, every wait has a limit, and with it ends all that carries its mark: its process group, and
on Linux whatever inherited the environment that it was started with.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import selectors
import shlex
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from ...base.errors import RunError, ScenarioError, got, one_line, reason_of
from ...law.pure import Items, Reports
from ...running.orphans import die_with_parent, lasts

Parse = Callable[[list[bytes], int], Reports]
"""Reports of lines; the second argument is the number of the first line. Raises ScenarioError."""

LINES: Final = 1 << 16
"""Lines that are parsed at once."""
OFTEN_S: Final = 0.5
"""Seconds after which fewer lines are parsed, so that a slow program's audit is seen to go on."""
CHUNK: Final = 1 << 18
"""Bytes that are read at once."""
LONGEST: Final = 1 << 20
"""Bytes of a line at most."""
TOLD: Final = 1 << 12
"""Bytes of standard error that are kept, for a sentence."""
GRACE_S: Final = 1.0
"""Seconds that a process has to end, once its input has ended or it was asked to."""
MARK: Final = "LDPTUI_AUDIT"
"""The variable of the environment that marks the process and all that it starts."""


@dataclass(frozen=True)
class Command:
    """A client that is a program.

    words : the program and its arguments; no shell reads them. parse : makes reports of lines.
    header : the line that may stand above the reports. patience : seconds in which the program
    neither takes an item nor writes a report, at most. batch : items of one start at most; None
    for a start a round.
    """

    words: tuple[str, ...]
    parse: Parse = field(repr=False)
    header: bytes = b""
    patience: float = 20.0
    batch: int | None = None

    def reports(self, items: Items) -> Iterator[Reports]:
        """A report of each item, in order, in blocks; raises RunError in one sentence."""
        step = self.batch or max(1, len(items))
        for at in range(0, len(items), step):
            yield from _Run(self, items[at : at + step]).reports()


def words_of(text: str) -> tuple[str, ...]:
    """The program and the arguments that a command line names; raises ScenarioError."""
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        rule = f"must be a program and its arguments ({error})"
        raise ScenarioError(f"{rule}, {got(text)}", key="command") from None
    if not words:
        raise ScenarioError(f"must be a program and its arguments, {got(text)}", key="command")
    return words


class _Run:
    """One start of a client."""

    def __init__(self, client: Command, items: Items) -> None:
        self.client, self.items = client, items
        self.mark = secrets.token_hex(16)
        self.told = b""
        self.written = 0
        """Items that are on their way, as bytes or to be made."""
        self.ahead = b""
        self.rest: list[bytes] = []
        self.alive_at = time.monotonic()

    def reports(self) -> Iterator[Reports]:
        process = self._started()
        try:
            yield from self._parsed(process)
        finally:
            _end(process, self.mark)

    def _started(self) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                self.client.words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
                env={**os.environ, MARK: self.mark},
                preexec_fn=die_with_parent if lasts() else None,
            )
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            rule = f"must be a program that can be started ({reason_of(error)})"
            raise ScenarioError(f"{rule}, {got(self.client.words[0])}", key="command") from None

    def _parsed(self, process: subprocess.Popen[bytes]) -> Iterator[Reports]:
        """The reports, as soon as there are LINES of them, or after a while."""
        lines: list[bytes] = []
        done, wanted, first = 0, len(self.items), True
        due = time.monotonic() + OFTEN_S
        for more in self._lines(process, wanted):
            if first and more:
                first = False
                if self.client.header and more[0].strip().lower() == self.client.header:
                    more = more[1:]
            lines += more
            if done + len(lines) > wanted:
                extra = any(line.strip() for line in lines[wanted - done :])
                del lines[wanted - done :]
                if extra:
                    if lines:
                        self._block(lines, done)  # a line that is none is told first
                    raise RunError(f"{self._name} wrote more reports than it got items ({wanted})")
            late = time.monotonic() > due
            while len(lines) >= LINES or (lines and (late or done + len(lines) == wanted)):
                block, lines = lines[:LINES], lines[LINES:]
                yield self._block(block, done)
                done += len(block)
                self.alive_at = time.monotonic()  # the time that others took is not the program's
                due = self.alive_at + OFTEN_S
        if lines:
            yield self._block(lines, done)
            done += len(lines)
        if done < wanted:
            raise RunError(f"{self._name} {self._ending(process)} after {done} of {wanted} reports")

    def _block(self, lines: list[bytes], done: int) -> Reports:
        try:
            return self.client.parse(lines, done + 1)
        except ScenarioError as error:
            raise RunError(f"{self._name}: {error}") from error

    def _lines(self, process: subprocess.Popen[bytes], wanted: int) -> Iterator[list[bytes]]:
        """Whole lines as they come, until the program has written all, or ends."""
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        seen, part, closing = 0, b"", 0.0
        with selectors.DefaultSelector() as waiting:
            for pipe, event in (
                (process.stdin, selectors.EVENT_WRITE),
                (process.stdout, selectors.EVENT_READ),
                (process.stderr, selectors.EVENT_READ),
            ):
                os.set_blocking(pipe.fileno(), False)
                waiting.register(pipe, event)
            open_out = True
            while open_out:
                ready = waiting.select(0.2)
                for key, _ in ready:
                    stream: Any = key.fileobj
                    if stream is process.stdin:
                        self._feed(process, waiting)
                        continue
                    data = _read(stream)
                    if data is None:
                        continue
                    if stream is process.stderr:
                        self.told = (self.told + data)[-TOLD:]
                        if not data:
                            waiting.unregister(stream)
                        continue
                    if not data:
                        open_out = False
                        continue
                    *whole, part = (part + data).split(b"\n")
                    if len(part) > LONGEST:
                        rule = f"wrote a line of more than {LONGEST >> 20} MiB"
                        raise RunError(f"{self._name} {rule}, report {seen + len(whole) + 1}")
                    if whole:
                        self.alive_at = time.monotonic()
                        seen += len(whole)
                        yield whole
                now = time.monotonic()
                if not ready and process.poll() is not None:
                    break  # a child of its own may hold the pipe open for ever
                if seen >= wanted:
                    # Nothing more is due: whatever still comes is too much, or a child's pipe.
                    closing = closing or now + GRACE_S
                    if now > closing:
                        break
                elif now - self.alive_at > self.client.patience:
                    rule = f"has written no report in {self.client.patience:g} s"
                    raise RunError(f"{self._name} {rule}, after {seen} of {wanted} reports")
        if part.strip():
            yield [part]

    def _feed(self, process: subprocess.Popen[bytes], waiting: selectors.BaseSelector) -> None:
        """Write items for as long as the program takes them; close its input after the last."""
        assert process.stdin is not None
        if not self.ahead and self.written < len(self.items):
            block = self.items[self.written : self.written + (1 << 13)]
            self.ahead = ("\n".join(map(str, block.tolist())) + "\n").encode()
            self.written += len(block)
        try:
            if self.ahead:
                sent = os.write(process.stdin.fileno(), self.ahead)
                self.ahead = self.ahead[sent:]
                if sent:
                    self.alive_at = time.monotonic()
                return
        except BlockingIOError:
            return
        except OSError:  # it reads no more: what it has written says whether that is enough
            pass
        waiting.unregister(process.stdin)
        with contextlib.suppress(OSError):
            process.stdin.close()

    def _ending(self, process: subprocess.Popen[bytes]) -> str:
        """The way in which the program ended, with the last line of its standard error."""
        try:
            code = process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            return "closed its output"
        assert process.stderr is not None
        with contextlib.suppress(OSError):
            self.told = (self.told + (_read(process.stderr) or b""))[-TOLD:]
        lines = self.told.decode("utf-8", "replace").strip().splitlines()
        why = f" ({one_line(lines[-1].strip())[:200]})" if lines else ""
        if code < 0:
            with contextlib.suppress(ValueError):
                return f"was ended by {signal.Signals(-code).name}{why}"
        return f"ended with exit code {code}{why}"

    @property
    def _name(self) -> str:
        words = shlex.join(self.client.words)
        return f"the client {words[:77] + '…' if len(words) > 78 else words}"


def _read(stream: Any) -> bytes | None:
    """What can be read now; b"" at the end, None where there is nothing after all."""
    try:
        return os.read(stream.fileno(), CHUNK)
    except BlockingIOError:
        return None


def _end(process: subprocess.Popen[bytes], mark: str) -> None:
    """End a process and all that it started: politely first, then at once."""
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(GRACE_S / 10)
    if process.returncode is None:
        _signal(process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(GRACE_S)
    _signal(process.pid, signal.SIGKILL)  # the rest of its group, and itself if it is still there
    process.wait()
    deadline = time.monotonic() + GRACE_S
    while (left := _marked(mark)) and time.monotonic() < deadline:
        for number in left:
            with contextlib.suppress(OSError):
                os.kill(number, signal.SIGKILL)
        time.sleep(0.002)


def _signal(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(OSError):
        os.killpg(group, number)


def _marked(mark: str) -> list[int]:
    """The processes whose environment has this mark, on Linux: those that left the group too."""
    wanted, found = f"{MARK}={mark}".encode(), []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if wanted in (folder / "environ").read_bytes():
                state = (folder / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
                if state[:1] != ["Z"]:
                    found.append(int(folder.name))
    return found
