"""The background worker: the real child, driven through its pipes; and what a run of it tells."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.worker import (
    ENDLESS,
    HALTING,
    ONE_LOOP,
    Worker,
    document,
    ended,
    simulated,
    soon,
    started,
)

from ldptui.core import compile
from ldptui.core.metrics import metrics_of
from ldptui.core.scenario import Scenario
from ldptui.core.theory import (
    expected_metrics,
)
from ldptui.core.view.estimated import MAX_ITEMS
from ldptui.engine.wire import News
from ldptui.engine.wire import news_in as news_in_frame
from ldptui.engine.worker.run import CELLS
from ldptui.session.snapshot import ChartSelection, Snapshot


@ONE_LOOP
async def test_a_run_measures_what_the_simulator_measures(worker: Worker) -> None:
    sweep: Any = {"attack.share": [0.0, 0.1], "protocol.kind": ["grr", "oue"]}
    swept = document(sweep=sweep)
    last = await worker.end(worker.run(7, swept, ChartSelection(), ChartSelection({}, sweep)))
    assert (last.key, last.status, last.done, last.total) == (7, "done", 100, 100)
    assert len(last.cells) == 5
    for one in (document(), swept):
        results = simulated(one)
        for cell, measured in zip(results.experiment.cells, results.cells, strict=True):
            view = last.table.at(cell.parameters)
            assert view is not None
            assert view.parameters == cell.parameters
            assert view.targets == tuple(cell.targets)
            assert (view.users, view.malicious, view.p, view.q, view.hash_range) == (
                cell.users, cell.malicious, cell.protocol.p, cell.protocol.q,
                cell.protocol.facts().get("hash_range"),
            )  # fmt: skip
            assert (view.trials, view.wanted, view.path) == (20, 20, "counts")
            assert list(view.metrics) == metrics_of(cell.arms)
            closed = expected_metrics(cell)
            for metric, said in view.metrics.items():
                estimate = measured.estimate(metric, closed[metric])
                assert said.mean == estimate.mean
                assert said.standard_error == estimate.standard_error
                assert said.theory == estimate.theory


@ONE_LOOP
async def test_what_is_undefined_is_none(worker: Worker) -> None:
    alone = document(trials=1, attack={"kind": "none"})
    last = await worker.end(worker.run(1, alone))
    assert last.frequencies is not None
    assert last.frequencies.clean.std is None
    assert last.frequencies.attacked_estimates.sigma == last.frequencies.clean.sigma
    metrics = last.base_cell.metrics
    assert (metrics["gain"].mean, metrics["gain"].theory) == (None, None)
    assert metrics["mse"].mean is not None
    assert metrics["mse"].standard_error is None


@pytest.mark.long
@ONE_LOOP
async def test_progress_tells_only_what_changed(worker: Worker) -> None:
    shares = {"attack.share": {"from": 0, "to": 0.5, "points": 40}}
    swept = document(items=256, trials=60, sweep=shares)
    so_far = worker.run(1, swept, interval=0.0, full=True)
    taken = await worker.snapshots(so_far)
    done = [snapshot.done for snapshot in taken]
    assert done == sorted(done)
    assert len(taken[1].cells) == 1  # the base is told as soon as it has something to tell
    assert {snapshot.total for snapshot in taken} == {40 * 60}
    assert len(taken) > 2
    told = [
        (view.index, view.trials)
        for news in map(news_in_frame, worker.frames)
        if news.snapshot is not None
        for view in news.snapshot.cells
    ]
    assert {index for index, _ in told} == set(range(41))  # and the base, which is not swept
    assert len(set(told)) == len(told)  # nothing twice
    assert [view.trials for view in taken[-1].cells] == [60] * 41
    assert len(taken[1].cells) < 40
    assert taken[-1].latest == "share 0.5"


@pytest.mark.long
@ONE_LOOP
async def test_many_cells_are_cut_into_short_frames(worker: Worker) -> None:
    points = {"from": 0, "to": 0.5, "points": 400}
    swept = document(trials=1, sweep={"attack.share": points})
    last = await worker.end(worker.run(1, swept, interval=1e9, full=True))
    assert len(last.cells) == 401
    assert max(map(len, worker.frames)) < CELLS * 4000
    assert len(worker.frames) > 400 // CELLS


async def told_by(worker: Worker) -> Snapshot:
    """The snapshot in the next frame."""
    news = await worker.read()
    assert news.snapshot is not None
    return news.snapshot


@ONE_LOOP
async def test_a_newer_request_stops_the_older_silently(worker: Worker) -> None:
    worker.run(1, ENDLESS, full=True)
    assert await worker.read() == News(started=1)
    assert (await told_by(worker)).done == 0
    newer = worker.run(2, document())
    assert (await worker.end(newer)).status == "done"


@ONE_LOOP
async def test_only_the_newest_waiting_request_is_run(worker: Worker) -> None:
    worker.run(1, ENDLESS, full=True)
    assert await worker.read() == News(started=1)
    for key in (2, 3, 4):
        newest = worker.run(key, document())
    lines = [await worker.read()]
    while lines[-1] != News(started=4):
        lines.append(await worker.read())
    assert all(news.snapshot is None or news.snapshot.done == 0 for news in lines)
    last = None
    while last is None or last.status == "running":
        last = newest.snapshot if newest.take(await worker.read()) else last
    assert (last.key, last.status) == (4, "done")


@ONE_LOOP
async def test_a_cancel_keeps_what_is_finished(worker: Worker) -> None:
    so_far = worker.run(1, HALTING, interval=0.0, full=True)
    assert await worker.read() == News(started=1)
    while so_far.snapshot.done < 20:
        so_far.take(await worker.read())
    worker.send(cancel=1)
    while so_far.snapshot.status == "running":
        so_far.take(await worker.read())
    last = so_far.snapshot
    assert (last.status, last.done, last.total) == ("partial", 20, 40)
    assert last.frequencies is not None
    assert (await worker.end(worker.run(2, document()))).status == "done"


@ONE_LOOP
async def test_a_cancel_interrupts_that_never_calls_back(worker: Worker) -> None:
    # Binding these cells takes seconds; not interrupted, it ends at the first impossible one.
    many = document(sweep={"attack.targets.count": [1, 2, 17], "seed": list(range(3000))})
    so_far = worker.run(1, many, full=True)
    assert await worker.read() == News(started=1)
    assert (await told_by(worker)).total == 9000 * 20
    worker.send(cancel=1)
    so_far.take(await worker.read())
    assert so_far.snapshot.status == "partial"


@pytest.mark.long
@ONE_LOOP
async def test_a_bad_scenario_is_one_sentence(worker: Worker) -> None:
    attack = {"kind": "mga", "share": 1.5, "targets": {"items": [1]}}
    changes: dict[str, Any] = {
        "attack.share must": {"attack": attack},
        "none.csv cannot be": {"population": {"kind": "csv", "path": "none.csv", "column": "a"}},
        "sweep.protocol.epsilon must list": {"sweep": {"protocol.epsilon": []}},
    }
    for words, changed in changes.items():
        last = await worker.end(worker.run(1, document(**changed)))
        assert last.status == "failed"
        assert words in last.error
        assert "\n" not in last.error
        assert last.details == ""
    assert (await worker.end(worker.run(2, document()))).status == "done"


@pytest.mark.long
@ONE_LOOP
async def test_what_is_no_request_is_refused(worker: Worker) -> None:
    for line in (
        "",
        "{",
        "[]",
        "3",
        "{}",
        '{"walk": 1}',
        '{"cancel": "1"}',
        "[" * 100_000,
        '{"run": {}}',
        '{"run": {"key": 1}}',
        "é",
    ):
        worker.write(line)
        news = await worker.read()
        assert news.error.startswith("not a request: "), line
        assert news == News(error=news.error)
    assert (await worker.end(worker.run(2, document()))).status == "done"


@pytest.mark.every(2)
@pytest.mark.parametrize("end", ["eof", "quit"])
@ONE_LOOP
async def test_it_ends_in_the_middle_of_a_run(worker: Worker, end: str) -> None:
    worker.run(1, ENDLESS, full=True)
    await worker.read()
    if end == "quit":
        worker.send(quit=True)
        await soon(worker.process.wait())
    assert await ended(worker) == (0, b"")


async def test_it_ends_before_it_is_ready() -> None:
    child = await started("-m", "ldptui.engine.worker")
    assert await ended(child) == (0, b"")


def test_it_ends_without_a_standard_input() -> None:
    command = f"exec {sys.executable} -m ldptui.engine.worker <&-"
    done = subprocess.run(["sh", "-c", command], capture_output=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


async def test_standard_output_is_the_protocol_only() -> None:
    noisy = """
