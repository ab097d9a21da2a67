"""The run store and the rounds of campaigns: kept, found again, replayed and shared."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.cases import alike, attack, experiment
from support.stores import change_block, record

from ldptui import core
from ldptui.core.base.arms import ATTACKED, UNDEFENDED
from ldptui.core.base.errors import FileError
from ldptui.core.metrics.results import CellResults, Moments, Rounds
from ldptui.core.store import Store, open_store
from ldptui.core.store.recording import read_recording, write_recording
from ldptui.core.store.run_replay import replay


def work(trials: int = 30, **campaign: Any) -> core.Experiment:
    return experiment(
        {"kind": "zipf", "items": 12, "users": 1500, "exponent": 1.0},
        {"kind": "oue", "epsilon": 1.0},
        attack("mga", 0.1, [3, 4], seeds=5),
        trials=trials,
        campaign={"rounds": 4, "churn": 0.2, **campaign},
        sweep={"protocol.kind": ["grr", "oue"]},
    )


def assert_equal(one: Rounds | None, other: Rounds | None) -> None:
    assert one is not None
    assert other is not None
    assert alike(one.metrics, other.metrics)
    for before, after in ((one.arms[arm], other.arms[arm]) for arm in UNDEFENDED):
        assert isinstance(before, Moments)
        assert before.trials == after.trials
        assert np.array_equal(before.mean, after.mean)
        assert np.array_equal(before.squares, after.squares)


def test_rounds_are_kept_to_the_last_bit_and_not_computed_again(kept: Store) -> None:
    there, first = record(kept, work())
    read = kept.results(first.run)
    assert read.digest == there.digest
    for one, other in zip(there.cells, read.cells, strict=True):
        assert_equal(one.rounds, other.rounds)
    again, second = record(kept, work())
    assert (first.reused, second.reused) == (0, 60)
    for one, other in zip(there.cells, again.cells, strict=True):
        assert_equal(one.rounds, other.rounds)


def other_round(block: CellResults) -> CellResults:
    """The block with another mse of trial 0 in round 2."""
    assert block.rounds is not None
    metrics = block.rounds.metrics.copy()
    metrics["mse"][0, 2] *= 1.001
    return replace(block, rounds=replace(block.rounds, metrics=metrics))


def other_frequency(block: CellResults) -> CellResults:
    """The block with another frequency of item 5, attacked, in round 1."""
    assert block.rounds is not None
    moments = block.rounds.arms[ATTACKED]
    mean = moments.mean.copy()
    mean[1, 5] += 1e-6
    arms = {**block.rounds.arms, ATTACKED: replace(moments, mean=mean)}
    return replace(block, rounds=replace(block.rounds, arms=arms))


@pytest.mark.parametrize(
    ("position", "change", "sentence"),
    [
        (0, other_round, "cell 0, trial 0, round 2: mse was "),
        (1, other_frequency, "cell 1, block 0: attacked frequencies of the rounds, item 5: was "),
    ],
)
def test_a_replay_is_identical_and_sees_a_changed_round(
    kept: Store, position: int, change: Any, sentence: str
) -> None:
    _, memory = record(kept, work())
    assert replay(kept, memory.run).difference == ""
    change_block(kept, memory.run, position, 0, change)
    assert replay(kept, memory.run).difference.startswith(sentence)


@pytest.mark.parametrize("frequencies", [True, False])
def test_a_recording_holds_the_rounds(kept: Store, tmp_path: Path, frequencies: bool) -> None:
    there, memory = record(kept, work(), frequencies=frequencies)
    file = tmp_path / "shared.ldptui"
    write_recording(kept, memory.run, file)
    with open_store(None) as other:
        run_number, before = read_recording(other, file)
        assert not before
        read = other.results(run_number)
        assert read.digest == there.digest
        assert replay(other, run_number).difference == ""
        for one, again in zip(there.cells, read.cells, strict=True):
            assert one.rounds is not None
            assert again.rounds is not None
            assert alike(one.rounds.metrics, again.rounds.metrics)
            if frequencies:
                assert_equal(one.rounds, again.rounds)


def test_a_recording_with_other_rounds_is_refused(kept: Store, tmp_path: Path) -> None:
    def shorter(block: CellResults) -> CellResults:
        assert block.rounds is not None
        return replace(block, rounds=replace(block.rounds, metrics=block.rounds.metrics[:, :3]))

    _, memory = record(kept, work())
    change_block(kept, memory.run, 0, 0, shorter)
    file = tmp_path / "shared.ldptui"
    write_recording(kept, memory.run, file)
    with open_store(None) as other, pytest.raises(FileError, match="a round has no right metrics"):
        read_recording(other, file)
