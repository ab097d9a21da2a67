"""The run store: what is kept, what is not computed again, and what faults cannot do to it."""

from __future__ import annotations

import contextlib
import json
import math
import os
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.cases import alike, attack, experiment, sweep
from support.kinds import CAO_PROTOCOLS

import core
from core.arms import UNDEFENDED
from core.errors import FileError, LdpError, ScenarioError
from core.experiment import compile
from core.recording import read_recording, reading, write_recording
from core.replay import replay
from core.results import CellResults
from core.running.runner import Progress, run, units
from core.scenario import Scenario
from core.store import (
    Arrival,
    RunMemory,
    Store,
    address,
    begin,
    cell_keys,
    open_store,
    opening,
    owner,
    resume,
    schema,
    writing,
)
from core.store import store as store_module

KILLS = int(os.environ.get("LDPTUI_TEST_KILLS", "30"))
"""The number of times that a running sweep is killed."""
BLOCKS = 18
"""The number of blocks of that sweep."""


def record(
    to: Store, work: core.Experiment, workers: int = 1, frequencies: bool = True, **how: Any
) -> tuple[core.Results, RunMemory]:
    kept = begin(to, work, "test", frequencies=frequencies, **how)
    *_, last = run(work, workers, frequencies=frequencies, memory=kept)
    kept.finish(last.results)
    return last.results, kept


def key_of(cell: core.Cell) -> str:
    return cell_keys([cell])[0]


def alone(work: core.Experiment) -> core.Results:
    *_, last = run(work)
    return last.results


def assert_same(one: core.Results, other: core.Results) -> None:
    """To the last bit."""
    assert one.digest == other.digest
    for a, b in zip(one.cells, other.cells, strict=True):
        assert alike(a.metrics, b.metrics)
        np.testing.assert_array_equal(a.fingerprints, b.fingerprints)
        for before, after in ((a.arms[arm], b.arms[arm]) for arm in UNDEFENDED):
            assert before is not None
            assert after is not None
            assert before.trials == after.trials
            np.testing.assert_array_equal(before.mean, after.mean)
            np.testing.assert_array_equal(before.squares, after.squares)
        np.testing.assert_array_equal(np.asarray(a.detected), np.asarray(b.detected))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "runs.sqlite3"


@pytest.fixture
def kept(path: Path) -> Iterator[Store]:
    with open_store(path) as opened:
        yield opened


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int, int]]:
    """The (cell, block, trials) that are computed from now on."""
    seen: list[tuple[int, int, int]] = []
    original = core.Cell.block

    def spied(cell: core.Cell, number: int, trials: int, *more: Any) -> Any:
        seen.append((cell.index, number, trials))
        return original(cell, number, trials, *more)

    monkeypatch.setattr(core.Cell, "block", spied)
    return seen


# Keeping.


@pytest.mark.parametrize("workers", [1, 2])
def test_a_run_is_kept_to_the_last_bit(kept: Store, workers: int) -> None:
    work = sweep()
    results, recorded = record(kept, work, workers, tags=["a", "b"], source="here.toml")
    assert recorded.failure == ""
    assert_same(results, alone(work))
    assert_same(kept.results(recorded.run), results)
    (there,) = kept.runs()
    assert (there.status, there.done, there.total) == ("done", 300, 300)
    assert (there.digest, there.tags, there.source) == (results.digest, ("a", "b"), "here.toml")
    assert there.document == work.scenario.document
    assert (there.protocols, there.attacks) == (CAO_PROTOCOLS, ("none", "mga"))
    assert there.versions == address.versions("test")
    assert there.seconds > 0
    assert kept.journal == "wal"


def test_what_an_item_test_detects_is_kept(kept: Store) -> None:
    work = experiment(
        {"kind": "zipf", "items": 12, "users": 3000, "exponent": 1.0},
        {"kind": "rappor", "bits": 16, "cohorts": 4},
        trials=25,
    )
    results, recorded = record(kept, work)
    assert results.cells[0].detected is not None
    assert_same(kept.results(recorded.run), results)


