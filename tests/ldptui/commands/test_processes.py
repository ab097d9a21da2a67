"""The command as a process of its own: Ctrl-C, pipes that close, disks that are full."""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ldptui.commands import cli
from ldptui.core.base.errors import FileError
from ldptui.terminal.output import write_out

START = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores SIGINT

class Announce:
    def find_spec(self, name, path, target=None):
        if name == "numpy":
            print("importing numpy", file=sys.stderr, flush=True)

if "--announce" in sys.argv:
    sys.argv.remove("--announce")
    sys.meta_path.insert(0, Announce())
from ldptui.__main__ import main
sys.argv[0] = "ldptui"
sys.exit(main())
"""


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-c", START, *arguments]


ENDLESS = ("run", "quickstart", "--trials", "40000", "--quiet")


@pytest.mark.long
@pytest.mark.every(2)
@pytest.mark.parametrize("workers", ["1", "2"])
def test_ctrl_c_prints_what_is_finished_as_partial(workers: str, tmp_path: Path) -> None:
    """In a pseudo-terminal, where Ctrl-C reaches the worker processes as well."""
    out = tmp_path / "partial.json"
    arguments = ("run", "quickstart", "--trials", "40000", "--workers", workers)
    output, code = interrupted(
        command(*arguments, "--format", "json", "--out", str(out)), r"[1-9]\d*/840"
    )
    assert code == 130, output
    assert "Traceback" not in output
    assert "ldptui: interrupted: " in output
    document = json.loads(out.read_text(encoding="utf-8"))
    assert document["status"] == "partial"
    done = sum(cell["trials"] for cell in document["cells"])
    assert done < 40_000 * 21
    if workers == "1":  # of two, the first block may be missing yet, and the others count after it
        assert document["cells"][0]["metrics"]["mse"]["mean"] is not None


def test_ctrl_c_while_processes_start_is_quiet() -> None:
    """Typed at the first sight of the progress bar, when the workers are importing."""
    arguments = ("run", "quickstart", "--trials", "40000", "--workers", "2")
    output, code = interrupted(command(*arguments), "  0% ")
    assert code == 130
    assert "Traceback" not in output
    assert "partial: interrupted after 0 of 840 000 trials" in output


def test_ctrl_c_while_modules_are_loaded_is_quiet() -> None:
    output, code = interrupted(command(*ENDLESS, "--announce"), "importing numpy")
    assert code == 130
    assert "Traceback" not in output


def interrupted(arguments: list[str], mark: str) -> tuple[str, int]:
    """What was printed, and the exit code: Ctrl-C is typed once this pattern is on the terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        arguments, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
        preexec_fn=take_terminal,
    )  # fmt: skip
    os.close(theirs)
    seen, typed = b"", False
    try:
        while True:
            if not typed and re.search(mark.encode(), seen):
                os.write(ours, b"\x03")
                typed = True
            try:
                data = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not data:
                break
            seen += data
        code = process.wait()
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        process.wait()
        os.close(ours)
    assert typed
    return seen.decode(errors="replace"), code


def take_terminal() -> None:
    """Make the pseudo-terminal on standard input the one that Ctrl-C comes from."""
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def test_a_reader_that_has_enough_is_no_error() -> None:
    """The schema is longer than what a pipe holds."""
    process = subprocess.Popen(command("schema"), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline() == b"{\n"
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(30) == 0


@pytest.mark.parametrize(
    "arguments", [("theory", "oue", "--epsilon", "1", "--items", "8"), ("run", "--help")]
)
def test_a_full_disk_is_exit_code_3(arguments: tuple[str, ...]) -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = subprocess.run(
            command(*arguments), stdout=full, stderr=subprocess.PIPE, text=True, timeout=60
        )
    assert done.returncode == 3
    assert done.stderr == "standard output cannot be written: No space left on device\n"


class Filling(io.RawIOBase):
    """A disk with room for some bytes: it takes what fits, and then nothing."""

    def __init__(self, room: int) -> None:
        self.held, self.room = b"", room

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        part = bytes(data[: min(self.room - len(self.held), 100)])
        if not part:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self.held += part
        return len(part)


@pytest.mark.parametrize("exactly", [True, False])
def test_an_unbuffered_disk_that_fills_is_no_success(
    exactly: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for room in (1000, 999):
        disk = Filling(room)
        out = io.TextIOWrapper(disk, encoding="utf-8", write_through=True)
        monkeypatch.setattr(sys, "stdout", out)
        if room == 1000:
            write_out("x" * 1000, exactly)
            assert disk.held == b"x" * 1000
        else:
            with pytest.raises(FileError, match="standard output cannot be written: No space"):
                write_out("x" * 1000, exactly)


@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("arguments", "code"),
    [(("run", "quickstart", "--trials", "1", "--set", "x=1"), 2), (("run",), 2),
     (("run", "quickstart", "--trials", "1", "--frequencies"), 0)],
)  # fmt: skip
def test_notes_that_cannot_be_written_change_nothing(arguments: tuple[str, ...], code: int) -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = subprocess.run(
            command(*arguments), stdout=subprocess.PIPE, stderr=full, text=True, timeout=60
        )
    assert done.returncode == code
    assert bool(done.stdout) == (code == 0)


def test_a_closed_output_is_no_bug() -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", 'exec "$@" >&-', "sh", *command("schema")],
        stderr=subprocess.PIPE, text=True, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


def test_help_can_be_shown_in_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    for arguments in (["--help"], ["theory", "--help"]):
        raw = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
        assert cli.main(arguments) == 0
        assert b"usage: ldptui" in raw.getvalue()
