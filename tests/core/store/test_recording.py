"""Replays of kept runs, and the recordings that are shared."""

from __future__ import annotations

import json
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
from support.stores import assert_same, change_block, change_cell, change_metric, change_run, record

from ldptui.core.base.arms import CLEAN
from ldptui.core.base.errors import FileError, LdpError
from ldptui.core.metrics.results import CellResults
from ldptui.core.store import Store, begin, open_store, recording
from ldptui.core.store.recording import read_recording, write_recording
from ldptui.core.store.replay import replay

OLDER = Path(__file__).with_name("recording-1.ldptui")


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


@pytest.mark.parametrize("older", [False, True])
def test_a_changed_recording_is_never_another_run(
    kept: Store, tmp_path: Path, seed: int, older: bool
) -> None:
    """One bit, or bytes that are missing: refused, or every number as before."""
    file = tmp_path / "run.ldptui"
    results, _ = record(kept, sweep(5))
    write_recording(kept, 1, file)
    whole = OLDER.read_bytes() if older else file.read_bytes()
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
            if not older:  # whose means another NumPy may have drawn
                assert_same(other.results(1), results)
    assert taken < 100 * (not older) + 1
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


def test_an_older_recording_is_read(tmp_path: Path) -> None:
    """ldptui 0.2 wrote it with NumPy 2.4.6, and is never written again."""
    with open_store(None) as other:
        assert read_recording(other, OLDER) == (1, False)
        run = other.run(1)
        assert (run.status, run.done, run.tags) == ("done", 30, ("shared",))
        assert run.digest == "xxh3:0b134183aae1a7e94cbb50b96ee65cb3"
        found = replay(other, 1)
        if np.__version__ == run.versions["numpy"]:
            assert (found.digest, found.difference) == (run.digest, "")
        file = tmp_path / "again.ldptui"
        write_recording(other, 1, file)
        with open_store(None) as third:
            read_recording(third, file)
            assert third.run(1) == run


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
def test_a_recording_that_lies_is_refused(tmp_path: Path, change: Callable[[Lines], None]) -> None:
    """With a right digest, as a stranger can sign anything again."""
    file = tmp_path / "run.ldptui"
    lines = [json.loads(line) for line in OLDER.read_text("utf-8").splitlines()]
    file.write_bytes(resigned(lines))
    with open_store(None) as other:
        read_recording(other, file)
    change(lines)
    file.write_bytes(resigned(lines))
    with open_store(None) as other:
        with pytest.raises(LdpError):
            read_recording(other, file)
        assert other.runs() == []
        assert other._db.execute("SELECT count(*) FROM blocks").fetchone() == (0,)


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