def test_blocks_are_kept_as_they_came(kept: Store) -> None:
    results, recorded = record(kept, sweep())
    arrivals = kept.arrivals(recorded.run)
    assert [(arrival.position, arrival.number, arrival.trials) for arrival in arrivals] == [
        (cell, block, trials) for cell in range(6) for block, trials in enumerate((20, 20, 10))
    ]
    assert [arrival.seconds for arrival in arrivals] == sorted(
        arrival.seconds for arrival in arrivals
    )
    block = kept.block(recorded.run, arrivals[2])
    assert alike(block.metrics, results.cells[0].metrics[40:])
    with pytest.raises(FileError, match="is missing"):
        kept.block(recorded.run, Arrival(0.0, 0, 9, 20))


def test_a_run_stopped_halfway_is_partial_and_can_be_resumed(
    kept: Store, computed: list[tuple[int, int, int]]
) -> None:
    work = sweep()
    recorded = begin(kept, work)
    seen: list[Progress] = []

    def interrupt() -> None:
        if len(computed) == 7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        seen.extend(run(work, memory=recorded, pulse=interrupt))
    recorded.finish(seen[-1].results)
    (there,) = kept.runs()
    assert there.status == "partial"
    assert (there.done, there.digest) == (100, "")
    again = resume(kept, there.id)
    *_, last = run(kept.experiment(there.id), memory=again)
    again.finish(last.results)
    assert len(computed) == 7 + 12
    assert again.reused == there.done
    assert_same(last.results, alone(work))
    assert_same(kept.results(there.id), last.results)
    (there,) = kept.runs()
    assert (there.status, there.done) == ("done", 300)


def test_a_run_with_a_filter_goes_on_by_its_reports(kept: Store) -> None:
    work = experiment(
        [60, 30, 10],
        {"kind": "oue", "epsilon": 1.0},
        attack("mga", 0.2, [2]),
        trials=21,
        defence=[{"kind": "fiad"}],
    )
    recorded = begin(kept, work)
    recorded.keep(work.cells[0], work.cells[0].block(0, 20))
    recorded.finish(None)
    (there,) = kept.runs()
    again = kept.experiment(there.id)
    assert [cell.path for cell in again.cells] == ["reports"]
    assert cell_keys(again.cells) == cell_keys(work.cells)
    *_, last = run(again, memory=resume(kept, there.id))
    assert_same(last.results, alone(work))


def test_an_interrupted_transaction_is_taken_back(kept: Store) -> None:
    kept._db.execute("BEGIN IMMEDIATE")
    kept._db.execute("INSERT INTO populations VALUES ('left', '', NULL)")
    results, recorded = record(kept, sweep(20))
    assert recorded.failure == ""
    assert kept._db.execute("SELECT count(*) FROM populations").fetchone() == (0,)

    def interrupted() -> None:
        with kept.writing() as db:
            db.execute("DELETE FROM runs")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert_same(kept.results(recorded.run), results)


def test_a_failed_run_says_why(kept: Store) -> None:
    recorded = begin(kept, sweep())
    recorded.finish(None, "memory is short")
    (there,) = kept.runs()
    assert (there.status, there.error, there.done) == ("failed", "memory is short", 0)


def test_the_data_of_a_csv_file_are_kept(kept: Store, tmp_path: Path) -> None:
    data = tmp_path / "data.csv"
    data.write_text("item\nb\na\nb\nc\n", encoding="utf-8")
    document = {
        "format": 1,
        "population": {"kind": "csv", "path": "data.csv", "column": "item"},
        "protocol": {"kind": "grr", "epsilon": 1.0},
    }
    work = compile(Scenario(document, "x", tmp_path))
    results, recorded = record(kept, work)
    data.unlink()
    again = kept.experiment(recorded.run)
    assert again.cells[0].population.labels == ("a", "b", "c")
    assert_same(alone(again), results)
    assert key_of(again.cells[0]) == key_of(work.cells[0])


# Knowing again.


