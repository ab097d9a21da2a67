"""Replays of kept runs, and the recordings that are shared."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.cases import sweep
from support.stores import assert_same, record

from ldptui.core.base.errors import FileError, LdpError
from ldptui.core.store import Store, begin, open_store
from ldptui.core.store.recording import read_recording, reading, write_recording
from ldptui.core.store.replay import replay


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


def test_a_recording_says_why_a_run_failed_and_has_words_of_any_length(
    kept: Store, tmp_path: Path
) -> None:
    run = begin(kept, sweep(20, title="long " * 300), "test", tags=["t" * 1001])
    run.finish(error="cell 0 failed: norm-cut leaves nothing of an estimate")
    file = tmp_path / "failed.ldptui"
    write_recording(kept, run.run, file)
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    with open_store(None) as other:
        read_recording(other, file)
        assert other.run(1) == replace(kept.run(run.run), id=1)
        assert other.run(1).error.startswith("cell 0 failed")
    del lines[0]["error"]  # as an older version wrote it
    file.write_bytes(resigned(lines))
    with open_store(None) as other:
        read_recording(other, file)
        assert (other.run(1).status, other.run(1).error) == ("failed", "")


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


@pytest.mark.every(2)
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