import os, warnings
import ldptui.core.experiment
from ldptui.engine.worker.__main__ import main
quiet = ldptui.core.experiment.compile
def compile(scenario, **options):
    print("stray")
    os.write(1, b"raw")
    warnings.warn("careful")
    return quiet(scenario, **options)
ldptui.core.experiment.compile = compile
main()
"""
    child = await started("-c", noisy)
    assert (await child.read()).ready
    assert (await child.end(child.run(1, document()))).status == "done"
    code, errors = await ended(child)
    assert code == 0
    assert all(word in errors for word in (b"stray", b"raw", b"careful"))


@ONE_LOOP
async def test_a_large_domain_is_thinned(worker: Worker) -> None:
    wide = document(items=3 * MAX_ITEMS, users=10**6)
    last = await worker.end(worker.run(1, wide))
    shown, cell = last.frequencies, compile(Scenario(wide)).cells[0]
    assert shown is not None
    assert shown.domain_size == 3 * MAX_ITEMS
    assert MAX_ITEMS // 2 < len(shown.items) <= MAX_ITEMS
    assert set(cell.targets) <= set(shown.items)
    assert shown.true == tuple(cell.population.frequencies[list(shown.items)])
    assert len(shown.labels) == len(shown.attacked_estimates.sigma) == len(shown.items)
    assert max(map(len, worker.frames)) < 300_000


HALFWAY = """
import sys
from ldptui.engine.worker.inbox import Inbox, NewerRequest
from ldptui.session.snapshot import LabQuestion

inbox = Inbox()
inbox.interrupts()
first, second = (LabQuestion(key, "accuracy", {}, None, ".") for key in (1, 2))
inbox._newest = first
sys.newer = lambda: setattr(inbox, "_newest", second)
try:
    with inbox.running(first), inbox.interruptible():
        import asked  # a library that an answer needs at its first call
        while True:
            pass
except NewerRequest:
    print(sys.modules["asked"].whole)
"""

ASKED = """
import _thread, sys
sys.newer()
_thread.interrupt_main()
for _ in range(100_000):
    whole = True
"""


def test_a_newer_question_leaves_no_import_halfway(tmp_path: Path) -> None:
    """The import ends, and the question it was for is left then; before, "asked" was missing."""
    (tmp_path / "asked.py").write_text(ASKED, encoding="utf-8")
    paths = os.pathsep.join(filter(None, [str(tmp_path), *sys.path]))
    done = subprocess.run(
        [sys.executable, "-c", HALFWAY], env={**os.environ, "PYTHONPATH": paths},
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("True\n", "")
