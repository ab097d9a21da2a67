"""The run store: what is kept, as it came, and in which order runs are listed."""

from __future__ import annotations

import time
import zlib
from pathlib import Path
from typing import Any

import pytest
from support.cases import alike, experiment, results_of, sweep
from support.kinds import CAO_PROTOCOLS
from support.stores import assert_same, change_run, drop_arrival, key_of, record

from ldptui.core.base.errors import FileError, ScenarioError
from ldptui.core.cell import Cell
from ldptui.core.experiment import compile
from ldptui.core.running.runner import Progress, run
from ldptui.core.scenario import Scenario
from ldptui.core.store import (
    Arrival,
    Store,
    begin,
    resume,
    versions,
)
from ldptui.core.store.block_codec import CHECKSUM_BYTES, SMALL_BYTES, decode_block
from ldptui.core.store.run_replay import replay

# Keeping.


@pytest.mark.every(2)
@pytest.mark.parametrize("workers", [1, 2])
def test_a_run_is_kept_to_the_last_bit(kept: Store, workers: int) -> None:
    work = sweep()
    results, recorded = record(kept, work, workers, tags=["a", "b"], source="here.toml")
    assert recorded.failure == ""
    assert_same(results, results_of(work))
    assert_same(kept.results(recorded.run), results)
    (there,) = kept.runs()
    assert (there.status, there.done, there.total) == ("done", 300, 300)
    assert (there.digest, there.tags, there.source) == (results.digest, ("a", "b"), "here.toml")
    assert there.document == work.scenario.document
    assert (there.protocols, there.attacks) == (CAO_PROTOCOLS, ("none", "mga"))
    assert there.versions == versions("test")
    assert there.seconds > 0
    assert kept.journal == "wal"


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
    kept: Store, computed: list[tuple[int, int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    work = sweep()
    recorded = begin(kept, work)
    seen: list[Progress] = []
    compute = Cell.block

    def interrupted(*given: Any) -> Any:
        block = compute(*given)
        if len(computed) == 7:
            raise KeyboardInterrupt
        return block

    with monkeypatch.context() as patch:
        patch.setattr(Cell, "block", interrupted)
        with pytest.raises(KeyboardInterrupt):
            seen.extend(run(work, memory=recorded))
    recorded.finish(seen[-1].results)
    (there,) = kept.runs()
    assert there.status == "partial"
    assert (there.done, there.digest) == (100, "")
    again = resume(kept, there.id)
    *_, last = run(kept.experiment(there.id), memory=again)
    again.finish(last.results)
    assert len(computed) == 7 + 12
    assert again.reused == there.done
    assert_same(last.results, results_of(work))
    assert_same(kept.results(there.id), last.results)
    (there,) = kept.runs()
    assert (there.status, there.done) == ("done", 300)


def test_a_small_block_is_compressed_and_a_bomb_is_none(kept: Store) -> None:
    record(kept, sweep())
    *_, (block,) = kept.fetch("SELECT body FROM blocks")
    body = block[CHECKSUM_BYTES:]
    whole = zlib.decompress(body)
    assert len(body) < len(whole)
    for bad in (body[:-9], body[:2] + b"\xff" * 9, zlib.compress(whole + b"\0" * SMALL_BYTES)):
        with pytest.raises(ValueError, match=r"."):
            decode_block(bad)


def test_an_interrupted_transaction_is_taken_back(kept: Store) -> None:
    kept._db.execute("BEGIN IMMEDIATE")
    kept.put_bytes(b"left", "left")
    results, recorded = record(kept, sweep(20))
    assert recorded.failure == ""
    assert kept.get_bytes("left") is None

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
    assert_same(results_of(again), results)
    assert key_of(again.cells[0]) == key_of(work.cells[0])


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
    assert kept._db.execute("SELECT trials FROM blocks").fetchall() == [(5,)]
    assert kept.check() == "ok"


def test_blocks_beyond_a_gap_wait_for_it(kept: Store, computed: list[tuple[int, int, int]]) -> None:
    """As after a kill with several workers, whose blocks come in any order."""
    work = sweep()
    right, _ = record(kept, work)
    drop_arrival(kept, 1, 2, 1)
    change_run(kept, 1, status="partial", digest="")
    assert [cell.trials for cell in kept.measured_cells(1)] == [50, 50, 20, 50, 50, 50]
    assert replay(kept, 1).trials == 270
    computed.clear()
    again = resume(kept, 1)
    *_, last = run(work, memory=again)
    again.finish(last.results)
    assert computed == [(2, 1, 20)]
    assert_same(kept.results(1), right)
    assert kept.run(1).done == 300
