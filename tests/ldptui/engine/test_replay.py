"""Runs replayed block by block, and shown from the store, without simulating anything."""

from __future__ import annotations

from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.worker import document

from ldptui.core import compile
from ldptui.core.base.arms import ATTACKED, CLEAN
from ldptui.core.running.runner import units
from ldptui.core.scenario import Scenario
from ldptui.core.store import Store, begin, open_store
from ldptui.core.store.recording import read_recording, write_recording
from ldptui.engine.replay import RunReplay
from ldptui.engine.store_actions import kept_runs, open_run
from ldptui.session.snapshot import Snapshot

WHOLE = document(title="a sweep", trials=60, sweep={"attack.share": [0.02, 0.05, 0.2]})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs.sqlite3"


def keep(path: Path, whole: Any = WHOLE, blocks: int | None = None) -> None:
    """Record a run; `blocks`: the number to keep of it."""
    work = compile(Scenario(whole))
    with open_store(path) as store:
        kept = begin(store, work)
        for cell, number, trials in islice(units(work), blocks):
            kept.keep(cell, number, cell.block(number, trials))
        kept.finish(None if blocks else store.results(kept.run))


def shares(snapshot: Snapshot) -> dict[float, int]:
    return {cell.parameters["attack.share"]: cell.trials for cell in snapshot.cells}


def test_a_run_is_shown_as_it_was_measured(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(path)
    monkeypatch.setattr("ldptui.core.cell.Cell.block", None)
    work = compile(Scenario(WHOLE))
    with closing(open_run(path, 1, -1)) as replay:
        snapshot = replay.frame()
    with open_store(path) as store:
        measured, kept = store.measured_cells(1), store.run(1)
    assert (snapshot.key, snapshot.status, snapshot.digest) == (-1, "done", kept.digest)
    assert (snapshot.done, snapshot.total, snapshot.kept) == (180, 180, 1)
    assert [cell.trials for cell in snapshot.cells] == [60, 60, 60]
    for view, cell, there in zip(snapshot.cells, work.cells, measured, strict=True):
        assert view.parameters == cell.parameters
        assert view.metrics["gain"].mean == there.estimate("gain").mean
        assert view.metrics["gain"].theory is not None
    assert snapshot.frequencies is not None
    middle = measured[1].arms[CLEAN]
    assert middle is not None
    assert snapshot.frequencies.clean.mean == tuple(middle.mean)  # the base has β = 0.05
    assert snapshot.frequencies.trials == 60


def test_a_replay_shows_the_results_of_that_moment(path: Path) -> None:
    keep(path)
    replay = open_run(path, 1, 1)
    assert replay.blocks == 9

    def known(blocks: int) -> tuple[int, int, dict[float, int], str]:
        frame = replay.frame(blocks)
        trials = frame.frequencies.trials if frame.frequencies is not None else 0
        return frame.done, trials, shares(frame), frame.status

    assert known(0) == (0, 0, {}, "running")
    assert known(2) == (40, 0, {0.02: 40}, "running")
    assert known(5) == (100, 40, {0.02: 60, 0.05: 40}, "running")
    there = replay.frame(5)
    with open_store(path) as store:
        block = [store.block(1, arrival) for arrival in store.arrivals(1)[3:5]]
    both = block[0].arms[ATTACKED] + block[1].arms[ATTACKED]
    assert there.frequencies is not None
    assert there.frequencies.attacked_estimates.mean == tuple(both.mean)
    assert known(9) == (180, 60, {0.02: 60, 0.05: 60, 0.2: 60}, "done")
    # Back, and on again: the same picture.
    assert known(4) == (80, 20, {0.02: 60, 0.05: 20}, "running")
    assert replay.frame(5).frequencies == there.frequencies
    assert known(0)[:2] == (0, 0)
    replay.close()


def test_blocks_that_came_out_of_order_wait_for_the_gap(path: Path) -> None:
    keep(path)
    with open_store(path) as store, store.writing():
        store.update_run(1, store.arrivals(1)[::-1])
    replay = open_run(path, 1, 1)
    # The third and the second block of the last cell come first: nothing to show yet.
    assert shares(replay.frame(3)) == {0.2: 60}
    assert shares(replay.frame(2)) == {}
    replay.close()


def test_a_run_that_was_stopped_is_partial(path: Path) -> None:
    keep(path, blocks=3)
    with closing(open_run(path, 1, -1)) as replay:
        snapshot = replay.frame()
    assert (snapshot.status, snapshot.done, snapshot.total) == ("partial", 60, 180)
    (listed,) = kept_runs(path)
    assert (listed.key, listed.number, listed.status) == (-1, 1, "partial")
    assert listed.snapshot.cells == ()


def test_a_recording_from_a_file_is_replayed(path: Path, tmp_path: Path) -> None:
    keep(path)
    with open_store(path) as store:
        write_recording(store, 1, tmp_path / "run.ldptui")
    other: Store = open_store(None)
    number, _ = read_recording(other, tmp_path / "run.ldptui")
    replay = RunReplay(other, number, 1)
    assert shares(replay.frame()) == {0.02: 60, 0.05: 60, 0.2: 60}
    assert replay.frame(9).kept is None
    assert replay.describe(9) == "recording: block 9 of 9 · 180 of 180 trials"
    replay.close()


CAMPAIGN = document("oue", title="a campaign", trials=60, campaign={"rounds": 5, "churn": 0.2}) | {
    "attack": {"kind": "mga", "share": 0.1, "targets": {"items": [3, 4]}}
}


def test_the_rounds_of_a_campaign_are_replayed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(path, CAMPAIGN)
    monkeypatch.setattr("ldptui.core.cell.Cell.block", None)
    replay = open_run(path, 1, 1)
    with open_store(path) as store:
        blocks = [store.block(1, arrival) for arrival in store.arrivals(1)]
    assert replay.describe(1) == "run 1: block 1 of 3 · 20 of 60 trials"

    def shown(count: int) -> tuple[int, list[list[float]], dict[int, list[float]]]:
        """Trials; of the first `count` blocks, the targets and all items of each round."""
        frame = replay.frame(count)
        assert frame.rounds is not None
        own = {at: list(one.attacked_estimates.mean) for at, one in frame.round_frequencies.items()}
        return (
            frame.rounds.trials,
            [list(estimate) for estimate in frame.rounds.attacked_means],
            own,
        )

    assert replay.frame(0).rounds is None
    assert dict(replay.frame(0).round_frequencies) == {}
    for count in (1, 2, 3, 1):  # estimates settle, and go back
        of_rounds = [block.rounds for block in blocks[:count] if block.rounds is not None]
        expected = of_rounds[0].arms[ATTACKED]
        for one in of_rounds[1:]:
            expected = expected + one.arms[ATTACKED]
        assert shown(count) == (
            20 * count,
            expected.mean[:, [3, 4]].tolist(),
            dict(enumerate(expected.mean.tolist())),
        )
    rounds = replay.frame(2).rounds
    assert rounds is not None
    gains = [block.rounds.metrics["gain"] for block in blocks[:2] if block.rounds is not None]
    means = np.concatenate(gains).mean(axis=0)
    assert [estimate.mean for estimate in rounds.metrics["gain"]] == pytest.approx(means.tolist())
    assert all(estimate.theory is not None for estimate in rounds.metrics["gain"])
    replay.close()


def test_there_is_no_history_without_a_store(tmp_path: Path) -> None:
    assert kept_runs(tmp_path / "nothing") == []
