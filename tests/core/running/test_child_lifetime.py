"""A parent that is killed leaves no worker behind: computing, idle, or in a loop."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from ldptui.core.base.errors import RunError
from ldptui.core.running.child_lifetime import StoppableContext, kill_processes
from ldptui.core.running.process_pool import open_pool

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

SOON_S = 20.0
"""A safety net, on a machine however busy: workers end within a second where it is not."""

POOL = """
import sys, threading
from concurrent.futures import ProcessPoolExecutor
from ldptui import core
from ldptui.core.running.runner import run

text = '''format = 1
trials = 100000
[population]
kind = "uniform"
items = 1024
users = 20000
[protocol]
kind = "oue"
epsilon = 1.0
[simulate]
path = "reports"
'''

def work():
    for progress in run(core.compile(core.parse(text)), workers=2):
        if progress.done:
            print("begun", flush=True)

if __name__ == "__main__":
    if sys.argv[1] == "main":
        work()
    else:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
"""

IDLE = """
import sys, time
from concurrent.futures import ProcessPoolExecutor
from ldptui.core.running.child_lifetime import StoppableContext
from ldptui.core.running.process_pool import _begin

if __name__ == "__main__":
    pool = ProcessPoolExecutor(2, StoppableContext(), initializer=_begin)
    for _ in range(2):
        pool.submit(time.sleep, 0).result()
    print("begun", flush=True)
    time.sleep(600)
"""


def kin(pid: int) -> list[int]:
    """The processes whose parent this one is."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                stat = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(stat[1]) == pid:
                found.append(int(folder.name))
    return found


def tracks(pid: int) -> bool:
    """True in the process in which `multiprocessing` keeps its list of semaphores."""
    return b"resource_tracker" in Path(f"/proc/{pid}/cmdline").read_bytes()


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.every(7)
@pytest.mark.parametrize(("thread", "state"), [
    ("main", "computing"), ("other", "computing"), ("main", "idle"),
])  # fmt: skip
def test_workers_end_with_their_parent(thread: str, state: str, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(POOL if state == "computing" else IDLE)
    assert_ended([sys.executable, str(program), thread, state])


def test_a_stopped_thread_starts_no_process() -> None:
    """A process that starts while its parent ends would print a traceback."""
    ready, go = threading.Event(), threading.Event()
    met: list[str] = []

    def starting() -> None:
        ready.set()
        go.wait()
        try:
            StoppableContext().Process(target=print).start()
        except RunError as error:
            met.append(str(error))

    thread = threading.Thread(target=starting)
    thread.start()
    ready.wait()
    kill_processes(thread)
    go.set()
    thread.join()
    assert met == ["the run was interrupted"]


def test_the_processes_of_a_pool_can_be_gone_through_while_one_starts() -> None:
    with open_pool(2) as (pool, first):
        (one,) = first
        running = pool._processes
        for process in running.values():
            running[0] = process
        del running[0]
    assert one.exitcode == 0


def assert_soon_gone(workers: list[int]) -> None:
    end = time.monotonic() + SOON_S
    while any(map(alive, workers)) and time.monotonic() < end:
        os.sched_yield()
    left = [pid for pid in workers if alive(pid)]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert not left


def assert_ended(command: list[str]) -> None:
    """Kill a program once it has begun: its workers end."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path.cwd(),
                          env={**os.environ, "PYTHONPATH": str(Path.cwd())}) as parent:  # fmt: skip
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"begun\n"
        workers = [pid for pid in kin(parent.pid) if not tracks(pid)]
        assert workers  # an idle pool starts no second one while the first has nothing to do
        parent.kill()
        parent.wait()
        assert_soon_gone(workers)
