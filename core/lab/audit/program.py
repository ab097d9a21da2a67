"""A client that is a program: it reads items, one a line, and writes a report a line.

The program is not trusted to end or to stop writing. It leads a process group of its own, which is
killed when the program has ended, its time is over or it writes too much. Input and output are
files, so that neither side waits for the other.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from typing import IO, Final

from ...base.errors import RunError, ScenarioError, got, one_line, reason_of
from ...law.pure import Items

LONGEST: Final = 1 << 14
"""Bytes of a report, at most."""
OUTPUT: Final = 1 << 28
"""Bytes of all reports of one start, at most."""
POLL_S: Final = 0.02


@dataclass(frozen=True)
class Program:
    """A client that is an external program.

    words : the program and its arguments, run without a shell. seconds : the time limit of one
    start.
    """

    words: tuple[str, ...]
    seconds: float = 300.0

    def run(self, items: Items) -> tuple[bytes, str]:
        """The bytes that one start of the program writes for the items int64[n], and how it ended.

        Raises RunError if it writes too much or does not end in time, ScenarioError if it cannot be
        started.
        """
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as written:
            given.write(b"".join(b"%d\n" % item for item in items.tolist()))
            given.seek(0)
            ending = self._run(given, written, min(OUTPUT, (len(items) + 1) * LONGEST))
            written.seek(0)
            return written.read(), ending

    def _run(self, given: IO[bytes], written: IO[bytes], most: int) -> str:
        """Run the program to its end; returns how it ended, in words."""
        with tempfile.TemporaryFile() as said:
            try:
                process = subprocess.Popen(
                    self.words, stdin=given, stdout=written, stderr=said, start_new_session=True
                )
            except (OSError, ValueError, subprocess.SubprocessError) as error:
                rule = f"must be a program that can be started ({reason_of(error)})"
                raise ScenarioError(f"{rule}, {got(self.words[0])}", key="command") from None
            end = time.monotonic() + self.seconds
            try:
                while process.poll() is None:
                    if time.monotonic() > end:
                        raise RunError(f"{self.name} did not end within {self.seconds:g} s")
                    if os.fstat(written.fileno()).st_size > most:
                        raise RunError(f"{self.name} wrote more than {most >> 20} MiB")
                    time.sleep(POLL_S)
            finally:
                with contextlib.suppress(OSError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            said.seek(max(0, said.seek(0, os.SEEK_END) - 4096))
            lines = said.read().decode("utf-8", "replace").strip().splitlines()
        why = f" ({one_line(lines[-1].strip())[:200]})" if lines else ""
        return f"ended with exit code {process.returncode}{why}"

    @property
    def name(self) -> str:
        """The program's name in messages."""
        words = shlex.join(self.words)
        return f"the client {words[:77] + '…' if len(words) > 78 else words}"


def words_of(text: str) -> tuple[str, ...]:
    """The program and the arguments in a command line; raises ScenarioError if it has none or
    cannot be split.
    """
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        rule = f"must be a program and its arguments ({error})"
        raise ScenarioError(f"{rule}, {got(text)}", key="command") from None
    if not words:
        raise ScenarioError(f"must be a program and its arguments, {got(text)}", key="command")
    return words
