"""Replays of kept runs, and the recordings that are shared."""

from __future__ import annotations

import math
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.cases import sweep
from support.stores import (
    assert_same,
    change_block,
    change_cell,
    change_metric,
    change_run,
    drop_arrival,
    record,
)

from ldptui.core.base.arms import CLEAN
from ldptui.core.base.errors import FileError, LdpError
from ldptui.core.metrics.results import CellResults
from ldptui.core.store import Store, begin, open_store, recording
from ldptui.core.store.recording import read_recording, write_recording
from ldptui.core.store.run_replay import replay


def test_a_replay_is_identical(kept: Store) -> None:
    results, recorded = record(kept, sweep())
    found = replay(kept, recorded.run)
    assert (found.digest, found.trials, found.difference) == (results.digest, 300, "")


def _mark(block: CellResults) -> CellResults:
    marks = block.fingerprints.copy()
    marks[1] += 1
    return replace(block, fingerprints=marks)


def _moments(block: CellResults) -> CellResults:
    moments = block.arms[CLEAN]
    arms = {**block.arms, CLEAN: replace(moments, mean=moments.squares)}
    return replace(block, arms=arms)


def _detected(block: CellResults) -> CellResults:
    return replace(block, detected=np.zeros(20, dtype=np.int64))


@pytest.mark.parametrize(
    ("position", "number", "change", "sentence"),
    [
        (1, 2, _mark, "cell 1, trial 41: the fingerprint"),
        (2, 0, change_metric("mse", lambda mse: mse * (1 + 3e-12)), "cell 2, trial 0: mse was"),
        (0, 0, change_metric("gain", lambda _: 0), "cell 0, trial 0: gain was 0.0, is nan"),
        (5, 1, _moments, "cell 5, block 1: clean frequencies, item 0"),
        (3, 0, _detected, "cell 3, block 0: other items are detected"),
    ],
)
def test_a_replay_finds_every_change(
    kept: Store, position: int, number: int, change: Any, sentence: str
) -> None:
    record(kept, sweep())
    change_block(kept, 1, position, number, change)
    assert sentence in replay(kept, 1).difference


def test_a_replay_finds_another_digest_and_other_users(kept: Store) -> None:
    record(kept, sweep())
    change_run(kept, 1, digest="xxh3:0")
    assert "the digest kept is xxh3:0, not" in replay(kept, 1).difference
    change_cell(kept, 1, 1, histogram="0")
    assert "cell 1: its users hold" in replay(kept, 1).difference


def test_a_replay_takes_sums_made_in_another_order(kept: Store) -> None:
    record(kept, sweep())
    change_block(kept, 1, 0, 0, change_metric("mse", lambda mse: mse * (1 + 3e-13)))
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


def test_a_recording_says_why_a_run_failed_and_has_words_of_any_length(
    kept: Store, tmp_path: Path
) -> None:
    run = begin(kept, sweep(20, title="long " * 300), "test", tags=["t" * 1001])
    run.finish(error="cell 0 failed: norm-cut leaves nothing of an estimate")
    file = tmp_path / "failed.ldptui"
    write_recording(kept, run.run, file)
    with open_store(None) as other:
        read_recording(other, file)
        assert other.run(1) == replace(kept.run(run.run), id=1)
        assert other.run(1).error.startswith("cell 0 failed")


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