def test_a_known_cell_is_not_computed_again(
    kept: Store, computed: list[tuple[int, int, int]]
) -> None:
    first, _ = record(kept, sweep(50))
    assert len(computed) == 18
    computed.clear()
    again, recorded = record(kept, sweep(50, title="another title"))
    assert computed == []
    assert recorded.reused == 300
    assert_same(again, first)
    longer, recorded = record(kept, sweep(100))
    assert sorted(computed) == [(c, b, 20) for c in range(6) for b in (2, 3, 4)]
    assert recorded.reused == 240
    assert_same(longer, alone(sweep(100)))
    assert_same(kept.results(1), first)  # the tail of the shorter run is still there
    computed.clear()
    record(kept, sweep(50), fresh=True)
    assert len(computed) == 18
    computed.clear()
    record(kept, sweep(50, seed=1))
    assert len(computed) == 18


def test_a_part_of_a_known_block_needs_no_computing_without_frequencies(
    kept: Store, computed: list[tuple[int, int, int]]
) -> None:
    record(kept, sweep(20))
    computed.clear()
    shorter, recorded = record(kept, sweep(5), frequencies=False)
    assert computed == []
    assert recorded.reused == 30
    full = alone(sweep(5))
    assert shorter.digest == full.digest
    assert alike(shorter.cells[1].metrics, full.cells[1].metrics)
    there = kept.measured(recorded.run)
    assert there[1].arms == {}
    assert core.running.runner.digest(there) == full.digest
    computed.clear()
    exact, _ = record(kept, sweep(5))
    assert sorted(computed) == [(c, 0, 5) for c in range(6)]
    assert_same(exact, full)


def test_the_key_covers_everything_that_numbers_depend_on(monkeypatch: pytest.MonkeyPatch) -> None:
    cell = sweep().cells[3]
    key = key_of(cell)
    assert key_of(replace(cell, index=5, trials=7)) == key
    assert key_of(sweep(title="other", trials=3).cells[3]) == key
    population = replace(cell.population, address="other")
    more = cell.population.histogram.copy()
    more[0] += 1
    changed = [
        replace(cell, seed=1),
        replace(cell, malicious=cell.malicious + 1),
        replace(cell, path="reports"),
        replace(cell, top_k=3),
        replace(cell, targets=np.array([3, 5])),
        replace(cell, population=population),
        replace(cell, population=replace(cell.population, histogram=more)),
        sweep().cells[1],
        sweep().cells[2],
    ]
    keys = {key, *(key_of(one) for one in changed)}
    assert len(keys) == len(changed) + 1
    monkeypatch.setattr(address, "SIMULATOR", address.SIMULATOR + 1)
    assert key_of(cell) not in keys


def test_what_has_no_canonical_form_is_no_part_of_a_key() -> None:
    with pytest.raises(TypeError, match="object"):
        address.canonical(object())
    assert address.canonical(tuple(range(65)))[:2] == ["long", 65]
    assert address.canonical(0.1) != address.canonical(0.1 + 2**-56)


# Faults.


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

    def keep(self, cell: core.Cell, block: core.running.runner.Block) -> None:
        self.recorded.keep(cell, block)
        if not self.recorded.failure:
            os.write(self.pipe, bytes([cell.index, block.number]))
            self.kept += 1
            if self.kept == self.last:
                signal.setitimer(signal.ITIMER_REAL, self.delay)


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
            right = alone(work)
            assert digest == right.digest
            assert_same(there.results(int(number)), right)


@pytest.mark.parametrize("write", [True, False])
def test_a_store_opened_twice_keeps_its_log_from_another_process(path: Path, write: bool) -> None:
    """The last process to close a store removes the log: no other takes itself for the last."""
    words = (
        "print(*sqlite3.connect(sys.argv[1]).execute('SELECT count(*) FROM answers').fetchone())"
    )
    another = [sys.executable, "-S", "-c", f"import sqlite3, sys; {words}", str(path)]
    with open_store(path) as first:
        for key in range(2):
            with first.writing() as db:
                db.execute("INSERT INTO answers VALUES (?, '')", (str(key),))
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
    mine = owner.me()
    assert owner.alive(mine)
    host, number, _ = mine.rsplit(":", 2)
    if Path("/proc/self/stat").exists():
        assert not owner.alive(f"{host}:{number}:1")
    assert owner.alive(f"elsewhere:{number}:1")
    assert not owner.alive("")


