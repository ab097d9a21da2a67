"""What faults cannot do to a store: kills, other processes, a full disk, lost power."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.cases import results_of, sweep
from support.stores import assert_same, change_run, record

from ldptui import core
from ldptui.core.base import processes
from ldptui.core.base.errors import FileError
from ldptui.core.metrics.results import CellResults
from ldptui.core.running.runner import run, units
from ldptui.core.store import (
    RunMemory,
    Store,
    begin,
    open_store,
    resume,
)
from ldptui.core.store import block_store as store_module

KILLS = int(os.environ.get("LDPTUI_TEST_KILLS", "30"))
"""The number of times that a running sweep is killed."""
BLOCKS = 18
"""The number of blocks of that sweep."""


def in_child(work: Callable[[int], object]) -> tuple[int, int]:
    """Run a function in a forked process: its number, and the end of a pipe that it writes to."""
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.close(out)
            work(into)
            code = 0
        finally:
            os._exit(code)
    os.close(into)
    return child, out


def told(pipe: int) -> bytes:
    with open(pipe, "rb") as file:
        return file.read()


class Telling:
    """A memory that tells about each block after it was acknowledged, until an alarm ends it.

    last : the number of blocks after which the alarm is set. delay : seconds from then to the end,
    which comes wherever the process is, as nothing handles the alarm.
    """

    def __init__(self, recorded: RunMemory, pipe: int, last: int, delay: float) -> None:
        self.recorded, self.pipe, self.last, self.delay = recorded, pipe, last, delay
        self.kept = 0

    def find(self, *unit: Any) -> Any:
        return self.recorded.find(*unit)

    def keep(self, cell: core.Cell, number: int, block: CellResults) -> None:
        self.recorded.keep(cell, number, block)
        if not self.recorded.failure:
            os.write(self.pipe, bytes([cell.index, number]))
            self.kept += 1
            if self.kept == self.last:
                signal.setitimer(signal.ITIMER_REAL, self.delay)


@pytest.mark.long
def test_killed_at_any_moment_it_has_all_that_was_acknowledged(tmp_path: Path, seed: int) -> None:
    work = sweep()
    began = time.monotonic()
    with open_store(tmp_path / "whole.sqlite3") as whole:
        right, _ = record(whole, work)
    whole_run = time.monotonic() - began
    rng = random.Random(seed)
    halfway = 0
    for kill in range(KILLS):
        path = tmp_path / f"{kill}.sqlite3"
        last, delay = rng.randrange(BLOCKS), rng.uniform(1e-6, 2 * whole_run / BLOCKS)

        def simulate(pipe: int, path: Path = path, last: int = last, delay: float = delay) -> None:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            if not last:
                signal.setitimer(signal.ITIMER_REAL, delay)
            with open_store(path) as own:
                recorded = begin(own, work)
                for _ in run(work, memory=Telling(recorded, pipe, last, delay)):
                    pass

        child, pipe = in_child(simulate)
        os.waitpid(child, 0)
        said = told(pipe)
        acknowledged = set(zip(said[::2], said[1::2], strict=True))
        with open_store(path) as there:
            assert there.check() == "ok"
            if not there.runs():
                assert not acknowledged
                continue
            (left,) = there.runs()
            assert left.status == "interrupted"
            arrived = {(arrival.position, arrival.number) for arrival in there.arrivals(left.id)}
            assert acknowledged <= arrived
            assert len(arrived - acknowledged) <= 1
            halfway += 0 < len(arrived) < BLOCKS
            recorded = resume(there, left.id)
            *_, last = run(there.experiment(left.id), memory=recorded)
            recorded.finish(last.results)
            assert recorded.reused == left.done
            assert_same(last.results, right)
            assert there.runs()[0].digest == right.digest
        for part in tmp_path.glob(f"{kill}.sqlite3*"):
            part.unlink()
    assert halfway >= KILLS // 10


def test_two_writers_at_once(path: Path) -> None:
    """They also make the store at once, and half of what they compute is the same."""
    works = [sweep(50), sweep(50), sweep(70), sweep(50, seed=1)]

    def simulate(work: core.Experiment) -> Callable[[int], None]:
        def go(pipe: int) -> None:
            with open_store(path) as own:
                results, recorded = record(own, work)
            os.write(pipe, f"{recorded.run} {results.digest} {recorded.failure}".encode())

        return go

    children = [in_child(simulate(work)) for work in works]
    answers = [told(pipe).decode().split(" ", 2) for _, pipe in children]
    assert [os.waitpid(child, 0)[1] for child, _ in children] == [0] * len(works)
    with open_store(path) as there:
        assert there.check() == "ok"
        assert {run.status for run in there.runs()} == {"done"}
        for work, (number, digest, failure) in zip(works, answers, strict=True):
            assert failure == ""
            right = results_of(work)
            assert digest == right.digest
            assert_same(there.results(int(number)), right)


@pytest.mark.parametrize("write", [True, False])
def test_a_store_opened_twice_keeps_its_log_from_another_process(path: Path, write: bool) -> None:
    """The last process to close a store removes the log: no other takes itself for the last."""
    words = "print(*sqlite3.connect(sys.argv[1]).execute('SELECT count(*) FROM blocks').fetchone())"
    another = [sys.executable, "-S", "-c", f"import sqlite3, sys; {words}", str(path)]
    with open_store(path) as first:
        for key in range(2):
            with first.writing():
                first.put_bytes(b"", str(key))
            with open_store(path, write):
                assert int(subprocess.check_output(another)) == key + 1


def test_a_run_of_another_process_is_running_until_that_is_gone(path: Path) -> None:
    def wait(pipe: int) -> None:
        with open_store(path) as own:
            begin(own, sweep())
            os.write(pipe, b"!")
            signal.pause()

    child, pipe = in_child(wait)
    assert os.read(pipe, 1) == b"!"
    with open_store(path) as there:
        assert there.runs()[0].status == "running"
        with pytest.raises(FileError, match=f"run 1 is running, in process {child}"):
            resume(there, 1)
        with pytest.raises(FileError, match="stop it first"):
            there.remove(1)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(pipe)
        assert there.runs()[0].status == "interrupted"
        resume(there, 1)


def test_a_number_used_by_another_process_is_not_mistaken(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = processes.process_address()
    assert processes.is_alive(mine)
    host, number, _ = mine.rsplit(":", 2)
    if Path("/proc/self/stat").exists():
        assert not processes.is_alive(f"{host}:{number}:1")
    assert processes.is_alive(f"elsewhere:{number}:1")
    assert not processes.is_alive("")


def test_a_power_loss_takes_only_what_was_not_on_the_disk_yet(
    path: Path, tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files as they are between any two steps of SQLite, the log cut off where no sync reached.

    What a sync has confirmed is all there, and resuming gives the digest of an unstopped run.
    """
    monkeypatch.setattr(store_module, "SYNC_PAUSE", 0.0)
    rng, work = random.Random(seed), sweep(100)
    right, log = results_of(work).digest, path.with_name(path.name + "-wal")
    safe, size = 0, 0  # blocks, and bytes of the log, that a sync has confirmed
    lost: list[tuple[Path, int]] = []

    def lose() -> None:
        if rng.random() < 0.3 and log.exists() and path.stat().st_size:
            place = tmp_path / f"lost{len(lost)}"
            place.mkdir()
            copied = log.read_bytes()
            start = min(size, len(copied))
            (place / path.name).write_bytes(path.read_bytes())
            (place / log.name).write_bytes(copied[: rng.randint(start, len(copied))])
            lost.append((place / path.name, safe))

    with open_store(path) as own:
        recorded = begin(own, work)
        own._db.set_progress_handler(lose, 3)
        synced = own._synced
        size = log.stat().st_size
        for count, unit in enumerate(units(work), start=1):
            own._sync_cost = rng.choice((0.0, 1e9, 1e9))  # whether the commit waits for the disk
            cell, number, trials = unit
            recorded.keep(cell, number, cell.block(number, trials))
            if own._synced != synced:
                synced, safe, size = own._synced, count, log.stat().st_size
        own._db.set_progress_handler(None, 0)
    assert len(lost) > 20
    assert len({blocks for _, blocks in lost}) > 5
    for copy, blocks in rng.sample(lost, 12):
        with open_store(copy) as there:
            assert there.check() == "ok"
            assert there.run(1).done >= 20 * blocks
            assert sum(cell.trials for cell in there.measured_cells(1)) == there.run(1).done
    copy, blocks = lost[-1]
    with open_store(copy) as there:
        change_run(there, 1, owner="")
        again = resume(there, 1)
        *_, last = run(work, memory=again)
        again.finish(last.results)
        assert again.reused >= 20 * blocks
        assert there.run(1).digest == right


def test_a_full_disk_loses_no_more_than_the_block_in_flight(
    kept: Store, computed: list[tuple[int, int, int]]
) -> None:
    work = sweep()
    before, first = record(kept, sweep(20, seed=5))
    (pages,) = kept._db.execute("PRAGMA page_count").fetchone()
    recorded = begin(kept, work)
    kept._db.execute(f"PRAGMA max_page_count = {pages + 3}")
    *_, last = run(work, memory=recorded)
    recorded.finish(last.results)
    assert "the disk is full" in recorded.failure
    assert_same(last.results, results_of(work))  # the run itself is not the worse for it
    assert kept.check() == "ok"
    assert_same(kept.results(first.run), before)
    left = kept.run(recorded.run)
    assert left.status == "interrupted", "this process lives, and runs it no more"
    kept._db.execute("PRAGMA max_page_count = 100000")
    again = resume(kept, left.id)
    *_, last = run(work, memory=again)
    again.finish(last.results)
    assert again.failure == ""
    assert again.reused == left.done > 0
    assert kept.run(left.id).digest == results_of(work).digest
