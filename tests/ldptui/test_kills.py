"""Whatever was killed or stopped before, whoever leaves is gone soon, and nothing is left."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.terminal import Terminal, ldptui

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

SOON_S = 20.0
"""A safety net, on a machine however busy: it takes a second at most where it is not."""

HURT = (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM, signal.SIGHUP)
LEAVING = ("ctrl+q", "closed", signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)
CODES = {"ctrl+q": 0, "closed": 128 + signal.SIGHUP}
VICTIMS = ("worker", "spare")

LONG_RUN = """\
format = 1
trials = 2000
[population]
kind = "uniform"
items = 1024
users = 100_000
[protocol]
kind = "olh"
epsilon = 1.0
[simulate]
path = "reports"
"""


def stat(pid: int) -> list[str]:
    """State, parent, … of a process as /proc tells them; none of one that is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def below(pid: int) -> list[int]:
    """The children of a process, and theirs."""
    numbers = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    children = [number for number in numbers if stat(number)[1:2] == [str(pid)]]
    return [*children, *(deep for child in children for deep in below(child))]


def assert_gone(processes: list[int]) -> None:
    end = time.monotonic() + SOON_S
    left = processes
    while left and time.monotonic() < end:
        left = [pid for pid in left if stat(pid)[:1] not in ([], ["Z"])]
        os.sched_yield()
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert not left


@pytest.mark.long
@pytest.mark.parametrize("victim", VICTIMS)
@pytest.mark.parametrize("hurt", HURT)
@pytest.mark.parametrize("leaving", LEAVING)
def test_the_app_ends_whatever_its_workers_are(
    victim: str, hurt: signal.Signals, leaving: str | signal.Signals, tmp_path: Path
) -> None:
    scenario = tmp_path / "long.toml"
    scenario.write_text(LONG_RUN, encoding="utf-8")
    with Terminal(ldptui(str(scenario)), 120, 40, home=tmp_path) as app:
        app.until("preview (done|complete)|no preview")
        app.until(lambda _: len(app.children()) == 2)
        app.send("ctrl+r")
        app.until("● run")
        first, second = sorted(app.children())
        processes = below(app.pid)
        os.kill(first if victim == "worker" else second, hurt)
        if isinstance(leaving, signal.Signals):
            app.signal(leaving)
            assert app.wait(SOON_S) == 128 + leaving
        elif leaving == "closed":
            assert app.hang_up(SOON_S) == CODES[leaving]
        else:
            app.send(leaving, leaving)  # a dialog asks after the first while the run lives
            assert app.wait(SOON_S) == CODES[leaving]
    assert_gone(processes)


def test_a_run_whose_worker_was_killed_at_once_goes_on(tmp_path: Path) -> None:
    """Killed before its first trial is there: `r` goes on with the run, under its number.

    It is cancelled and asked for again, its worker is stopped; who leaves then is asked first, and
    leaves nobody.
    """
    scenario = tmp_path / "long.toml"
    scenario.write_text(LONG_RUN.replace("100_000", "3_000_000"), encoding="utf-8")
    with Terminal(ldptui(str(scenario)), 120, 40, home=tmp_path) as app:
        app.until("preview (done|complete)|no preview")
        app.until(lambda _: len(app.children()) == 2)
        app.send("ctrl+r")
        assert " 0 trials " in app.until("● +1 ")
        os.kill(min(app.children()), signal.SIGKILL)
        app.until("✗ +1 ")
        app.send("5")
        app.until("r Resume")
        app.send("r")
        app.until("● +1 ")
        app.send("escape")
        app.until("run stopped, partial")
        app.send("ctrl+r")
        app.until("● +2 ")
        app.until(lambda _: len(app.children()) == 2)
        processes = below(app.pid)
        os.kill(min(app.children()), signal.SIGSTOP)
        app.send("ctrl+q")
        app.until(r"Quit \(y\)")
        app.send("ctrl+q")
        assert app.wait(SOON_S) == 0
    assert_gone(processes)


@pytest.mark.parametrize(
    ("hurt", "leaving"),
    [
        (signal.SIGSTOP, signal.SIGKILL),
        *(
            pytest.param(*case, marks=pytest.mark.long)
            for case in itertools.product(HURT, (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
        ),
    ],
)
def test_a_run_ends_whatever_its_pool_is(
    hurt: signal.Signals, leaving: signal.Signals, tmp_path: Path
) -> None:
    scenario, store = tmp_path / "long.toml", tmp_path / "store.sqlite3"
    scenario.write_text(LONG_RUN, encoding="utf-8")
    command = [*ldptui("run", str(scenario), "--workers", "2"), "--store", str(store)]
    quiet = subprocess.DEVNULL
    # A shell lets what it starts in the background ignore Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with subprocess.Popen(command, stdout=quiet, stderr=quiet, cwd=tmp_path) as run:
        pool: list[int] = []
        while len(pool) < 2:
            pool = [pid for pid in below(run.pid) if int(stat(pid)[11]) > 150]  # compute
            with pytest.raises(subprocess.TimeoutExpired):  # it goes on
                run.wait(0.05)
        processes = below(run.pid)
        os.kill(pool[0], hurt)
        run.send_signal(leaving)
        assert run.wait(SOON_S) != 0
    assert_gone(processes)