def test_a_power_loss_takes_only_what_was_not_on_the_disk_yet(
    path: Path, tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files as they are between any two steps of SQLite, the log cut off where no sync reached.

    What a sync has confirmed is all there, and resuming gives the digest of an unstopped run.
    """
    monkeypatch.setattr(store_module, "SYNC_PAUSE", 0.0)
    rng, work = random.Random(seed), sweep(100)
    right, log = alone(work).digest, path.with_name(path.name + "-wal")
    safe, size = 0, 0  # blocks, and bytes of the log, that a sync has confirmed
    lost: list[tuple[Path, int]] = []

    def lose() -> None:
        if rng.random() < 0.05 and log.exists() and path.stat().st_size:
            place = tmp_path / f"lost{len(lost)}"
            place.mkdir()
            copied = log.read_bytes()
            start = min(size, len(copied))
            (place / path.name).write_bytes(path.read_bytes())
            (place / log.name).write_bytes(copied[: rng.randint(start, len(copied))])
            lost.append((place / path.name, safe))

    with open_store(path) as own:
        recorded = begin(own, work)
        own._db.set_progress_handler(lose, 50)
        synced = own._synced
        size = log.stat().st_size
        for count, unit in enumerate(units(work), start=1):
            own._sync_cost = rng.choice((0.0, 1e9, 1e9))  # whether the commit waits for the disk
            cell, number, trials = unit
            recorded.keep(cell, cell.block(number, trials))
            if own._synced != synced:
                synced, safe, size = own._synced, count, log.stat().st_size
        own._db.set_progress_handler(None, 0)
    assert len(lost) > 20
    assert len({blocks for _, blocks in lost}) > 5
    for copy, blocks in rng.sample(lost, 12):
        with open_store(copy) as there:
            assert there.check() == "ok"
            assert there.run(1).done >= 20 * blocks
            assert sum(cell.trials for cell in there.measured(1)) == there.run(1).done
    copy, blocks = lost[-1]
    with open_store(copy) as there:
        there._db.execute("UPDATE runs SET owner = ''")
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
    assert_same(last.results, alone(work))  # the run itself is not the worse for it
    assert kept.check() == "ok"
    assert_same(kept.results(first.run), before)
    left = kept.run(recorded.run)
    kept._db.execute("PRAGMA max_page_count = 100000")
    kept._db.execute("UPDATE runs SET owner = '' WHERE id = ?", (left.id,))
    again = resume(kept, left.id)
    *_, last = run(work, memory=again)
    again.finish(last.results)
    assert again.failure == ""
    assert again.reused == left.done > 0
    assert kept.run(left.id).digest == alone(work).digest


def test_a_limit_on_the_size_of_files_is_a_full_disk(path: Path) -> None:
    with open_store(path) as there:
        record(there, sweep(20, seed=5))

    def simulate(pipe: int) -> None:
        size = path.stat().st_size
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        with open_store(path) as own:
            recorded = begin(own, sweep(500))
            *_, last = run(sweep(500), memory=recorded)
            recorded.finish(last.results)
        os.write(pipe, f"{last.results.complete} {recorded.failure}".encode())

    child, pipe = in_child(simulate)
    complete, _, failure = told(pipe).decode().partition(" ")
    assert os.waitpid(child, 0)[1] == 0
    assert complete == "True"
    assert str(path) in failure
    with open_store(path) as there:
        assert there.check() == "ok"
        assert_same(there.results(1), alone(sweep(20, seed=5)))


def test_a_clock_that_goes_back(kept: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(2_000_000_000, 0, -100_000_000))
    monkeypatch.setattr(writing.time, "time", lambda: float(next(clock)))
    for seed in range(3):
        record(kept, sweep(20, seed=seed))
    found = kept.runs()
    assert [row.id for row in found] == [3, 2, 1]
    assert found[0].started < found[2].started
    assert all(row.seconds >= 0 for row in found)
    assert [run.id for run in kept.runs(since=1_850_000_000, until=1_950_000_000)] == [2]


# Files that are not what they should be.


def test_a_newer_store_is_refused_and_not_touched(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(path) as first:
        results, _ = record(first, sweep(20))
    step = ("ALTER TABLE runs ADD COLUMN colour TEXT NOT NULL DEFAULT 'blue'",)
    with monkeypatch.context() as newer:
        newer.setattr(schema, "MIGRATIONS", [*schema.MIGRATIONS, step])
        with open_store(path) as migrated:
            assert migrated._db.execute("SELECT colour FROM runs").fetchall() == [("blue",)]
            assert_same(migrated.results(1), results)
    before = path.read_bytes()
    for write in (True, False):
        with pytest.raises(FileError, match=r"made by a newer ldptui \(version 6.*knows 5\)"):
            open_store(path, write)
    assert path.read_bytes() == before


def test_a_migration_is_whole_or_not_at_all(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_store(path) as first:
        results, _ = record(first, sweep(20))
    step = ("ALTER TABLE runs ADD COLUMN colour TEXT", "this is not SQL")
    with monkeypatch.context() as newer:
        newer.setattr(schema, "MIGRATIONS", [*schema.MIGRATIONS, step])
        with pytest.raises(FileError, match="cannot be used"):
            open_store(path)
    with open_store(path) as there:
        assert_same(there.results(1), results)
        assert "colour" not in {row[1] for row in there._db.execute("PRAGMA table_info(runs)")}


def test_a_metric_that_came_later_gets_a_column(path: Path) -> None:
    with open_store(path) as first:
        record(first, sweep(20))
        first._db.execute("ALTER TABLE trials DROP COLUMN max_error")
    with open_store(path) as there:
        measured = there.measured(1)
        assert np.isnan(measured[0].metrics["max_error"]).all()
        record(there, sweep(20), fresh=True)
        assert_same(there.results(2), alone(sweep(20)))


@pytest.mark.parametrize("content", [b"garbage" * 100, b"SQLite format 3\0garbage" * 100, b"{}"])
def test_garbage_is_refused_and_not_touched(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "runs"
    path.write_bytes(content)
    for write in (True, False):
        with pytest.raises(FileError, match=r"is not a store of ldptui|is damaged"):
            open_store(path, write)
    assert path.read_bytes() == content


def test_another_programs_database_is_refused_and_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "mail.db"
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE runs (id)")
        db.commit()
    before = path.read_bytes()
    with pytest.raises(FileError, match="another program made it"):
        open_store(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="is a folder"):
        open_store(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="cannot be made"):
        open_store(tmp_path / "file" / "runs")


def test_a_truncated_store_is_an_error_in_one_sentence(path: Path, tmp_path: Path) -> None:
    with open_store(path) as first:
        record(first, sweep())
    whole = path.read_bytes()
    messages = []
    for size in range(1, len(whole), max(1, len(whole) // 20)):
        part = tmp_path / f"part{size}"
        part.write_bytes(whole[:size])
        try:
            with open_store(part) as there:
                for one in there.runs():
                    there.measured(one.id)
                record(there, sweep(seed=3))
                assert there.check() != "ok"
        except LdpError as error:
            messages.append(str(error))
    assert messages
    assert all(str(tmp_path) in message and "\n" not in message for message in messages)


def test_a_damaged_page_is_an_error_in_one_sentence(path: Path, seed: int) -> None:
    with open_store(path) as first:
        record(first, sweep())
    whole = path.read_bytes()
    rng = random.Random(seed)
    messages = []
    for _ in range(30):
        damaged = bytearray(whole)
        at = rng.randrange(1024, len(whole) - 1024)
        damaged[at : at + 1024] = rng.randbytes(1024)
        path.write_bytes(damaged)
        try:
            with open_store(path) as there:
                for one in there.runs():
                    there.results(one.id)
        except LdpError as error:
            messages.append(str(error))
    assert messages
    assert all("\n" not in message for message in messages)


def test_a_read_only_folder_is_a_message(tmp_path: Path) -> None:
    folder = tmp_path / "home"
    path = folder / "runs.sqlite3"
    with open_store(path) as first:
        results, _ = record(first, sweep(20))
    with read_only(folder, path):
        with pytest.raises(FileError, match=r"cannot be (made|opened|written)"):
            open_store(folder / "deeper" / "runs.sqlite3")
        with pytest.raises(FileError, match=r"cannot be opened|read-only"), open_store(path) as it:
            begin(it, sweep(20))
        with open_store(path, write=False) as there:
            assert_same(there.results(1), results)
            with pytest.raises(FileError, match="read-only"):
                there.star(1)


@contextlib.contextmanager
def read_only(folder: Path, *files: Path) -> Iterator[None]:
    """Nobody may write here, not even root, who is somebody else meanwhile."""
    for place in (*folder.parents, folder):
        if place.owner() == folder.owner() and "pytest" in str(place):
            place.chmod(0o555 if place == folder else 0o755)
    for file in files:
        file.chmod(0o444)
    root = os.geteuid() == 0
    try:
        if root:
            os.seteuid(65534)
        yield
    finally:
        if root:
            os.seteuid(0)
        folder.chmod(0o755)


@pytest.mark.parametrize("kind", ["nfs4", "cifs", "fuse.sshfs"])
def test_a_network_file_system_gets_a_rollback_journal(
    path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(path) as first:
        record(first, sweep(20))
    monkeypatch.setattr(opening, "file_system", lambda _: kind)
    with open_store(path) as there:
        assert there.journal == "delete"
        assert kind in there.note
        assert "rollback journal" in there.note
        results, recorded = record(there, sweep(20, seed=1))
        assert_same(there.results(recorded.run), results)
    assert not list(path.parent.glob("*-wal"))


def test_file_systems_are_told_apart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    mounts = f"a / ext4 rw 0 0\nb {tmp_path} nfs4 rw 0 0\nc {tmp_path}/my\\040disk xfs rw 0 0\n"
    original = Path.read_text

    def read_text(self: Path, *more: Any) -> str:
        return mounts if str(self) == "/proc/self/mounts" else original(self, *more)

    monkeypatch.setattr(Path, "read_text", read_text)
    assert opening.file_system(Path("/usr/x")) == "ext4"
    assert opening.file_system(tmp_path / "x") == "nfs4"
    assert opening.file_system(tmp_path / "my disk" / "x") == "xfs"


def test_runs_of_another_numpy_are_not_mixed(kept: Store) -> None:
    recorded = begin(kept, sweep())
    recorded.finish(None)
    kept._db.execute("UPDATE runs SET numpy = '1.0'")
    with pytest.raises(FileError, match=r"computed with NumPy 1\.0, here it is"):
        resume(kept, 1)


# Keeping order.


def test_tags_stars_and_filters(kept: Store) -> None:
    record(kept, sweep(20), tags=["paper"])
    record(kept, experiment(trials=5))
    kept.change_tags(2, add=["x", "paper"])
    kept.change_tags(2, drop=["paper", "not there"])
    kept.star(1)

    def found(**only: Any) -> list[int]:
        return [run.id for run in kept.runs(**only)]

    assert found() == [2, 1]
    assert found(limit=1) == [2]
    assert found(tag="paper") == [1]
    assert found(tag="x") == [2]
    assert found(protocol="oue") == [2, 1]
    assert found(protocol="olh") == [1]
    assert found(protocol="ol") == []
    assert found(attack="mga") == [1]
    assert found(attack="none", protocol="grr") == [1]
    assert kept.run(1).star
    assert kept.run(2).tags == ("x",)
    with pytest.raises(ScenarioError, match="there is no run 9"):
        kept.star(9)


def test_a_removed_run_can_be_put_back_until_gc(kept: Store) -> None:
    right, _ = record(kept, sweep(20))
    record(kept, experiment(trials=5))
    record(kept, sweep(20, seed=1))
    kept.remove(1)
    kept.remove(3)
    assert [run.id for run in kept.runs()] == [2]
    assert [run.id for run in kept.runs(removed=True)] == [3, 1]
    kept.remove(1, False)
    assert kept.gc() == (1, 6)
    assert [run.id for run in kept.runs()] == [2, 1]
    assert_same(kept.results(1), right)
    assert kept.gc() == (0, 0)
    kept.star(2)
    assert kept.gc(before=time.time() + 1) == (1, 6)
    assert [run.id for run in kept.runs()] == [2]
    for table in ("run_cells", "cells"):
        assert kept._db.execute(f"SELECT count(*) FROM {table}").fetchone() == (1,)
    assert kept._db.execute("SELECT count(*) FROM trials").fetchone() == (5,)
    assert kept.check() == "ok"


# Replays and recordings.


def test_a_replay_is_identical(kept: Store) -> None:
    results, recorded = record(kept, sweep())
    found = replay(kept, recorded.run)
    assert (found.digest, found.trials, found.difference) == (results.digest, 300, "")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("UPDATE trials SET fingerprint = fingerprint + 1 WHERE cell = 2 AND trial = 41",
         "cell 1, trial 41: the fingerprint"),
        ("UPDATE trials SET mse = mse * (1 + 3e-12) WHERE cell = 3", "cell 2, trial 0: mse was"),
        ("UPDATE trials SET gain = 0 WHERE cell = 1", "cell 0, trial 0: gain was 0.0, is nan"),
        ("UPDATE blocks SET clean_mean = clean_squares WHERE cell = 6 AND number = 1",
         "cell 5, block 1: clean frequencies, item 0"),
        ("UPDATE blocks SET detected = zeroblob(160) WHERE cell = 4",
         "cell 3, block 0: other items are detected"),
        ("UPDATE runs SET digest = 'xxh3:0'", "the digest kept is xxh3:0, not"),
        ("UPDATE run_cells SET histogram = '0' WHERE position = 1", "cell 1: its users hold"),
    ],
)  # fmt: skip
def test_a_replay_finds_every_change(kept: Store, change: str, sentence: str) -> None:
    record(kept, sweep())
    kept._db.execute(change)
    assert sentence in replay(kept, 1).difference


def test_a_replay_takes_sums_made_in_another_order(kept: Store) -> None:
    record(kept, sweep())
    kept._db.execute("UPDATE trials SET mse = mse * (1 + 3e-13)")
    assert replay(kept, 1).difference == ""


def test_a_recording_holds_it_all(kept: Store, tmp_path: Path) -> None:
    results, recorded = record(kept, sweep(), tags=["shared"])
    file = tmp_path / "run.ldptui"
    write_recording(kept, recorded.run, file)
    with open_store(None) as other:
        assert read_recording(other, file) == (1, False)
        assert read_recording(other, file) == (1, True)
        assert_same(other.results(1), results)
        assert [replace(arrival, seconds=0) for arrival in other.arrivals(1)] == [
            replace(arrival, seconds=0) for arrival in kept.arrivals(recorded.run)
        ]
        there, here = other.run(1), kept.run(recorded.run)
        assert there == replace(here, id=1, source=there.source)
        assert replay(other, 1).difference == ""
        again = tmp_path / "again.ldptui"
        write_recording(other, 1, again)
        assert again.read_bytes() == file.read_bytes()


def test_what_was_imported_never_counts_as_computed(
    kept: Store, tmp_path: Path, computed: list[tuple[int, int, int]]
) -> None:
    file = tmp_path / "run.ldptui"
    record(kept, sweep())
    write_recording(kept, 1, file)
    with open_store(None) as other:
        computed.clear()
        read_recording(other, file)
        assert computed == []
        record(other, sweep())
        assert len(computed) == 18


def test_a_changed_recording_is_refused(kept: Store, tmp_path: Path, seed: int) -> None:
    file = tmp_path / "run.ldptui"
    record(kept, sweep(20))
    write_recording(kept, 1, file)
    whole = file.read_bytes()
    rng = random.Random(seed)
    with open_store(None) as other:
        for _ in range(100):
            at = rng.randrange(len(whole))
            file.write_bytes(
                whole[:at] + bytes([whole[at] ^ (1 << rng.randrange(8))]) + whole[at + 1 :]
            )
            with pytest.raises(FileError):
                read_recording(other, file)
        for size in (0, 1, 25, len(whole) // 2, len(whole) - 30):
            file.write_bytes(whole[:size])
            with pytest.raises(FileError):
                read_recording(other, file)
        assert other.runs() == []
        assert other.check() == "ok"


def resigned(lines: list[dict[str, Any]]) -> bytes:
    """A recording with a right SHA-256 over whatever it says."""
    import hashlib

    body = b"".join(json.dumps(line).encode() + b"\n" for line in lines[:-1])
    return body + json.dumps({"sha256": hashlib.sha256(body).hexdigest()}).encode() + b"\n"


Lines = list[dict[str, Any]]


def _other_trial(lines: Lines) -> None:
    lines[1]["fingerprints"][0] = "0" * 16


def _twice(lines: Lines) -> None:
    lines[2] = lines[1]


def _no_cell(lines: Lines) -> None:
    lines[1]["cell"] = 7


def _short(lines: Lines) -> None:
    lines[1]["fingerprints"].pop()


def _vector(lines: Lines) -> None:
    lines[1]["clean"][0] = "AAAAAAAAAAA="


def _scenario(lines: Lines) -> None:
    lines[0]["scenario"]["attack"]["share"] = 2


def _cells(lines: Lines) -> None:
    lines[0]["cells"].pop()


def _large(lines: Lines) -> None:
    lines[0]["cells"][0]["domain_size"] = 2**40


def _newer(lines: Lines) -> None:
    lines[0]["ldptui_recording"] = 2


def _nothing(lines: Lines) -> None:
    del lines[0]["versions"]


def _items(lines: Lines) -> None:
    lines[0]["scenario"]["population"]["items"] = 2**40


def _escape(lines: Lines) -> None:
    lines[0]["tags"] = ["\x1b[2J"]


def _infinite(lines: Lines) -> None:
    lines[1]["metrics"][0][4] = math.inf


def _never(lines: Lines) -> None:
    lines[0]["started"] = math.nan


def _part(lines: Lines) -> None:
    del lines[3]
    lines[0]["digest"] = ""


def _deep(lines: Lines) -> None:
    lines[0]["scenario"] = [[]]


@pytest.mark.parametrize(
    "change",
    [_other_trial, _twice, _no_cell, _short, _vector, _scenario, _cells, _large, _newer, _nothing,
     _items, _escape, _infinite, _never, _part, _deep],
)  # fmt: skip
def test_a_recording_that_lies_is_refused(
    kept: Store, tmp_path: Path, change: Callable[[Lines], None]
) -> None:
    file = tmp_path / "run.ldptui"
    record(kept, sweep(20))
    write_recording(kept, 1, file)
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    file.write_bytes(resigned(lines))
    with open_store(None) as other:
        read_recording(other, file)
    change(lines)
    file.write_bytes(resigned(lines))
    with open_store(None) as other:
        with pytest.raises(LdpError):
            read_recording(other, file)
        assert other.runs() == []
        assert other._db.execute("SELECT count(*) FROM trials").fetchone() == (0,)


def test_a_recording_that_is_too_large_is_refused_unread(
    kept: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "run.ldptui"
    record(kept, sweep(20))
    write_recording(kept, 1, file)
    monkeypatch.setattr(reading, "MAX_BYTES", 100)
    with open_store(None) as other:
        with pytest.raises(FileError, match="is larger than"):
            read_recording(other, file)
        assert read_recording(other, file, limits=False) == (1, False)


def test_blocks_beyond_a_gap_wait_for_it(kept: Store, computed: list[tuple[int, int, int]]) -> None:
    """As after a kill with several workers, whose blocks come in any order."""
    work = sweep()
    right, _ = record(kept, work)
    kept._db.execute("DELETE FROM run_blocks WHERE position = 2 AND number = 1")
    kept._db.execute("DELETE FROM blocks WHERE cell = 3 AND number = 1")
    kept._db.execute("UPDATE runs SET status = 'partial', digest = '', done = done - 20")
    assert [cell.trials for cell in kept.measured(1)] == [50, 50, 20, 50, 50, 50]
    assert replay(kept, 1).trials == 270
    computed.clear()
    again = resume(kept, 1)
    *_, last = run(work, memory=again)
    again.finish(last.results)
    assert computed == [(2, 1, 20)]
    assert_same(kept.results(1), right)
    assert kept.run(1).done == 300


def test_nothing_measured_is_nothing(kept: Store) -> None:
    recorded = begin(kept, sweep())
    recorded.finish(None)
    measured: tuple[CellResults, ...] = kept.measured(recorded.run)
    assert [cell.trials for cell in measured] == [0] * 6
    found = replay(kept, recorded.run)
    assert (found.trials, found.difference) == (0, "")