def test_a_changed_recording_is_never_another_run(kept: Store, tmp_path: Path, seed: int) -> None:
    """One bit, or bytes that are missing: refused, or every number as before."""
    file = tmp_path / "run.ldptui"
    results, _ = record(kept, sweep(5))
    write_recording(kept, 1, file)
    whole = file.read_bytes()
    rng, taken = random.Random(seed), 0
    for _ in range(100):
        at = rng.randrange(len(whole))
        file.write_bytes(
            whole[:at] + bytes([whole[at] ^ (1 << rng.randrange(8))]) + whole[at + 1 :]
        )
        with open_store(None) as other:
            try:
                read_recording(other, file)
            except FileError:
                assert other.runs() == []
                continue
            taken += 1
            assert_same(other.results(1), results)
    assert taken < 100
    with open_store(None) as other:
        for size in (0, 1, 25, len(whole) // 2, len(whole) - 30):
            file.write_bytes(whole[:size])
            with pytest.raises(FileError):
                read_recording(other, file)
        assert other.runs() == []
        assert other.check() == "ok"


def _change_file(file: Path, *statements: str) -> None:
    """A stranger's own SQL in a recording."""
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        for statement in statements:
            db.execute(statement)


@pytest.mark.parametrize(
    "statements",
    [
        ("CREATE TABLE more (x)",),
        ("CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM blocks; END",),
        ("CREATE VIEW v AS SELECT 1",),
        ("DELETE FROM blocks WHERE number = 0",),
        ("DELETE FROM runs",),
        ("INSERT INTO runs SELECT 2, 'x', body, cells, arrivals FROM runs",),
        ("UPDATE runs SET uid = 'x'",),
        ("UPDATE blocks SET cell = cell || 'x'",),
        ("UPDATE blocks SET body = zeroblob(9)",),
        ("UPDATE runs SET cells = arrivals",),
        ("PRAGMA user_version = 7",),
        ("PRAGMA application_id = 5",),
    ],
)
def test_a_recording_that_a_stranger_has_changed_is_refused(
    kept: Store, tmp_path: Path, statements: tuple[str, ...]
) -> None:
    file = tmp_path / "run.ldptui"
    record(kept, sweep(5))
    write_recording(kept, 1, file)
    _change_file(file, *statements)
    with open_store(None) as other:
        with pytest.raises(FileError):
            read_recording(other, file)
        assert other.runs() == []
        assert other._db.execute("SELECT count(*) FROM blocks").fetchone() == (0,)


def _infinite(block: CellResults) -> CellResults:
    block.metrics["mse"][0] = math.inf
    return block


def _short(block: CellResults) -> CellResults:
    moments = block.arms[CLEAN]
    return replace(block, arms={**block.arms, CLEAN: replace(moments, mean=moments.mean[:1])})


SCENARIO = sweep(20).scenario.document


def forged(store: Store, file: Path) -> Path:
    """The recording of run 1; what cannot be written is no recording."""
    write_recording(store, 1, file)
    return file


@pytest.mark.parametrize("change", [
    lambda store: change_block(store, 1, 1, 0, _mark),
    lambda store: change_block(store, 1, 1, 0, _infinite),
    lambda store: change_block(store, 1, 1, 0, _short),
    lambda store: change_run(store, 1, document={**SCENARIO, "seed": -1}),
    lambda store: change_run(store, 1, document={**SCENARIO, "trials": 10}),
    lambda store: change_run(store, 1, document={"format": [[]]}),
    lambda store: change_run(store, 1, document={
        **SCENARIO, "population": {**SCENARIO["population"], "items": 2**40}}),
    lambda store: change_run(store, 1, tags=("\x1b[2J",)),
    lambda store: change_run(store, 1, started=math.nan),
    lambda store: change_run(store, 1, versions={}),
    lambda store: change_cell(store, 1, 0, domain_size=2**40),
    lambda store: change_cell(store, 1, 0, users=7),
    lambda store: change_cell(store, 1, 0, malicious=3),
    lambda store: drop_arrival(store, 1, 0, 0),
])  # fmt: skip
def test_a_recording_that_lies_is_refused(
    kept: Store, tmp_path: Path, change: Callable[[Store], None]
) -> None:
    """With right checksums, as a stranger can sign anything again."""
    file = tmp_path / "run.ldptui"
    record(kept, sweep(20))
    with open_store(None) as other:
        change(kept)
        with pytest.raises(LdpError):
            read_recording(other, forged(kept, file))
        assert other.runs() == []
        assert other.fetch("SELECT * FROM blocks") == []


def test_a_recording_that_is_too_large_is_refused_unread(
    kept: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "run.ldptui"
    record(kept, sweep(20))
    write_recording(kept, 1, file)
    monkeypatch.setattr(recording, "MAX_BYTES", 100)
    with open_store(None) as other:
        with pytest.raises(FileError, match="is larger than"):
            read_recording(other, file)
        assert read_recording(other, file, limits=False) == (1, False)
