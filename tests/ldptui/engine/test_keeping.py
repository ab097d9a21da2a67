"""Runs of the workbench are recorded: the real worker, and stores that do not take them."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from support.kinds import CAO_PROTOCOLS
from support.told import answered, news_in
from support.worker import ENDLESS, ONE_LOOP, Worker, document, simulated

from ldptui.core.experiment import compile
from ldptui.core.running.runner import units
from ldptui.core.running.workers import LostError
from ldptui.core.scenario import Scenario
from ldptui.core.store import begin, cell_keys, open_store
from ldptui.engine.child import RunSoFar
from ldptui.engine.worker.inbox import Inbox
from ldptui.engine.worker.run import RunningRequest
from ldptui.session.snapshot import Request

SHARES = {"attack.share": [0.02, 0.05]}
WHOLE = document(title="a sweep", sweep={**SHARES, "protocol.kind": list(CAO_PROTOCOLS)})
"""Six cells, of which the base is one."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "runs.sqlite3"


def ask(worker: Worker, key: int, store: Path | str, whole: Any = WHOLE, **more: Any) -> RunSoFar:
    request = Request(key, whole, ".", full=True, store=str(store), **more)
    worker.send(run=request)
    return RunSoFar(request)


@pytest.mark.long
@ONE_LOOP
async def test_a_run_asked_for_is_recorded_as_one_without_a_screen_is(
    worker: Worker, path: Path
) -> None:
    last = await worker.end(ask(worker, 1, path, source="/some/where.toml"))
    assert (last.status, last.kept, last.reused, last.note) == ("done", 1, 0, "")
    assert (last.done, last.total) == (120, 120)  # one count, that of the store
    alone = simulated(WHOLE)
    assert [cell.parameters for cell in last.cells] == [
        cell.parameters for cell in alone.experiment.cells
    ]
    assert last.digest == alone.digest
    with open_store(path) as store:
        (kept,) = store.runs()
        assert (kept.status, kept.title, kept.source) == ("done", "a sweep", "/some/where.toml")
        assert (kept.done, kept.total, kept.digest) == (120, 120, alone.digest)
        for there, here in zip(store.measured_cells(1), alone.cells, strict=True):
            assert there.metrics.tobytes() == here.metrics.tobytes()
            assert there.arms
        assert store.gc() == (0, 0)


@ONE_LOOP
async def test_a_base_that_is_not_swept_comes_first_and_belongs_to_no_run(
    worker: Worker, path: Path
) -> None:
    swept = document(sweep={"attack.share": [0.02, 0.2]})
    last = await worker.end(ask(worker, 1, path, swept))
    assert (last.done, last.total, last.digest) == (40, 40, simulated(swept).digest)
    assert last.base_cell is not None
    assert last.base_cell.parameters["attack.share"] == 0.05
    assert [cell.parameters["attack.share"] for cell in last.cells] == [0.02, 0.2, 0.05]
    with open_store(path) as store:
        # It is kept until nobody needs it.
        (extra,) = cell_keys(compile(Scenario(document())).cells)
        assert store.get_block(extra, 0, 20, False)
        assert store.gc() == (0, 1)


SOUGHT = document(
    items=8, users=500, simulate={"top_k": 2}, goal={"metric": "targets_in_top_k", "at_least": 1.0}
)
del SOUGHT["attack"]["share"]


@pytest.mark.long
@ONE_LOOP
async def test_a_search_is_shown_kept_and_not_repeated(worker: Worker, path: Path) -> None:
    """A preview searches; the run that follows knows the answer."""
    seen = await worker.snapshots(worker.run(1, SOUGHT, interval=0.0))
    assert {"searching for the smallest attack: 0 of 1 cells, 0 fake users, trial 1"} <= {
        each.latest for each in seen
    }
    answer = seen[-1].base_cell.answer
    assert answer is not None
    whole = await worker.snapshots(ask(worker, 2, path, SOUGHT))
    assert "trial" not in " ".join(each.latest for each in whole)
    assert whole[-1].base_cell.answer == answer


