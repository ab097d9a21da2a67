"""A client that is a program: whatever it does, nothing hangs and nothing is left running."""

from __future__ import annotations

import os
import resource
import sys
import time
from typing import Any

import numpy as np
import pytest
from support.left_behind import TEST, left_by

from ldptui.core.base.errors import RunError, ScenarioError
from ldptui.core.lab.audit import Command, words_of

ITEMS = np.arange(1000, dtype=np.int64) % 7


def numbers(lines: list[bytes], first: int) -> Any:
    """Reports of lines that are numbers."""
    for at, line in enumerate(lines):
        if not line.isdigit():
            raise ScenarioError(f"report {first + at} must be a number")
    return np.array(list(map(int, lines)))


def client(*words: str, patience: float = 20, **more: Any) -> Command:
    return Command(words, numbers, patience=patience, **more)


def python(code: str, **more: Any) -> Command:
    return client(sys.executable, "-S", "-c", code, **more)


def reports(command: Command, items: Any = ITEMS) -> Any:
    return np.concatenate([*command.reports(items)])


@pytest.fixture(autouse=True)
def nothing_is_left(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv(TEST, str(os.getpid()))
    begun = time.monotonic()
    yield
    assert left_by(str(os.getpid())) == []
    assert time.monotonic() - begun < 30


def test_a_report_of_each_item_comes_back_in_order() -> None:
    assert (reports(client("cat")) == ITEMS).all()
    assert (reports(client("cat", batch=300)) == ITEMS).all()
    assert (reports(client("sh", "-c", "echo Report; cat", header=b"report")) == ITEMS).all()
    many = np.arange(200_000)
    assert (reports(client("cat"), many) == many).all()


def test_a_program_may_read_all_items_before_it_answers() -> None:
    code = "import sys; lines = sys.stdin.read(); sys.stdout.write(lines)"
    assert (reports(python(code)) == ITEMS).all()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("sleep", "1000"), "has written no report in 0.4 s, after 0 of 1000 reports"),
        (("yes", "1"), "wrote more reports than it got items (1000)"),
        (("cat", "/dev/zero"), "wrote a line of more than 1 MiB, report 1"),
        (("sh", "-c", "yes >&2"), "has written no report in 0.4 s"),
        (("false",), "ended with exit code 1 after 0 of 1000 reports"),
        (("sh", "-c", "head -n 5; kill -9 $$"), "was ended by SIGKILL after 5 of 1000"),
        (("sh", "-c", "cat >/dev/null; echo no key >&2; exit 3"), "exit code 3 (no key) after"),
        (("sh", "-c", "echo 1; echo two; cat"), "report 2 must be a number"),
        (("head", "-c", "100000", "/dev/urandom"), "report"),
        (("sh", "-c", "printf 1; exec sleep 1000"), "has written no report in 0.4 s, after 0"),
        (("sh", "-c", "exec >&-; exec sleep 1000"), "closed its output after 0 of 1000 reports"),
    ],
)  # fmt: skip
def test_what_goes_wrong_is_one_sentence(words: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(RunError) as caught:
        reports(client(*words, patience=0.4 if "0.4 s" in sentence else 20))
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_cannot_be_started_is_refused() -> None:
    for words in (("no-such-program",), ("/",), ("a\0b",)):
        with pytest.raises(ScenarioError, match="must be a program that can be started"):
            reports(client(*words))
    for text in ("", "  ", "'open"):
        with pytest.raises(ScenarioError, match="must be a program and its arguments"):
            words_of(text)


FORKS = """
import os, sys, time
for line in sys.stdin:
    print(line, end="")
sys.stdout.flush()
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(1000)
        os._exit(0)
"""


def test_what_a_program_starts_ends_with_it() -> None:
    """Children in its group and out of it, with its output open, and what ignores SIGTERM."""
    assert (reports(client("sh", "-c", "cat; sleep 1000 & setsid sleep 1000 &")) == ITEMS).all()
    assert (reports(python(FORKS)) == ITEMS).all()
    assert (reports(client("sh", "-c", "trap '' TERM; cat; sleep 1000")) == ITEMS).all()


def test_a_client_whose_reports_nobody_wants_any_more_is_ended() -> None:
    blocks = client("cat", batch=10).reports(ITEMS)
    next(blocks)
    blocks.close()


def test_a_flood_takes_no_memory() -> None:
    """On both outputs: what is not wanted is not kept."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    flood = "import sys\nwhile True: sys.{}.write('x' * 1000000{})"
    for pipe, end in (("stdout", ""), ("stderr", " + '\\n'")):
        with pytest.raises(RunError):
            reports(python(flood.format(pipe, end), patience=0.4))
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 40_000


@pytest.mark.long
@pytest.mark.parametrize("lines", [False, True])
def test_ten_gigabytes_of_output_take_no_memory(lines: bool) -> None:
    """On standard error, before all reports come; on standard output, as lines. 20 s."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    flood = "head -c 10000000000 /dev/zero"
    if lines:
        with pytest.raises(RunError, match="wrote more reports than it got items"):
            reports(client("sh", "-c", f"{flood} | tr '\\0' '\\n' | sed 's/^/1/'", patience=600))
    else:
        assert (reports(client("sh", "-c", f"{flood} >&2; cat", patience=600)) == ITEMS).all()
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 40_000
