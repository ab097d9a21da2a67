"""A real terminal for the real program: a pty, read into a pyte screen, counted and timed.

Nothing here sleeps: every wait is for bytes, with a limit as a safety net.
"""

from __future__ import annotations

import codecs
import fcntl
import math
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pyte

LIMIT_S = 30.0

KEYS = {
    "enter": "\r", "escape": "\x1b", "tab": "\t", "backspace": "\x7f",
    "up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D",
    "shift+tab": "\x1b[Z", "f1": "\x1bOP", "f2": "\x1bOQ", "f3": "\x1bOR", "f4": "\x1bOS",
    "f5": "\x1b[15~", "f6": "\x1b[17~", "home": "\x1b[H", "end": "\x1b[F",
    **{f"ctrl+{letter}": chr(ord(letter) - 96) for letter in "abcdefghijklmnopqrstuvwxyz"},
    **{f"alt+{digit}": f"\x1b{digit}" for digit in "123456789"},
}  # fmt: skip


class Terminal:
    """One run of a program in a pty of `columns` × `rows`."""

    def __init__(
        self,
        arguments: list[str],
        columns: int = 80,
        rows: int = 24,
        env: Mapping[str, str] | None = None,
        home: Path | None = None,
    ) -> None:
        self.started = time.monotonic()
        self.bytes = 0
        self.tail = b""
        self.frames: list[tuple[float, int]] = []
        self._undrawn: list[bytes] = []
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.Stream(self.screen)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.exit_code: int | None = None
        environment = {
            **os.environ,
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            # pyte does not know the kitty keyboard protocol
            "TEXTUAL_DISABLE_KITTY_KEY": "1",
            **(env or {}),
        }
        # Python itself may have set LC_CTYPE for the tests; unbuffered, it hides what is left over.
        strange = ("TMUX", "SSH_CONNECTION", "NO_COLOR", "COLUMNS", "LINES", "LC_CTYPE")
        for name in (*strange, "PYTHONUNBUFFERED"):
            if name not in (env or {}):
                environment.pop(name, None)
        if home is not None:
            for name in ("CONFIG", "DATA", "STATE", "CACHE"):
                environment[f"XDG_{name}_HOME"] = str(home / name.lower())
        self.pid, self._master = pty.fork()
        if self.pid == 0:
            os.execvpe(arguments[0], arguments, environment)
        self.resize(columns, rows)

    def resize(self, columns: int, rows: int) -> None:
        """Give the pty another size, as a terminal emulator does."""
        size = struct.pack("HHHH", rows, columns, 0, 0)
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, size)
        self._draw()
        self.screen.resize(rows, columns)

    def send(self, *keys: str) -> float:
        """Press keys by name, or type a text; returns the time."""
        os.write(self._master, "".join(KEYS.get(key, key) for key in keys).encode())
        return time.monotonic()

    def signal(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    def hang_up(self, limit: float = LIMIT_S) -> int:
        """Close the terminal, as a dropped connection does; the exit code, as of `wait`."""
        os.close(self._master)
        self._master = -1
        end = time.monotonic() + limit
        done = 0
        while not done:
            if time.monotonic() > end:
                self.kill()
                raise AssertionError("the program lives on without its terminal")
            select.select([], [], [], 0.02)
            done, status = os.waitpid(self.pid, os.WNOHANG)
        code = os.waitstatus_to_exitcode(status)
        self.exit_code = code if code >= 0 else 128 - code
        return self.exit_code

    def read(self, seconds: float = 0.05) -> bool:
        """Read what arrives within this time; False at the end of the program."""
        ready, _, _ = select.select([self._master], [], [], seconds)
        if not ready:
            return True
        try:
            data = os.read(self._master, 1 << 16)
        except OSError:
            data = b""
        if not data:
            return False
        self.bytes += len(data)
        self.tail = (self.tail + data)[-4096:]
        self.frames.append((time.monotonic(), len(data)))
        # Drawn when it is looked at: drawing takes longer than reading, and would spoil the times.
        self._undrawn.append(data)
        return True

    def _draw(self) -> None:
        data = b"".join(self._undrawn)
        self._undrawn.clear()
        # pyte prints the private "CSI ? … $ p" queries: they are answered by silence here.
        text = re.sub(
            r"\x1b\[\?[0-9;]*\$p|\x1b\[<u|\x1b\[>[0-9;]*u", "", self._decoder.decode(data)
        )
        self._stream.feed(text)

    @property
    def restored(self) -> bool:
        """True once the program has left the alternate screen and given mouse and cursor back."""
        return all(code in self.tail for code in (b"\x1b[?1049l", b"\x1b[?1000l", b"\x1b[?25h"))

    @property
    def text(self) -> str:
        self._draw()
        return "\n".join(self.screen.display)

    def until(self, wanted: str | Callable[[str], bool], limit: float = LIMIT_S) -> str:
        """Read until the screen matches a regular expression, or a rule; returns its text."""
        matches = wanted if callable(wanted) else re.compile(wanted).search
        end = time.monotonic() + limit
        while not matches(self.text):
            if time.monotonic() > end:
                raise AssertionError(f"{wanted!r} did not come; the screen is:\n{self.text}")
            if not self.read():
                if matches(self.text):
                    break
                raise AssertionError(
                    f"the program ended ({self.wait()}) before {wanted!r}; the screen is:\n"
                    f"{self.text}"
                )
        return self.text

    def came(self, wanted: str, limit: float = LIMIT_S) -> float:
        """The time at which the bytes came that brought a match of this onto the screen.

        They are drawn when no more come, so that no time is told that drawing them has taken.
        """
        end = time.monotonic() + limit
        while time.monotonic() < end:
            self.quiet(limit=limit)
            came, self._undrawn = self._undrawn, []
            for at, data in enumerate(came):
                self._undrawn.append(data)
                if re.search(wanted, self.text):
                    self._undrawn = came[at + 1 :]
                    return self.frames[at - len(came)][0]
        raise AssertionError(f"{wanted!r} did not come; the screen is:\n{self.text}")

    def quiet(self, seconds: float = 0.3, limit: float = LIMIT_S, *, asleep: bool = False) -> None:
        """Read until nothing came for so long. asleep : and the program slept all the while.

        It may be silent for seconds while it has keys to hear: on a busy machine, or in a terminal
        that is too small to draw anything in.
        """
        last = time.monotonic()
        end = last + limit
        while last + seconds > time.monotonic() and time.monotonic() < end:
            count = self.bytes
            if not self.read(min(0.05, seconds / 4) if asleep else seconds / 4):
                return
            if self.bytes != count or (asleep and self.state != "S"):
                last = time.monotonic()

    def wait(self, limit: float = LIMIT_S) -> int:
        """Read to the end of the program; its exit code, 128 + n for a signal."""
        end = time.monotonic() + limit
        while self.exit_code is None:
            done, status = os.waitpid(self.pid, os.WNOHANG)
            if done:
                code = os.waitstatus_to_exitcode(status)
                self.exit_code = code if code >= 0 else 128 - code
                break
            if time.monotonic() > end:
                self.kill()
                raise AssertionError(f"the program did not end; the screen is:\n{self.text}")
            self.read(0.02)
        while self.read(0.02) and select.select([self._master], [], [], 0)[0]:
            pass
        return self.exit_code

    @property
    def cpu_ms(self) -> float:
        """Milliseconds that the program's threads have computed; NaN where Linux does not say."""
        try:
            tasks = list(Path(f"/proc/{self.pid}/task").glob("*/schedstat"))
            return sum(int(task.read_text().split()[0]) for task in tasks) / 1e6 or math.nan
        except OSError:
            return math.nan

    @property
    def state(self) -> str:
        """The program's state in /proc: R, S, T for stopped."""
        stat = Path(f"/proc/{self.pid}/stat").read_text()
        return stat.rpartition(")")[2].split()[0]

    @property
    def echoes(self) -> bool:
        """True where the terminal shows what is typed, as it does for a shell."""
        return bool(termios.tcgetattr(self._master)[3] & termios.ECHO)

    def children(self) -> list[int]:
        """Process ids whose parent is the program."""
        children = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    status = (entry / "stat").read_text()
                except OSError:
                    continue
                if int(status.rpartition(")")[2].split()[1]) == self.pid:
                    children.append(int(entry.name))
        return children

    def kill(self) -> None:
        if self.exit_code is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.exit_code = 137

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        if self.exit_code is None:
            done, _status = os.waitpid(self.pid, os.WNOHANG)
            if not done:
                self.kill()
        if self._master >= 0:
            os.close(self._master)


def ldptui(*arguments: str) -> list[str]:
    """The command line of the program under test."""
    return [sys.executable, "-m", "ldptui", *arguments]
