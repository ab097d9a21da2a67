"""A cluster of Dask for a test: a scheduler and a worker, processes of their own."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

WAIT = "import sys, distributed as d; d.Client(scheduler_file=sys.argv[1]).wait_for_workers(1)"
"""Wait until a worker has found the scheduler: that takes long on a busy machine."""


@dataclass(frozen=True)
class Scheduled:
    """A cluster that runs. place : the file of its scheduler. processes : that, and a worker."""

    place: Path
    processes: tuple[subprocess.Popen[bytes], ...]


@contextlib.contextmanager
def scheduled(folder: Path) -> Iterator[Scheduled]:
    """A cluster with one worker that is ready; its processes end with the test."""
    place = folder / "scheduler.json"
    options = ["--no-dashboard", "--scheduler-file", str(place)]
    programs = [["dask_scheduler", "--port", "0"], ["dask_worker", "--nthreads", "1"]]
    processes: list[subprocess.Popen[bytes]] = []
    ready = threading.Event()
    try:
        for program, *more in programs:
            module = [sys.executable, "-m", f"distributed.cli.{program}"]
            words = [*module, *more, *options]
            processes.append(subprocess.Popen(words, stderr=subprocess.DEVNULL))
            while not place.is_file() and not ready.wait(0.05):
                assert processes[0].poll() is None
        waiting = [sys.executable, "-c", WAIT, str(place)]
        subprocess.run(waiting, check=True, timeout=200, capture_output=True)
        yield Scheduled(place, tuple(processes))
    finally:
        for process in processes:
            process.kill()
            process.wait()
