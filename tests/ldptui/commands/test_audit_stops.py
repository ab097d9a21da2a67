"""Audits that are interrupted: exit code 130, nothing left running, and one that goes on."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from support.commands import Captured, fail
from support.left_behind import TEST, left_by

import ldptui
from ldptui.api.audited import at_work
from ldptui.commands import cli
from ldptui.commands.progress import Line
from ldptui.core.base.errors import ScenarioError
from ldptui.core.lab.audit import inspection
from ldptui.terminal import exits

WORDS = ("audit", "grr", "oue", "--epsilon", "1", "--items", "6", "--samples", "60000",
         "--format", "json")  # fmt: skip

# A background job's children may ignore SIGINT; a shell's foreground jobs do not.
PROGRAM = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler);"
    "from ldptui.__main__ import main; sys.exit(main())"
)
SLOW = """\
import pathlib, signal, sys, time
told = pathlib.Path({told!r})

def end(*_):
    told.write_text("asked to end")
    sys.exit()

signal.signal(signal.SIGTERM, end)
signal.signal(signal.SIGPIPE, signal.SIG_IGN)
for line in sys.stdin:
    try:
        print(line, end="", flush=True)
    except OSError:
        pass
    if not told.exists():
        told.write_text("began")
    time.sleep(0.001)
"""


def test_ctrl_c_ends_the_client_politely(tmp_path: Path) -> None:
    told, client = tmp_path / "told", tmp_path / "client.py"
    client.write_text(SLOW.format(told=str(told)))
    command = shlex.join([sys.executable, "-S", str(client)])
    words = ("audit", "--command", command, "--as", "grr", *WORDS[3:])
    mark = f"{os.getpid()}-{tmp_path.name}"
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, TEST: mark},
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while not told.exists() and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.02)
    assert left_by(mark)
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=30)
    assert process.returncode == exits.INTERRUPTED == 130
    assert b"Traceback" not in errors
    (found,) = json.loads(out)["clients"]
    assert found["whole"] is False
    assert told.read_text() == "asked to end"
    assert left_by(mark) == []


def interrupted_at(step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Press Ctrl-C when the progress is drawn so often."""
    drawn = [0]

    def draw(_: Line, words: str) -> None:
        assert "reports, ε at least" in words
        drawn[0] += 1
        if drawn[0] == step:
            raise KeyboardInterrupt

    monkeypatch.setattr(Line, "draw", draw)


def clients(capsys: Captured, code: int, *words: str) -> Any:
    assert cli.main([*WORDS, *words]) == code
    output = capsys.readouterr()
    found = json.loads(output.out)["clients"]
    return [{**each, "speed": 0.0} for each in found], output.err


def test_an_interrupted_audit_goes_on(
    capsys: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(at_work, "OFTEN_S", -1.0)
    monkeypatch.setattr(at_work, "SLOW", -1.0)
    monkeypatch.setattr(inspection, "OFTEN_S", -1.0)
    whole, _ = clients(capsys, exits.DONE)
    kept = tmp_path / "audit.kept"
    words = ("--checkpoint", str(kept))
    taken = 0
    for step in (3, 2, 9):  # in the first client, at once again, in the second
        interrupted_at(step, monkeypatch)
        some, errors = clients(capsys, exits.INTERRUPTED, *words)
        assert "the same words go on with it" in errors
        assert sum(each["samples"] for each in some) > taken
        taken = sum(each["samples"] for each in some)
    assert [each["whole"] for each in some] == [True, False]
    for other, rule in (
        (("--seed", "1"), "is of another audit: its seed differ"),
        (("--as", "grr"), "--as must be a protocol"),
    ):
        assert rule in fail(capsys, exits.USAGE, *WORDS, *words, *other)
    interrupted_at(10**6, monkeypatch)
    resumed, errors = clients(capsys, exits.DONE, *words)
    assert "goes on with the audit in" in errors
    assert resumed == whole
    assert not kept.exists()


def test_what_is_no_checkpoint_is_refused(capsys: Captured, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong"
    for data in (b"", b"no checkpoint", b"PK\x03\x04" + bytes(100)):
        wrong.write_bytes(data)
        line = fail(capsys, exits.USAGE, *WORDS, "--checkpoint", str(wrong))
        assert "wrong is no checkpoint of an audit" in line
        assert wrong.read_bytes() == data
    assert "cannot be" in fail(capsys, 3, *WORDS, "--checkpoint", str(tmp_path / "wrong" / "file"))
    with pytest.raises(ScenarioError, match="checkpoint must be the path of a file"):
        ldptui.audit("grr", epsilon=1, items=4, checkpoint=3)  # type: ignore[arg-type]