@ONE_LOOP
async def test_a_run_stopped_is_partial_and_goes_on(worker: Worker, path: Path) -> None:
    stopped = ask(worker, 1, path, ENDLESS)
    worker.send(cancel=1)
    assert (await worker.end(stopped)).status == "partial"
    await worker.end(ask(worker, 2, path))  # the one that follows does not wait for it
    with open_store(path) as store:
        assert {kept.status for kept in store.runs()} <= {"partial", "done"}

    # A run that got somewhere is resumed under its number, with the digest of an unstopped one.
    work = compile(Scenario(WHOLE))
    with open_store(path) as store:
        half = begin(store, work, fresh=True)
        for cell, block, trials in islice(units(work), 3):
            half.keep(cell, block, cell.block(block, trials))
        half.finish(None)
        number = half.run
    last = await worker.end(ask(worker, 3, path, resumed=number))
    assert (last.status, last.kept, last.digest) == ("done", number, simulated(WHOLE).digest)
    with open_store(path) as store:
        assert store.run(number).status == "done"


@ONE_LOOP
async def test_what_cannot_be_resumed_fails_in_one_sentence(worker: Worker, path: Path) -> None:
    await worker.end(ask(worker, 1, path))
    last = await worker.end(ask(worker, 2, path, resumed=9))
    assert last.status == "failed"
    assert last.error == f"there is no run 9 in {path}"
    assert not last.details


@pytest.mark.long
@ONE_LOOP
async def test_a_store_that_cannot_be_used_is_a_note(worker: Worker, tmp_path: Path) -> None:
    folder, garbage = tmp_path / "folder", tmp_path / "garbage"
    folder.mkdir()
    garbage.write_text("garbage" * 100)
    for key, place in enumerate((garbage, folder, garbage / "deeper"), start=1):
        last = await worker.end(ask(worker, key, place))
        assert (last.status, last.kept) == ("done", None)
        assert last.digest == simulated(WHOLE).digest
        assert last.note.startswith("this run is not kept: ")
        assert str(tmp_path) in last.note


def test_a_disk_that_fills_up_is_a_note_and_the_run_goes_on(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def begin_on_a_small_disk(store: Any, *arguments: Any, **options: Any) -> Any:
        memory = begin(store, *arguments, **options)
        (pages,) = store._db.execute("PRAGMA page_count").fetchone()
        store._db.execute(f"PRAGMA max_page_count = {pages + 5}")
        return memory

    monkeypatch.setattr("ldptui.engine.worker.run.begin", begin_on_a_small_disk)
    last, _ = answered(Request(1, {**WHOLE, "trials": 200}, ".", full=True, store=str(path)))
    assert (last.status, last.done) == ("done", 1200)
    assert last.note.startswith("this run is not kept, or in part: ")
    assert "the disk is full" in last.note
    with open_store(path) as store:
        assert store.check() == "ok"
        assert 0 < store.run(1).done < 1200
        assert store.run(1).status == "interrupted"


class Calls(ThreadPoolExecutor):
    """A cluster as far as a run knows; it counts what it is asked, and may be lost."""

    def __init__(self, lost_after: int = 10**9) -> None:
        super().__init__(1)
        self.asked, self.lost_after = 0, lost_after

    def submit(self, call: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.asked += 1
        if self.asked > self.lost_after:
            raise LostError("the connection to the scheduler is lost")
        return super().submit(call, *args, **kwargs)


@pytest.mark.parametrize(
    ("lost_after", "whole", "status"),
    [(10**9, True, "done"), (2, True, "partial"), (0, False, "done")],
)
def test_a_cluster_computes_whole_runs(
    monkeypatch: pytest.MonkeyPatch, path: Path, lost_after: int, whole: bool, status: str
) -> None:
    """Not what is shown while one edits; a lost one leaves a run to go on with."""
    asked: list[str] = []
    calls = Calls(lost_after)

    @contextlib.contextmanager
    def cluster(place: str) -> Iterator[Calls]:
        asked.append(place)
        yield calls

    monkeypatch.setattr("ldptui.core.running.dask_executor.cluster", cluster)
    out, inbox = io.BytesIO(), Inbox()
    kept: Any = {"full": True, "store": str(path)} if whole else {}
    request = Request(1, WHOLE, ".", **kept)
    inbox._newest = request
    RunningRequest(request, inbox, out, cluster="somewhere").work()
    last = news_in(out.getvalue())[-1].snapshot
    assert last is not None
    assert last.status == status
    assert asked == ["somewhere"] * whole
    assert bool(calls.asked) == whole
    if whole:
        with open_store(path) as store:
            assert store.runs()[0].status == status
            assert 0 < store.runs()[0].done <= 120
    if status == "done" and whole:
        assert last.digest == simulated(WHOLE).digest
    elif whole:
        assert last.error == "the connection to the scheduler is lost"
