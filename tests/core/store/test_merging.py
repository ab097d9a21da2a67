"""Stores of shards, merged: the whole is known, and is what one run computes."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.cases import sweep
from support.stores import change_block

from ldptui import core
from ldptui.core.base.errors import FileError, ScenarioError
from ldptui.core.metrics.results import CellResults
from ldptui.core.running.runner import Shard, run, units
from ldptui.core.store import Store, begin, merge, open_store


def record(path: Path, shard: Shard, work: core.Experiment) -> Path:
    """Compute a shard into a store of its own."""
    with open_store(path) as store:
        memory = begin(store, work)
        *_, last = run(work, memory=memory, shard=shard)
        memory.finish(last.results)
        assert last.done == last.total
        assert not memory.failure
    return path


@pytest.mark.parametrize("of", [1, 2, 3, 7, 40])
def test_shards_share_the_blocks(of: int) -> None:
    """None twice, none left out, and no shard has two blocks more than another."""
    work = sweep()
    shards = [list(units(work, Shard(number + 1, of))) for number in range(of)]
    dealt = Counter(
        (cell.index, block, trials) for shard in shards for cell, block, trials in shard
    )
    assert dealt == Counter((cell.index, block, trials) for cell, block, trials in units(work))
    assert max(map(len, shards)) - min(map(len, shards)) <= 1


@pytest.mark.parametrize(("number", "of"), [(0, 1), (2, 1), (-1, 3)])
def test_a_shard_that_there_is_not_is_refused(number: int, of: int) -> None:
    with pytest.raises(ScenarioError, match="must be I/N with 1 ≤ I ≤ N"):
        Shard(number, of)


def test_merged_shards_leave_nothing_to_compute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = sweep()
    *_, whole = run(work)
    parts = [record(tmp_path / f"{number}.db", Shard(number, 3), work) for number in (1, 2, 3)]
    with open_store(tmp_path / "all.db") as store:
        merged = [merge(store, part) for part in parts]
        assert sum(each.trials for each in merged) == 300
        assert [store.run(number).status for number in (1, 2, 3)] == ["partial"] * 3
        assert sum(store.run(number).done for number in (1, 2, 3)) == 300
        monkeypatch.setattr("ldptui.core.cell.Cell.block", None)
        memory = begin(store, work)
        *_, last = run(work, memory=memory)
        assert last.results.complete
        assert last.results.digest == whole.results.digest
        for known, computed in zip(last.results.cells, whole.results.cells, strict=True):
            assert all(
                (known.arms[arm].mean == moments.mean).all()
                for arm, moments in computed.arms.items()
            )
        again = [merge(store, part) for part in parts]
        assert [each.trials for each in again] == [0, 0, 0]
        assert [each.runs for each in again] == [each.runs for each in merged]


def test_four_shards_merged_in_any_order_are_one_store(tmp_path: Path) -> None:
    work = sweep(40)
    whole = record(tmp_path / "whole.db", Shard(), work)
    parts = [record(tmp_path / f"{number}.db", Shard(number, 4), work) for number in (1, 2, 3, 4)]

    def blocks_in(store: Store) -> list[Any]:
        query = "SELECT * FROM blocks ORDER BY cell, number, trials"
        return store._db.execute(query).fetchall()

    with open_store(whole, write=False) as store:
        right = blocks_in(store)
    for order in itertools.permutations(parts):
        with open_store(None) as store:
            for part in order:
                merge(store, part)
            assert blocks_in(store) == right


def test_a_run_that_went_on_brings_its_other_blocks(tmp_path: Path) -> None:
    part = record(tmp_path / "part.db", Shard(1, 2), sweep())
    with open_store(tmp_path / "all.db") as store:
        (number,) = merge(store, part).runs
        before = store.run(number).done
        with open_store(part) as other:
            memory = core.store.resume(other, 1)
            *_, last = run(other.experiment(1), memory=memory)
            memory.finish(last.results)
        assert merge(store, part).runs == (number,)
        assert 0 < before < store.run(number).done == 300
        assert store.run(number).status == "done"
        assert store.run(number).digest == last.results.digest


def change_mark(block: CellResults) -> CellResults:
    marks = block.fingerprints.copy()
    marks[7] += 1
    return replace(block, fingerprints=marks)


def test_stores_that_contradict_each_other_are_not_merged(tmp_path: Path) -> None:
    here, there = (record(tmp_path / name, Shard(), sweep(20)) for name in ("a.db", "b.db"))
    with open_store(there) as other:
        change_block(other, 1, 2, 0, change_mark)
    with open_store(here) as store:
        with pytest.raises(FileError, match="measured trial 7 of a cell otherwise"):
            merge(store, there)
        assert len(store.runs()) == 1  # nothing of it was taken
        with pytest.raises(FileError, match="is this store itself"):
            merge(store, here)


def test_a_run_under_way_is_not_merged(tmp_path: Path) -> None:
    with open_store(tmp_path / "part.db") as part, open_store(tmp_path / "all.db") as store:
        begin(part, sweep(20))
        with pytest.raises(FileError, match=r"run 1 of .* is running, in process \d+: merge when"):
            merge(store, tmp_path / "part.db")
        assert not store.runs()
